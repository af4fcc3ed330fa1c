// Host programs as they are written for silicon, which relies on what hardware lets pass: they run,
// and their capture replays alike.
#include <algorithm>
#include <tt-metalium/bfloat16.hpp>

#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using testing::add_data_movement;
using testing::expect_replays_alike;

constexpr uint32_t kTileBytes = 2048;
const CoreRange kGrid({0, 0}, {3, 0});

// Closed when something is thrown, too.
class OpenDevice {
 public:
  OpenDevice() : device_(CreateDevice(0)) {}
  ~OpenDevice() { CloseDevice(device_); }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  IDevice* get() const { return device_; }

 private:
  IDevice* const device_;
};

std::shared_ptr<Buffer> sharded_tiles(IDevice* device) {
  return CreateBuffer(ShardedBufferConfig{
      .device = device,
      .size = 4 * kTileBytes,
      .page_size = kTileBytes,
      .buffer_type = BufferType::L1,
      .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
      .shard_parameters = ShardSpecBuffer(CoreRangeSet(kGrid), {32, 32},
                                          ShardOrientation::ROW_MAJOR, {32, 32}, {4, 1})});
}

void add_circular_buffer(Program& program, uint8_t index, const Buffer* buffer) {
  CircularBufferConfig config(kTileBytes, {{index, DataFormat::Float16_b}});
  config.set_page_size(index, kTileBytes);
  if (buffer != nullptr) config.set_globally_allocated_address(*buffer);
  CreateCircularBuffer(program, kGrid, config);
}

std::vector<uint32_t> tiles_of(float value) {
  const bfloat16 number(value);
  return std::vector<uint32_t>(4 * kTileBytes / 4, pack_two_bfloat16_into_uint32({number, number}));
}

// Each core adds its shards where they lie. Nobody pushes the operands' pages, and the kernel pops
// them.
std::vector<uint32_t> add_in_place(bool by_trace = false) {
  const OpenDevice device;
  CommandQueue& queue = device.get()->command_queue();
  const auto a = sharded_tiles(device.get()), b = sharded_tiles(device.get()),
             sum = sharded_tiles(device.get());
  auto left = tiles_of(1.5f), right = tiles_of(2.0f);
  EnqueueWriteBuffer(queue, a, left, false);
  EnqueueWriteBuffer(queue, b, right, false);
  Program program;
  add_circular_buffer(program, 0, a.get());
  add_circular_buffer(program, 1, b.get());
  add_circular_buffer(program, 16, sum.get());
  CreateKernelFromString(program, R"(
      #include "compute_kernel_api/eltwise_binary.h"
      namespace NAMESPACE {
      void MAIN {
        binary_op_init_common(0, 1, 16);
        add_tiles_init(0, 1);
        tile_regs_acquire();
        add_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(16, 1);
        pack_tile(0, 16);
        cb_push_back(16, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
      }
      })",
                         kGrid, ComputeConfig{});
  if (by_trace) {
    const uint32_t trace = BeginTraceCapture(device.get(), 0);
    EnqueueProgram(queue, program, false);
    EndTraceCapture(device.get(), 0, trace);
    ReplayTrace(device.get(), 0, trace, false);
  } else {
    EnqueueProgram(queue, program, false);
  }
  std::vector<uint32_t> sums;
  EnqueueReadBuffer(queue, sum, sums, true);
  return sums;
}

// Every core sets its semaphore before it tells its neighbour, and then waits for the other.
std::vector<uint32_t> signal_round() {
  const OpenDevice device;
  CommandQueue& queue = device.get()->command_queue();
  const auto buffer = sharded_tiles(device.get());
  auto zeros = tiles_of(0.0f);
  EnqueueWriteBuffer(queue, buffer, zeros, false);
  Program program;
  const uint32_t semaphore = CreateSemaphore(program, kGrid, 0);
  const KernelHandle kernel = add_data_movement(program, R"(
        uint32_t semaphore = get_semaphore(get_compile_time_arg_val(0));
        auto* mine = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
        noc_semaphore_set(mine, 0);
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), semaphore), 1);
        noc_semaphore_wait(mine, 1);
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2)) = 7;)",
                                                kGrid, {semaphore});
  for (uint32_t x = 0; x < 4; ++x) {
    const CoreCoord next = device.get()->worker_core_from_logical_core({(x + 1) % 4, 0});
    SetRuntimeArgs(program, kernel, CoreCoord{x, 0},
                   {static_cast<uint32_t>(next.x), static_cast<uint32_t>(next.y),
                    static_cast<uint32_t>(buffer->address())});
  }
  EnqueueProgram(queue, program, false);
  std::vector<uint32_t> words;
  EnqueueReadBuffer(queue, buffer, words, true);
  return words;
}

// Both data movement kernels of a core copy the words of the buffer's first page, and use NOC 0 in
// its dedicated mode.
std::vector<uint32_t> copy_by_one_noc() {
  const OpenDevice device;
  CommandQueue& queue = device.get()->command_queue();
  const auto buffer = sharded_tiles(device.get());
  auto words = tiles_of(0.0f);
  std::fill_n(words.begin(), 16, 7u);
  EnqueueWriteBuffer(queue, buffer, words, false);
  Program program;
  for (const auto processor : {DataMovementProcessor::RISCV_0, DataMovementProcessor::RISCV_1}) {
    const bool writes = processor == DataMovementProcessor::RISCV_0;
    const uint32_t from = buffer->address(), to = from + (writes ? 64 : 128);
    CreateKernelFromString(program, R"(
        void kernel_main() {
          constexpr uint32_t from = get_compile_time_arg_val(0), to = get_compile_time_arg_val(1);
          if (get_compile_time_arg_val(2) == 1) {
            noc_async_write(from, get_noc_addr(to), 64);
            noc_async_write_barrier();
          } else {
            noc_async_read(get_noc_addr(from), to, 64);
            noc_async_read_barrier();
          }
        })",
                           CoreCoord{0, 0},
                           DataMovementConfig{.processor = processor,
                                              .noc = NOC::NOC_0,
                                              .compile_args = {from, to, writes ? 1u : 0u}});
  }
  EnqueueProgram(queue, program, false);
  EnqueueReadBuffer(queue, buffer, words, true);
  words.resize(48);
  return words;
}

class LenientProgramsTest : public ::testing::Test {
 protected:
  LenientProgramsTest() { unsetenv("LIGHTMETAL_DEVICE"); }
  ~LenientProgramsTest() override {
    unsetenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
    unsetenv("LIGHTMETAL_CPU_DEVICE_WORKERS");
  }
};

TEST_F(LenientProgramsTest, ShardedOperandsAreUsedInPlace) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(add_in_place(), tiles_of(3.5f));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  expect_replays_alike([] { add_in_place(); });
}

// A file says of a trace, too, which circular buffers lie in buffers.
TEST_F(LenientProgramsTest, ShardedOperandsAreUsedInPlaceByATrace) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(add_in_place(/*by_trace=*/true), tiles_of(3.5f));
  expect_replays_alike([] { add_in_place(/*by_trace=*/true); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(LenientProgramsTest, ShardedOperandsInPlaceAreAnErrorForTheCheck) {
  setenv("LIGHTMETAL_CPU_DEVICE_CHECKS", "circular_buffers", 1);
  try {
    add_in_place();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("circular buffer 0: pops 1 page, but there are "
                                                   "only 0"));
  }
}

TEST_F(LenientProgramsTest, SemaphoresThatKernelsSetAtTheirStartAreNotLost) {
  for (const char* workers : {"1", "2", "4"}) {
    setenv("LIGHTMETAL_CPU_DEVICE_WORKERS", workers, 1);
    const std::vector<uint32_t> words = signal_round();
    for (size_t core = 0; core < 4; ++core) EXPECT_EQ(words.at(core * kTileBytes / 4), 7u);
    expect_replays_alike([] { signal_round(); });
  }
}

// Upstream's test_core_bidirectional.cpp of September 2025 has such kernels.
TEST_F(LenientProgramsTest, TwoDataMovementKernelsOfACoreShareANoc) {
  EXPECT_EQ(copy_by_one_noc(), std::vector<uint32_t>(48, 7u));
  expect_replays_alike([] { copy_by_one_noc(); });
}

}  // namespace
}  // namespace tt::tt_metal
