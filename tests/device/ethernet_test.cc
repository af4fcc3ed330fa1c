// Kernels on Ethernet cores of chips that are open together.
#include "device/ethernet.h"

#include <chrono>
#include <set>
#include <thread>

#include "absl/time/clock.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "tests/device/ethernet_test_kit.h"
#include "tests/device/little_stack.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EthernetWiringTest, EveryWireHasTwoEnds) {
  std::set<std::pair<int, int>> neighbours;
  for (int chip = 0; chip < kWiredChips; ++chip) {
    for (uint32_t core = 0; core < kWiredCores; ++core) {
      const EthernetEnd here{chip, core};
      const auto there = other_ethernet_end(here);
      ASSERT_TRUE(there.has_value());
      EXPECT_NE(there->chip, chip);
      EXPECT_EQ(other_ethernet_end(*there), here);
      neighbours.insert({chip, there->chip});
    }
  }
  EXPECT_EQ(neighbours.size(), 3u * kWiredChips);
}

TEST(EthernetWiringTest, WiresAreWhereTheDocumentationSays) {
  EXPECT_EQ(other_ethernet_end({0, 0}), (EthernetEnd{1, 2}));
  EXPECT_EQ(other_ethernet_end({0, 1}), (EthernetEnd{1, 3}));
  EXPECT_EQ(other_ethernet_end({3, 0}), (EthernetEnd{0, 2}));
  EXPECT_EQ(other_ethernet_end({7, 1}), (EthernetEnd{4, 3}));
  EXPECT_EQ(other_ethernet_end({2, 4}), (EthernetEnd{6, 4}));
  EXPECT_EQ(other_ethernet_end({0, 6}), std::nullopt);
  EXPECT_EQ(other_ethernet_end({8, 0}), std::nullopt);
  EXPECT_EQ(other_ethernet_end({-1, 0}), std::nullopt);
}

TEST(EthernetWiringTest, CoordinatesAreNobodyElses) {
  const DeviceProfile profile;
  for (uint32_t core = 0; core < profile.ethernet_cores; ++core) {
    const Core noc = noc_coordinate_of_ethernet(profile, core);
    for (uint32_t bank = 0; bank < num_l1_banks(profile); ++bank) {
      EXPECT_NE(noc, noc_coordinate_of_worker(profile, core_of_l1_bank(profile, bank)));
    }
    for (uint32_t bank = 0; bank < profile.dram_banks; ++bank) {
      EXPECT_NE(noc, noc_coordinate_of_dram_bank(profile, bank));
    }
  }
}

TEST(EthernetProfileTest, KernelConstantsAreThoseOfTheProfile) {
  const DeviceProfile profile;
  EXPECT_EQ(profile.ethernet_l1_size, kernel_abi::kEthernetL1Size);
  EXPECT_EQ(profile.ethernet_unreserved_base, kernel_abi::kEthernetUnreservedBase);
  DeviceOptions other;
  other.profile.ethernet_l1_size *= 2;
  EXPECT_EQ(open_device("cpu", other).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(EthernetProfileTest, EthernetCoresAmongTheWorkersAreRefused) {
  DeviceOptions options;
  options.profile.first_ethernet = {25, 25};
  const absl::Status status = open_device("cpu", options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("first_ethernet (25, 25)"));
}

TEST(EthernetProfileTest, AProfileWithoutEthernetCoresHasNone) {
  DeviceOptions options;
  options.profile.ethernet_cores = 0;
  auto device = open_cpu(options);
  uint32_t word = 0;
  EXPECT_EQ(device->write_ethernet_l1({0, 0}, 0x8000, bytes_of(&word, 4)).code(),
            absl::StatusCode::kOutOfRange);
  ChipLaunch launch(*device);
  launch.ethernet(0, "void kernel_main() {}");
  EXPECT_EQ(launch.run().code(), absl::StatusCode::kOutOfRange);
}

// Two chips, with 1, 2 and 8 workers.
class EthernetTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { open("20"); }
  void open(const std::string& patience) {
    left_.reset();
    right_.reset();
    left_ = open_chip(0, GetParam(), patience);
    right_ = open_chip(1, GetParam(), patience);
  }

  // Both at once.
  static void run_together(ChipLaunch& a, ChipLaunch& b) {
    auto other = b.start();
    const absl::Status status = a.run();
    EXPECT_TRUE(status.ok()) << status;
    const absl::Status of_other = other.get();
    EXPECT_TRUE(of_other.ok()) << of_other;
  }

  std::unique_ptr<Device> left_, right_;  // core 0 of the left leads to core 2 of the right
};

INSTANTIATE_TEST_SUITE_P(Workers, EthernetTest, ::testing::Values(1, 2, 8));

TEST_P(EthernetTest, BytesOfEverySizeArrive) {
  for (const uint32_t bytes : {16u, 32u, 48u, 1024u, 4096u, 65536u}) {
    const std::vector<uint32_t> sent = pattern(bytes, bytes / 4);
    write_ethernet(*left_, 0, kData, sent);
    ChipLaunch sender(*left_), receiver(*right_);
    sender.ethernet(0, kSender, {kData, bytes});
    receiver.ethernet(2, kReceiver, {kData, bytes});
    run_together(sender, receiver);
    EXPECT_EQ(read_ethernet(*right_, 2, kData, bytes / 4), sent);
    EXPECT_THAT(read_ethernet(*right_, 2, kData + bytes, 4), Each(0));
  }
}

TEST_P(EthernetTest, ASenderMayComeLongBeforeItsReceiverAndAfterIt) {
  for (const bool sender_first : {true, false}) {
    ChipLaunch sender(*left_), receiver(*right_);
    sender.ethernet(0, kSender, {kData, 64});
    receiver.ethernet(2, kReceiver, {kData, 64});
    auto first = sender_first ? sender.start() : receiver.start();
    absl::SleepFor(absl::Milliseconds(30));
    const absl::Status second = sender_first ? receiver.run() : sender.run();
    EXPECT_TRUE(second.ok()) << second;
    const absl::Status status = first.get();
    EXPECT_TRUE(status.ok()) << status;
  }
}

constexpr char kBothWays[] = R"(
void kernel_main() {
  const uint32_t source = get_arg_val<uint32_t>(0), target = get_arg_val<uint32_t>(1);
  const uint32_t mine = get_arg_val<uint32_t>(2), theirs = 1 - mine;
  constexpr uint32_t kBytes = 4096;
  for (uint32_t i = 0; i < 20; ++i) {
    eth_send_bytes_over_channel(source, target, kBytes, mine, kBytes, kBytes >> 4);
    eth_wait_for_bytes_on_channel(kBytes, theirs);
    eth_receiver_channel_done(theirs);
    eth_wait_for_receiver_channel_done(mine);
  }
})";

TEST_P(EthernetTest, BothDirectionsOfAWireWorkAtOnce) {
  constexpr uint32_t kIn = 0x20000;
  write_ethernet(*left_, 0, kData, pattern(1, 1024));
  write_ethernet(*right_, 2, kData, pattern(2, 1024));
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kBothWays, {kData, kIn, 0});
  right.ethernet(2, kBothWays, {kData, kIn, 1});
  run_together(left, right);
  EXPECT_EQ(read_ethernet(*right_, 2, kIn, 1024), pattern(1, 1024));
  EXPECT_EQ(read_ethernet(*left_, 0, kIn, 1024), pattern(2, 1024));
}

constexpr char kPing[] = R"(
void kernel_main() {
  volatile uint32_t* ball = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
  const uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t mine = get_arg_val<uint32_t>(1), theirs = 1 - mine;
  for (uint32_t i = 0; i < 400; ++i) {
    if (i % 2 == mine) {
      ball[0] = ball[0] + 1;
      eth_send_bytes_over_channel(address, address, 16, mine);
      eth_wait_for_receiver_channel_done(mine);
    } else {
      eth_wait_for_bytes_on_channel(16, theirs);
      eth_receiver_channel_done(theirs);
    }
  }
})";

TEST_P(EthernetTest, ABallGoesBackAndForth200Times) {
  write_ethernet(*left_, 0, kData, {0, 0, 0, 0});
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kPing, {kData, 0});
  right.ethernet(2, kPing, {kData, 1});
  run_together(left, right);
  EXPECT_THAT(read_ethernet(*left_, 0, kData, 1), ElementsAre(400));
}

TEST_P(EthernetTest, TwoWiresCarryTheirOwn) {
  write_ethernet(*left_, 0, kData, pattern(1, 256));
  write_ethernet(*left_, 1, kData, pattern(2, 256));
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kSender, {kData, 1024}).ethernet(1, kSender, {kData, 1024});
  right.ethernet(2, kReceiver, {kData, 1024}).ethernet(3, kReceiver, {kData, 1024});
  run_together(left, right);
  EXPECT_EQ(read_ethernet(*right_, 2, kData, 256), pattern(1, 256));
  EXPECT_EQ(read_ethernet(*right_, 3, kData, 256), pattern(2, 256));
}

constexpr char kEveryChannel[] = R"(
void kernel_main() {
  const bool sends = get_arg_val<uint32_t>(1) == 0;
  const uint32_t address = get_arg_val<uint32_t>(0);
  constexpr uint32_t kAck = 0x9000;
  for (uint32_t round = 0; round < 4; ++round) {
    for (uint32_t channel = 0; channel < 8; ++channel) {
      if (sends) {
        eth_send_bytes_over_channel(address + channel * 64, address + channel * 64, 64, channel);
      } else {
        while (!eth_bytes_are_available_on_channel(channel)) {
        }
        eth_receiver_channel_ack(channel, kAck);
        eth_receiver_channel_done(channel);
      }
    }
    if (!sends) continue;
    for (uint32_t channel = 0; channel < 8; ++channel) {
      while (!eth_is_receiver_channel_send_acked(channel) &&
             !eth_is_receiver_channel_send_done(channel)) {
      }
      eth_clear_sender_channel_ack(channel);
      eth_wait_for_receiver_channel_done(channel);
    }
  }
})";

TEST_P(EthernetTest, EveryChannelAcknowledgesForItself) {
  write_ethernet(*left_, 0, kData, pattern(3, 128));
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kEveryChannel, {kData, 0});
  right.ethernet(2, kEveryChannel, {kData, 1});
  run_together(left, right);
  EXPECT_EQ(read_ethernet(*right_, 2, kData, 128), pattern(3, 128));
  EXPECT_THAT(read_ethernet(*left_, 0, kernel_abi::kEthernetInfoAddress + 16, 1), ElementsAre(0));
}

// The receiver has the bytes of channel 3 until those of channel 4 have come, which the sender
// sends once it knows that.
constexpr char kAcknowledged[] = R"(
void kernel_main() {
  volatile uint32_t* word = reinterpret_cast<volatile uint32_t*>(0x9000);
  if (get_arg_val<uint32_t>(0) == 0) {
    eth_send_bytes_over_channel(0x8000, 0x8000, 64, 3);
    eth_wait_receiver_acknowledge(3);
    *word = 5;
    eth_send_bytes_over_channel(0x9000, 0x9000, 16, 4);
    for (uint32_t channel = 3; channel < 5; ++channel) eth_wait_for_receiver_channel_done(channel);
  } else {
    eth_wait_for_bytes_on_channel(64, 3);
    eth_receiver_acknowledge(3);
    eth_wait_for_bytes_on_channel(16, 4);
    for (uint32_t channel = 3; channel < 5; ++channel) eth_receiver_channel_done(channel);
  }
})";

TEST_P(EthernetTest, AReceiverAcknowledgesBytesBeforeItIsDoneWithThem) {
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kAcknowledged, {0});
  right.ethernet(2, kAcknowledged, {1});
  run_together(left, right);
  EXPECT_THAT(read_ethernet(*right_, 2, 0x9000, 1), ElementsAre(5));
}

// Kernels that look at the words themselves.
constexpr char kRaw[] = R"(
#include "ethernet/dataflow_api.h"
#include "eth_l1_address_map.h"
void kernel_main() {
  volatile eth_channel_sync_t* sync = reinterpret_cast<volatile eth_channel_sync_t*>(
      eth_l1_mem::address_map::ERISC_L1_UNRESERVED_BASE + 64);
  const uint32_t address = reinterpret_cast<uint32_t>(sync);
  if (get_arg_val<uint32_t>(0) == 0) {
    sync->src_id = 77;
    sync->bytes_sent = 1;
    eth_send_bytes_over_channel_payload_only(address, address, 16, 16, 1);
    while (sync->bytes_sent != 0) {
    }
  } else {
    while (sync->bytes_sent == 0) {
    }
    sync->bytes_sent = 0;
    while (eth_txq_is_busy()) {
    }
    internal_::eth_send_packet(0, address >> 4, address >> 4, 1);
    erisc_info->unused_arg0 = sync->src_id;
  }
})";

TEST_P(EthernetTest, KernelsMayPollWordsOfTheirOwn) {
  ChipLaunch left(*left_), right(*right_);
  left.ethernet(0, kRaw, {0});
  right.ethernet(2, kRaw, {1});
  run_together(left, right);
  EXPECT_THAT(read_ethernet(*right_, 2, kernel_abi::kEthernetInfoAddress + 4, 1), ElementsAre(77));
}

constexpr char kRemoteWord[] = R"(
void kernel_main() {
  volatile uint32_t* word = reinterpret_cast<volatile uint32_t*>(0x9000);
  if (get_arg_val<uint32_t>(0) == 0) {
    eth_write_remote_reg(0x9000, 5);
  } else {
    eth_noc_semaphore_wait_min(word, 5);
  }
})";

TEST_P(EthernetTest, AWordWrittenFromAfarEndsAWait) {
  ChipLaunch left(*left_), right(*right_);
  right.ethernet(2, kRemoteWord, {1});
  left.ethernet(0, kRemoteWord, {0});
  run_together(right, left);
}

TEST_P(EthernetTest, BytesArriveAtTheVeryEndOfL1) {
  const std::vector<uint32_t> sent = pattern(7, 4);
  write_ethernet(*left_, 0, 0x3fff0, sent);
  ChipLaunch launch(*left_);
  launch.ethernet(0, R"(void kernel_main() {
    eth_send_bytes(0x3fff0, 0x3fff0, 16);
    eth_write_remote_reg(0x3fffc, 5);
  })");
  EXPECT_EQ(launch.run(), absl::OkStatus());
  EXPECT_THAT(read_ethernet(*right_, 2, 0x3fff0, 4), ElementsAre(sent[0], sent[1], sent[2], 5));
}

// One worker starts the worker core's kernel once the Ethernet core's waits.
TEST(EthernetHostTest, AHostWriteEndsAWaitOnAnEthernetCore) {
  const auto left = open_chip(0, /*workers=*/1), right = open_chip(1);
  ChipLaunch launch(*left);
  launch
      .ethernet(0, R"(void kernel_main() {
        eth_noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x9000), 1);
      })")
      .worker({1, 1}, "void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x20000) = 1; }");
  auto waiting = launch.start();
  while (read_words(*left, {1, 1}, 0x20000, 1)[0] != 1) std::this_thread::yield();
  write_ethernet(*left, 0, 0x9010, {1});  // another word
  write_ethernet(*left, 0, 0x9000, {1});
  EXPECT_EQ(waiting.get(), absl::OkStatus());
}

// From a worker through two Ethernet cores to a worker and to DRAM of another chip.
constexpr char kProducer[] = R"(
void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_write(0x20000, get_noc_addr(x, y, 0x10000), 2048);
  noc_async_write_barrier();
  noc_semaphore_inc(get_noc_addr(x, y, get_semaphore<ProgrammableCoreType::ACTIVE_ETH>(1)), 1);
})";
constexpr char kForward[] = R"(
void kernel_main() {
  volatile uint32_t* full = reinterpret_cast<volatile uint32_t*>(
      get_semaphore<ProgrammableCoreType::ACTIVE_ETH>(1));
  eth_noc_semaphore_wait(full, 1);
  eth_send_bytes(0x10000, 0x10000, 2048, 2048, 128);
  eth_wait_for_receiver_done();
})";
constexpr char kDeliver[] = R"(
void kernel_main() {
  eth_wait_for_bytes(2048);
  noc_async_write(0x10000, get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000),
                  2048);
  noc_async_write(0x10000, get_noc_addr(0, 7, 4096), 2048);
  eth_noc_async_write_barrier();
  eth_receiver_done();
})";

TEST_P(EthernetTest, WorkersReachOtherChipsThroughEthernetCores) {
  const Core ethernet = noc_coordinate_of_ethernet(left_->profile(), 0);
  write_words(*left_, {1, 1}, 0x20000, pattern(9, 512));
  ChipLaunch left(*left_), right(*right_);
  left.worker({1, 1}, kProducer, {ethernet.x, ethernet.y})
      .ethernet(0, kForward)
      .semaphore(CoreKind::kEthernet, {0, 0}, 1, 0);
  right.ethernet(2, kDeliver, {noc_x(*right_, {4, 5}), noc_y(*right_, {4, 5})});
  run_together(left, right);
  EXPECT_EQ(read_words(*right_, {4, 5}, 0x20000, 512), pattern(9, 512));
  std::vector<uint32_t> dram(512);
  ASSERT_TRUE(right_->read_dram(3, 4096, {reinterpret_cast<std::byte*>(dram.data()), 2048}).ok());
  EXPECT_EQ(dram, pattern(9, 512));
}

// ---- What goes wrong ----

void expect_error(const absl::Status& status, absl::StatusCode code,
                  const std::vector<std::string>& parts) {
  EXPECT_EQ(status.code(), code) << status;
  for (const std::string& part : parts) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

TEST_P(EthernetTest, ASendOfHalfAWordFails) {
  ChipLaunch size(*left_), place(*left_), word(*left_);
  expect_error(size.ethernet(0, kSender, {kData, 24}).run(), absl::StatusCode::kInvalidArgument,
               {"Ethernet core (0,0)", "eth.cpp", "24 bytes", "multiples of 16"});
  expect_error(place.ethernet(0, kSender, {kData + 8, 32}).run(),
               absl::StatusCode::kInvalidArgument, {"0x10008", "multiples of 16"});
  expect_error(word.ethernet(0, "void kernel_main() { eth_write_remote_reg(2, 1); }").run(),
               absl::StatusCode::kInvalidArgument, {"multiple of 4"});
}

TEST_P(EthernetTest, ASendOutsideL1Fails) {
  ChipLaunch own(*left_), other(*left_);
  expect_error(own.ethernet(0, kSender, {0x3fff0, 32}).run(), absl::StatusCode::kOutOfRange,
               {"Ethernet core (0,0)", "own L1 holds 262144 bytes", "0x3fff0"});
  expect_error(
      other.ethernet(0, "void kernel_main() { eth_send_bytes(0x10000, 0x3fff0, 32); }").run(),
      absl::StatusCode::kOutOfRange, {"Ethernet core (0,2) of device 1", "0x3fff0"});
}

TEST_P(EthernetTest, AChannelThatIsNoneFails) {
  ChipLaunch launch(*left_);
  expect_error(launch.ethernet(0, "void kernel_main() { eth_receiver_channel_done(8); }").run(),
               absl::StatusCode::kInternal, {"Ethernet channels are 0 to 7"});
}

TEST_P(EthernetTest, ACallWithLittleStackLeftIsRefusedAndLeavesTheWireUsable) {
  for (const std::string call :
       {"eth_send_bytes(0x10000, 0x10000, 16)", "eth_write_remote_reg(0x9000, 4)",
        "eth_wait_for_bytes_on_channel(0, 3)", "eth_receiver_channel_done(8)"}) {
    ChipLaunch deep(*left_);
    expect_error(deep.ethernet(0, with_little_stack(call)).run(), absl::StatusCode::kInternal,
                 {"Ethernet core (0,0)", "the kernel's stack of ", "eth.cpp"});
  }
  ChipLaunch sender(*left_), receiver(*right_);
  sender.ethernet(0, kSender, {kData, 64});
  receiver.ethernet(2, kReceiver, {kData, 64});
  run_together(sender, receiver);
}

TEST_P(EthernetTest, AChipThatIsNotOpenFailsAtOnce) {
  right_.reset();
  const absl::Time before = absl::Now();
  ChipLaunch sender(*left_), receiver(*left_), unwired(*left_);
  expect_error(sender.ethernet(0, kSender, {kData, 64}).run(),
               absl::StatusCode::kFailedPrecondition,
               {"Ethernet core (0,0)", "Ethernet core (0,2) of device 1", "device 1 is not open"});
  expect_error(receiver.ethernet(1, kReceiver, {kData, 64}).run(),
               absl::StatusCode::kFailedPrecondition, {"Ethernet core (0,3) of device 1"});
  expect_error(unwired.ethernet(7, kReceiver, {kData, 64}).run(),
               absl::StatusCode::kFailedPrecondition,
               {"Ethernet core (0,7) of device 0 has no wire"});
  EXPECT_LT(absl::Now() - before, absl::Seconds(15));
}

TEST_P(EthernetTest, ASecondDeviceOfAChipHasNoWires) {
  auto second = open_chip(0, GetParam());
  ChipLaunch launch(*second);
  expect_error(launch.ethernet(0, kSender, {kData, 64}).run(),
               absl::StatusCode::kFailedPrecondition, {"another open device of that chip"});
}

TEST_P(EthernetTest, AReceiverThatNeverComesEndsByTheWatchdog) {
  open("0.3");
  ChipLaunch lonely(*left_);
  const absl::Time before = absl::Now();
  expect_error(lonely.ethernet(0, kSender, {kData, 64}).run(), absl::StatusCode::kDeadlineExceeded,
               {"nothing comes from other chips", "Ethernet core (0,0)", "eth.cpp",
                "bytes_sent of Ethernet channel 0", "waits for == 0, holds 64",
                "Ethernet core (0,2) of device 1"});
  EXPECT_GE(absl::Now() - before, absl::Milliseconds(300));
}

TEST_P(EthernetTest, ADeadlockReportNamesTheLineOfTheWaitForAWord) {
  open("0.3");
  ChipLaunch lonely(*left_);
  expect_error(lonely
                   .ethernet(0, R"(
void kernel_main() {
  eth_noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x9000), 0);  // holds

  eth_wait_for_bytes_on_channel(16, 3);
})")
                   .run(),
               absl::StatusCode::kDeadlineExceeded,
               {"bytes_sent of Ethernet channel 3", "(at eth.cpp:5)"});
}

TEST_P(EthernetTest, ABrokenExchangeLeavesTheWireUsable) {
  open("0.3");
  ChipLaunch lonely(*left_);
  EXPECT_FALSE(lonely.ethernet(0, kSender, {kData, 64}).run().ok());
  write_ethernet(*left_, 0, kData, pattern(5, 64));
  ChipLaunch sender(*left_), receiver(*right_);
  sender.ethernet(0, kSender, {kData, 256});
  receiver.ethernet(2, kReceiver, {kData, 256});
  run_together(sender, receiver);
  EXPECT_EQ(read_ethernet(*right_, 2, kData, 64), pattern(5, 64));
}

constexpr uint32_t kChannels = kernel_abi::kEthernetInfoAddress + kernel_abi::kEthernetWord;

TEST_P(EthernetTest, AFailedLaunchLeavesNoChannelHalfUsedAtEitherEnd) {
  ChipLaunch launch(*left_);
  launch.ethernet(0, R"(void kernel_main() {
    for (uint32_t channel = 0; channel < 8; ++channel)
      eth_send_bytes_over_channel(0x10000, 0x10000, 16, channel);
    __builtin_trap();
  })");
  EXPECT_EQ(launch.run().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(read_ethernet(*left_, 0, kChannels, 8 * 4), Each(0));
  EXPECT_THAT(read_ethernet(*right_, 2, kChannels, 8 * 4), Each(0));
}

// The right chip's kernel runs while the left one's fails.
TEST_P(EthernetTest, AFailedLaunchTakesNothingFromAKernelAtTheOtherEnd) {
  ChipLaunch right(*right_), fails(*left_), ends(*left_);
  right.ethernet(2, R"(void kernel_main() {
    eth_write_remote_reg(0x9000, 1);
    eth_noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x9000), 1);
    eth_wait_for_bytes_on_channel(16, 3);
  })");
  fails.ethernet(0, R"(void kernel_main() {
    eth_noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x9000), 1);
    eth_send_bytes_over_channel(0x10000, 0x10000, 16, 3);
    __builtin_trap();
  })");
  ends.ethernet(0, "void kernel_main() { eth_write_remote_reg(0x9000, 1); }");
  auto running = right.start();
  EXPECT_EQ(fails.run().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(ends.run(), absl::OkStatus());
  EXPECT_EQ(running.get(), absl::OkStatus());
}

TEST_P(EthernetTest, AChipThatClosesEndsTheWaitForIt) {
  open("1000");
  ChipLaunch receiver(*left_);
  receiver.ethernet(0, kReceiver, {kData, 64});
  auto waiting = receiver.start();
  absl::SleepFor(absl::Milliseconds(50));
  right_.reset();
  expect_error(waiting.get(), absl::StatusCode::kFailedPrecondition,
               {"Ethernet core (0,0)", "device 1 is not open"});
}

TEST_P(EthernetTest, AWaitThatNoChipCanEndIsFoundAtOnce) {
  open("1000");
  ChipLaunch launch(*left_);
  launch.ethernet(0, "void kernel_main() {}")
      .worker({2, 3}, R"(void kernel_main() {
                           noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
                         })")
      .semaphore(CoreKind::kWorker, {2, 3}, 0, 0);
  expect_error(launch.run(), absl::StatusCode::kFailedPrecondition,
               {"core (2,3)", "semaphore 0", "1 kernel has not ended"});
}

TEST_P(EthernetTest, KernelsAreForTheirKindOfCore) {
  ChipLaunch launch(*left_);
  launch.worker({0, 0}, "void kernel_main() {}", {}, Processor::kEthernet);
  expect_error(launch.run(), absl::StatusCode::kInvalidArgument,
               {"core (0,0) has no processor ETHERNET"});
  ChipLaunch far(*left_);
  far.ethernet(8, "void kernel_main() {}");
  expect_error(far.run(), absl::StatusCode::kOutOfRange, {"Ethernet core (0,8) does not exist"});
}

TEST_P(EthernetTest, AMulticastDoesNotReachEthernetCores) {
  ChipLaunch launch(*left_);
  launch.worker({0, 0}, R"(void kernel_main() {
    noc_async_write_multicast(0x20000, get_noc_multicast_addr(18, 16, 19, 16, 0x20000), 16, 2);
  })");
  expect_error(launch.run(), absl::StatusCode::kOutOfRange, {"(18,16)", "not a worker"});
}

// ---- A ring over four chips: each gathers the data of all (upstream's ring gather) ----

constexpr char kRingSend[] = R"(
void kernel_main() {
  const uint32_t source = get_arg_val<uint32_t>(0), target = get_arg_val<uint32_t>(1);
  const uint32_t bytes = get_arg_val<uint32_t>(2), transfers = get_arg_val<uint32_t>(3);
  const uint32_t x = get_arg_val<uint32_t>(4), y = get_arg_val<uint32_t>(5);
  const uint32_t semaphore = get_semaphore<ProgrammableCoreType::ACTIVE_ETH>(0);
  for (uint32_t i = 0; i < transfers; ++i) {
    eth_send_bytes(source, target, bytes, bytes, bytes >> 4);
    eth_wait_for_remote_receiver_done_and_get_local_receiver_data(
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), get_noc_addr(x, y, semaphore),
        get_noc_addr(x, y, target), source, bytes);
  }
})";
constexpr char kRingReceive[] = R"(
void kernel_main() {
  const uint32_t target = get_arg_val<uint32_t>(1);
  const uint32_t bytes = get_arg_val<uint32_t>(2), transfers = get_arg_val<uint32_t>(3);
  const uint32_t x = get_arg_val<uint32_t>(4), y = get_arg_val<uint32_t>(5);
  const uint32_t semaphore = get_semaphore<ProgrammableCoreType::ACTIVE_ETH>(0);
  volatile tt_l1_ptr uint32_t* mine = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
  for (uint32_t i = 0; i < transfers; ++i) {
    eth_wait_for_bytes(bytes);
    noc_async_write(target, get_noc_addr(0, 11, i * bytes), bytes);
    eth_noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
    eth_noc_semaphore_wait(mine, 1);
    noc_semaphore_set(mine, 0);
    eth_receiver_done();
  }
})";

class EthernetRingTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, EthernetRingTest, ::testing::Values(1, 2, 8));

TEST_P(EthernetRingTest, EachOfFourChipsGathersTheDataOfAll) {
  constexpr uint32_t kChips = 4, kBytes = 1024, kIn = 0x20000;
  std::vector<std::unique_ptr<Device>> chips;
  std::vector<ChipLaunch> launches;
  for (uint32_t chip = 0; chip < kChips; ++chip) {
    Device& device = *chips.emplace_back(open_chip(static_cast<int>(chip), GetParam()));
    write_ethernet(device, 0, kData, pattern(chip + 1, kBytes / 4));
    const Core sends = noc_coordinate_of_ethernet(device.profile(), 0);
    const Core receives = noc_coordinate_of_ethernet(device.profile(), 2);
    launches.emplace_back(device)
        .ethernet(0, kRingSend, {kData, kIn, kBytes, kChips - 1, receives.x, receives.y})
        .ethernet(2, kRingReceive, {kData, kIn, kBytes, kChips - 1, sends.x, sends.y})
        .semaphore(CoreKind::kEthernet, {0, 0}, 0, 0)
        .semaphore(CoreKind::kEthernet, {0, 2}, 0, 0);
  }
  std::vector<std::future<absl::Status>> running;
  for (ChipLaunch& launch : launches) running.push_back(launch.start());
  for (auto& each : running) {
    const absl::Status status = each.get();
    EXPECT_TRUE(status.ok()) << status;
  }
  for (uint32_t chip = 0; chip < kChips; ++chip) {
    for (uint32_t i = 0; i + 1 < kChips; ++i) {
      std::vector<uint32_t> got(kBytes / 4);
      ASSERT_TRUE(chips[chip]
                      ->read_dram(0, i * kBytes, {reinterpret_cast<std::byte*>(got.data()), kBytes})
                      .ok());
      EXPECT_EQ(got, pattern((chip + kChips - 1 - i) % kChips + 1, kBytes / 4));
    }
  }
}

}  // namespace
}  // namespace lightmetal::device::testing
