// Files that are loaded once and run many times, with values for their inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/executable.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/sub_device.hpp>
#include <vector>

#include "tests/runtime/scaling_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/thrown_by.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using testing::counting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kPages;
using testing::kShape;
using testing::kWords;
using testing::scaled;
using testing::scaled_buffer;
using testing::ScalingProgram;
using testing::thrown_by;
using testing::Words;

TensorDesc words_tensor() { return {kShape, TensorType::UInt32}; }

InputValues input(std::string_view name, const Words& words) {
  return {.name = name,
          .type = TensorType::UInt32,
          .shape = kShape,
          .data = {reinterpret_cast<const std::byte*>(words.data()), words.size() * 4}};
}
OutputValues output(std::string_view name, Words& words) {
  words.resize(kWords);
  return {.name = name,
          .type = TensorType::UInt32,
          .shape = kShape,
          .data = {reinterpret_cast<std::byte*>(words.data()), words.size() * 4}};
}

// What a captured program works with.
struct Program {
  explicit Program(tm::IDevice* the_device)
      : device(the_device),
        x(scaled_buffer(device, kPages)),
        w(scaled_buffer(device, kPages)),
        y(scaled_buffer(device, kPages)),
        scaling(x, w, y) {}

  tm::CommandQueue& queue() const { return device->command_queue(); }
  void write(const ScalingProgram::BufferPointer& buffer, Words words) {
    tm::EnqueueWriteBuffer(queue(), buffer, words, false);
  }
  void bind() {
    tm::LightMetalBindInput("x", x, words_tensor());
    tm::LightMetalBindConstant("w", w, words_tensor());
    tm::LightMetalBindOutput("y", y, words_tensor());
  }
  void launch() { tm::EnqueueProgram(queue(), scaling.program, false); }
  Words read(const ScalingProgram::BufferPointer& buffer) {
    Words words;
    tm::EnqueueReadBuffer(queue(), buffer, words, true);
    return words;
  }

  tm::IDevice* const device;
  ScalingProgram::BufferPointer x, w, y;
  ScalingProgram scaling;
};

tm::LightMetalBinary captured(const std::function<void(Program&)>& work) {
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    Program program(device);
    work(program);
  }
  tm::CloseDevice(device);
  return tm::LightMetalEndCapture();
}

std::unique_ptr<Executable> loaded(const tm::LightMetalBinary& binary) {
  auto executable = Executable::load_bytes(binary.get_data());
  EXPECT_TRUE(executable.ok()) << executable.status();
  return executable.ok() ? *std::move(executable) : nullptr;
}

// y = 3 * x + w, in an entry of its own.
tm::LightMetalBinary captured_entry() {
  return captured([](Program& program) {
    program.bind();
    program.scaling.set_factor(3);
    program.write(program.w, counting(1000));
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, counting(5));
    program.launch();
    program.read(program.y);
    tm::LightMetalEntryEnd();
  });
}

Words run(Executable& executable, std::string_view entry, const std::vector<InputValues>& inputs) {
  Words y;
  const std::vector<OutputValues> outputs = {output("y", y)};
  const absl::Status status = executable.run(entry, inputs, outputs);
  EXPECT_TRUE(status.ok()) << status;
  return y;
}

// ---- Values ----

TEST(ExecutableTest, EachRunComputesWithItsOwnInput) {
  const auto executable = loaded(captured_entry());
  ASSERT_NE(executable, nullptr);
  EXPECT_THAT(executable->entries(), ElementsAre("scale"));
  for (uint32_t i = 0; i < 10; ++i) {
    const Words x = counting(100 * i);
    EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 3, counting(1000)));
  }
}

TEST(ExecutableTest, AnInputWithoutAValueHasTheRecordedOne) {
  const auto executable = loaded(captured_entry());
  ASSERT_NE(executable, nullptr);
  const Words recorded = scaled(counting(5), 3, counting(1000));
  EXPECT_EQ(run(*executable, "scale", {}), recorded);
  const Words x = counting(77);
  EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 3, counting(1000)));
  EXPECT_EQ(run(*executable, "scale", {}), recorded);
}

// The default value of an input may have been written before any entry.
TEST(ExecutableTest, AnInputThatNoEntryWritesHasItsDefaultAgainAfterARunWithAValue) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, counting(0));
    program.write(program.x, counting(9));
    tm::LightMetalEntryBegin("scale");
    program.launch();
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(500);
  EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 1, counting(0)));
  EXPECT_EQ(run(*executable, "scale", {}), scaled(counting(9), 1, counting(0)));
}

TEST(ExecutableTest, AFileWithoutEntriesIsOneEntry) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, counting(1));
    program.write(program.x, counting(2));
    program.launch();
    program.read(program.y);
  }));
  ASSERT_NE(executable, nullptr);
  EXPECT_THAT(executable->entries(), ElementsAre("main"));
  const Words x = counting(31);
  EXPECT_EQ(run(*executable, "main", {input("x", x)}), scaled(x, 1, counting(1)));
}

// ---- What load does, and what runs do ----

TEST(ExecutableTest, AConstantThatAKernelWritesToIsTheSameInEachRun) {
  const auto executable = loaded(captured([](Program& program) {
    tm::LightMetalBindInput("x", program.x, words_tensor());
    tm::LightMetalBindConstant("w", program.w, words_tensor());
    tm::LightMetalBindOutput("y", program.y, words_tensor());
    // w = x + w
    ScalingProgram adds(program.x, program.w, program.w);
    tm::LightMetalEntryBegin("scale");
    program.write(program.w, counting(0));
    program.write(program.x, counting(0));
    tm::EnqueueProgram(program.queue(), adds.program, false);
    program.launch();
    program.read(program.y);
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words zeros(kWords, 0), ones(kWords, 1);
  EXPECT_EQ(run(*executable, "scale", {input("x", ones)}), scaled(ones, 2, counting(0)));
  EXPECT_EQ(run(*executable, "scale", {input("x", ones)}), scaled(ones, 2, counting(0)));
  EXPECT_EQ(run(*executable, "scale", {input("x", zeros)}), scaled(zeros, 2, counting(0)));
}

TEST(ExecutableTest, AnInOutBufferKeepsWhatARunLeaves) {
  const auto executable = loaded(captured([](Program& program) {
    tm::LightMetalBindInOut("y", program.x, words_tensor());
    ScalingProgram adds(program.x, program.w, program.x);
    program.write(program.w, counting(1));
    program.write(program.x, counting(0));
    tm::LightMetalEntryBegin("add");
    tm::EnqueueProgram(program.queue(), adds.program, false);
    program.read(program.x);
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  EXPECT_EQ(run(*executable, "add", {}), scaled(counting(0), 1, counting(1)));
  EXPECT_EQ(run(*executable, "add", {}), scaled(counting(1), 2, counting(0)));
  const Words x = counting(50);
  EXPECT_EQ(run(*executable, "add", {input("y", x)}), scaled(x, 1, counting(1)));
}

TEST(ExecutableTest, ARunBeginsWithTheArgumentsOfItsPlaceInTheProgram) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, Words(kWords, 0));
    program.scaling.set_factor(2);
    tm::LightMetalEntryBegin("once");
    program.launch();
    program.scaling.set_factor(5);
    tm::LightMetalEntryEnd();
    program.scaling.set_factor(7);
    tm::LightMetalEntryBegin("later");
    program.launch();
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(1), zeros(kWords, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(*executable, "later", {input("x", x)}), scaled(x, 7, zeros));
    EXPECT_EQ(run(*executable, "once", {input("x", x)}), scaled(x, 2, zeros));
  }
}

TEST(ExecutableTest, WhatIsSetBetweenEntriesIsForTheLaterOne) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, Words(kWords, 0));
    tm::LightMetalEntryBegin("all");
    program.launch();
    tm::LightMetalEntryEnd();
    tm::SetRuntimeArgs(
        program.scaling.program, program.scaling.kernel, CoreCoord(0, 0),
        {program.x->address(), program.w->address(), program.y->address(), uint32_t{1}});
    tm::LightMetalEntryBegin("one_page");
    program.launch();
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(1), others = counting(500);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(*executable, "all", {input("x", x)}), x);
    Words expected = x;
    std::copy_n(others.begin(), kWords / kPages, expected.begin());
    EXPECT_EQ(run(*executable, "one_page", {input("x", others)}), expected);
  }
}

TEST(ExecutableTest, OfEntriesOfOneNameTheFirstIsRun) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, Words(kWords, 0));
    for (uint32_t factor = 1; factor < 4; ++factor) {
      tm::LightMetalEntryBegin("scale");
      program.scaling.set_factor(factor);
      program.write(program.x, counting(factor));
      program.launch();
      program.read(program.y);
      tm::LightMetalEntryEnd();
    }
  }));
  ASSERT_NE(executable, nullptr);
  EXPECT_THAT(executable->entries(), ElementsAre("scale"));
  EXPECT_EQ(run(*executable, "scale", {}), counting(1));
}

// Programs make what they need where they need it.
TEST(ExecutableTest, WhatAnEntryMakesIsMadeByLoad) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, Words(kWords, 0));
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, counting(0));
    for (uint32_t factor = 2; factor < 4; ++factor) {
      // The buffers take turns in the same memory.
      const auto between = scaled_buffer(program.device, kPages);
      ScalingProgram first(program.x, program.w, between), second(between, program.w, program.y);
      second.set_factor(factor);
      tm::EnqueueProgram(program.queue(), first.program, false);
      tm::EnqueueProgram(program.queue(), second.program, false);
      tm::Finish(program.queue());
    }
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  for (uint32_t i = 0; i < 3; ++i) {
    const Words x = counting(10 * i);
    EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 3, Words(kWords, 0)));
  }
}

TEST(ExecutableTest, AnOutputIsReadWhereTheProgramReadsItLast) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    program.write(program.w, Words(kWords, 0));
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, counting(0));
    program.read(program.y);
    program.launch();
    program.read(program.y);
    program.write(program.y, Words(kWords, 0xdead));
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(3);
  EXPECT_EQ(run(*executable, "scale", {input("x", x)}), x);
}

constexpr char kCountOnSemaphore[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t semaphore = get_arg_val<uint32_t>(0);
  *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore) += 1;
  const uint32_t address = get_arg_val<uint32_t>(1);
  const InterleavedAddrGen<true> y = {.bank_base_address = address, .page_size = 64};
  noc_async_write(semaphore, get_noc_addr(0, y), 4);
  noc_async_write_barrier();
}
)";

TEST(ExecutableTest, AGlobalSemaphoreThatAnEntryMakesHasItsValueInEachRun) {
  const auto executable = loaded(captured([](Program& program) {
    const tm::CoreCoord core(0, 0);
    program.bind();
    tm::LightMetalEntryBegin("count");
    const auto semaphore =
        tm::CreateGlobalSemaphore(program.device, tm::CoreRangeSet(tm::CoreRange(core)), 5);
    tm::Program counts = tm::CreateProgram();
    const tm::KernelHandle kernel =
        tm::CreateKernelFromString(counts, kCountOnSemaphore, core, tm::DataMovementConfig{});
    tm::SetRuntimeArgs(counts, kernel, core,
                       {static_cast<uint32_t>(semaphore.address()), program.y->address()});
    tm::EnqueueProgram(program.queue(), counts, true);
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(*executable, "count", {})[0], 6u) << i;
}

TEST(ExecutableTest, BetweenEntriesWhatIsWrittenCountsAndWhatIsLaunchedDoesNot) {
  const auto executable = loaded(captured([](Program& program) {
    tm::LightMetalBindInput("x", program.x, words_tensor());
    tm::LightMetalBindOutput("y", program.y, words_tensor());
    ScalingProgram spoils(program.x, program.w, program.w);  // w = x + w
    program.write(program.x, counting(5));
    tm::LightMetalEntryBegin("first");
    program.launch();
    tm::LightMetalEntryEnd();
    program.write(program.w, counting(1000));
    tm::EnqueueProgram(program.queue(), spoils.program, false);
    tm::LightMetalEntryBegin("later");
    program.launch();
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(1);
  EXPECT_EQ(run(*executable, "later", {input("x", x)}), scaled(x, 1, counting(1000)));
}

// Queue 1 writes and launches. Queue 0 is busy with other work before it reads.
TEST(ExecutableTest, AnInputIsWrittenByTheQueueThatWroteItInTheProgram) {
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0, /*num_hw_cqs=*/2);
  {
    Program program(device);
    program.bind();
    ScalingProgram other(program.w, program.w, scaled_buffer(device, kPages));
    program.write(program.w, counting(1000));
    tm::Finish(program.queue());
    const auto computed = std::make_shared<tm::Event>();
    Words zeros(kWords, 0);
    tm::LightMetalEntryBegin("scale");
    for (int i = 0; i < 50; ++i) tm::EnqueueProgram(program.queue(), other.program, false);
    tm::EnqueueWriteBuffer(device->command_queue(1), program.x, zeros, false);
    tm::EnqueueProgram(device->command_queue(1), program.scaling.program, false);
    tm::EnqueueRecordEvent(device->command_queue(1), computed);
    tm::EnqueueWaitForEvent(program.queue(), computed);
    program.read(program.y);
    tm::LightMetalEntryEnd();
  }
  tm::CloseDevice(device);
  const auto executable = loaded(tm::LightMetalEndCapture());
  ASSERT_NE(executable, nullptr);
  const Words x = counting(7);
  EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 1, counting(1000)));
}

// Queue 0 waits for queue 1 before it reads: the wait stands before the record.
tm::LightMetalBinary captured_with_a_wait_before_the_record() {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, /*num_hw_cqs=*/2);
  {
    Program program(device);
    program.bind();
    program.write(program.w, counting(1000));
    tm::Finish(program.queue());
    const auto computed = std::make_shared<tm::Event>();
    Words zeros(kWords, 0), result(kWords);
    tm::LightMetalEntryBegin("scale");
    tm::EnqueueWaitForEvent(program.queue(), computed);
    tm::EnqueueReadBuffer(program.queue(), program.y, result, false);
    tm::EnqueueWriteBuffer(device->command_queue(1), program.x, zeros, false);
    for (int i = 0; i < 50; ++i)
      tm::EnqueueProgram(device->command_queue(1), program.scaling.program, false);
    tm::EnqueueRecordEvent(device->command_queue(1), computed);
    tm::Finish(program.queue());
    tm::LightMetalEntryEnd();
  }
  tm::CloseDevice(device);
  return tm::LightMetalEndCapture();
}

// In each run, not in the first one alone.
TEST(ExecutableTest, AQueueWaitsForAnEventThatALaterCommandOfTheRunRecords) {
  const auto executable = loaded(captured_with_a_wait_before_the_record());
  ASSERT_NE(executable, nullptr);
  for (uint32_t first = 1; first < 6; ++first) {
    const Words x = counting(first);
    EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 1, counting(1000))) << first;
  }
  // No run could find out whether kernels write to x, so its default is written again.
  EXPECT_EQ(run(*executable, "scale", {}), counting(1000));
}

// A copy within the device cannot wait for queue 1 alone.
TEST(ExecutableTest, ACopyBesideTheQueuesIsRefusedWhileAQueueWaitsForALaterRecord) {
  const auto executable = loaded(captured_with_a_wait_before_the_record());
  ASSERT_NE(executable, nullptr);
  const auto& tensors = executable->tensors();
  const auto w = std::ranges::find(tensors, "w", &BoundTensor::name);
  InputValues x = {.name = "x", .type = TensorType::UInt32, .shape = kShape};
  x.buffer = const_cast<tm::Buffer*>(&executable->buffer(*w));
  const absl::Status status = executable->run("scale", {x}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("x would be copied beside the queues"));
}

// The first entry records it: nothing of the second one does so before it waits.
TEST(ExecutableTest, AnEventOfAnEarlierEntryCountsAsRecordedInALaterOne) {
  const auto executable = loaded(captured([](Program& program) {
    program.bind();
    const auto event = std::make_shared<tm::Event>();
    tm::LightMetalEntryBegin("records");
    program.write(program.x, counting(5));
    program.launch();
    tm::EnqueueRecordEvent(program.queue(), event);
    program.read(program.y);
    tm::LightMetalEntryEnd();
    tm::LightMetalEntryBegin("waits");
    tm::EnqueueWaitForEvent(program.queue(), event);
    program.launch();
    tm::EnqueueRecordEvent(program.queue(), event);
    program.read(program.y);
    tm::LightMetalEntryEnd();
  }));
  ASSERT_NE(executable, nullptr);
  const Words x = counting(1);
  run(*executable, "records", {});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run(*executable, "waits", {input("x", x)}), scaled(x, 1, Words(kWords, 0)));
}

// Each on a chip of its own, where the addresses of the file are free.
TEST(ExecutableTest, FilesAreLoadedSideBySideOnOtherChips) {
  const tm::LightMetalBinary binary = captured_entry();
  const auto first = loaded(binary);
  ASSERT_NE(first, nullptr);
  const auto taken = Executable::load_bytes(binary.get_data());
  for (const char* part : {"Device 0 is open already", "chip_id", "open_device"})
    EXPECT_THAT(std::string(taken.status().message()), HasSubstr(part));
  const auto second = Executable::load_bytes(binary.get_data(), {.chip_id = 1});
  ASSERT_TRUE(second.ok()) << second.status();
  const Words x = counting(8);
  for (const auto& executable : {first.get(), second->get()})
    EXPECT_EQ(run(*executable, "scale", {input("x", x)}), scaled(x, 3, counting(1000)));
}

// ---- What is refused ----

TEST(ExecutableTest, TwoInputsOfOneBufferAreRefused) {
  const auto binary = captured([](Program& program) {
    program.bind();
    tm::LightMetalBindInput("also_x", program.x, words_tensor());
    program.launch();
  });
  const absl::Status status = Executable::load_bytes(binary.get_data()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("x and also_x are two inputs"));
}

struct RefusedProgram {
  const char* message;
  std::function<void(Program&)> work;
};

TEST(ExecutableTest, ProgramsThatCannotBeRunAgainAreRefused) {
  const auto divide = [](Program& program) {
    const tm::SubDevice first(
        std::array{tm::CoreRangeSet(tm::CoreRange(tm::CoreCoord(0, 0), tm::CoreCoord(1, 1)))});
    program.bind();
    tm::LightMetalEntryBegin("scale");
    program.device->load_sub_device_manager(program.device->create_sub_device_manager({first}, 0));
    program.device->clear_loaded_sub_device_manager();
    tm::LightMetalEntryEnd();
  };
  const auto bind_two = [](Program& program) {
    auto ended = scaled_buffer(program.device, kPages);
    tm::LightMetalBindInput("x", ended, words_tensor());
    ended.reset();
    tm::LightMetalBindInput("x", program.x, words_tensor());
    program.launch();
  };
  const auto bind_twice = [](Program& program) {
    tm::LightMetalBindInOut("state", program.x, words_tensor());
    tm::LightMetalBindInput("x", program.x, words_tensor());
    program.launch();
  };
  for (const auto& [message, work] :
       {RefusedProgram{"stands within entry scale", divide},
        RefusedProgram{"two buffers, one after the other, have the name x", bind_two},
        RefusedProgram{"state and x are two inputs", bind_twice}}) {
    const absl::Status status = Executable::load_bytes(captured(work).get_data()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
}

// A command after the entry records the event.
TEST(ExecutableTest, ARunThatEndsWhileAQueueWaitsHasFailed) {
  const auto executable = loaded(captured([](Program& program) {
    const auto event = std::make_shared<tm::Event>();
    program.bind();
    tm::LightMetalEntryBegin("wait");
    tm::EnqueueWaitForEvent(program.queue(), event);
    program.launch();
    tm::LightMetalEntryEnd();
    tm::IDevice* other = tm::CreateDevice(1);
    tm::EnqueueRecordEvent(other->command_queue(), event);
    tm::Finish(program.queue());
    tm::CloseDevice(other);
  }));
  ASSERT_NE(executable, nullptr);
  const absl::Status status = executable->run("wait", {}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ends while a queue waits"));
  EXPECT_THAT(std::string(executable->run("wait", {}, {}).message()), HasSubstr("runs no more"));
}

class RefusedValues : public ::testing::Test {
 protected:
  // The status of a run with these values, after which the executable runs as before.
  absl::Status status_of(const std::vector<InputValues>& inputs,
                         const std::vector<OutputValues>& outputs,
                         std::string_view entry = "scale") {
    const absl::Status status = executable_->run(entry, inputs, outputs);
    EXPECT_EQ(run(*executable_, "scale", {}), scaled(counting(5), 3, counting(1000)));
    return status;
  }

  const std::unique_ptr<Executable> executable_ = loaded(captured_entry());
  const Words x_ = counting(1);
  Words y_;
};

TEST_F(RefusedValues, AreNamed) {
  EXPECT_THAT(std::string(status_of({}, {}, "decode").message()),
              HasSubstr("has no entry \"decode\": it has scale"));
  EXPECT_THAT(std::string(status_of({input("z", x_)}, {}).message()),
              HasSubstr("has no tensor \"z\": it has x, w, y"));
  EXPECT_THAT(std::string(status_of({input("y", x_)}, {}).message()),
              HasSubstr("y is no input: it is an output"));
  EXPECT_THAT(std::string(status_of({}, {output("w", y_)}).message()),
              HasSubstr("w is no output: it is a constant"));
  EXPECT_THAT(std::string(status_of({input("x", x_), input("x", x_)}, {}).message()),
              HasSubstr("there are two values for x"));
  EXPECT_THAT(std::string(status_of({}, {output("y", y_), output("y", y_)}).message()),
              HasSubstr("y is asked for twice"));
}

TEST_F(RefusedValues, OfAnotherTypeShapeOrSize) {
  InputValues wrong = input("x", x_);
  wrong.type = TensorType::Float32;
  EXPECT_THAT(std::string(status_of({wrong}, {}).message()),
              HasSubstr("the values for x are float32, expected uint32"));
  wrong = input("x", x_);
  const std::vector<uint32_t> flat = {kWords};
  wrong.shape = flat;
  EXPECT_THAT(std::string(status_of({wrong}, {}).message()),
              HasSubstr("the values for x have the shape [64], expected [4, 16]"));
  wrong = input("x", x_);
  wrong.data = wrong.data.subspan(4);
  EXPECT_THAT(std::string(status_of({wrong}, {}).message()),
              HasSubstr("the values for x have 252 bytes, expected 256"));
  wrong.data = {};
  EXPECT_THAT(std::string(status_of({wrong}, {}).message()), HasSubstr("are null"));
}

// Values in buffers on the device of the executable.
class ValuesInBuffers : public ::testing::Test {
 protected:
  static InputValues in(tm::Buffer& buffer) {
    return {
        .name = "x", .type = TensorType::UInt32, .shape = kShape, .data = {}, .buffer = &buffer};
  }
  static OutputValues out(tm::Buffer& buffer) {
    return {
        .name = "y", .type = TensorType::UInt32, .shape = kShape, .data = {}, .buffer = &buffer};
  }
  absl::Status status_of(const InputValues& given, const OutputValues& wanted) {
    return executable_->run("scale", {&given, 1}, {&wanted, 1});
  }

  const tm::LightMetalBinary binary_ = captured_entry();
  const std::unique_ptr<Executable> executable_ = loaded(binary_);
  tm::IDevice* const device_ = executable_->buffer(executable_->tensors()[0]).device();
  const std::shared_ptr<tm::Buffer> x_ = scaled_buffer(device_, kPages),
                                    y_ = scaled_buffer(device_, kPages);
};

TEST_F(ValuesInBuffers, AreTakenAndLeftThere) {
  Words x = counting(8), result;
  tm::EnqueueWriteBuffer(device_->command_queue(), x_, x, true);
  const absl::Status status = status_of(in(*x_), out(*y_));
  ASSERT_TRUE(status.ok()) << status;
  tm::EnqueueReadBuffer(device_->command_queue(), y_, result, true);
  EXPECT_EQ(result, scaled(x, 3, counting(1000)));
}

TEST_F(ValuesInBuffers, OfAnotherSizeOrPlaceAreRefused) {
  const auto other = Executable::load_bytes(binary_.get_data(), {.chip_id = 1});
  ASSERT_TRUE(other.ok()) << other.status();
  const auto elsewhere = scaled_buffer((*other)->buffer((*other)->tensors()[0]).device(), kPages),
             large = scaled_buffer(device_, 2 * kPages), ended = scaled_buffer(device_, kPages);
  const auto narrow = tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device_, .size = kPages * testing::kScaledPage, .page_size = 32});
  tm::DeallocateBuffer(*ended);
  for (const auto& wrong : {elsewhere, large, narrow, ended}) {
    const absl::Status of_input = status_of(in(*wrong), out(*y_));
    const absl::Status of_output = status_of(in(*x_), out(*wrong));
    EXPECT_EQ(of_input.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(of_input.message()), HasSubstr("the buffer for x has"));
    EXPECT_THAT(std::string(of_output.message()), HasSubstr("the buffer for y has"));
  }
  EXPECT_TRUE(status_of(in(*x_), out(*y_)).ok());
}

TEST(BindTensorTest, RefusesWhatARuleRefusesAndFreesTheNameWithTheBuffer) {
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = scaled_buffer(device, kPages), other = scaled_buffer(device, kPages);
    tm::LightMetalBindInput("x", buffer, words_tensor());
    EXPECT_THAT(thrown_by([&] { tm::LightMetalBindOutput("x", other, words_tensor()); }),
                HasSubstr("has this name"));
    EXPECT_THAT(
        thrown_by([&] {
          tm::LightMetalBindInput("big", other, {{1024}, TensorType::UInt32});
        }),
        HasSubstr("the tensor uint32:1024:row_major takes 4096 bytes, and the buffer has 256"));
    buffer.reset();
    tm::LightMetalBindOutput("x", other, words_tensor());
  }
  EXPECT_THAT(thrown_by([] { tm::LightMetalEntryEnd(); }), HasSubstr("none has begun"));
  tm::CloseDevice(device);
}

}  // namespace
}  // namespace lightmetal
