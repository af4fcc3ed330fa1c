// Parts of random programs: what trim and checkpoints write replays as the whole does, wherever it
// is cut and whatever kernels have left in memory that no object names.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <lightmetal/trim.hpp>
#include <random>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/captured_file.h"
#include "tests/support/number_in_environment.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using testing::FilePointer;
using testing::TemporaryFolder;

// Arguments: what it does, an address in L1, words, the address of an interleaved buffer in DRAM,
// its page, the size of a page, the NoC coordinates of another core, a number.
constexpr char kLeaveState[] = R"(
#include "dataflow_api.h"
void mix(uint32_t address, uint32_t words, uint32_t seed) {
  auto* state = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
  for (uint32_t i = 0; i < words; ++i) state[i] = state[i] * 3 + seed + i;
}
void kernel_main() {
  const uint32_t l1 = get_arg_val<uint32_t>(1), words = get_arg_val<uint32_t>(2);
  const uint32_t page = get_arg_val<uint32_t>(4), seed = get_arg_val<uint32_t>(8);
  const InterleavedAddrGen<true> dram = {.bank_base_address = get_arg_val<uint32_t>(3),
                                         .page_size = get_arg_val<uint32_t>(5)};
  const uint32_t size = get_arg_val<uint32_t>(5), scratch = get_write_ptr(0);
  switch (get_arg_val<uint32_t>(0)) {
    case 0: mix(l1, words, seed); break;
    case 1:
      noc_async_read(get_noc_addr(page, dram), l1, size);
      noc_async_read_barrier();
      break;
    case 2:
      noc_async_write(l1, get_noc_addr(page, dram), size);
      noc_async_write_barrier();
      break;
    case 3:
      noc_async_write(l1, get_noc_addr(get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7), l1), size);
      noc_async_write_barrier();
      break;
    default:
      mix(scratch, words, seed);
      noc_async_write(scratch, get_noc_addr(page, dram), size);
      noc_async_write_barrier();
  }
}
)";

constexpr uint32_t kPageSize = 64;  // bytes
constexpr uint32_t kMostPages = 40;
constexpr uint32_t kCores = 3;  // in a row

// A program that makes, writes, reads and ends buffers, and launches kernels that work on memory
// which nobody has written, which belongs to no buffer, or which a buffer has left.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  void run() {
    device_ = tm::CreateDevice(0);
    for (int i = 0; i < 60; ++i) step();
    for (const auto& buffer : buffers_) read(*buffer);
    programs_.clear();
    buffers_.clear();
    tm::CloseDevice(device_);
  }

 private:
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  void step() {
    switch (below(10)) {
      case 0:
      case 1:
        return make_buffer();
      case 2:
        return end_buffer();
      case 3:
        return write();
      case 4:
        return buffers_.empty() ? make_buffer()
                                : read(*buffers_[below(static_cast<uint32_t>(buffers_.size()))]);
      default:
        return launch();
    }
  }

  void make_buffer() {
    const bool is_dram = below(3) != 0;
    const uint32_t pages = 1 + below(kMostPages);
    buffers_.push_back(tm::CreateBuffer(
        tm::InterleavedBufferConfig{device_, uint64_t{pages} * kPageSize, kPageSize,
                                    is_dram ? tm::BufferType::DRAM : tm::BufferType::L1}));
    if (!is_dram) l1_addresses_.push_back(static_cast<uint32_t>(buffers_.back()->address()));
  }

  void end_buffer() {
    if (buffers_.empty()) return;
    buffers_.erase(buffers_.begin() + below(static_cast<uint32_t>(buffers_.size())));
  }

  void write() {
    if (buffers_.empty()) return;
    tm::Buffer& buffer = *buffers_[below(static_cast<uint32_t>(buffers_.size()))];
    const auto pages = static_cast<uint32_t>(buffer.size() / kPageSize);
    const uint32_t first = below(pages), count = 1 + below(pages - first);
    std::vector<uint32_t> words(count * kPageSize / 4);
    for (uint32_t& word : words) word = below(2) == 0 ? 0 : static_cast<uint32_t>(random_());
    tm::EnqueueWriteSubBuffer(queue(), buffer, words,
                              tm::BufferRegion(first * kPageSize, count * kPageSize), false);
  }

  void read(tm::Buffer& buffer) {
    std::vector<uint32_t> words;
    tm::EnqueueReadBuffer(queue(), buffer, words, true);
  }

  tm::CommandQueue& queue() { return device_->command_queue(); }

  // Where a buffer is or was, or where none has been.
  uint32_t l1_address() {
    if (!l1_addresses_.empty() && below(3) == 0)
      return l1_addresses_[below(static_cast<uint32_t>(l1_addresses_.size()))];
    return 0x40000 + 16 * below(64);
  }

  struct Launched {
    tm::CoreCoord core;
    tm::Program program = tm::CreateProgram();
    tm::KernelHandle kernel = 0;
  };

  Launched& some_program() {
    if (programs_.size() >= 4) return programs_[below(4)];
    Launched& made = programs_.emplace_back();
    made.core = {below(kCores), 0};
    made.kernel =
        tm::CreateKernelFromString(made.program, kLeaveState, made.core, tm::DataMovementConfig{});
    tm::CircularBufferConfig config(kPageSize, {{0, tt::DataFormat::UInt32}});
    config.set_page_size(0, kPageSize);
    tm::CreateCircularBuffer(made.program, made.core, config);
    return made;
  }

  const tm::Buffer* some_dram() {
    std::vector<const tm::Buffer*> found;
    for (const auto& buffer : buffers_) {
      if (buffer->is_dram()) found.push_back(buffer.get());
    }
    return found.empty() ? nullptr : found[below(static_cast<uint32_t>(found.size()))];
  }

  void launch() {
    const tm::Buffer* dram = some_dram();
    if (dram == nullptr) return make_buffer();
    Launched& launched = some_program();
    const tm::CoreCoord other = device_->worker_core_from_logical_core({below(kCores), 0});
    tm::SetRuntimeArgs(
        launched.program, launched.kernel, launched.core,
        {below(5), l1_address(), kPageSize / 4, static_cast<uint32_t>(dram->address()),
         below(static_cast<uint32_t>(dram->size() / kPageSize)), kPageSize,
         static_cast<uint32_t>(other.x), static_cast<uint32_t>(other.y),
         static_cast<uint32_t>(random_())});
    tm::EnqueueProgram(queue(), launched.program, false);
  }

  std::mt19937 random_;
  tm::IDevice* device_ = nullptr;
  std::vector<std::shared_ptr<tm::Buffer>> buffers_;
  std::vector<Launched> programs_;
  std::vector<uint32_t> l1_addresses_;  // of buffers, also of those that have ended
};

FilePointer captured(uint32_t seed) {
  tm::LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  RandomProgram(seed).run();
  return testing::open_file(tm::LightMetalEndCapture());
}

// What is wrong with a replay of the file; empty when nothing is.
std::string fault_of(absl::StatusOr<std::unique_ptr<Replay>> replay,
                     const RunOptions& options = {}) {
  if (!replay.ok()) return replay.status().ToString();
  const auto result = (*replay)->run(options);
  if (!result.ok()) return result.status().ToString();
  return result->matches() ? "" : result->mismatches[0].text();
}

class RandomParts : public ::testing::Test {
 protected:
  void expect_part_replays(const FilePointer& file, uint64_t first, uint64_t last) {
    const std::string path = folder_.path("part.lmb");
    auto trimmed = trim(file, {.first = first, .last = last, .output = path, .add_goldens = true});
    // Commands that leave nothing written have no goldens.
    if (absl::IsFailedPrecondition(trimmed.status())) {
      trimmed = trim(file, {.first = first, .last = last, .output = path});
    }
    ASSERT_TRUE(trimmed.ok()) << trimmed.status();
    ASSERT_TRUE(trimmed->replay.matches());
    EXPECT_EQ(fault_of(Replay::load_file(path)), "");
  }

  // The first run writes the checkpoint, the second begins with it.
  void expect_checkpoint_replays(const FilePointer& file, uint64_t number) {
    const std::string path = folder_.path("checkpoint.lmb");
    std::filesystem::remove(path);
    EXPECT_EQ(fault_of(Replay::load(file), {.first_command = number, .checkpoint = path}), "");
    EXPECT_EQ(fault_of(Replay::load_file(path)), "");
  }

  TemporaryFolder folder_;
};

// LIGHTMETAL_RANDOM_PARTS=N cuts so many programs, from seed LIGHTMETAL_RANDOM_SEED on.
TEST_F(RandomParts, ReplayAsTheWholeDoesWhereverItIsCut) {
  const uint32_t first = number_in_environment("LIGHTMETAL_RANDOM_SEED", 1);
  const uint32_t count = number_in_environment("LIGHTMETAL_RANDOM_PARTS", 12);
  std::cout << "seeds " << first << " to " << first + count - 1 << "\n";
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const FilePointer file = captured(seed);
    ASSERT_EQ(fault_of(Replay::load(file)), "") << seed;
    std::mt19937 random(seed);
    const auto commands = static_cast<uint32_t>(file->num_commands());
    for (int i = 0; i < 3; ++i) {
      const uint32_t from = 1 + random() % (commands - 1);
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", cut at command ", from));
      expect_part_replays(file, from, UINT64_MAX);
      expect_part_replays(file, from, from + random() % (commands - from));
      expect_checkpoint_replays(file, from);
    }
  }
}

}  // namespace
}  // namespace lightmetal
