// Buffers that lie elsewhere than they were captured, and how a file learns which ones may.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tuple>
#include <vector>

#include "schema/diff/relocate.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
#include "tests/runtime/tensor_kit.h"
#include "tests/schema/semantics_calls.h"
#include "tests/support/captured_file.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Addresses = ScalingProgram::Addresses;

using Program = std::function<void(tm::IDevice&)>;

constexpr size_t kTraceRegion = 1 << 20;

// The file of a program whose buffers begin behind `offset`.
FilePointer captured(const Program& program, const char* offset = "0") {
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", offset, 1);
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, kTraceRegion);
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  program(*device);
  tm::CloseDevice(device);
  return open_file(tm::LightMetalEndCapture());
}

void bind(const std::shared_ptr<tm::Buffer>& x, const std::shared_ptr<tm::Buffer>& y) {
  const TensorDesc desc{kShape, TensorType::UInt32};
  tm::LightMetalBindInput("x", x, desc);
  tm::LightMetalBindOutput("y", y, desc);
}

void run_entry(tm::IDevice& device, const std::shared_ptr<tm::Buffer>& x, tm::Program& program,
               const std::shared_ptr<tm::Buffer>& y) {
  Words values = counting(5), result;
  tm::LightMetalEntryBegin("scale");
  tm::EnqueueWriteBuffer(device.command_queue(), x, values, false);
  tm::EnqueueProgram(device.command_queue(), program, false);
  tm::EnqueueReadBuffer(device.command_queue(), y, result, true);
  tm::LightMetalEntryEnd();
}

// y = factor * x + 1000 and on, whose buffers may move or not.
Program scaling(uint32_t factor, Addresses addresses, bool movable) {
  return [=](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y}) {
      if (movable) tm::LightMetalAllowMove(buffer);
    }
    bind(x, y);
    ScalingProgram program(x, w, y, addresses, factor);
    Words weight = counting(1000);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    run_entry(device, x, program.program, y);
  };
}

Words run(const Device& device, const std::shared_ptr<Executable>& executable,
          std::vector<Tensor> inputs) {
  return words_of(value_of(submit(device, executable, "scale", std::move(inputs)))[0]);
}

Words expected(const Words& x, uint32_t factor) { return scaled(x, factor, counting(1000)); }

// ---- Executables ----

TEST(RelocationTest, AFileOfMovableBuffersIsLoadedTwice) {
  const FilePointer file = captured(scaling(3, Addresses::kByBuffer, /*movable=*/true));
  const Device device = value_of(Device::open(*file));
  const auto first = value_of(device.load(file)), second = value_of(device.load(file));
  const BoundTensor& x = first->tensors()[0];
  EXPECT_NE(first->buffer(x).address(), second->buffer(x).address());
  EXPECT_EQ(run(device, second, {host_tensor(counting(2))}), expected(counting(2), 3));
  EXPECT_EQ(run(device, first, {}), expected(counting(5), 3));
  EXPECT_EQ(run(device, second, {}), expected(counting(5), 3));
}

TEST(RelocationTest, AnInputOnTheDeviceIsTakenWhereItLies) {
  const FilePointer file = captured(scaling(3, Addresses::kByBuffer, /*movable=*/true));
  const Device device = value_of(Device::open(*file));
  const auto first = value_of(device.load(file)), second = value_of(device.load(file));
  const std::vector<Tensor> y =
      value_of(submit(device, first, "scale", {host_tensor(counting(11))}));
  ASSERT_TRUE(wait(toLayout(value_of(allocateOutputTensor(device, *first, 0)), y[0])).ok());
  const Stats before = device.stats();
  const std::vector<Tensor> z = value_of(submit(device, second, "scale", y));
  const Words result = words_of(z[0]);
  const Stats after = device.stats();
  EXPECT_EQ(result, expected(expected(counting(11), 3), 3));
  EXPECT_EQ(after.relocations, before.relocations + 1);
  EXPECT_EQ(after.device_copies, before.device_copies + 1);  // out of the second's own buffer
  EXPECT_EQ(after.host_to_device_bytes, before.host_to_device_bytes);
  // The tensor that was read in place is as it was, and so is the input's own buffer.
  EXPECT_EQ(words_of(y[0]), expected(counting(11), 3));
  EXPECT_EQ(run(device, second, {}), expected(counting(5), 3));
}

TEST(RelocationTest, EachRunHasItsOwnInputWhereverThatLies) {
  const FilePointer file = captured(scaling(3, Addresses::kByBuffer, /*movable=*/true));
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  std::vector<Tensor> tensors;
  for (uint32_t i = 0; i < 3; ++i) {
    tensors.push_back(uploaded(device, *executable, 0, counting(100 * i)));
  }
  for (const uint32_t i : {0, 1, 1, 2, 0}) {
    EXPECT_EQ(run(device, executable, {tensors[i]}), expected(counting(100 * i), 3)) << i;
    EXPECT_EQ(run(device, executable, {host_tensor(counting(i))}), expected(counting(i), 3)) << i;
  }
  EXPECT_EQ(device.stats().relocations, 5u);
  deallocate(tensors[0]);
  EXPECT_EQ(run(device, executable, {}), expected(counting(5), 3));
}

TEST(RelocationTest, AnInputThatMayNotMoveIsCopied) {
  const FilePointer file = captured(scaling(3, Addresses::kByBuffer, /*movable=*/false));
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  const Tensor x = uploaded(device, *executable, 0, counting(9));
  EXPECT_EQ(run(device, executable, {x}), expected(counting(9), 3));
  EXPECT_EQ(device.stats().relocations, 0u);
  EXPECT_EQ(device.load(file).status().code(), absl::StatusCode::kFailedPrecondition);
}

// The program computes with what is in x before it writes x: what it is given must not be there too
// early. So y = x + z, and z is what x was before plus w.
TEST(RelocationTest, AnInputThatIsWrittenBehindWorkIsCopied) {
  const FilePointer file = captured([](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages), z = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y, z}) tm::LightMetalAllowMove(buffer);
    bind(x, y);
    ScalingProgram before(x, w, z, Addresses::kByBuffer), after(x, z, y, Addresses::kByBuffer);
    Words zeros(kWords, 0), weight = counting(1000), values = counting(5), result;
    tm::EnqueueWriteBuffer(device.command_queue(), x, zeros, false);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    tm::LightMetalEntryBegin("scale");
    for (int i = 0; i < 50; ++i) tm::EnqueueProgram(device.command_queue(), before.program, false);
    tm::EnqueueWriteBuffer(device.command_queue(), x, values, false);
    tm::EnqueueProgram(device.command_queue(), after.program, false);
    tm::EnqueueReadBuffer(device.command_queue(), y, result, true);
    tm::LightMetalEntryEnd();
  });
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  const Tensor x = uploaded(device, *executable, 0, counting(9));
  EXPECT_EQ(run(device, executable, {x}), scaled(counting(9), 1, counting(1000)));
  EXPECT_EQ(device.stats().relocations, 0u);
}

// A further use of the buffer of the input x.
enum class Besides { kInOut, kOutput, kView };

// x = 3 * x + w, or y = 3 * x + w by way of a view of x.
FilePointer program_with(Besides besides) {
  return captured([=](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y}) tm::LightMetalAllowMove(buffer);
    const bool has_view = besides == Besides::kView;
    const auto from = has_view ? tm::Buffer::create(&device, x->address(), x->size(), kScaledPage,
                                                    tm::BufferType::DRAM)
                               : x;
    const auto to = has_view ? y : x;
    if (besides == Besides::kInOut) {
      tm::LightMetalBindInOut("x", x, {kShape, TensorType::UInt32});
    } else {
      bind(x, to);
    }
    ScalingProgram program(from, w, to, Addresses::kByBuffer, 3);
    Words weight = counting(1000);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    run_entry(device, x, program.program, to);
  });
}

TEST(RelocationTest, AnInputWhoseBufferIsUsedBesidesIsCopied) {
  for (const Besides besides : {Besides::kInOut, Besides::kOutput, Besides::kView}) {
    SCOPED_TRACE(static_cast<int>(besides));
    const FilePointer file = program_with(besides);
    const Device device = value_of(Device::open(*file));
    const auto executable = value_of(device.load(file));
    const Tensor x = uploaded(device, *executable, 0, counting(9));
    const Words result = expected(counting(9), 3);
    EXPECT_EQ(run(device, executable, {x}), result);
    EXPECT_EQ(words_of(x), counting(9));
    EXPECT_EQ(device.stats().relocations, 0u);
    EXPECT_EQ(run(device, executable, {}),
              expected(besides == Besides::kInOut ? result : counting(5), 3));
  }
}

constexpr char kFromCircularBuffer[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const InterleavedAddrGen<true> y = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 64};
  for (uint32_t page = 0; page < 4; ++page)
    noc_async_write(get_read_ptr(0) + 64 * page, get_noc_addr(page, y), 64);
  noc_async_write_barrier();
}
)";

std::shared_ptr<tm::Buffer> on_one_core(tm::IDevice& device) {
  const tm::CoreRangeSet core(tm::CoreRange(tm::CoreCoord(0, 0)));
  return tm::CreateBuffer(tm::ShardedBufferConfig{
      .device = &device,
      .size = kPages * kScaledPage,
      .page_size = kScaledPage,
      .buffer_type = tm::BufferType::L1,
      .buffer_layout = tm::TensorMemoryLayout::HEIGHT_SHARDED,
      .shard_parameters =
          tm::ShardSpecBuffer(core, {kPages, kScaledPage / 4}, tm::ShardOrientation::ROW_MAJOR,
                              {1, kScaledPage / 4}, {kPages, 1})});
}

std::shared_ptr<tm::Buffer> buffer_in_l1(tm::IDevice& device) {
  return tm::CreateBuffer(tm::InterleavedBufferConfig{.device = &device,
                                                      .size = kPages * kScaledPage,
                                                      .page_size = kScaledPage,
                                                      .buffer_type = tm::BufferType::L1});
}

// Holds the words 700 and on.
Tensor tensor_in_l1(const Device& device) {
  const Layout layout = value_of(Layout::of({kShape, TensorType::UInt32}, Location::DeviceL1));
  Tensor tensor = value_of(createEmptyTensor(device, layout, kShape));
  EXPECT_TRUE(wait(toLayout(tensor, host_tensor(counting(700)))).ok());
  return tensor;
}

TEST(RelocationTest, ACircularBufferInAnInputFollowsIt) {
  const FilePointer file = captured([](tm::IDevice& device) {
    const auto x = on_one_core(device), y = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, y}) tm::LightMetalAllowMove(buffer);
    bind(x, y);
    tm::Program program = tm::CreateProgram();
    const tm::CoreCoord core(0, 0);
    tm::CreateCircularBuffer(
        program, core,
        tm::CircularBufferConfig(kPages * kScaledPage, {{0, tt::DataFormat::UInt32}})
            .set_page_size(0, kScaledPage)
            .set_globally_allocated_address(*x));
    const tm::KernelHandle kernel =
        tm::CreateKernelFromString(program, kFromCircularBuffer, core, tm::DataMovementConfig{});
    tm::LightMetalSetRuntimeArgs(program, kernel, core, {tm::LightMetalAddress{y.get()}});
    run_entry(device, x, program, y);
  });
  const Device device = value_of(Device::open(*file));
  const auto first = value_of(device.load(file)), second = value_of(device.load(file));
  const Tensor x = uploaded(device, *second, 0, counting(9));
  EXPECT_EQ(run(device, second, {x}), counting(9));
  EXPECT_EQ(run(device, second, {host_tensor(counting(2))}), counting(2));
  EXPECT_EQ(run(device, first, {x}), counting(9));
  EXPECT_EQ(run(device, first, {}), counting(5));
  EXPECT_EQ(device.stats().relocations, 2u);
}

// A part of a buffer by an address behind its beginning, and as a view.
TEST(RelocationTest, WhatLiesInABufferMovesWithIt) {
  const FilePointer file = captured([](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, 4 * kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y}) tm::LightMetalAllowMove(buffer);
    const uint32_t banks = device.num_dram_channels();
    const uint32_t offset = kScaledPage * ((kPages + banks - 1) / banks);
    const auto view = tm::Buffer::create(&device, x->address() + offset, kPages * kScaledPage,
                                         kScaledPage, tm::BufferType::DRAM);
    bind(view, y);
    ScalingProgram program(view, w, y, Addresses::kByBuffer, 3);
    tm::LightMetalSetRuntimeArgs(
        program.program, program.kernel, CoreCoord(0, 0),
        {tm::LightMetalAddress{x.get(), offset}, tm::LightMetalAddress{w.get()},
         tm::LightMetalAddress{y.get()}, kPages});
    Words weight = counting(1000);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    run_entry(device, view, program.program, y);
  });
  const Device device = value_of(Device::open(*file));
  const auto first = value_of(device.load(file)), second = value_of(device.load(file));
  EXPECT_NE(first->buffer(first->tensors()[0]).address(),
            second->buffer(second->tensors()[0]).address());
  EXPECT_EQ(run(device, second, {host_tensor(counting(2))}), expected(counting(2), 3));
  EXPECT_EQ(run(device, first, {}), expected(counting(5), 3));
}

// The entry writes to x, a view of y, and reads y. Returns the address of w, which may move and
// ends where y begins.
uint64_t write_to_a_view(tm::IDevice& device) {
  const auto y = buffer_in_l1(device), w = buffer_in_l1(device);
  EXPECT_EQ(w->address() + w->aligned_size_per_bank(), y->address());
  tm::LightMetalAllowMove(w);
  const auto x =
      tm::Buffer::create(&device, y->address(), y->size(), y->page_size(), tm::BufferType::L1);
  bind(x, y);
  tm::LightMetalBindConstant("w", w, {kShape, TensorType::UInt32});
  Words values = counting(5), result;
  tm::EnqueueWriteBuffer(device.command_queue(), w, values, false);
  tm::LightMetalEntryBegin("scale");
  tm::EnqueueWriteBuffer(device.command_queue(), x, values, false);
  tm::EnqueueReadBuffer(device.command_queue(), y, result, true);
  tm::LightMetalEntryEnd();
  return w->address();
}

TEST(RelocationTest, AViewOfABufferThatStaysDoesNotFollowTheOneBeforeIt) {
  uint64_t recorded = 0;
  const FilePointer file =
      captured([&](tm::IDevice& device) { recorded = write_to_a_view(device); });
  const Device device = value_of(Device::open(*file));
  Tensor in_place_of_y = tensor_in_l1(device);
  const Tensor in_place_of_w = tensor_in_l1(device);
  deallocate(in_place_of_y);
  const auto executable = value_of(device.load(file));
  EXPECT_NE(executable->buffer(executable->tensors()[2]).address(), recorded) << "w has moved";
  EXPECT_EQ(run(device, executable, {host_tensor(counting(2))}), counting(2));
  EXPECT_EQ(words_of(in_place_of_w), counting(700));
}

TEST(RelocationTest, AnOffsetNeedsABufferThatMayMove) {
  tm::IDevice* device = tm::CreateDevice(0);
  {
    const auto x = scaled_buffer(device, kPages);
    ScalingProgram program(x, x, x, Addresses::kByBuffer);
    const auto set = [&](uint32_t offset) {
      tm::LightMetalSetRuntimeArgs(program.program, program.kernel, CoreCoord(0, 0),
                                   {tm::LightMetalAddress{x.get(), offset}});
    };
    EXPECT_NO_THROW(set(0));
    EXPECT_THROW(set(32), std::runtime_error);
    tm::LightMetalAllowMove(x);
    EXPECT_NO_THROW(set(32));
  }
  tm::CloseDevice(device);
}

// y is x and w of a program whose buffers may not all move.
TEST(RelocationTest, ABufferThatMovesLeavesRoomForThoseThatStay) {
  const FilePointer file = captured([](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages);
    tm::LightMetalAllowMove(x);
    const auto w = scaled_buffer(&device, kPages), y = scaled_buffer(&device, kPages);
    bind(x, y);
    ScalingProgram program(x, w, y, Addresses::kByBuffer, 3);
    Words weight = counting(1000);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    run_entry(device, x, program.program, y);
  });
  const Device device = value_of(Device::open(*file));
  // Takes the place of x alone.
  const Tensor first = value_of(createEmptyTensor(
      device, value_of(Layout::of({kShape, TensorType::UInt32}, Location::DeviceDRAM)), kShape));
  const auto executable = value_of(device.load(file));
  EXPECT_EQ(run(device, executable, {host_tensor(counting(2))}), expected(counting(2), 3));
}

TEST(RelocationTest, ATensorThatIsWrittenTooIsNotTakenInPlace) {
  const FilePointer file = captured(scaling(3, Addresses::kByBuffer, /*movable=*/true));
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  const Tensor both = uploaded(device, *executable, 0, counting(9));
  ASSERT_TRUE(wait(submit(device, executable, "scale", {both}, {both})).ok());
  EXPECT_EQ(words_of(both), expected(counting(9), 3));
  EXPECT_EQ(device.stats().relocations, 0u);
}

// ---- Inputs and constants that kernels write to ----

// Where the program writes the value of x: a default outside of the entry, or a step of it.
enum class Written { kBeforeEntry, kInEntry };

// y = 3 * x + w, and then `changed`, which is x or w, becomes 3 * x + w, too.
FilePointer program_that_changes(bool constant, Written written) {
  return captured([=](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y}) tm::LightMetalAllowMove(buffer);
    bind(x, y);
    tm::LightMetalBindConstant("w", w, {kShape, TensorType::UInt32});
    ScalingProgram compute(x, w, y, Addresses::kByBuffer, 3);
    ScalingProgram change(x, w, constant ? w : x, Addresses::kByBuffer, 3);
    Words weight = counting(1000), values = counting(5), result;
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    if (written == Written::kBeforeEntry)
      tm::EnqueueWriteBuffer(device.command_queue(), x, values, false);
    tm::LightMetalEntryBegin("scale");
    if (written == Written::kInEntry)
      tm::EnqueueWriteBuffer(device.command_queue(), x, values, false);
    tm::EnqueueProgram(device.command_queue(), compute.program, false);
    tm::EnqueueProgram(device.command_queue(), change.program, false);
    tm::EnqueueReadBuffer(device.command_queue(), y, result, true);
    tm::LightMetalEntryEnd();
  });
}

class ChangedTensor : public ::testing::TestWithParam<std::tuple<bool, Written>> {};

TEST_P(ChangedTensor, IsInEachRunWhatItWasInTheFirst) {
  const auto [constant, written] = GetParam();
  const FilePointer file = program_that_changes(constant, written);
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(device, executable, {}), expected(counting(5), 3)) << i;
    EXPECT_EQ(run(device, executable, {host_tensor(counting(8))}), expected(counting(8), 3)) << i;
  }
}

// A kernel that writes to its input is no reason to change the caller's tensor.
TEST_P(ChangedTensor, OfTheCallersOnTheDeviceStaysAsItIs) {
  const auto [constant, written] = GetParam();
  const FilePointer file = program_that_changes(constant, written);
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  const Tensor x = uploaded(device, *executable, 0, counting(9));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(device, executable, {x}), expected(counting(9), 3)) << i;
    EXPECT_EQ(words_of(x), counting(9)) << i;
  }
  // From the second run on it is copied where it would be changed.
  EXPECT_EQ(device.stats().relocations, constant ? 3u : 1u);
}

INSTANTIATE_TEST_SUITE_P(All, ChangedTensor,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Written::kBeforeEntry,
                                                              Written::kInEntry)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "constant" : "input") +
                                  (std::get<1>(info.param) == Written::kInEntry ? "_in_entry"
                                                                                : "_before_entry");
                         });

// Before the entry the program has launched with a buffer that is gone.
TEST(RelocationTest, ArgumentsThatNameAnEndedBufferAreGivenAgain) {
  const FilePointer file = captured([](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages), w = scaled_buffer(&device, kPages),
               y = scaled_buffer(&device, kPages);
    auto warm = scaled_buffer(&device, kPages);
    for (const auto& buffer : {x, w, y, warm}) tm::LightMetalAllowMove(buffer);
    bind(x, y);
    ScalingProgram program(x, w, warm, Addresses::kByBuffer, 3);
    Words weight = counting(1000);
    tm::EnqueueWriteBuffer(device.command_queue(), w, weight, false);
    tm::EnqueueProgram(device.command_queue(), program.program, true);
    warm.reset();
    tm::LightMetalSetRuntimeArgs(program.program, program.kernel, CoreCoord(0, 0),
                                 {tm::LightMetalAddress{x.get()}, tm::LightMetalAddress{w.get()},
                                  tm::LightMetalAddress{y.get()}, kPages});
    run_entry(device, x, program.program, y);
  });
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  for (const uint32_t first : {9, 20}) {
    const Tensor x = uploaded(device, *executable, 0, counting(first));
    EXPECT_EQ(run(device, executable, {x}), expected(counting(first), 3));
  }
  EXPECT_EQ(device.stats().relocations, 2u);
}

// ---- Device traces ----

// y = 3 * (3 * x + 1000...) + 1000... by a device trace, with memory between that is free when the
// entry begins.
void traced_with(tm::IDevice& device, Addresses addresses) {
  const auto x = scaled_buffer(&device, kPages);
  auto between = scaled_buffer(&device, kPages);
  const auto w = scaled_buffer(&device, kPages), y = scaled_buffer(&device, kPages);
  for (const auto& buffer : {x, between, w, y}) {
    if (addresses == Addresses::kByBuffer) tm::LightMetalAllowMove(buffer);
  }
  bind(x, y);
  ScalingProgram first(x, w, between, addresses, 3), second(between, w, y, addresses, 3);
  Words weight = counting(1000), values = counting(5), result;
  tm::CommandQueue& cq = device.command_queue();
  tm::EnqueueWriteBuffer(cq, w, weight, false);
  for (ScalingProgram* program : {&first, &second}) tm::EnqueueProgram(cq, program->program, true);
  const uint32_t trace = tm::BeginTraceCapture(&device, 0);
  for (ScalingProgram* program : {&first, &second}) tm::EnqueueProgram(cq, program->program, false);
  tm::EndTraceCapture(&device, 0, trace);
  between.reset();
  tm::LightMetalEntryBegin("scale");
  tm::EnqueueWriteBuffer(cq, x, values, false);
  tm::ReplayTrace(&device, 0, trace, false);
  tm::EnqueueReadBuffer(cq, y, result, true);
  tm::LightMetalEntryEnd();
  tm::ReleaseTrace(&device, trace);
}

void traced(tm::IDevice& device) { traced_with(device, Addresses::kNumbers); }

TEST(TraceTest, KeepsBuffersWhereTheyAreThatMayMoveOtherwise) {
  const FilePointer file =
      captured([](tm::IDevice& device) { traced_with(device, Addresses::kByBuffer); });
  const Device device = value_of(Device::open(*file));
  const auto executable = value_of(device.load(file));
  EXPECT_EQ(device.load(file).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(run(device, executable, {}), expected(expected(counting(5), 3), 3));
}

// A-10.
TEST(TraceTest, WritesNothingOfOthersAndIsLoadedOnceMoreWhenOthersHaveCome) {
  const FilePointer file = captured(traced),
                    other_file = captured(scaling(5, Addresses::kNumbers, false), "64M");
  const Device device = value_of(Device::open(*file));
  const auto with_trace = value_of(device.load(file));
  const auto twice = [](const Words& x) { return expected(expected(x, 3), 3); };
  EXPECT_EQ(run(device, with_trace, {host_tensor(counting(1))}), twice(counting(1)));
  const auto other = value_of(device.load(other_file));
  std::vector<Tensor> victims;
  for (uint32_t i = 0; i < 8; ++i) {
    victims.push_back(uploaded(device, *other, 0, counting(7000 + i)));
  }
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(run(device, with_trace, {host_tensor(counting(i))}), twice(counting(i)));
    EXPECT_EQ(run(device, other, {victims[i % 8]}), expected(counting(7000 + i % 8), 5));
  }
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(words_of(victims[i]), counting(7000 + i));
  EXPECT_EQ(device.stats().trace_reloads, 1u);
}

// ---- Detection ----

FilePointer relocated(const FilePointer& a, const FilePointer& b) {
  const schema::Addresses addresses = value_of(schema::find_addresses(*a, *b));
  EXPECT_THAT(addresses.ambiguous, IsEmpty());
  auto sink = std::make_shared<schema::MemorySink>();
  EXPECT_EQ(value_of(schema::write_relocated(*a, addresses, sink)), 0u);
  FilePointer file = open_file(sink->take_as<uint8_t>());
  EXPECT_TRUE(schema::verify(*file).ok());
  return file;
}

TEST(DetectionTest, NumbersThatMoveWithABufferBecomeIt) {
  const Program program = scaling(3, Addresses::kNumbers, /*movable=*/false);
  const FilePointer file = relocated(captured(program), captured(program, "64M,64K"));
  EXPECT_THAT(names_of(*file), ::testing::Contains("BufferMovable").Times(3));
  const Device device = value_of(Device::open(*file));
  const auto first = value_of(device.load(file)), second = value_of(device.load(file));
  const std::vector<Tensor> y =
      value_of(submit(device, first, "scale", {host_tensor(counting(11))}));
  EXPECT_EQ(run(device, second, y), expected(expected(counting(11), 3), 3));
  EXPECT_EQ(device.stats().relocations, 1u);
}

TEST(DetectionTest, SymbolicArgumentsNeedNoChange) {
  const Program program = scaling(3, Addresses::kByBuffer, /*movable=*/false);
  const FilePointer a = captured(program), b = captured(program, "64M");
  const schema::Addresses addresses = value_of(schema::find_addresses(*a, *b));
  EXPECT_EQ(addresses.words, 0u);
  EXPECT_EQ(addresses.movable.size(), 3u);
}

TEST(DetectionTest, ABufferWhoseAddressIsInATraceStays) {
  const schema::Addresses addresses =
      value_of(schema::find_addresses(*captured(traced), *captured(traced, "64M")));
  EXPECT_THAT(addresses.ambiguous, IsEmpty());
  EXPECT_THAT(addresses.movable, IsEmpty());
  ASSERT_EQ(addresses.staying.size(), 4u);
  EXPECT_THAT(addresses.staying.begin()->second, HasSubstr("LoadTrace has its address in"));
}

// Numbers that a program makes of an address: one in packets of 16 bytes, and one that lies in the
// buffer in both captures, and has moved further than the buffer.
TEST(DetectionTest, WhatIsMadeOfAnAddressIsListedAndNothingIsWritten) {
  const Program program = [](tm::IDevice& device) {
    const auto x = scaled_buffer(&device, kPages);
    ScalingProgram made(x, x, x);
    tm::SetRuntimeArgs(made.program, made.kernel, CoreCoord(0, 0),
                       {x->address() >> 4, x->address() + (x->address() >> 20), 2, 3});
  };
  const FilePointer a = captured(program), b = captured(program, "64M");
  const schema::Addresses addresses = value_of(schema::find_addresses(*a, *b));
  EXPECT_THAT(addresses.ambiguous,
              ElementsAre(HasSubstr("args[0] on (0,0)"), HasSubstr("args[1] on (0,0)")));
  EXPECT_EQ(addresses.ambiguities, 2u);
}

// A launch whose argument is the address of a buffer in DRAM and of one in L1.
schema::testing::FilePointer with_two_buffers_at(uint32_t address) {
  schema::testing::Calls calls;
  calls.buffer(1, address, 2048, 2048);
  schema::BufferCreateT buffer;
  buffer.id = 2;
  buffer.device = 1;
  buffer.allocated_address = address;
  buffer.size = buffer.page_size = 2048;
  buffer.buffer_type = schema::BufferType::L1;
  calls.add(std::move(buffer)).program(1).compute_kernel(1, 1);
  schema::SetRuntimeArgsT args;
  args.kernel = 1;
  args.cores = {schema::CoreRange(schema::CoreCoord(0, 0), schema::CoreCoord(0, 0))};
  args.args = {address};
  return calls.add(std::move(args)).file();
}

TEST(DetectionTest, AnAddressOfTwoBuffersIsAmbiguous) {
  const auto a = with_two_buffers_at(0x20000), b = with_two_buffers_at(0x30000);
  const schema::Addresses addresses = value_of(schema::find_addresses(*a, *b));
  EXPECT_THAT(addresses.ambiguous, ElementsAre(HasSubstr("args[0]")));
}

TEST(DetectionTest, ABufferWhoseAddressIsInDataStays) {
  const Program program = [](tm::IDevice& device) {
    const auto table = scaled_buffer(&device, kPages), x = scaled_buffer(&device, kPages);
    Words addresses(kWords, 0);
    addresses[7] = x->address();
    tm::EnqueueWriteBuffer(device.command_queue(), table, addresses, true);
  };
  const FilePointer a = captured(program), b = captured(program, "64M");
  const schema::Addresses addresses = value_of(schema::find_addresses(*a, *b));
  ASSERT_EQ(addresses.staying.size(), 1u);
  EXPECT_THAT(addresses.staying.begin()->second, HasSubstr("byte 28 of data"));
  EXPECT_EQ(addresses.movable.size(), 1u);
  EXPECT_EQ(addresses.ambiguities, 0u);
}

TEST(DetectionTest, OtherRunsAndCapturesInOnePlaceAreRefused) {
  const Program program = scaling(3, Addresses::kNumbers, /*movable=*/false);
  const FilePointer file = captured(program);
  EXPECT_THAT(std::string(schema::find_addresses(*file, *file).status().message()),
              HasSubstr("no buffer has moved"));
  const FilePointer other = captured([](tm::IDevice& device) { scaled_buffer(&device, 1); }, "64M");
  EXPECT_THAT(std::string(schema::find_addresses(*file, *other).status().message()),
              HasSubstr("captures of different runs"));
}

}  // namespace
}  // namespace lightmetal::runtime
