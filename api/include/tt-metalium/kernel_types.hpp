#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/base_types.hpp>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/util.hpp>
#include <variant>
#include <vector>

namespace tt::tt_metal {

// A kernel within its program: the program's first kernel is 0.
using KernelHandle = uint32_t;

// How far upstream's compiler optimises. Kernels here are compiled in one way, whatever is asked
// for.
enum class KernelBuildOptLevel : uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };

// How a data movement kernel is compiled and where it runs.
struct DataMovementConfig {
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  NOC noc = NOC::RISCV_0_default;
  NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
};

// Data movement on RISCV_1 over the network preferred for reading DRAM.
struct ReaderDataMovementConfig : public DataMovementConfig {
  ReaderDataMovementConfig(std::vector<uint32_t> compile_args = {},
                           std::map<std::string, std::string> defines = {},
                           KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2);
};

// Data movement on RISCV_0 over the network preferred for writing DRAM.
struct WriterDataMovementConfig : public DataMovementConfig {
  WriterDataMovementConfig(std::vector<uint32_t> compile_args = {},
                           std::map<std::string, std::string> defines = {},
                           KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2);
};

// How a compute kernel is compiled. A capture holds all of it but opt_level; unpack_to_dest_mode
// and bfp8_pack_precise change no kernel here.
struct ComputeConfig {
  MathFidelity math_fidelity = MathFidelity::HiFi4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  std::vector<UnpackToDestMode> unpack_to_dest_mode = {};  // by circular buffer index
  bool bfp8_pack_precise = false;
  bool math_approx_mode = false;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
};

// How a kernel of an Ethernet core is compiled. The processor is RISCV_0: CreateKernel refuses
// another.
struct EthernetConfig {
  Eth eth_mode = Eth::SENDER;
  NOC noc = NOC::NOC_0;
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::Os;
};

}  // namespace tt::tt_metal
