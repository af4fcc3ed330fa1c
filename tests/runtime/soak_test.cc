// Threads that load, run, stitch, deallocate and unload on one device, in random order.
// LIGHTMETAL_SOAK_SECONDS says for how long, and LIGHTMETAL_SOAK_SEED with which seed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <lightmetal/executable.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "schema/file/reader.h"
#include "tests/runtime/stage_capture.h"
#include "tests/runtime/tensor_kit.h"
#include "tests/support/number_in_environment.h"
#include "tests/support/process.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using Clock = std::chrono::steady_clock;
using ExecutablePointer = std::shared_ptr<Executable>;

constexpr size_t kThreads = 3;
constexpr size_t kFilesOfAThread = 3;
constexpr size_t kMostTensors = 12;  // of a thread

// A file, and what it computes.
struct Program {
  std::shared_ptr<const schema::File> file;
  std::vector<Stage> stages;

  Words result(Words x) const {
    for (const Stage& stage : stages) x = scaled(x, stage.factor, counting(stage.weight));
    return x;
  }
};

// Its buffers lie behind those of the tensors, and beside those of other numbers, or where they may
// move lie among those of the tensors.
Program captured_program(uint32_t number) {
  const TemporaryFolder folder;
  const std::string path = folder.path("program.lmb");
  constexpr StageForm kForms[] = {StageForm::kLaunched, StageForm::kTraced, StageForm::kMovable};
  const StageForm form = kForms[number % 3];
  const std::string offset =
      form == StageForm::kMovable ? "0" : std::to_string(1024 + 64 * number) + "K";
  Program program{nullptr, {{.factor = 2 * number + 3, .weight = 100 * number}}};
  if (number % 2 == 1) program.stages.push_back({.factor = 5, .weight = number});
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", offset.c_str(), 1);
  capture_stages(path, number, program.stages, form);
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  program.file = value_of(schema::File::open(path));
  return program;
}

// A tensor, and what it holds once the work that was given is done.
struct Known {
  Tensor tensor;
  Words words;
};

// Tensors that threads hand each other. Nobody writes to them or deallocates them. Thread-safe.
class Exchange {
 public:
  void put(Known known, size_t place) ABSL_LOCKS_EXCLUDED(mutex_) {
    lightmetal::MutexLock lock(&mutex_);
    if (known_.size() <= kPlaces) {
      known_.push_back(std::move(known));
    } else {
      std::swap(known_[place % kPlaces], known);
    }
  }
  std::vector<Known> get(size_t place) ABSL_LOCKS_EXCLUDED(mutex_) {
    lightmetal::MutexLock lock(&mutex_);
    if (known_.empty()) return {};
    return {known_[place % known_.size()]};
  }
  void clear() ABSL_LOCKS_EXCLUDED(mutex_) {
    lightmetal::MutexLock lock(&mutex_);
    known_.clear();
  }

 private:
  static constexpr size_t kPlaces = 6;

  lightmetal::Mutex mutex_;
  std::vector<Known> known_ ABSL_GUARDED_BY(mutex_);
};

// One that is loaded, or not.
struct Slot {
  const Program* program;
  ExecutablePointer executable;
  Event last_run = {};  // holds the executable until it is done
};

// What one thread does.
class Actor {
 public:
  // The last of `slots` is everybody's, and stays loaded.
  Actor(const Device& device, std::vector<Slot> slots, Exchange& exchange, uint32_t seed)
      : device_(device), slots_(std::move(slots)), exchange_(exchange), random_(seed) {}

  void act() {
    switch (below(10)) {
      case 0:
        return load_or_unload();
      case 1:
        return check(below(kMostTensors));
      case 2:
        return deallocate_one();
      case 3:
        return overwrite();
      case 4:
        return give();
      case 5:
        return take();
      case 6:
        return run_with_outputs();
      default:
        return stitch();
    }
  }
  uint64_t runs() const { return runs_; }
  uint64_t loads() const { return loads_; }
  void check_all() {
    for (size_t i = 0; i < tensors_.size(); ++i) check(i);
    tensors_.clear();
  }

 private:
  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  Words draw() { return counting(static_cast<uint32_t>(random_())); }

  void load_or_unload() {
    Slot& slot = slots_[below(slots_.size() - 1)];
    if (slot.executable != nullptr) {
      // It ends here, or behind its last run.
      if (below(2) == 0) {
        EXPECT_TRUE(wait(slot.last_run).ok());
      }
      slot.executable = nullptr;
      return;
    }
    EXPECT_TRUE(wait(slot.last_run).ok());
    slot.executable = value_of(device_.load(slot.program->file));
    ++loads_;
  }

  void check(size_t number) {
    if (tensors_.empty()) return;
    const Known& known = tensors_[number % tensors_.size()];
    EXPECT_EQ(words_of(known.tensor), known.words);
  }

  void keep(Known known) {
    if (tensors_.size() >= kMostTensors) deallocate_one();
    tensors_.push_back(std::move(known));
  }

  // Checked first, in one of two cases.
  void deallocate_one() {
    if (tensors_.empty()) return;
    const size_t number = below(tensors_.size());
    if (below(2) == 0) check(number);
    std::swap(tensors_[number], tensors_.back());
    // Without it the memory goes with the last handle.
    if (below(2) == 0) deallocate(tensors_.back().tensor);
    tensors_.pop_back();
  }

  void overwrite() {
    if (tensors_.empty()) return;
    Known& known = tensors_[below(tensors_.size())];
    known.words = draw();
    toLayout(known.tensor, host_tensor(known.words));
  }

  // The thread forgets what it gives.
  void give() {
    if (tensors_.empty()) return;
    exchange_.put(std::move(tensors_.back()), random_());
    tensors_.pop_back();
  }
  void take() {
    for (const Known& known : exchange_.get(random_())) {
      if (below(2) == 0) {
        EXPECT_EQ(words_of(known.tensor), known.words);
      } else {
        keep(run(loaded(), known));
      }
    }
  }

  Slot& loaded() {
    Slot& slot = slots_[below(slots_.size())];
    return slot.executable != nullptr ? slot : slots_.back();
  }

  // A tensor of its own, on the host or on the device.
  Known input() {
    if (!tensors_.empty() && below(2) == 0) return tensors_[below(tensors_.size())];
    const Words words = draw();
    Tensor tensor = host_tensor(words);
    if (below(2) == 0) {
      const Layout layout = value_of(getLayout(*slots_.back().executable, 0));
      tensor = value_of(toLayout(tensor, device_, layout));
    }
    return {std::move(tensor), words};
  }

  Known run(Slot& slot, const Known& x) {
    Tensor y = value_of(allocateOutputTensor(device_, *slot.executable, 0));
    run(slot, x, y);
    return {std::move(y), slot.program->result(x.words)};
  }
  void run(Slot& slot, const Known& x, const Tensor& y) {
    ++runs_;
    slot.last_run = submit(device_, slot.executable, "run", {x.tensor}, {y});
  }

  // Two to four runs, each with the result of the one before.
  void stitch() {
    Known known = input();
    for (size_t left = 2 + below(3); left > 0; --left) known = run(loaded(), known);
    keep(std::move(known));
  }

  // The result of another run is overwritten.
  void run_with_outputs() {
    if (tensors_.empty()) return;
    Known& known = tensors_[below(tensors_.size())];
    Slot& slot = loaded();
    const Known x = input();
    if (x.tensor.state() == known.tensor.state()) return;
    run(slot, x, known.tensor);
    known.words = slot.program->result(x.words);
  }

  const Device device_;
  std::vector<Slot> slots_;
  Exchange& exchange_;
  std::mt19937 random_;
  std::vector<Known> tensors_;
  uint64_t runs_ = 0, loads_ = 0;
};

// What a device's allocator says of its memory.
std::vector<uint64_t> memory_of(const Device& device) {
  std::vector<uint64_t> sizes;
  for (const tm::BufferType type : {tm::BufferType::DRAM, tm::BufferType::L1}) {
    const auto statistics = device.handle()->allocator()->get_statistics(type);
    sizes.insert(sizes.end(), {statistics.total_allocated_bytes, statistics.total_free_bytes,
                               statistics.largest_free_block_bytes});
  }
  return sizes;
}

TEST(Soak, ThreadsLoadRunStitchDeallocateAndUnloadOnOneDevice) {
  const uint32_t seed = number_in_environment("LIGHTMETAL_SOAK_SEED", std::random_device()());
  const std::chrono::seconds time(number_in_environment("LIGHTMETAL_SOAK_SECONDS", 5));
  std::cout << "seed " << seed << "\n";
  SCOPED_TRACE(::testing::Message() << "LIGHTMETAL_SOAK_SEED=" << seed);
  std::vector<Program> programs;
  for (uint32_t i = 0; i <= kThreads * kFilesOfAThread; ++i)
    programs.push_back(captured_program(i));

  const Device device = value_of(Device::open(*programs[0].file));
  const std::vector<uint64_t> memory = memory_of(device);
  {
    Exchange exchange;
    const Slot shared{&programs.back(), value_of(device.load(programs.back().file))};
    const Clock::time_point end = Clock::now() + time;
    std::atomic<uint64_t> runs = 0, loads = 0;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        std::vector<Slot> slots;
        for (size_t j = 0; j < kFilesOfAThread; ++j)
          slots.push_back({&programs[i * kFilesOfAThread + j], nullptr});
        slots.push_back(shared);
        Actor actor(device, std::move(slots), exchange, seed + static_cast<uint32_t>(i));
        while (Clock::now() < end && !::testing::Test::HasFailure()) actor.act();
        actor.check_all();
        runs += actor.runs();
        loads += actor.loads();
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::cout << runs << " runs, " << loads << " loads\n";
    EXPECT_GT(runs, 0u);
    // Behind all that the lanes have been given.
    const Tensor last = value_of(submit(device, shared.executable, "run", {}))[0];
    EXPECT_EQ(words_of(last).size(), kWords);
  }
  EXPECT_EQ(memory_of(device), memory);
}

}  // namespace
}  // namespace lightmetal::runtime
