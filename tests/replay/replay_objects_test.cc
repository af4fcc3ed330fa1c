// The objects of a replay: on which devices they are, what lives between commands and after a run,
// and what a checkpoint holds of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/checkpoint.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/launches.h"
#include "replay/loaded_file.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"
#include "tests/support/process.h"
#include "tests/support/replayed_programs.h"

namespace lightmetal::replayed_objects {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using testing::buffer_on;
using testing::captured;
using testing::captured_on_null;
using ::testing::ElementsAre;
using testing::FilePointer;
using ::testing::HasSubstr;
using testing::kPage;
using testing::names_of;
using testing::replayed;
using testing::sharded_on;
using testing::TemporaryFolder;
using testing::trace_of;

void write(const std::shared_ptr<tm::Buffer>& buffer, uint32_t value) {
  const std::vector<uint32_t> words(buffer->size() / 4, value);
  tm::EnqueueWriteBuffer(buffer->device()->command_queue(), buffer, words, true);
}

// ---- Devices ----

// Writes and reads a buffer of chip 0, of chip 1, and of chip 0 once more.
void use_two_chips() {
  for (const chip_id_t chip : {0, 1, 0}) {
    tm::IDevice* device = tm::CreateDevice(chip);
    {
      const auto buffer = buffer_on(device);
      write(buffer, static_cast<uint32_t>(chip) + 7);
      std::vector<uint32_t> words;
      tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
    }
    tm::CloseDevice(device);
  }
}

TEST(ReplayDevices, TheCallersDeviceStandsForTheFirstChipEachTimeAndForNoOther) {
  const FilePointer file = captured(use_two_chips);
  tm::IDevice *const device = tm::CreateDevice(0, /*num_hw_cqs=*/2), *other = tm::CreateDevice(1);
  EXPECT_THAT(std::string(replayed(file, {}, {.device = device}).status().message()),
              AllOf(HasSubstr("(CreateDevice, at offset"), HasSubstr("Device 1 is open already")));
  tm::CloseDevice(other);
  const auto result = replayed(file, {}, {.device = device});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->goldens_checked, 3u);
  EXPECT_TRUE(result->matches());
  EXPECT_TRUE(device->is_initialized());
  tm::CloseDevice(device);
}

TEST(ReplayDevices, AnotherChipStandsForTheFirstEachTimeAndForNoOther) {
  const FilePointer file = captured(use_two_chips);
  tm::IDevice* const taken = tm::CreateDevice(0);
  const auto result = replayed(file, {}, {.chip_id = 5});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->matches());
  EXPECT_THAT(std::string(replayed(file, {}, {.chip_id = 0}).status().message()),
              HasSubstr("Device 0 is open already"));
  tm::CloseDevice(taken);
}

// ---- What lives after a run ----

// Leaves a buffer in DRAM, one in L1, one without memory, and one whose device is closed.
FilePointer file_that_leaves_buffers() {
  tm::LightMetalBeginCapture();
  tm::IDevice *const device = tm::CreateDevice(1), *const closed = tm::CreateDevice(2);
  const auto in_dram = buffer_on(device, 2 * kPage), in_l1 = sharded_on(device),
             freed = buffer_on(device), gone = buffer_on(closed);
  write(in_dram, 5);
  write(in_l1, 6);
  tm::DeallocateBuffer(*freed);
  tm::CloseDevice(closed);
  FilePointer file = testing::open_file(tm::LightMetalEndCapture());
  tm::CloseDevice(device);
  return file;
}

std::string text_of(const LivingBuffer& buffer) {
  return absl::StrCat(buffer.id, " on chip ", buffer.chip_id, " at ", buffer.address, ": ",
                      buffer.size, " B in pages of ", buffer.page_size, ", ", buffer.buffer_type,
                      ", ", buffer.layout);
}

TEST(LivingBuffers, AreThoseThatHaveMemoryOnDevicesThatAreOpen) {
  const auto replay = Replay::load(file_that_leaves_buffers());
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ((*replay)->num_devices(), 2u);
  ASSERT_EQ((*replay)->run().status(), absl::OkStatus());
  std::vector<std::string> living, contents;
  for (const LivingBuffer& buffer : (*replay)->living_buffers()) living.push_back(text_of(buffer));
  EXPECT_THAT(living,
              ElementsAre("1 on chip 1 at 32: 128 B in pages of 64, DRAM, INTERLEAVED",
                          "2 on chip 1 at 1499072: 128 B in pages of 64, L1, HEIGHT_SHARDED"));
  const absl::Status status = (*replay)->for_each_buffer([&](const BufferContent& buffer) {
    contents.push_back(absl::StrCat(buffer.id, ": ", buffer.name, ", ", buffer.data.size(), ", ",
                                    static_cast<int>(buffer.data[124])));
  });
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_THAT(contents, ElementsAre("1: buffer 1 (128 bytes at 0x20, DRAM), 128, 5",
                                    "2: buffer 2 (128 bytes at 0x16dfc0, L1), 128, 6"));
}

TEST(LivingBuffers, AreReadAndOthersAreAnError) {
  const auto replay = Replay::load(file_that_leaves_buffers());
  ASSERT_TRUE(replay.ok()) << replay.status();
  ASSERT_EQ((*replay)->run().status(), absl::OkStatus());
  const auto data = (*replay)->read_buffer(2);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->size(), 128u);
  EXPECT_EQ(data->at(124), 6);
  EXPECT_TRUE(absl::IsFailedPrecondition((*replay)->read_buffer(3).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition((*replay)->read_buffer(4).status()));
  EXPECT_TRUE(absl::IsNotFound((*replay)->read_buffer(5).status()));
}

// ---- What lives in the process ----

TEST(OpenScopes, ARunThatEndsInAScopeOrAnEntryLeavesNeitherOpen) {
  const FilePointer file = captured_on_null([] {
    tm::IDevice* device = tm::CreateDevice(0);
    tm::LightMetalScopeBegin("outer");
    tm::LightMetalScopeBegin("inner");
    tm::LightMetalEntryBegin("entry");
    buffer_on(device);
    tm::LightMetalEntryEnd();
    tm::LightMetalScopeEnd();
    tm::LightMetalScopeEnd();
    tm::CloseDevice(device);
  });
  const auto replay = Replay::load(file);
  ASSERT_TRUE(replay.ok()) << replay.status();
  // One more than there may be open at a time, of which each run begins two.
  for (int i = 0; i < 256 / 2 + 1; ++i)
    ASSERT_EQ((*replay)->run({.last_command = 4}).status(), absl::OkStatus()) << i;
  EXPECT_EQ((*replay)->run().status(), absl::OkStatus());
}

// The command that would have recorded it is missing.
TEST(EndedEvents, AQueueThatWaitsForOneDoesNotKeepARunFromEnding) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0);
  auto event = std::make_shared<tm::Event>();
  tm::EnqueueWaitForEvent(device->command_queue(), event);
  event.reset();
  auto bytes = tm::LightMetalEndCapture().get_data();
  EXPECT_ANY_THROW(tm::CloseDevice(device));
  bytes.resize(bytes.size() - 8);
  const auto result = replayed(testing::open_file(bytes), {}, {.allow_incomplete = true});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->commands, 4u);
}

// ---- The types of elements ----

// The types of buffers 1 to 4, which are written as words, read as floats, both, and not used, in a
// program with circular buffers of these formats.
std::vector<std::string> types_with(const std::vector<tt::DataFormat>& formats) {
  const FilePointer file = captured_on_null([&] {
    tm::IDevice* device = tm::CreateDevice(0);
    {
      tm::Program program = tm::CreateProgram();
      for (uint8_t index = 0; index < formats.size(); ++index) {
        tm::CreateCircularBuffer(
            program, CoreCoord(0, 0),
            tm::CircularBufferConfig(kPage, {{index, formats[index]}}).set_page_size(index, kPage));
      }
      const auto words = buffer_on(device), floats = buffer_on(device), both = buffer_on(device),
                 unused = buffer_on(device);
      std::vector<float> read;
      for (const auto& written : {words, both}) write(written, 1);
      for (const auto& source : {floats, both})
        tm::EnqueueReadBuffer(device->command_queue(), source, read, true);
    }
    tm::CloseDevice(device);
  });
  LoadOptions options;
  const auto loaded = replay::load(file, options);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  const replay::BufferTypes types(*loaded);
  std::vector<std::string> names;
  for (uint64_t id = 1; id <= 4; ++id)
    names.emplace_back(schema::EnumNameElementType(types.of(id)));
  return names;
}

TEST(BufferTypes, AreThoseOfTransfersOrElseOfAllCircularBuffers) {
  using tt::DataFormat;
  EXPECT_THAT(types_with({}), ElementsAre("UInt32", "Float32", "Bytes", "Bytes"));
  EXPECT_THAT(types_with({DataFormat::Float16_b, DataFormat::Float16_b}),
              ElementsAre("UInt32", "Float32", "Bytes", "BFloat16"));
  EXPECT_THAT(types_with({DataFormat::Float32}),
              ElementsAre("UInt32", "Float32", "Bytes", "Float32"));
  for (const DataFormat other : {DataFormat::Float32, DataFormat::UInt16, DataFormat::Bfp8_b}) {
    EXPECT_THAT(types_with({DataFormat::Float16_b, other}),
                ElementsAre("UInt32", "Float32", "Bytes", "Bytes"));
  }
}

// ---- Kernels ----

TEST(ReplacedKernels, TheFirstFileForAKernelCountsAndTheSecondIsRefused) {
  const TemporaryFolder folder;
  const std::string first = folder.path("first.cpp"), second = folder.path("second.cpp");
  for (const std::string& path : {first, second})
    testing::write_file(path, "void kernel_main() {}\n");
  const FilePointer file = captured_on_null(make_every_call);
  const auto refusal = [&](const std::vector<KernelReplacement>& replacements) {
    const auto replay = Replay::load(file, {.replace_kernels = replacements});
    return std::string(replay.status().message());
  };
  EXPECT_EQ(refusal({{"1", first}, {"2", second}}), "");
  EXPECT_THAT(refusal({{"1", first}, {"1", second}}),
              HasSubstr(absl::StrCat("has no kernel 1 that no other file replaces, which ", second,
                                     " is to replace")));
}

// ---- Checkpoints ----

// Writes a checkpoint at the command, and expects that it replays and has the file's numbers.
void expect_checkpoint(const FilePointer& file, uint64_t number, const std::string& path) {
  const auto first = replayed(file, {.first_command = number, .checkpoint = path});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto checkpoint = schema::File::open(path);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  const auto numbers = CheckpointNumbers::create(**checkpoint, *file, number);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(numbers->in_file(numbers->first()), number);
  EXPECT_EQ(numbers->in_checkpoint(number), numbers->first());
  const auto again = replayed(*checkpoint, {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->matches());
}

// A program with circular buffers in memory of its own and in a global circular buffer.
struct Work {
  explicit Work(const tm::experimental::GlobalCircularBuffer& global) {
    tm::CircularBufferConfig config(kPage);
    config.remote_index(31).set_page_size(kPage).set_data_format(tt::DataFormat::Float16_b);
    on_global = tm::experimental::CreateCircularBuffer(program, global.all_cores(), config, global);
    own = tm::CreateCircularBuffer(
        program, CoreCoord(0, 0),
        tm::CircularBufferConfig(kPage, {{0, tt::DataFormat::UInt32}}).set_page_size(0, kPage));
    kernel = tm::CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(0, 0),
                                        tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program, kernel, CoreCoord(0, 0), {1});
  }
  tm::Program program = tm::CreateProgram();
  tm::CBHandle on_global = 0, own = 0;
  tm::KernelHandle kernel = 0;
};

// Objects of each kind on a device.
struct ObjectsOfEachKind {
  explicit ObjectsOfEachKind(tm::IDevice* on)
      : device(on),
        buffer(buffer_on(device)),
        semaphore(tm::CreateGlobalSemaphore(device, CoreRangeSet(CoreRange({0, 0})), 3)),
        global(tm::experimental::CreateGlobalCircularBuffer(
            device, {{CoreCoord(0, 0), CoreRangeSet(CoreRange({1, 1}))}}, kPage)),
        work(global),
        trace(trace_of(device, work.program)) {
    tm::EnqueueRecordEvent(device->command_queue(), event);
  }
  ~ObjectsOfEachKind() { tm::ReleaseTrace(device, trace); }

  // The only read of the program is the first call.
  void use() {
    std::vector<uint32_t> words;
    tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
    tm::EventSynchronize(event);
    semaphore.reset_semaphore_value(5);
    tm::experimental::UpdateDynamicCircularBufferAddress(work.program, work.on_global, global);
    tm::UpdateCircularBufferTotalSize(work.program, work.own, 2 * kPage);
    tm::GetRuntimeArgs(work.program, work.kernel, CoreCoord(0, 0))[0] = 2;
    tm::EnqueueProgram(device->command_queue(), work.program, true);
    tm::ReplayTrace(device, 0, trace, true);
  }

  tm::IDevice* const device;
  std::shared_ptr<tm::Buffer> buffer;
  std::shared_ptr<tm::Event> event = std::make_shared<tm::Event>();
  tm::GlobalSemaphore semaphore;
  tm::experimental::GlobalCircularBuffer global;
  Work work;
  uint32_t trace;
};

// The first object of each kind has ended when the second one is used, which has another id than
// the first one of a file would have.
void use_the_second_of_each_kind() {
  tm::CloseDevice(tm::CreateDevice(1));
  tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, 1 << 20);
  const std::array cores = {CoreRangeSet(CoreRange({0, 0}, {3, 3}))};
  device->remove_sub_device_manager(device->create_sub_device_manager({tm::SubDevice(cores)}, 0));
  const auto manager = device->create_sub_device_manager({tm::SubDevice(cores)}, 0);
  device->load_sub_device_manager(manager);
  ObjectsOfEachKind{device};
  ObjectsOfEachKind(device).use();
  device->clear_loaded_sub_device_manager();
  device->remove_sub_device_manager(manager);
  tm::CloseDevice(device);
}

TEST(Checkpoints, HoldTheObjectsOfEachKindByTheirIds) {
  const TemporaryFolder folder;
  const FilePointer file = captured_on_null(use_the_second_of_each_kind);
  const std::vector<std::string> names = names_of(*file);
  const auto read = std::ranges::find(names, "EnqueueReadBuffer") - names.begin();
  expect_checkpoint(file, static_cast<uint64_t>(read), folder.path("checkpoint.lmb"));
}

std::vector<std::string> options_of(const FilePointer& file) {
  std::vector<std::string> names;
  for (const auto& [name, value] : file->session().options) names.push_back(name);
  return names;
}

TEST(Checkpoints, SayOfWhichFileTheyAreAndThatItsEndIsMissing) {
  const TemporaryFolder folder;
  const std::string once = folder.path("once.lmb"), twice = folder.path("twice.lmb");
  const FilePointer file = captured(use_two_chips);
  expect_checkpoint(file, 3, once);
  const FilePointer checkpoint = *schema::File::open(once);
  expect_checkpoint(checkpoint, checkpoint->num_commands() - 2, twice);
  const FilePointer of_checkpoint = *schema::File::open(twice);
  EXPECT_EQ(std::ranges::count(options_of(of_checkpoint), "checkpoint"), 1);
  EXPECT_EQ(std::ranges::count(options_of(of_checkpoint), "repaired"), 0);

  tm::LightMetalBeginCapture();
  use_two_chips();
  auto bytes = tm::LightMetalEndCapture().get_data();
  bytes.resize(bytes.size() - 8);
  const RunOptions options{.first_command = 3, .checkpoint = folder.path("cut.lmb")};
  ASSERT_EQ(replayed(testing::open_file(bytes), options, {.allow_incomplete = true}).status(),
            absl::OkStatus());
  EXPECT_EQ(std::ranges::count(options_of(*schema::File::open(options.checkpoint)), "repaired"), 1);
}

}  // namespace
}  // namespace lightmetal::replayed_objects
