// Executables of random chains of kernels that share a device: loaded, run, stitched and unloaded
// in random order, some with buffers that may move. LIGHTMETAL_RANDOM_PROGRAMS says how many seeds
// run, from LIGHTMETAL_RANDOM_SEED on.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <lightmetal/capture.hpp>
#include <lightmetal/executable.hpp>
#include <lightmetal/replay.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "schema/diff/relocate.h"
#include "schema/storage/memory_sink.h"
#include "tests/runtime/scaling_program.h"
#include "tests/runtime/tensor_kit.h"
#include "tests/support/captured_file.h"
#include "tests/support/number_in_environment.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;

// y = factor * x + w, where w counts up from `weight`.
struct Link {
  uint32_t factor = 1, weight = 0;
};

struct Chain {
  std::vector<Link> links;
  bool traced = false;
  bool spoils_input = false;  // a last kernel overwrites the buffer of the input
  bool moves = false;         // made from two captures, so that buffers may lie elsewhere

  Words result(Words x) const {
    for (const Link& link : links) x = scaled(x, link.factor, counting(link.weight));
    return x;
  }
};

// The host program of a chain. Its input is "x" and its output "y".
class ChainProgram {
 public:
  ChainProgram(tm::IDevice* device, const Chain& chain) : device_(device), chain_(chain) {
    buffers_.push_back(scaled_buffer(device_, kPages));
    tm::LightMetalBindInput("x", buffers_[0], kTensor);
    for (const Link& link : chain.links) {
      buffers_.push_back(scaled_buffer(device_, kPages));
      add(link, buffers_[buffers_.size() - 2], buffers_.back());
    }
    tm::LightMetalBindOutput("y", buffers_.back(), kTensor);
    if (chain.spoils_input) add({3, 5}, buffers_.back(), buffers_[0]);
  }

  void run() {
    const uint32_t trace = chain_.traced ? recorded_trace() : 0;
    Words x = counting(7), y;
    tm::LightMetalEntryBegin("run");
    tm::EnqueueWriteBuffer(queue(), buffers_[0], x, false);
    if (chain_.traced) {
      tm::ReplayTrace(device_, 0, trace, false);
    } else {
      launch();
    }
    tm::EnqueueReadBuffer(queue(), buffers_.back(), y, true);
    tm::LightMetalEntryEnd();
    EXPECT_EQ(y, chain_.result(x));
  }

 private:
  inline static const TensorDesc kTensor{kShape, TensorType::UInt32};

  tm::CommandQueue& queue() { return device_->command_queue(); }
  void add(const Link& link, const ScalingProgram::BufferPointer& x,
           const ScalingProgram::BufferPointer& y) {
    weights_.push_back(scaled_buffer(device_, kPages));
    Words words = counting(link.weight);
    tm::EnqueueWriteBuffer(queue(), weights_.back(), words, true);
    programs_.push_back(std::make_unique<ScalingProgram>(
        x, weights_.back(), y, ScalingProgram::Addresses::kNumbers, link.factor));
  }
  void launch() {
    for (const auto& each : programs_) tm::EnqueueProgram(queue(), each->program, false);
  }
  uint32_t recorded_trace() {
    launch();  // a program runs once before it is a part of a trace
    const uint32_t trace = tm::BeginTraceCapture(device_, 0);
    launch();
    tm::EndTraceCapture(device_, 0, trace);
    return trace;
  }

  tm::IDevice* const device_;
  const Chain& chain_;
  std::vector<ScalingProgram::BufferPointer> buffers_, weights_;
  std::vector<std::unique_ptr<ScalingProgram>> programs_;
};

FilePointer captured(const Chain& chain, uint32_t kibibytes) {
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", (std::to_string(kibibytes) + "K").c_str(), 1);
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* const device = tm::CreateDevice(0, 1, 0, size_t{1} << 20);
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  ChainProgram(device, chain).run();
  tm::CloseDevice(device);
  return open_file(tm::LightMetalEndCapture());
}

FilePointer file_of(const Chain& chain, uint32_t kibibytes) {
  const FilePointer file = captured(chain, kibibytes);
  if (!chain.moves) return file;
  const auto addresses = value_of(schema::find_addresses(*file, *captured(chain, kibibytes + 512)));
  EXPECT_EQ(addresses.ambiguities, 0u);
  auto sink = std::make_shared<schema::MemorySink>();
  EXPECT_TRUE(schema::write_relocated(*file, addresses, sink).ok());
  return open_file(sink->take_as<uint8_t>());
}

void expect_replays(const FilePointer& file) {
  const auto replay = value_of(Replay::load(file));
  const auto result = value_of(replay->run());
  EXPECT_TRUE(result.matches());
  EXPECT_GT(result.goldens_checked, 0u);
}

// A tensor on the host or on the device, and the words that it must hold.
struct Known {
  Tensor tensor;
  Words words;
};

struct Slot {
  Chain chain;
  FilePointer file;
  std::shared_ptr<Executable> executable = nullptr;
  std::optional<Tensor> last_result = {};
};

class RandomExecutables {
 public:
  explicit RandomExecutables(uint32_t seed) : random_(seed) {
    for (uint32_t count = 2 + below(3), i = 0; i < count; ++i) {
      Slot& slot = slots_.emplace_back(Slot{chain(), nullptr});
      slot.file = file_of(slot.chain, 1024 * (i + 1));
      expect_replays(slot.file);
    }
  }

  void act_all() {
    device_.emplace(value_of(Device::open(*slots_[0].file)));
    for (uint32_t left = 10 + below(20); left > 0; --left) act();
    check_all();
    tensors_.clear();
    for (Slot& slot : slots_) slot.executable = nullptr;
  }

 private:
  uint32_t below(uint32_t count) { return random_() % count; }
  bool chance(uint32_t percent) { return below(100) < percent; }

  Chain chain() {
    Chain made{{}, chance(30), chance(40), chance(40)};
    for (uint32_t count = 1 + below(4); count > 0; --count) {
      made.links.push_back({1 + below(1000), below(1000)});
    }
    return made;
  }

  void act() {
    const uint32_t dice = below(10);
    if (dice < 2) return load_or_unload(slots_[below(slots_.size())]);
    if (dice < 3 && !tensors_.empty()) return forget();
    if (dice < 4) return check_all();
    stitch();
  }

  // The memory of an executable that is unloaded is free once its last run is done.
  void load_or_unload(Slot& slot) {
    if (slot.executable != nullptr) {
      slot.executable = nullptr;
      return;
    }
    if (slot.last_result) words_of(*slot.last_result);
    slot.executable = value_of(device_->load(slot.file));
  }
  Slot& loaded() {
    Slot& slot = slots_[below(slots_.size())];
    if (slot.executable == nullptr) load_or_unload(slot);
    return slot;
  }

  Known input(const Slot& slot) {
    if (!tensors_.empty() && chance(50)) return tensors_[below(tensors_.size())];
    Known made{{}, counting(below(1 << 20))};
    made.tensor =
        chance(50) ? host_tensor(made.words) : uploaded(*device_, *slot.executable, 0, made.words);
    tensors_.push_back(made);
    return made;
  }

  // Runs one executable after the other, each with the result of the one before.
  void stitch() {
    Known known = input(loaded());
    for (uint32_t left = 1 + below(3); left > 0; --left) {
      Slot& slot = loaded();
      const auto results = value_of(submit(*device_, slot.executable, "run", {known.tensor}));
      known = {results.at(0), slot.chain.result(known.words)};
      tensors_.push_back(known);
      slot.last_result = known.tensor;
    }
    if (chance(50)) check(known);
  }

  void forget() {
    std::swap(tensors_[below(tensors_.size())], tensors_.back());
    tensors_.pop_back();
  }
  static void check(const Known& known) { EXPECT_EQ(words_of(known.tensor), known.words); }
  void check_all() {
    for (const Known& known : tensors_) check(known);
  }

  std::minstd_rand random_;
  std::vector<Slot> slots_;
  std::optional<Device> device_;
  std::vector<Known> tensors_;
};

TEST(RandomExecutables, ComputeOnOneDeviceWhatEachComputesAlone) {
  const uint32_t first = number_in_environment("LIGHTMETAL_RANDOM_SEED", 1);
  const uint32_t count = number_in_environment("LIGHTMETAL_RANDOM_PROGRAMS", 25);
  std::cout << "seeds " << first << " to " << first + count - 1 << "\n" << std::flush;
  for (uint32_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "LIGHTMETAL_RANDOM_SEED=" << seed);
    RandomExecutables(seed).act_all();
  }
}

}  // namespace
}  // namespace lightmetal::runtime
