// Runs of an executable after the first allocate no memory, on any thread.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <lightmetal/executable.hpp>
#include <memory>
#include <optional>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "benchmarks/counted_allocations.h"
#include "tests/runtime/scaling_program.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using testing::counting;
using testing::kPages;
using testing::kShape;
using testing::kWords;
using testing::scaled;
using testing::scaled_buffer;
using testing::ScalingProgram;
using testing::Words;

// What a captured entry works with: y = factor * x + w.
struct Captured {
  explicit Captured(tm::IDevice* the_device)
      : device(the_device),
        x(scaled_buffer(device, kPages)),
        w(scaled_buffer(device, kPages)),
        y(scaled_buffer(device, kPages)),
        scaling(x, w, y) {
    const TensorDesc words = {kShape, TensorType::UInt32};
    tm::LightMetalBindInput("x", x, words);
    tm::LightMetalBindConstant("w", w, words);
    tm::LightMetalBindOutput("y", y, words);
    tm::EnqueueWriteBuffer(queue(), w, written, true);
  }

  tm::CommandQueue& queue(uint8_t number = 0) const { return device->command_queue(number); }
  void write() { tm::EnqueueWriteBuffer(queue(), x, written, false); }
  void launch(uint8_t number = 0) { tm::EnqueueProgram(queue(number), scaling.program, false); }
  void read() { tm::EnqueueReadBuffer(queue(), y, result, true); }

  tm::IDevice* const device;
  ScalingProgram::BufferPointer x, w, y;
  ScalingProgram scaling;
  Words written = counting(0), result;
};

class RunAllocations : public ::testing::Test {
 protected:
  // Captures and loads `entry`.
  void load(const std::function<void(Captured&)>& entry) {
    tm::LightMetalBeginCapture();
    tm::IDevice* device = tm::CreateDevice(0, /*num_hw_cqs=*/2, DEFAULT_L1_SMALL_SIZE,
                                           /*trace_region_size=*/1 << 20);
    {
      Captured captured(device);
      tm::LightMetalEntryBegin("scale");
      entry(captured);
      tm::LightMetalEntryEnd();
    }
    tm::CloseDevice(device);
    auto executable = Executable::load_bytes(tm::LightMetalEndCapture().get_data());
    ASSERT_TRUE(executable.ok()) << executable.status();
    executable_ = *std::move(executable);
  }

  void run() {
    const InputValues x = {"x", TensorType::UInt32, kShape, std::as_bytes(std::span(x_))};
    const OutputValues y = {
        "y", TensorType::UInt32, kShape, {reinterpret_cast<std::byte*>(y_.data()), y_.size() * 4}};
    ASSERT_TRUE(executable_->run("scale", {&x, with_input_ ? 1u : 0u}, {&y, 1}).ok());
  }

  void expect_none(uint32_t factor = 1) {
    EXPECT_EQ(bench::allocations_each([this] { run(); }), 0);
    EXPECT_EQ(y_, scaled(with_input_ ? x_ : counting(0), factor, counting(0)));
  }

  std::unique_ptr<Executable> executable_;
  bool with_input_ = true;
  const Words x_ = counting(7);
  Words y_ = Words(kWords);
};

TEST_F(RunAllocations, AreNoneForAValueALaunchAndARead) {
  load([](Captured& captured) {
    captured.write();
    captured.launch();
    captured.read();
  });
  expect_none();
}

TEST_F(RunAllocations, AreNoneForAnInputWithoutAValue) {
  load([](Captured& captured) {
    captured.write();
    captured.launch();
  });
  with_input_ = false;
  expect_none();
}

TEST_F(RunAllocations, AreNoneForArgumentsThatEachRunSets) {
  load([](Captured& captured) {
    tm::SetRuntimeArgs(captured.scaling.program, captured.scaling.kernel, CoreCoord(0, 0),
                       {captured.x->address(), captured.w->address(), captured.y->address(),
                        captured.x->num_pages()});
    captured.scaling.set_factor(5);
    captured.write();
    captured.launch();
  });
  expect_none(5);
}

// More launches than the queue has begun, each with arguments of its own.
TEST_F(RunAllocations, AreNoneForManyLaunches) {
  load([](Captured& captured) {
    captured.write();
    for (uint32_t factor = 1; factor < 100; ++factor) {
      captured.scaling.set_factor(factor);
      captured.launch();
    }
  });
  expect_none(99);
}

TEST_F(RunAllocations, AreNoneForQueuesThatWaitForEachOther) {
  load([](Captured& captured) {
    const auto written = std::make_shared<tm::Event>(), computed = std::make_shared<tm::Event>();
    captured.write();
    tm::EnqueueRecordEvent(captured.queue(), written);
    tm::EnqueueWaitForEvent(captured.queue(1), written);
    captured.launch(1);
    tm::EnqueueRecordEvent(captured.queue(1), computed);
    tm::EnqueueWaitForEvent(captured.queue(), computed);
    captured.read();
    tm::Finish(captured.queue(1));
    tm::EventSynchronize(computed);
  });
  expect_none();
}

TEST_F(RunAllocations, AreNoneForADeviceTrace) {
  std::optional<uint32_t> trace;
  tm::IDevice* device = nullptr;
  load([&](Captured& captured) {
    device = captured.device;
    captured.launch();  // so that its kernel is compiled
    trace = tm::BeginTraceCapture(device, 0);
    captured.launch();
    tm::EndTraceCapture(device, 0, *trace);
    captured.write();
    tm::ReplayTrace(device, 0, *trace, /*blocking=*/true);
    tm::EnqueueTrace(captured.queue(), *trace, /*blocking=*/false);
    captured.read();
  });
  expect_none();
}

}  // namespace
}  // namespace lightmetal
