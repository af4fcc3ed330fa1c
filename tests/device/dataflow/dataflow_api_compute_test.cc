#include <gtest/gtest.h>

#include <numeric>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

// Circular buffers and dataflow buffers as objects in compute kernels, too.
namespace tt::tt_metal {
namespace {

constexpr uint32_t kTileBytes = 32 * 32 * 4;
constexpr uint32_t kTiles = 6;
constexpr uint32_t kResults = 0x100000;

constexpr char kRead[] = R"(
  #include "api/core_local_mem.h"
  #include "api/dataflow/dataflow_buffer.h"
  #include "api/dataflow/endpoints.h"
  #include "experimental/kernel_args.h"
  namespace dfb { constexpr DFBBindingToken<> in{0}; }
  namespace args { constexpr experimental::RtaArg<uint32_t> from{0}; }
  void kernel_main() {
    DataflowBuffer in(dfb::in);
    Noc noc;
    for (uint32_t i = 0; i < 6; ++i) {
      in.reserve_back(1);
      noc.async_read(AllocatorBank<AllocatorBankType::DRAM>{}, in, in.get_entry_size(),
                     {.bank_id = 0, .addr = get_arg(args::from) + i * in.get_entry_size()}, {});
      noc.async_read_barrier();
      in.push_back(1);
    }
  })";

// Copies tiles, and leaves at 0x100000 what the objects say of each.
constexpr char kCompute[] = R"(
  #include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
  #include "compute_kernel_api/tile_move_copy.h"
  #include "api/dataflow/dataflow_buffer.h"
  #include "experimental/kernel_args.h"
  namespace dfb {
  constexpr DFBBindingToken<> in{0};
  constexpr DFBBindingToken<> out{16};
  }
  void kernel_main() {
    unary_op_init_common(dfb::in, dfb::out);
    DataflowBuffer in(dfb::in);
    CircularBuffer out(dfb::out);
    CoreLocalMem<volatile uint32_t> results(0x100000);
    for (uint32_t i = 0; i < 6; ++i) {
      in.wait_front(1);
      tile_regs_acquire();
      copy_tile(dfb::in, 0, 0);
      tile_regs_commit();
      tile_regs_wait();
      out.reserve_back(1);
      pack_tile(0, dfb::out);
      out.push_back(1);
      tile_regs_release();
      results[4 * i] = in.read_tile_value(0, 33);
      results[4 * i + 1] = in.read_tile_value<uint16_t>(0, 66);
      results[4 * i + 2] = in.get_tile_address(0) - (in.get_read_ptr() << cb_addr_shift);
      results[4 * i + 3] = in.scoped_read_lock().get_ptr()[33];
      in.pop_front(1);
    }
    const uint32_t sizes[] = {in.get_tile_r_dim(), in.get_tile_c_dim(), in.get_tile_num_faces(),
                              in.get_face_r_dim(), in.get_partial_face(), in.get_narrow_tile()};
    for (uint32_t i = 0; i < 6; ++i) results[24 + i] = sizes[i];
  })";

constexpr char kWrite[] = R"(
  #include "api/dataflow/circular_buffer.h"
  #include "api/dataflow/endpoints.h"
  void kernel_main() {
    CircularBuffer out(16);
    Noc noc;
    for (uint32_t i = 0; i < 6; ++i) {
      out.wait_front(1);
      noc.async_write(out, AllocatorBank<AllocatorBankType::DRAM>{}, out.get_tile_size(), {},
                      {.bank_id = 0, .addr = get_arg_val<uint32_t>(0) + i * out.get_tile_size()});
      noc.async_write_barrier();
      out.pop_front(1);
    }
  })";

TEST(BuffersInComputeKernels, PassTilesFromReaderToWriter) {
  IDevice* const device = CreateDevice(0);
  const CoreCoord core(1, 1);
  Program program = CreateProgram();
  for (const uint32_t index : {0u, 16u}) {
    CreateCircularBuffer(program, core,
                         CircularBufferConfig(2 * kTileBytes, {{index, tt::DataFormat::Float32}})
                             .set_page_size(index, kTileBytes));
  }
  const auto make_buffer = [&] {
    return Buffer::create(device, kTiles * kTileBytes, kTiles * kTileBytes, BufferType::DRAM);
  };
  const auto from = make_buffer(), to = make_buffer();
  std::vector<float> values(kTiles * kTileBytes / 4);
  std::iota(values.begin(), values.end(), 1.0f);
  detail::WriteToBuffer(*from, values);
  const auto reader = CreateKernelFromString(
      program, kRead, core, DataMovementConfig{.processor = DataMovementProcessor::RISCV_0});
  const auto writer = CreateKernelFromString(
      program, kWrite, core,
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_1});
  CreateKernelFromString(program, kCompute, core, ComputeConfig{.fp32_dest_acc_en = true});
  SetRuntimeArgs(program, reader, core, {from->address()});
  SetRuntimeArgs(program, writer, core, {to->address()});
  detail::LaunchProgram(device, program);

  std::vector<float> copied;
  detail::ReadFromBuffer(*to, copied);
  EXPECT_EQ(copied, values);
  std::vector<uint32_t> results;
  detail::ReadFromDeviceL1(device, core, kResults, 4 * (4 * kTiles + 6), results);
  for (uint32_t i = 0; i < kTiles; ++i) {
    const auto word = __builtin_bit_cast(uint32_t, values[i * 1024 + 33]);
    EXPECT_EQ(std::vector<uint32_t>(results.begin() + 4 * i, results.begin() + 4 * i + 4),
              std::vector<uint32_t>({word, word & 0xffff, 0, word}));
  }
  EXPECT_EQ(std::vector<uint32_t>(results.begin() + 4 * kTiles, results.end()),
            std::vector<uint32_t>({32, 32, 4, 16, 0, 0}));
  CloseDevice(device);
}

}  // namespace
}  // namespace tt::tt_metal
