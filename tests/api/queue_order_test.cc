// The order between queues and devices is kept in a replay by events, and would be another without
// them: what an event holds back has not happened when the recorded calls go on.
#include <eth_l1_address_map.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/sleeping_thread.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::encoded_commands_of;
using lightmetal::testing::FilePointer;
using lightmetal::testing::names_of;
using lightmetal::testing::open_file;
using lightmetal::testing::rewritten;
namespace schema = lightmetal::schema;

constexpr uint32_t kFlag = 0x80000;  // in L1: the kernel waits until it is 1
// ThreadSanitizer sees no access of a kernel's own, so the flag orders nothing for it. The
// increment at the end takes the lock of the core under which the flag was written.
constexpr char kWaiter[] = R"(
void kernel_main() {
  const uint32_t flag = get_arg_val<uint32_t>(0);
  while (*reinterpret_cast<volatile uint32_t*>(flag) != 1) {
    invalidate_l1_cache();
  }
  noc_semaphore_inc(get_noc_addr(flag + 32), 1);
  noc_async_atomic_barrier();
}
)";
const CoreCoord kCore(0, 0);

void write_flag(IDevice* device, uint32_t value) {
  std::vector<uint32_t> word = {value};
  detail::WriteToDeviceL1(device, kCore, kFlag, word);
}

uint32_t word_of(const Buffer& buffer) {
  std::vector<uint32_t> words;
  detail::ReadFromDeviceDRAMChannel(buffer.device(), 0, static_cast<uint32_t>(buffer.address()), 4,
                                    words);
  return words.at(0);
}

// `first` waits for a flag and records an event behind that; `second` waits for the event and then
// writes. The host looks at what `second` writes to before it sets the flag, and after both ended.
void run(IDevice* first_device, CommandQueue& first, CommandQueue& second) {
  auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = second.device(), .size = 32, .page_size = 32});
  std::vector<uint32_t> before(8, 1), after(8, 2);
  EnqueueWriteBuffer(second, buffer, before, /*blocking=*/true);
  write_flag(first_device, 0);
  Program program = CreateProgram();
  const KernelHandle kernel = CreateKernelFromString(program, kWaiter, kCore, DataMovementConfig{});
  SetRuntimeArgs(program, kernel, kCore, {kFlag});
  EnqueueProgram(first, program, /*blocking=*/false);
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(first, event);
  EnqueueWaitForEvent(second, event);
  EnqueueWriteBuffer(second, buffer, after, /*blocking=*/false);
  EXPECT_EQ(word_of(*buffer), 1u);
  write_flag(first_device, 1);
  Finish(first);
  Finish(second);
  EXPECT_EQ(word_of(*buffer), 2u);
}

void run_two_queues() {
  IDevice* device = CreateDevice(0, 2);
  run(device, device->command_queue(0), device->command_queue(1));
  CloseDevice(device);
}

void run_two_devices() {
  std::map<chip_id_t, IDevice*> devices = detail::CreateDevices({0, 1});
  run(devices[0], devices[0]->command_queue(), devices[1]->command_queue());
  detail::CloseDevices(devices);
}

FilePointer captured(const std::function<void()>& program) {
  LightMetalBeginCapture({.read_goldens = true});
  program();
  return open_file(LightMetalEndCapture());
}

lightmetal::ReplayResult replayed(const std::vector<uint8_t>& file) {
  const auto replay = lightmetal::Replay::load_bytes(file);
  EXPECT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(lightmetal::ReplayResult());
}

// The file as if the program had not waited for the event: the second queue waits for its own work,
// of which there is none, and the write behind it is known to be done.
std::vector<uint8_t> without_waiting(const schema::File& file) {
  bool behind_wait = false;
  return rewritten(file, [&](schema::CommandT& command, schema::Writer&) {
    if (const auto* wait = command.call.AsEnqueueWaitForEvent()) {
      schema::FinishQueueT finish;
      finish.device = wait->device;
      finish.cq = wait->cq;
      command.call.Set(std::move(finish));
      behind_wait = true;
    } else if (auto* write = command.call.AsEnqueueWriteBuffer()) {
      write->blocking = write->blocking || behind_wait;
    }
  });
}

struct OrderedProgram {
  const char* name;
  void (*run)();
};

void PrintTo(const OrderedProgram& program, std::ostream* out) { *out << program.name; }

class QueueOrder : public ::testing::TestWithParam<OrderedProgram> {};

TEST_P(QueueOrder, IsKeptByEvents) {
  const FilePointer file = captured(GetParam().run);
  const std::vector<uint8_t> same = rewritten(*file, [](schema::CommandT&, schema::Writer&) {});
  for (int i = 0; i < 3; ++i) {
    const lightmetal::ReplayResult result = replayed(same);
    EXPECT_EQ(result.goldens_checked, 2u);
    EXPECT_TRUE(result.matches());
  }
}

TEST_P(QueueOrder, IsAnotherWithoutThem) {
  const lightmetal::ReplayResult result = replayed(without_waiting(*captured(GetParam().run)));
  ASSERT_EQ(result.mismatch_count, 1u);
  EXPECT_THAT(result.mismatches[0].text(), ::testing::HasSubstr("ReadFromDeviceDRAMChannel"));
}

INSTANTIATE_TEST_SUITE_P(All, QueueOrder,
                         ::testing::Values(OrderedProgram{"OfTwoQueues", run_two_queues},
                                           OrderedProgram{"OfTwoDevices", run_two_devices}),
                         [](const auto& info) { return std::string(info.param.name); });

// One thread waits for what the other records: the file has them in an order in which a replay does
// not wait for ever.
TEST(QueueOrderOfThreads, AWaitThatReturnsStandsBehindTheRecordingThatEndedIt) {
  const FilePointer file = captured([] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    for (int i = 0; i < 300; ++i) {
      const auto event = std::make_shared<Event>();
      std::thread waiter([&] {
        EnqueueWaitForEvent(device->command_queue(1), event);
        Finish(device->command_queue(1));
      });
      EnqueueRecordEvent(device->command_queue(0), event);
      waiter.join();
    }
    CloseDevice(device);
  });
  const absl::Status verified = schema::verify(*file);
  EXPECT_TRUE(verified.ok()) << verified;
}

// ---- Calls of several threads on one queue ----

std::vector<uint8_t> captured_bytes(const std::function<void()>& program) {
  LightMetalBeginCapture({.read_goldens = true});
  program();
  return LightMetalEndCapture().get_data();
}

// A replay compares every read, and one that is captured gives the same commands.
void expect_goldens_hold(const std::vector<uint8_t>& file, uint64_t goldens) {
  const absl::Status verified = schema::verify(*open_file(file));
  ASSERT_TRUE(verified.ok()) << verified;
  EXPECT_EQ(replayed(file).goldens_checked, goldens);
  lightmetal::ReplayResult result;
  const std::vector<uint8_t> again = captured_bytes([&] { result = replayed(file); });
  EXPECT_EQ(result.mismatch_count, 0u);
  EXPECT_TRUE(encoded_commands_of(*open_file(file)) == encoded_commands_of(*open_file(again)))
      << "the replay that is captured gives other commands";
}

constexpr int kRounds = 1000;

TEST(QueueOrderOfThreads, AReadStandsBehindTheWritesThatItsQueueTookBefore) {
  const std::vector<uint8_t> file = captured_bytes([] {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    {
      auto buffer =
          CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
      const auto write_and_read = [&](uint32_t first) {
        std::vector<uint32_t> words(16), found(16);
        for (uint32_t i = 0; i < kRounds; ++i) {
          words.assign(16, first + i);
          EnqueueWriteBuffer(queue, buffer, words, /*blocking=*/i % 3 == 0);
          EnqueueReadBuffer(queue, *buffer, found.data(), /*blocking=*/i % 5 != 0);
          if (i % 7 == 0) Finish(queue);
        }
      };
      std::thread other([&] { write_and_read(1u << 20); });
      write_and_read(0);
      other.join();
    }
    CloseDevice(device);
  });
  expect_goldens_hold(file, 2 * kRounds);
}

// Writes its argument, and what it finds there before.
constexpr char kExchange[] = R"(
void kernel_main() {
  auto* words = reinterpret_cast<volatile uint32_t*>(get_common_arg_val<uint32_t>(0));
  words[1] = words[0];
  words[0] = get_common_arg_val<uint32_t>(1);
}
)";

TEST(QueueOrderOfThreads, LaunchesAndEventsStandAsTheirQueueTookThem) {
  constexpr uint32_t kLaunches = 200;
  const std::vector<uint8_t> file = captured_bytes([] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    CommandQueue& queue = device->command_queue(0);
    {
      auto words = CreateBuffer(InterleavedBufferConfig{
          .device = device, .size = 32, .page_size = 32, .buffer_type = BufferType::L1});
      const std::vector<uint32_t> zeros(8);
      EnqueueWriteBuffer(queue, words, zeros, /*blocking=*/true);
      // Compiled here: a replay, which has one thread, records objects where they are first used.
      const auto make_program = [&](uint32_t value) {
        Program program = CreateProgram();
        const KernelHandle kernel =
            CreateKernelFromString(program, kExchange, kCore, DataMovementConfig{});
        SetCommonRuntimeArgs(program, kernel, {static_cast<uint32_t>(words->address()), value});
        detail::CompileProgram(device, program);
        return program;
      };
      Program one = make_program(1), two = make_program(2);
      const auto launch = [&](Program& program) {
        std::vector<uint32_t> found(8);
        for (uint32_t i = 0; i < kLaunches; ++i) {
          EnqueueProgram(queue, program, /*blocking=*/i % 2 == 0);
          const auto event = std::make_shared<Event>();
          EnqueueRecordEvent(queue, event);
          EnqueueWaitForEvent(device->command_queue(1), event);
          EventSynchronize(event);
          EnqueueReadBuffer(queue, *words, found.data(), /*blocking=*/true);
        }
      };
      std::thread other([&] { launch(two); });
      launch(one);
      other.join();
    }
    CloseDevice(device);
  });
  expect_goldens_hold(file, 2 * kLaunches);
}

// Lets `inside` run while `waits` waits in a call of its own.
void run_beside(const std::function<void()>& waits, const std::function<void()>& inside) {
  std::thread waiter(waits);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  inside();
  waiter.join();
}

constexpr char kCounter[] = R"(
void kernel_main() {
  for (volatile uint32_t i = 0; i < COUNT; ++i) {
  }
}
)";

// Launches that other threads wait for are over before the device is divided anew, though no thread
// has come back from one; and one that comes meanwhile ends, too.
TEST(QueueOrderOfThreads, ADivisionOfTheDeviceStandsBehindTheLaunchesBeforeIt) {
  constexpr int kLoads = 9, kLaunchers = 8;
  const FilePointer file = captured([] {
    IDevice* device = CreateDevice(0);
    {
      std::vector<Program> programs(kLaunchers);
      for (Program& program : programs) {
        CreateKernelFromString(program, kCounter, kCore,
                               DataMovementConfig{.defines = {{"COUNT", "20'000'000"}}});
        detail::CompileProgram(device, program);
      }
      const std::array cores = {CoreRangeSet(CoreRange(kCore))};
      const auto manager = device->create_sub_device_manager({SubDevice(cores)}, 0);
      for (int i = 0; i < kLoads; ++i) {
        std::atomic<int> begun = 0;
        std::vector<std::thread> launchers;
        for (Program& program : programs) {
          launchers.emplace_back([&] {
            ++begun;
            EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
          });
        }
        while (begun < kLaunchers) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most launches still wait
        device->load_sub_device_manager(manager);
        for (std::thread& launcher : launchers) launcher.join();
      }
    }
    CloseDevice(device);
  });
  // A launcher that was held up in its call may come second once in a while.
  int late = 0, launches = 0, loads = 0;
  for (const std::string& name : names_of(*file)) {
    launches += name == "EnqueueProgram";
    if (name == "SubDeviceManagerLoad") late += launches < kLaunchers * ++loads;
  }
  EXPECT_EQ(launches, kLoads * kLaunchers);
  EXPECT_EQ(loads, kLoads);
  EXPECT_LE(late, kLoads / 3);
}

TEST(QueueOrderOfThreads, ADeviceIsClosedBehindTheCallThatAnotherThreadWaitsIn) {
  const std::vector<uint8_t> file = captured_bytes([] {
    IDevice* device = CreateDevice(0);
    Program program = CreateProgram();
    CreateKernelFromString(program, kCounter, kCore,
                           DataMovementConfig{.defines = {{"COUNT", "500'000'000"}}});
    detail::CompileProgram(device, program);
    run_beside([&] { EnqueueProgram(device->command_queue(), program, /*blocking=*/true); },
               [&] { CloseDevice(device); });
  });
  expect_goldens_hold(file, 0);
}

// What the queue waits for comes after what it is given meanwhile: a wait that stood behind that
// in the file would never end, and one that stood before all of it neither.
void wait_beside_later_work(const std::function<void(CommandQueue&, Buffer&)>& wait) {
  const std::vector<uint8_t> file = captured_bytes([&] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    CommandQueue& queue = device->command_queue(0);
    {
      auto buffer =
          CreateBuffer(InterleavedBufferConfig{.device = device, .size = 32, .page_size = 32});
      const std::vector<uint32_t> before(8, 1), after(8, 2);
      std::vector<uint32_t> found(8);
      EnqueueWriteBuffer(queue, buffer, before, /*blocking=*/true);
      const auto first = std::make_shared<Event>(), second = std::make_shared<Event>();
      EnqueueWaitForEvent(queue, first);
      run_beside([&] { wait(queue, *buffer); },
                 [&] {
                   EnqueueWaitForEvent(queue, second);
                   EnqueueWriteBuffer(queue, buffer, after, /*blocking=*/false);
                   EnqueueRecordEvent(device->command_queue(1), first);
                 });
      EnqueueRecordEvent(device->command_queue(1), second);
      EnqueueReadBuffer(queue, *buffer, found.data(), /*blocking=*/true);
      EXPECT_EQ(found, after);
    }
    CloseDevice(device);
  });
  expect_goldens_hold(file, 1);
}

TEST(QueueOrderOfThreads, AReadThatHasToBeRecordedBeforeItsDataComeKeepsItsPlace) {
  wait_beside_later_work([](CommandQueue& queue, Buffer& buffer) {
    std::vector<uint32_t> found(8);
    EnqueueReadBuffer(queue, buffer, found.data(), /*blocking=*/true);
    EXPECT_EQ(found, std::vector<uint32_t>(8, 1));
  });
}

TEST(QueueOrderOfThreads, FinishWaitsForNothingThatItsQueueIsGivenLater) {
  wait_beside_later_work([](CommandQueue& queue, Buffer&) { Finish(queue); });
}

TEST(QueueOrderOfThreads, AWriteThatBlocksWaitsForNothingThatItsQueueIsGivenLater) {
  wait_beside_later_work([](CommandQueue& queue, Buffer& buffer) {
    std::vector<uint32_t> words(8, 3);
    EnqueueWriteBuffer(queue, buffer, words, /*blocking=*/true);
  });
}

// A comparison has its data from the device: where another call has to stand in the file before
// they come there is none, and a warning says so. It does not compare at another place.
TEST(QueueOrderOfThreads, AComparisonThatHasToBeRecordedBeforeItsDataComeIsLeftOut) {
  std::string said;
  const std::vector<uint8_t> file = captured_bytes([&] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    CommandQueue& queue = device->command_queue(0);
    {
      auto buffer =
          CreateBuffer(InterleavedBufferConfig{.device = device, .size = 32, .page_size = 32});
      const std::vector<uint32_t> before(8, 1), after(8, 2);
      EnqueueWriteBuffer(queue, buffer, before, /*blocking=*/true);
      const auto first = std::make_shared<Event>();
      EnqueueWaitForEvent(queue, first);
      ::testing::internal::CaptureStdout();
      run_beside([&] { LightMetalCompareToCapture(queue, buffer, nullptr); },
                 [&] {
                   EnqueueWriteBuffer(queue, buffer, after, /*blocking=*/false);
                   EnqueueRecordEvent(device->command_queue(1), first);
                 });
      said = ::testing::internal::GetCapturedStdout();
    }
    CloseDevice(device);
  });
  EXPECT_THAT(said, ::testing::HasSubstr("a comparison is not in the capture"));
  expect_goldens_hold(file, 0);
}

// ---- Work of several queues that needs each other ----

constexpr char kSender[] = R"(
#include <cstdint>
#include "ethernet/dataflow_api.h"
void kernel_main() {
  const uint32_t place = get_arg_val<uint32_t>(0);
  eth_send_bytes(place, place, 64);
  eth_wait_for_receiver_done();
}
)";
constexpr char kReceiver[] = R"(
#include "ethernet/dataflow_api.h"
void kernel_main() {
  eth_wait_for_bytes(64);
  eth_receiver_done();
}
)";

using Launch = void (*)(IDevice*, Program&);
void launch_on_queue(IDevice* device, Program& program) {
  EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
}
void launch_beside(IDevice* device, Program& program) { detail::LaunchProgram(device, program); }
void launch_and_finish(IDevice* device, Program& program) {
  EnqueueProgram(device->command_queue(), program, /*blocking=*/false);
  Finish(device->command_queue());
}
void launch_and_wait_for_event(IDevice* device, Program& program) {
  EnqueueProgram(device->command_queue(), program, /*blocking=*/false);
  const auto event = std::make_shared<Event>();
  EnqueueRecordEvent(device->command_queue(), event);
  EventSynchronize(event);
}

// A sender and a receiver on two chips, each launched by a thread of its own.
void run_sender_and_receiver(Launch send, Launch receive) {
  const std::map<chip_id_t, IDevice*> devices = detail::CreateDevices({0, 1});
  IDevice* const left = devices.at(0);
  IDevice* const right = devices.at(1);
  {
    Program sender, receiver;
    const CoreCoord from = left->get_ethernet_sockets(right->id()).at(0);
    const CoreCoord to = right->get_ethernet_sockets(left->id()).at(0);
    const KernelHandle kernel =
        CreateKernelFromString(sender, kSender, from, EthernetConfig{.eth_mode = Eth::SENDER});
    SetRuntimeArgs(sender, kernel, from, {eth_l1_mem::address_map::ERISC_L1_UNRESERVED_BASE});
    CreateKernelFromString(receiver, kReceiver, to, EthernetConfig{.eth_mode = Eth::RECEIVER});
    detail::CompileProgram(left, sender);
    detail::CompileProgram(right, receiver);
    run_beside([&] { send(left, sender); }, [&] { receive(right, receiver); });
  }
  detail::CloseDevices(devices);
}

struct Launches {
  const char* name;
  Launch first;
  Launch second;
};

void PrintTo(const Launches& launches, std::ostream* out) { *out << launches.name; }

class LaunchesThatNeedEachOther : public ::testing::TestWithParam<Launches> {};

TEST_P(LaunchesThatNeedEachOther, AreReplayedByOneThread) {
  const Launch send = GetParam().first, receive = GetParam().second;
  expect_goldens_hold(captured_bytes([&] { run_sender_and_receiver(send, receive); }), 0);
  expect_goldens_hold(captured_bytes([&] { run_sender_and_receiver(receive, send); }), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, LaunchesThatNeedEachOther,
    ::testing::Values(Launches{"OnQueues", launch_on_queue, launch_on_queue},
                      Launches{"BesideQueues", launch_beside, launch_beside},
                      Launches{"OneThatFinishes", launch_on_queue, launch_and_finish},
                      Launches{"OneThatWaits", launch_beside, launch_and_wait_for_event}),
    [](const auto& info) { return std::string(info.param.name); });

// A launch beside the queues that another thread had to record before it was done: its return is in
// the file, too.
TEST(QueueOrderOfThreads, ALaunchThatIsRecordedBeforeItIsDoneHasItsWaitBehindIt) {
  const std::vector<uint8_t> bytes =
      captured_bytes([] { run_sender_and_receiver(launch_beside, launch_beside); });
  const std::vector<std::string> calls = names_of(*open_file(bytes));
  const auto launch = std::ranges::find(calls, "LaunchProgram");
  ASSERT_NE(launch, calls.end());
  EXPECT_NE(std::find(launch, calls.end(), "WaitProgramDone"), calls.end());
}

// A read that has failed has found nothing, so that the file has its failure alone.
TEST(QueueOrderOfReads, OneThatFailsIsNotInTheFile) {
  const FilePointer file = captured([] {
    IDevice* device = CreateDevice(0);
    const DeviceAddr end = device->dram_size_per_channel();
    auto beyond = Buffer::create(device, end, 32, 32, BufferType::DRAM);
    std::vector<uint32_t> words(8);
    EXPECT_ANY_THROW(
        EnqueueReadBuffer(device->command_queue(), *beyond, words.data(), /*blocking=*/true));
    CloseDevice(device);
  });
  EXPECT_THAT(names_of(*file), ::testing::Contains("CallFailed"));
  EXPECT_THAT(names_of(*file), ::testing::Not(::testing::Contains("EnqueueReadBuffer")));
}

// Either thread may record the read: its own, or the one whose call waits for it.
TEST(QueueOrderOfReads, OneBehindALaunchThatFailsHasNoGoldenWhicheverThreadRecordsIt) {
  constexpr int kReads = 40;
  const std::string fails = std::string(kWaiter).replace(
      std::string(kWaiter).rfind('}'), 1, "  noc_async_read(~0ull, 0x90000, 32);\n}");
  const FilePointer file = captured([&] {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    auto buffer =
        CreateBuffer(InterleavedBufferConfig{.device = device, .size = 32, .page_size = 32});
    Program program = CreateProgram();
    const KernelHandle kernel = CreateKernelFromString(program, fails, kCore, DataMovementConfig{});
    SetRuntimeArgs(program, kernel, kCore, {kFlag});
    std::vector<uint32_t> words(8), others(8, 7);
    for (int i = 0; i < kReads; ++i) {
      write_flag(device, 0);
      EnqueueProgram(queue, program, /*blocking=*/false);
      std::atomic<pid_t> id = 0;
      std::thread reader([&] {
        id = ::gettid();
        EXPECT_ANY_THROW(EnqueueReadBuffer(queue, *buffer, words.data(), /*blocking=*/true));
      });
      lightmetal::testing::wait_for_sleep_of(id);  // the queue has the read
      std::thread writer([&] { EnqueueWriteBuffer(queue, buffer, others, /*blocking=*/false); });
      write_flag(device, 1);
      reader.join();
      writer.join();
    }
    CloseDevice(device);
  });
  for (const schema::CommandT& command : lightmetal::testing::commands_of(*file)) {
    const auto* read = command.call.AsEnqueueReadBuffer();
    if (read != nullptr) {
      EXPECT_EQ(read->golden, nullptr);
    }
  }
}

// The program may read before it lets the data come.
TEST(QueueOrderOfReads, AReadThatDoesNotBlockEndsThoughItsQueueWaitsForTheNextCall) {
  const FilePointer file = captured([] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    CommandQueue& waiting = device->command_queue(0);
    auto buffer =
        CreateBuffer(InterleavedBufferConfig{.device = device, .size = 32, .page_size = 32});
    std::vector<uint32_t> written(8, 7), early(8), late(8);
    EnqueueWriteBuffer(waiting, buffer, written, /*blocking=*/true);
    const auto event = std::make_shared<Event>();
    EnqueueWaitForEvent(waiting, event);
    EnqueueReadBuffer(waiting, *buffer, early.data(), /*blocking=*/false);
    EnqueueReadSubBuffer(waiting, *buffer, late.data(), {0, 32}, /*blocking=*/false);
    EnqueueRecordEvent(device->command_queue(1), event);
    EnqueueReadBuffer(waiting, *buffer, late.data(), /*blocking=*/false);
    Finish(waiting);
    EXPECT_EQ(early, written);
    EXPECT_EQ(late, written);
    CloseDevice(device);
  });
  // Of the data that had not come nothing is taken for what they are.
  const auto result = replayed(rewritten(*file, [](schema::CommandT&, schema::Writer&) {}));
  EXPECT_EQ(result.goldens_checked, 1u);
  EXPECT_TRUE(result.matches());
}

}  // namespace
}  // namespace tt::tt_metal
