// Goldens that trim adds: what the commands of a range wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/trim.hpp>
#include <memory>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/verify/verify.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;
namespace mesh = tt::tt_metal::distributed;

using testing::AccumulatingProgram;
using testing::counting_buffer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;

using Words = std::vector<uint32_t>;

constexpr CoreCoord kCore{0, 0};

// Sets the 16 words of the page at argument 0 minus 1, in DRAM, to argument 1: the address of the
// buffer is no argument.
constexpr char kFillHidden[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const InterleavedAddrGen<true> to = {.bank_base_address = get_arg_val<uint32_t>(0) - 1, .page_size = 64};
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x50000);
  for (uint32_t i = 0; i < 16; ++i) words[i] = get_arg_val<uint32_t>(1);
  noc_async_write(0x50000, get_noc_addr(0, to), 64);
  noc_async_write_barrier();
}
)";

// Does what kFillL1 does, after long work.
constexpr char kFillL1Late[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
  for (uint32_t i = 0; i < 30000000; ++i) words[0] = i;
  for (uint32_t i = 0; i < 16; ++i) words[i] = get_arg_val<uint32_t>(1);
}
)";

// Sets the 16 words at argument 0, in L1, to argument 1.
constexpr char kFillL1[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
  for (uint32_t i = 0; i < 16; ++i) words[i] = get_arg_val<uint32_t>(1);
}
)";

tm::Program filling(const char* kernel, uint64_t address, uint32_t value) {
  tm::Program program = tm::CreateProgram();
  const tm::KernelHandle handle =
      tm::CreateKernelFromString(program, kernel, kCore, tm::DataMovementConfig{});
  tm::SetRuntimeArgs(program, handle, kCore, {static_cast<uint32_t>(address), value});
  return program;
}

std::shared_ptr<tm::Buffer> page_of(tm::IDevice* device, tm::BufferType type) {
  return tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = type});
}

void write(const std::shared_ptr<tm::Buffer>& buffer, uint32_t value, uint8_t cq = 0) {
  const Words words(buffer->size() / sizeof(uint32_t), value);
  tm::EnqueueWriteBuffer(buffer->device()->command_queue(cq), buffer, words, true);
}

Words counted(uint32_t count, uint32_t amount) {
  Words words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = i + amount;
  return words;
}

class TrimGoldens : public ::testing::Test {
 protected:
  // Captures a program on a device with two queues and a trace region, without any golden.
  void capture(const std::function<void(tm::IDevice*)>& run) {
    tm::LightMetalBeginCapture({.path = whole_});
    tm::IDevice* device = tm::CreateDevice(0, 2, DEFAULT_L1_SMALL_SIZE, 1 << 20);
    run(device);
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }

  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments);
  }

  // Returns the number of the `count`th command of that name, from 0.
  uint64_t number_of(const std::string& name, int count = 0) {
    const std::vector<std::string> all = testing::names_of(**schema::File::open(whole_));
    auto found = std::find(all.begin(), all.end(), name);
    while (count-- > 0 && found != all.end()) found = std::find(found + 1, all.end(), name);
    EXPECT_NE(found, all.end()) << name;
    return static_cast<uint64_t>(found - all.begin());
  }

  absl::StatusOr<TrimResult> trimmed(uint64_t first, uint64_t last) {
    return trim(*schema::File::open(whole_),
                {.first = first, .last = last, .output = part_, .add_goldens = true});
  }

  // Returns the goldens that the file of the commands ends with. Expects that they match, and that
  // the file has no other.
  std::vector<Words> goldens_of(uint64_t first, uint64_t last) {
    const auto result = trimmed(first, last);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const auto file = *schema::File::open(part_);
    EXPECT_TRUE(schema::verify(*file).ok());
    std::vector<Words> goldens;
    for (const schema::CommandT& command : testing::commands_of(*file)) {
      const auto* compare = command.call.AsLightMetalCompare();
      if (compare == nullptr) continue;
      const auto golden = file->blob(*compare->golden);
      goldens.emplace_back(golden->size() / sizeof(uint32_t));
      std::memcpy(goldens.back().data(), golden->bytes().data(), golden->size());
    }
    EXPECT_EQ(result->added_goldens, goldens.size());
    const ProcessResult run = runner({part_, "--require-goldens", "--loop", "3"});
    EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
    EXPECT_THAT(run.output,
                HasSubstr(absl::StrCat(goldens.size(), goldens.size() == 1 ? " golden" : " goldens",
                                       " matched")));
    return goldens;
  }

  void expect_refused(uint64_t first, uint64_t last, const std::string& message) {
    const ProcessResult result = runner(
        {"trim", whole_, "--calls", absl::StrCat(first, "-", last), "--add-goldens", "-o", part_});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.errors, absl::StrCat("lightmetal_runner: ", whole_, ": commands ", first,
                                          " to ", last, " ", message, "\n"));
    EXPECT_FALSE(std::filesystem::exists(part_));
  }

  // A launch that adds 10 to the words of the first page and 11 to those of the second.
  void capture_launch() {
    capture([](tm::IDevice* device) {
      const auto untouched = counting_buffer(device, 1), buffer = counting_buffer(device, 2);
      AccumulatingProgram accumulate(buffer);
      tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
      tm::Finish(device->command_queue());
    });
  }

  TemporaryFolder folder_;
  const std::string whole_ = folder_.path("whole.lmb");
  const std::string part_ = folder_.path("part.lmb");
};

TEST_F(TrimGoldens, TheFileOfALaunchComparesWhatTheLaunchWrote) {
  capture_launch();
  const std::string launch = absl::StrCat(number_of("EnqueueProgram"));
  ASSERT_EQ(runner({"trim", whole_, "--calls", launch, "-o", part_}).exit_code, 0);
  EXPECT_EQ(runner({part_, "--require-goldens"}).exit_code, 2);

  const ProcessResult result =
      runner({"trim", whole_, "--calls", launch, "--add-goldens", "-o", part_});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, absl::StrCat(part_, ": commands ", launch, " to ", launch, " of ",
                                        whole_, ", with 1 golden added\n"));
  const ProcessResult run = runner({part_, "--require-goldens"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("1 golden matched"));

  Words expected = counted(16, 10);
  for (uint32_t i = 16; i < 32; ++i) expected.push_back(i + 11);
  const uint64_t number = number_of("EnqueueProgram");
  EXPECT_THAT(goldens_of(number, number), ElementsAre(expected));
}

TEST_F(TrimGoldens, AnotherArgumentOfTheKernelMakesTheFileDiffer) {
  capture_launch();
  const uint64_t launch = number_of("EnqueueProgram");
  ASSERT_TRUE(trimmed(launch, launch).ok());
  const std::string changed = folder_.path("changed.lmb");
  const ProcessResult set = runner({"set", part_, "--arg", "1:1=12", "-o", changed});
  ASSERT_EQ(set.exit_code, 0) << set.errors;
  const ProcessResult run = runner({changed, "--require-goldens"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("LightMetalCompare of buffer 2"));
}

TEST_F(TrimGoldens, AnElementHasTheTypeThatTheProgramWroteOrRead) {
  capture_launch();
  const uint64_t launch = number_of("EnqueueProgram");
  ASSERT_TRUE(trimmed(launch, launch).ok());
  const auto commands = testing::commands_of(**schema::File::open(part_));
  const auto* compare = commands.back().call.AsLightMetalCompare();
  ASSERT_NE(compare, nullptr);
  EXPECT_EQ(compare->element_type, schema::ElementType::UInt32);
  EXPECT_FALSE(compare->is_user_data);
}

TEST_F(TrimGoldens, ABufferWhoseAddressIsNoArgumentIsFoundByItsContent) {
  capture([](tm::IDevice* device) {
    const auto untouched = page_of(device, tm::BufferType::DRAM),
               hidden = page_of(device, tm::BufferType::DRAM);
    write(untouched, 1);
    write(hidden, 2);
    tm::Program program = filling(kFillHidden, hidden->address() + 1, 77);
    tm::EnqueueProgram(device->command_queue(), program, true);
  });
  const uint64_t launch = number_of("EnqueueProgram");
  EXPECT_THAT(goldens_of(launch, launch), ElementsAre(Words(16, 77)));
}

TEST_F(TrimGoldens, ABufferThatTheCommandsMakeIsFoundByItsContent) {
  capture([](tm::IDevice* device) {
    {
      const auto before = page_of(device, tm::BufferType::DRAM);
      write(before, 5);  // remains in the memory of `unwritten`
    }
    tm::Finish(device->command_queue());
    const auto unwritten = page_of(device, tm::BufferType::DRAM),
               hidden = page_of(device, tm::BufferType::DRAM);
    tm::Program program = filling(kFillHidden, hidden->address() + 1, 78);
    tm::EnqueueProgram(device->command_queue(), program, true);
  });
  EXPECT_THAT(goldens_of(number_of("FinishQueue"), number_of("EnqueueProgram")),
              ElementsAre(Words(16, 78)));
}

TEST_F(TrimGoldens, ALaunchThatWritesTheSameAgainHasItsGolden) {
  capture([](tm::IDevice* device) {
    const auto buffer = page_of(device, tm::BufferType::L1);
    tm::Program program = filling(kFillL1, buffer->address(), 9);
    for (int i = 0; i < 2; ++i) tm::EnqueueProgram(device->command_queue(), program, true);
  });
  const uint64_t launch = number_of("EnqueueProgram", 1);
  EXPECT_THAT(goldens_of(launch, launch), ElementsAre(::testing::SizeIs(16)));
}

TEST_F(TrimGoldens, BuffersOfEveryKindHaveTheirs) {
  capture([](tm::IDevice* device) {
    const auto sharded = [&](tm::BufferType type) {
      return tm::CreateBuffer(tm::ShardedBufferConfig{
          .device = device,
          .size = 128,
          .page_size = 64,
          .buffer_type = type,
          .shard_parameters =
              tm::ShardSpecBuffer(CoreRangeSet(CoreRange({0, 0}, {1, 0})), {1, 16},
                                  tm::ShardOrientation::ROW_MAJOR, {1, 16}, {2, 1})});
    };
    const auto dram = page_of(device, tm::BufferType::DRAM),
               l1 = page_of(device, tm::BufferType::L1), in_l1 = sharded(tm::BufferType::L1),
               in_dram = sharded(tm::BufferType::DRAM);
    uint32_t value = 0;
    for (const auto& buffer : {dram, l1, in_l1, in_dram}) write(buffer, ++value);
  });
  EXPECT_THAT(goldens_of(number_of("EnqueueWriteBuffer"), number_of("EnqueueWriteBuffer", 3)),
              ElementsAre(Words(16, 1), Words(16, 2), Words(32, 3), Words(32, 4)));
}

TEST_F(TrimGoldens, SeveralLaunchesHaveOneOfEachBufferAfterTheLast) {
  capture([](tm::IDevice* device) {
    const auto first = counting_buffer(device, 1), second = counting_buffer(device, 1);
    AccumulatingProgram one(first), two(second, {1, 0});
    for (int i = 0; i < 3; ++i) {
      tm::EnqueueProgram(device->command_queue(0), one.program, false);
      tm::EnqueueProgram(device->command_queue(1), two.program, false);
    }
    tm::Finish(device->command_queue(0));
    tm::Finish(device->command_queue(1));
  });
  EXPECT_THAT(goldens_of(number_of("EnqueueProgram", 1), number_of("EnqueueProgram", 5)),
              ElementsAre(counted(16, 30), counted(16, 30)));
}

TEST_F(TrimGoldens, AReplayedTraceHasThoseOfItsLaunches) {
  capture([](tm::IDevice* device) {
    const auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    tm::EnqueueProgram(device->command_queue(), accumulate.program, true);
    const uint32_t trace = tm::BeginTraceCapture(device, 0);
    for (int i = 0; i < 2; ++i)
      tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
    tm::EndTraceCapture(device, 0, trace);
    tm::ReplayTrace(device, 0, trace, false);
    tm::ReleaseTrace(device, trace);
  });
  const uint64_t replay = number_of("ReplayTrace");
  EXPECT_THAT(goldens_of(replay, replay), ElementsAre(counted(16, 30)));
}

TEST_F(TrimGoldens, ALaunchOutsideTheQueuesIsWaitedFor) {
  capture([](tm::IDevice* device) {
    const auto buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    tm::detail::LaunchProgram(device, accumulate.program, /*wait_until_cores_done=*/false);
    tm::detail::WaitProgramDone(device, accumulate.program);
  });
  const uint64_t launch = number_of("LaunchProgram");
  EXPECT_THAT(goldens_of(launch, launch), ElementsAre(counted(16, 10)));
  EXPECT_THAT(testing::names_of(**schema::File::open(part_)),
              ::testing::Contains("WaitProgramDone"));
}

TEST_F(TrimGoldens, ALaunchOnASubDeviceThatNothingWaitsForIsWaitedFor) {
  capture([](tm::IDevice* device) {
    const std::array first = {tm::CoreRangeSet(tm::CoreRange(kCore))};
    const std::array second = {tm::CoreRangeSet(tm::CoreRange({1, 0}))};
    device->load_sub_device_manager(
        device->create_sub_device_manager({tm::SubDevice(first), tm::SubDevice(second)}, 0));
    const auto buffer = page_of(device, tm::BufferType::L1);
    tm::Program late = filling(kFillL1Late, buffer->address(), 7);
    const std::array stall_group = {tm::SubDeviceId{1}};
    device->set_sub_device_stall_group(stall_group);
    tm::EnqueueProgram(device->command_queue(), late, false);
    device->reset_sub_device_stall_group();
  });
  const uint64_t launch = number_of("EnqueueProgram");
  EXPECT_THAT(goldens_of(launch, launch), ElementsAre(Words(16, 7)));
}

TEST_F(TrimGoldens, EachDeviceOfAMeshHasItsOwn) {
  tm::LightMetalBeginCapture({.path = whole_});
  {
    const auto device = mesh::MeshDevice::create(mesh::MeshDeviceConfig(mesh::MeshShape(1, 2)));
    const auto buffer = mesh::MeshBuffer::create(
        mesh::ReplicatedBufferConfig{.size = 64},
        {.page_size = 64, .buffer_type = tm::BufferType::L1}, device.get());
    mesh::MeshWorkload workload;
    for (uint32_t i = 0; i < 2; ++i) {
      const mesh::MeshCoordinate at(0, i);
      workload.add_program(mesh::MeshCoordinateRange(at, at),
                           filling(kFillL1, buffer->address(), 5 + i));
    }
    mesh::EnqueueMeshWorkload(device->mesh_command_queue(), workload, true);
    device->close();
  }
  tm::LightMetalEndCapture();
  const std::vector<Words> goldens =
      goldens_of(number_of("EnqueueProgram"), number_of("EnqueueProgram", 1));
  ASSERT_EQ(goldens.size(), 2u);
  EXPECT_EQ(goldens[0].size(), 16u);
  EXPECT_NE(goldens[0], goldens[1]);
}

TEST_F(TrimGoldens, CommandsThatLeaveNothingWrittenAreRefused) {
  capture_launch();
  const std::string message = "leave no buffer that they wrote, so there is no golden";
  const uint64_t finish = number_of("FinishQueue");
  expect_refused(finish, finish, message);
  const uint64_t last = testing::names_of(**schema::File::open(whole_)).size() - 1;
  expect_refused(number_of("EnqueueProgram"), last, message);
}

TEST_F(TrimGoldens, CommandsThatEndWhileAQueueWaitsAreRefused) {
  capture([](tm::IDevice* device) {
    const auto buffer = counting_buffer(device, 1);
    const auto event = std::make_shared<tm::Event>();
    write(buffer, 3);
    tm::EnqueueWaitForEvent(device->command_queue(1), event);
    tm::EnqueueRecordEvent(device->command_queue(0), event);
    tm::Finish(device->command_queue(1));
  });
  const uint64_t first = number_of("EnqueueWriteBuffer", 1);
  expect_refused(first, number_of("EnqueueWaitForEvent"),
                 "end while a queue waits for an event that is recorded later, so there is no "
                 "golden");
  EXPECT_THAT(goldens_of(first, number_of("EnqueueRecordEvent")), ElementsAre(Words(16, 3)));
}

// The commands are captured already when it shows that there is no golden.
TEST_F(TrimGoldens, CommandsThatAreRefusedLeaveNoCaptureOfTheProcess) {
  capture_launch();
  const uint64_t launch = number_of("EnqueueProgram"), finish = number_of("FinishQueue");
  EXPECT_TRUE(absl::IsFailedPrecondition(trimmed(finish, finish).status()));
  EXPECT_FALSE(std::filesystem::exists(part_));
  EXPECT_EQ(goldens_of(launch, launch).size(), 1u);
}

TEST_F(TrimGoldens, OutputsHaveTheirOwn) {
  capture_launch();
  const ProcessResult result =
      runner({"trim", whole_, "--outputs", "buffer:2", "--add-goldens", "-o", part_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("--add-goldens is not for --outputs"));
}

}  // namespace
}  // namespace lightmetal
