// Transfers, loads and ends beside runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <lightmetal/executable.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "schema/file/reader.h"
#include "tests/runtime/tensor_kit.h"
#include "tests/support/linked_device.h"
#include "tests/support/process.h"

namespace lightmetal::runtime::overlap {
namespace {

using namespace lightmetal::testing;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

Words golden(uint32_t x) { return scaled(counting(x), 3, counting(1000)); }

// y = 3 * x + (1000, ...) on the CPU device behind a link, with two inputs and two outputs that
// take turns.
class Overlap : public ::testing::Test {
 protected:
  Overlap() {
    for (int i = 0; i < 2; ++i) {
      inputs_.push_back(value_of(allocateInputTensor(device_, *executable_, 0)));
      outputs_.push_back(value_of(allocateOutputTensor(device_, *executable_, 0)));
    }
  }

  Event upload(uint32_t buffer, uint32_t x) {
    return toLayout(inputs_[buffer], host_tensor(counting(x)));
  }
  Event run(uint32_t buffer, std::vector<Event> dependencies = {}) {
    return submit(device_, executable_, "run", {inputs_[buffer]}, {outputs_[buffer]},
                  std::move(dependencies));
  }

  static std::shared_ptr<const schema::File> capture() {
    const TemporaryFolder folder;
    const std::string file = folder.path("stage.lmb");
    const ProcessResult child = run_process({LIGHTMETAL_CAPTURE_STAGES, file, "0", "3:1000"},
                                            {.environment = {{"LIGHTMETAL_DEVICE", "cpu"}}});
    EXPECT_EQ(child.exit_code, 0) << child.errors;
    return value_of(schema::File::open(file));
  }
  // Behind its link, which outlives it.
  Device open() {
    register_linked_device("linked", link_);
    return value_of(Device::open(*file_, "linked"));
  }

  Link link_;
  const std::shared_ptr<const schema::File> file_ = capture();
  const Device device_ = open();
  const std::shared_ptr<Executable> executable_ = value_of(device_.load(file_));
  std::vector<Tensor> inputs_, outputs_;
};

// the run is held where it is furthest, in the device.
TEST_F(Overlap, TheNextInputReachesTheDeviceWhileARunIsHeldInIt) {
  ASSERT_TRUE(wait(upload(0, 10)).ok());
  link_.hold_launches();
  const Event first = run(0);
  link_.wait_for_held_launch();
  const uint64_t before = link_.counts().bytes_to_device;
  EXPECT_TRUE(wait(upload(1, 20)).ok());
  EXPECT_EQ(link_.counts().bytes_to_device, before + kWords * 4);
  EXPECT_FALSE(query(first));
  const Event second = run(1);
  EXPECT_FALSE(query(second));
  link_.release_launches();
  EXPECT_TRUE(wait({first, second}).ok());
  EXPECT_EQ(words_of(outputs_[0]), golden(10));
  EXPECT_EQ(words_of(outputs_[1]), golden(20));
}

// what a run that has not begun will read is not overwritten, and what it will write is not
// read.
TEST_F(Overlap, ARunThatIsHeldAtAGateFindsItsOwnInput) {
  ASSERT_TRUE(wait(upload(0, 10)).ok());
  Event gate = Event::create();
  const Event first = run(0, {gate});
  // The lane that moves tensors has nothing to do before this.
  const Event overwrite = upload(0, 99);
  const Tensor result = host_tensor(Words(kWords, 0));
  const Event download = toLayout(result, outputs_[0]);
  // Only time can show that the overwrite does not begin.
  for (int i = 0; i < 100 && !query(overwrite); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(query(first) || query(download) || query(overwrite));
  gate.signal();
  EXPECT_TRUE(wait({first, download, overwrite}).ok());
  EXPECT_EQ(words_of(result), golden(10));
  EXPECT_EQ(words_of(inputs_[0]), counting(99));
}

//
TEST_F(Overlap, EachOfAThousandRunsWithTwoOutstandingHasItsOwnInput) {
  struct Outstanding {
    uint32_t number;
    Tensor result;
    Event done;
  };
  std::deque<Outstanding> outstanding;
  const auto settle = [&] {
    const Outstanding& oldest = outstanding.front();
    ASSERT_TRUE(wait(oldest.done).ok());
    ASSERT_EQ(words_of(oldest.result), golden(oldest.number)) << oldest.number;
    outstanding.pop_front();
  };
  for (uint32_t i = 0; i < 1000; ++i) {
    upload(i % 2, i);
    run(i % 2);
    const Tensor result = host_tensor(Words(kWords, 0));
    outstanding.push_back({i, result, toLayout(result, outputs_[i % 2])});
    if (outstanding.size() > 2) {
      ASSERT_NO_FATAL_FAILURE(settle());
    }
  }
  while (!outstanding.empty()) {
    ASSERT_NO_FATAL_FAILURE(settle());
  }
}

// with a link and launches that take a time of their own, whatever the host's processors do.
TEST_F(Overlap, TransfersTakeTheirTimeBesideRuns) {
  using namespace std::chrono_literals;
  constexpr uint32_t kRuns = 20;
  link_.set_speed(kWords * 4 / 0.012);
  link_.set_launch_time(12ms);
  const auto seconds = [](auto&& work) {
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const double serial = seconds([&] {
    for (uint32_t i = 0; i < kRuns; ++i) {
      ASSERT_TRUE(wait(upload(i % 2, i)).ok());
      ASSERT_TRUE(wait(run(i % 2)).ok());
    }
  });
  const double overlapped = seconds([&] {
    std::vector<Event> runs;
    for (uint32_t i = 0; i < kRuns; ++i) {
      upload(i % 2, i);
      runs.push_back(run(i % 2));
    }
    ASSERT_TRUE(wait(runs).ok());
  });
  EXPECT_LT(overlapped, 0.8 * serial);
  link_.set_speed(0);
  EXPECT_EQ(words_of(outputs_[(kRuns - 1) % 2]), golden(kRuns - 1));
}

// Each waits for queues that both use: the first one that waits has the errors of a queue.
TEST(Neighbours, ARunThatFailsFailsWhateverIsLoadedAndEndedMeanwhile) {
  Link link;
  register_linked_device("linked", link);
  const FilePointer file = captured_scaling({.factor = 3, .w = 1000});
  const FilePointer neighbours_file = captured_scaling({.factor = 5, .w = 7, .offset = "65536"});
  const Device device = value_of(Device::open(*file, "linked"));
  const Tensor input = host_tensor(counting(1)), output = host_tensor(Words(kWords, 0));
  for (int i = 0; i < 40; ++i) {
    const std::shared_ptr<Executable> executable = value_of(device.load(file));
    std::shared_ptr<Executable> neighbour = value_of(device.load(neighbours_file));
    link.hold_launches();
    link.fail_next_launch();
    const Event failed = submit(device, executable, "scale", {input}, {});
    link.wait_for_held_launch();
    std::thread other([&] {
      neighbour.reset();
      neighbour = value_of(device.load(neighbours_file));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until the other waits
    link.release_launches();
    other.join();
    EXPECT_THAT(message_of(wait(failed)), HasSubstr("the link is broken"));
    const absl::Status later = wait(submit(device, executable, "scale", {input}, {}));
    EXPECT_TRUE(absl::IsFailedPrecondition(later)) << later;
    EXPECT_THAT(message_of(later), HasSubstr("since a run of it has failed"));
    EXPECT_TRUE(wait(submit(device, neighbour, "scale", {input}, {output})).ok());
    EXPECT_EQ(words_of(output), scaled(counting(1), 5, counting(7)));
  }
}

}  // namespace
}  // namespace lightmetal::runtime::overlap
