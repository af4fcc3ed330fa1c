#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/base_types.hpp>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/util.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tt::tt_metal {

// A kernel within its program: the program's first kernel is 0.
using KernelHandle = uint32_t;

// How far upstream's compiler optimises. A capture holds it; kernels here are compiled in one way,
// whatever is asked for.
enum class KernelBuildOptLevel : uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };

// How a data movement kernel is compiled and where it runs. In this and the other configurations:
//
// - named_compile_args are constants that the kernel finds by their names
//   (get_named_compile_time_arg_val), beside compile_args, which it finds by their numbers;
// - compiler_include_paths are folders where its #include directives are looked for, in their
//   order, behind our own headers and before those of TT_METAL_HOME. A relative one is below the
//   working directory of the program when it compiles the kernel.
struct DataMovementConfig {
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  NOC noc = NOC::RISCV_0_default;
  NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  std::unordered_map<std::string, uint32_t> named_compile_args = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
  std::vector<std::filesystem::path> compiler_include_paths = {};
};

// Data movement on RISCV_1 over the network preferred for reading DRAM.
struct ReaderDataMovementConfig : public DataMovementConfig {
  ReaderDataMovementConfig(std::vector<uint32_t> compile_args = {},
                           std::map<std::string, std::string> defines = {},
                           std::unordered_map<std::string, uint32_t> named_compile_args = {},
                           KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
                           std::vector<std::filesystem::path> compiler_include_paths = {});
  // The form of early 2025. A template, so that a braced {} means no named arguments.
  template <std::same_as<KernelBuildOptLevel> Level>
  ReaderDataMovementConfig(std::vector<uint32_t> compile_args,
                           std::map<std::string, std::string> defines, Level opt_level)
      : ReaderDataMovementConfig(std::move(compile_args), std::move(defines), {}, opt_level) {}
};

// Data movement on RISCV_0 over the network preferred for writing DRAM.
struct WriterDataMovementConfig : public DataMovementConfig {
  WriterDataMovementConfig(std::vector<uint32_t> compile_args = {},
                           std::map<std::string, std::string> defines = {},
                           std::unordered_map<std::string, uint32_t> named_compile_args = {},
                           KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
                           std::vector<std::filesystem::path> compiler_include_paths = {});
  // The form of early 2025. A template, so that a braced {} means no named arguments.
  template <std::same_as<KernelBuildOptLevel> Level>
  WriterDataMovementConfig(std::vector<uint32_t> compile_args,
                           std::map<std::string, std::string> defines, Level opt_level)
      : WriterDataMovementConfig(std::move(compile_args), std::move(defines), {}, opt_level) {}
};

// How a compute kernel is compiled. A capture holds all of it; unpack_to_dest_mode and
// bfp8_pack_precise change no kernel here.
struct ComputeConfig {
  MathFidelity math_fidelity = MathFidelity::HiFi4;
  bool fp32_dest_acc_en = false;
  bool dst_full_sync_en = false;
  std::vector<UnpackToDestMode> unpack_to_dest_mode = {};  // by circular buffer index
  bool bfp8_pack_precise = false;
  bool math_approx_mode = false;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  std::unordered_map<std::string, uint32_t> named_compile_args = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
  std::vector<std::filesystem::path> compiler_include_paths = {};
};

// How a kernel of an Ethernet core is compiled. The processor is RISCV_0: CreateKernel refuses
// another.
struct EthernetConfig {
  Eth eth_mode = Eth::SENDER;
  NOC noc = NOC::NOC_0;
  DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
  std::vector<uint32_t> compile_args = {};
  std::map<std::string, std::string> defines = {};
  std::unordered_map<std::string, uint32_t> named_compile_args = {};
  KernelBuildOptLevel opt_level = KernelBuildOptLevel::Os;
  std::vector<std::filesystem::path> compiler_include_paths = {};
};

}  // namespace tt::tt_metal
