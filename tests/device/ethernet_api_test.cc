// Ethernet cores through the host API: where they are, programs on two chips, captures of these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <numeric>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "tests/device/ethernet_program.h"
#include "tests/support/api_test_kit.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::exchange;
using testing::counting;
using ::testing::ElementsAre;
using testing::expect_throws;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class EthernetApiTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("LIGHTMETAL_NUM_DEVICES");
    detail::CloseDevices(devices_);
  }
  IDevice* open(chip_id_t chip) {
    IDevice*& device = devices_[chip];
    if (device == nullptr) device = CreateDevice(chip, 1, 0, 65536);
    return device;
  }
  static KernelHandle add(Program& program, const CoreCoord& core, const std::string& text,
                          const EthernetConfig& config = {}) {
    return CreateKernelFromString(program, text, core, config);
  }
  static std::string error_of(IDevice* device, Program& program) {
    return ::lightmetal::testing::thrown_by(
        [&] { EnqueueProgram(device->command_queue(), program, true); });
  }

  std::map<chip_id_t, IDevice*> devices_;
};

TEST_F(EthernetApiTest, ConnectedCoresFindEachOther) {
  for (chip_id_t chip = 0; chip < 8; ++chip) open(chip);
  for (const auto& [chip, device] : devices_) {
    EXPECT_THAT(device->get_active_ethernet_cores(true), SizeIs(6));
    for (const CoreCoord& core : device->get_active_ethernet_cores()) {
      const auto [other, there] = device->get_connected_ethernet_core(core);
      EXPECT_EQ(devices_[other]->get_connected_ethernet_core(there), std::tuple(chip, core));
      EXPECT_TRUE(device->is_active_ethernet_core(core));
      EXPECT_FALSE(device->is_inactive_ethernet_core(core));
    }
    for (const chip_id_t other : device->get_ethernet_connected_device_ids()) {
      const std::vector<CoreCoord> here = device->get_ethernet_sockets(other);
      const std::vector<CoreCoord> there = devices_[other]->get_ethernet_sockets(chip);
      ASSERT_THAT(here, SizeIs(2));
      for (size_t i = 0; i < 2; ++i)
        EXPECT_EQ(device->get_connected_ethernet_core(here[i]), std::tuple(other, there[i]));
    }
  }
  EXPECT_THAT(open(0)->get_ethernet_connected_device_ids(), UnorderedElementsAre(1, 3, 4));
  EXPECT_THAT(open(0)->get_inactive_ethernet_cores(),
              UnorderedElementsAre(CoreCoord(0, 6), CoreCoord(0, 7)));
}

TEST_F(EthernetApiTest, CoresWhoseChipCannotBeOpenedAreInactive) {
  setenv("LIGHTMETAL_NUM_DEVICES", "2", 1);
  EXPECT_THAT(open(0)->get_active_ethernet_cores(),
              UnorderedElementsAre(CoreCoord(0, 0), CoreCoord(0, 1)));
  EXPECT_THAT(open(1)->get_ethernet_connected_device_ids(), UnorderedElementsAre(0));
  EXPECT_THAT(open(0)->get_inactive_ethernet_cores(), SizeIs(6));
  expect_throws([&] { open(0)->get_connected_ethernet_core(CoreCoord(0, 4)); },
                "(x=0,y=4) of device 0 is not connected");
  expect_throws([&] { open(0)->get_ethernet_sockets(3); }, "Device 0 is not connected to device 3");
  expect_throws([&] { open(0)->get_connected_ethernet_core(CoreCoord(1, 0)); },
                "none of the 8 Ethernet cores");
}

TEST_F(EthernetApiTest, CoordinatesGoBothWays) {
  IDevice* device = open(0);
  for (size_t y = 0; y < 8; ++y) {
    const CoreCoord noc = device->ethernet_core_from_logical_core(CoreCoord(0, y));
    EXPECT_EQ(device->logical_core_from_ethernet_core(noc), CoreCoord(0, y));
    EXPECT_EQ(device->virtual_core_from_logical_core(CoreCoord(0, y), CoreType::ETH), noc);
    EXPECT_NE(noc, device->worker_core_from_logical_core(CoreCoord(0, y)));
  }
  EXPECT_THAT(device->ethernet_cores_from_logical_cores({CoreCoord(0, 1)}),
              ElementsAre(device->ethernet_core_from_logical_core(CoreCoord(0, 1))));
  expect_throws([&] { device->logical_core_from_ethernet_core(CoreCoord(1, 1)); },
                "no Ethernet core at (x=1,y=1)");
  expect_throws([&] { device->ethernet_core_from_logical_core(CoreCoord(0, 8)); }, "(x=0,y=8)");
}

TEST_F(EthernetApiTest, SemaphoresOfWorkersAndEthernetCoresAreCountedApart) {
  Program program;
  const CoreRange core(CoreCoord(0, 0));
  EXPECT_EQ(CreateSemaphore(program, core, 1), 0u);
  EXPECT_EQ(CreateSemaphore(program, core, 5, CoreType::ETH), 0u);
  EXPECT_EQ(CreateSemaphore(program, core, 6, CoreType::ETH), 1u);
  EXPECT_EQ(CreateSemaphore(program, core, 2), 1u);
  expect_throws([&] { CreateSemaphore(program, core, 0, CoreType::DRAM); },
                "Worker and Ethernet cores have semaphores");
  // Each kind has its own values where it looks.
  constexpr char kLook[] = R"(void kernel_main() {
    volatile uint32_t* own = reinterpret_cast<volatile uint32_t*>(get_semaphore(1));
    *reinterpret_cast<volatile uint32_t*>(0x30000) = *own;
  })";
  add(program, CoreCoord(0, 0), kLook);
  CreateKernelFromString(program, kLook, CoreCoord(0, 0), DataMovementConfig{});
  EnqueueProgram(open(0)->command_queue(), program, true);
  std::vector<uint32_t> word;
  detail::ReadFromDeviceL1(open(0), CoreCoord(0, 0), 0x30000, 4, word, CoreType::ETH);
  EXPECT_THAT(word, ElementsAre(6));
  detail::ReadFromDeviceL1(open(0), CoreCoord(0, 0), 0x30000, 4, word);
  EXPECT_THAT(word, ElementsAre(2));
  EXPECT_THAT(program.logical_cores(),
              ElementsAre(ElementsAre(CoreCoord(0, 0)), ElementsAre(CoreCoord(0, 0))));
}

TEST_F(EthernetApiTest, CircularBuffersStayOnWorkers) {
  Program program;
  add(program, CoreCoord(0, 0), "void kernel_main() { cb_wait_front(0, 1); }");
  CreateCircularBuffer(
      program, CoreCoord(0, 0),
      CircularBufferConfig(2048, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 2048));
  EXPECT_THAT(error_of(open(0), program),
              ::testing::AllOf(::testing::HasSubstr("Ethernet core (0,0)"),
                               ::testing::HasSubstr("circular buffer 0")));
}

TEST_F(EthernetApiTest, WhatAnEthernetCoreHasNotIsRefused) {
  Program program;
  expect_throws(
      [&] {
        add(program, CoreCoord(0, 0), "void kernel_main() {}",
            EthernetConfig{.processor = DataMovementProcessor::RISCV_1});
      },
      "RISCV_1", "one processor");
  add(program, CoreCoord(0, 8), "void kernel_main() {}");
  EXPECT_THAT(error_of(open(0), program),
              ::testing::HasSubstr("the Ethernet grid of device 0 is 1x8"));
  std::vector<uint32_t> word;
  expect_throws(
      [&] { detail::ReadFromDeviceL1(open(0), CoreCoord(1, 0), 0x8000, 4, word, CoreType::ETH); },
      "1x8 Ethernet grid");
  expect_throws(
      [&] { detail::ReadFromDeviceL1(open(0), CoreCoord(0, 0), 0x3fffe, 4, word, CoreType::ETH); },
      "L1 of Ethernet core (0,0)");
}

TEST_F(EthernetApiTest, ModesAndDefinesReachTheKernel) {
  Program program;
  add(program, CoreCoord(0, 6), R"(
    #if !defined(COMPILE_FOR_ERISC) || !defined(COMPILE_FOR_IDLE_ERISC) || MINE != 3
    #error "not as defined"
    #endif
    void kernel_main() {
      *reinterpret_cast<volatile uint32_t*>(0x8000) = get_compile_time_arg_val(0) + NOC_INDEX;
    })",
      EthernetConfig{.eth_mode = Eth::IDLE,
                     .noc = NOC::NOC_1,
                     .compile_args = {40},
                     .defines = {{"MINE", "3"}}});
  EXPECT_EQ(error_of(open(0), program), "");
  std::vector<uint32_t> word;
  detail::ReadFromDeviceL1(open(0), CoreCoord(0, 6), 0x8000, 4, word, CoreType::ETH);
  EXPECT_THAT(word, ElementsAre(41));
}

TEST_F(EthernetApiTest, AChipAloneSaysWhichChipIsMissing) {
  Program program;
  add(program, CoreCoord(0, 0), "void kernel_main() { eth_wait_for_bytes(16); }");
  EXPECT_THAT(error_of(open(0), program),
              ::testing::AllOf(::testing::HasSubstr("Ethernet core (0,2) of device 1"),
                               ::testing::HasSubstr("device 1 is not open")));
  // And has them when they come.
  open(1);
  Program sender;
  add(sender, CoreCoord(0, 2),
      "void kernel_main() { eth_send_bytes(0x8000, 0x8000, 16); eth_wait_for_receiver_done(); }");
  Program receiver;
  add(receiver, CoreCoord(0, 0),
      "void kernel_main() { eth_wait_for_bytes(16); eth_receiver_done(); }");
  EnqueueProgram(open(1)->command_queue(), sender, false);
  EXPECT_EQ(error_of(open(0), receiver), "");
  Finish(open(1)->command_queue());
}

TEST_F(EthernetApiTest, TracesOfTwoChipsMeet) {
  IDevice *left = open(0), *right = open(1);
  Program sender, receiver;
  add(sender, CoreCoord(0, 1), R"(void kernel_main() {
    volatile uint32_t* count = reinterpret_cast<volatile uint32_t*>(0x8000);
    *count = *count + 1;
    eth_send_bytes(0x8000, 0x8000, 16);
    eth_wait_for_receiver_done();
  })");
  add(receiver, CoreCoord(0, 3),
      "void kernel_main() { eth_wait_for_bytes(16); eth_receiver_done(); }");
  std::map<IDevice*, uint32_t> traces;
  for (const auto& [device, program] : {std::pair(left, &sender), std::pair(right, &receiver)}) {
    EnqueueProgram(device->command_queue(), *program, false);
    traces[device] = BeginTraceCapture(device, 0);
    for (int i = 0; i < 5; ++i) EnqueueProgram(device->command_queue(), *program, false);
    EndTraceCapture(device, 0, traces[device]);
  }
  for (int i = 0; i < 3; ++i) {
    for (const auto& [device, trace] : traces) ReplayTrace(device, 0, trace, false);
  }
  for (IDevice* device : {left, right}) Finish(device->command_queue());
  std::vector<uint32_t> word;
  detail::ReadFromDeviceL1(right, CoreCoord(0, 3), 0x8000, 4, word, CoreType::ETH);
  EXPECT_THAT(word, ElementsAre(16));
}

TEST(EthernetProgramTest, DataArrivesOverEveryWire) {
  EXPECT_EQ(exchange(counting(16384, 1), 1), counting(16384, 1));
}

#ifdef LIGHTMETAL_ETHERNET_CHILD

std::vector<uint8_t> captured(const std::function<void()>& program) {
  LightMetalBeginCapture({.path = {}, .read_goldens = true, .record_origin = false});
  program();
  return LightMetalEndCapture().get_data();
}

void run(const std::vector<uint8_t>& bytes) {
  const auto replay = lightmetal::Replay::load_bytes(bytes);
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
}

// What a file's replay reads is compared with the file's goldens.
void expect_same_replayed(const std::vector<uint8_t>& file) {
  run(file);
  EXPECT_EQ(captured([&] { run(file); }), file);
}

TEST(EthernetCaptureTest, TwoChipsReplayAndAreCapturedAgainByteForByte) {
  expect_same_replayed(captured([] { exchange(counting(256, 3), 4); }));
}

TEST(EthernetCaptureTest, TracesSemaphoresAndDirectAccessAreInTheFile) {
  const auto program = [] {
    std::map<chip_id_t, IDevice*> devices = detail::CreateDevices({0, 1}, 1, 0, 65536);
    {
      Program sender, receiver;
      CreateSemaphore(sender, CoreRange(CoreCoord(0, 0)), 16, CoreType::ETH);
      CreateKernelFromString(sender, R"(void kernel_main() {
        const uint32_t address = get_semaphore<ProgrammableCoreType::ACTIVE_ETH>(0);
        eth_send_bytes(address, 0x8000, 16);
        eth_send_bytes(0x8000, 0x8010, 16);
        eth_wait_for_receiver_done();
      })",
                             CoreCoord(0, 0), EthernetConfig{});
      CreateKernelFromString(receiver,
                             "void kernel_main() { eth_wait_for_bytes(32); eth_receiver_done(); }",
                             CoreCoord(0, 2), EthernetConfig{.eth_mode = Eth::RECEIVER});
      std::vector<uint32_t> words = {5, 6, 7, 8};
      detail::WriteToDeviceL1(devices[0], CoreCoord(0, 0), 0x8000, words, CoreType::ETH);
      EnqueueProgram(devices[0]->command_queue(), sender, false);
      EnqueueProgram(devices[1]->command_queue(), receiver, true);
      const uint32_t trace = BeginTraceCapture(devices[0], 0);
      EnqueueProgram(devices[0]->command_queue(), sender, false);
      EndTraceCapture(devices[0], 0, trace);
      ReplayTrace(devices[0], 0, trace, false);
      EnqueueProgram(devices[1]->command_queue(), receiver, false);
      for (const auto& [chip, device] : devices) Finish(device->command_queue());
      detail::ReadFromDeviceL1(devices[1], CoreCoord(0, 2), 0x8000, 32, words, CoreType::ETH);
      EXPECT_EQ(words[0], 16u);
      EXPECT_EQ(words[4], 5u);
    }
    detail::CloseDevices(devices);
  };
  const std::vector<uint8_t> file = captured(program);
  expect_same_replayed(file);
  EXPECT_THAT(lightmetal::testing::names_of(*lightmetal::testing::open_file(file)),
              ::testing::IsSupersetOf({"WriteToEthernetL1", "ReadFromEthernetL1", "LoadTrace"}));
}

TEST(EthernetCaptureTest, AnUnmodifiedProgramOnTwoChipsIsCapturedFromTheEnvironment) {
  const lightmetal::testing::TemporaryFolder folder;
  const std::string path = folder.path("two_chips.lmb");
  lightmetal::testing::ProcessOptions options;
  options.environment["LIGHTMETAL_CAPTURE"] = path;
  options.environment["LIGHTMETAL_CAPTURE_ORIGIN"] = "0";
  const auto child = lightmetal::testing::run_process({LIGHTMETAL_ETHERNET_CHILD}, options);
  EXPECT_EQ(child.exit_code, 0) << child.errors;
  EXPECT_EQ(child.output, "arrived\n");
  const std::string bytes = lightmetal::testing::read_file(path);
  expect_same_replayed({bytes.begin(), bytes.end()});
}

// An older file says nothing of Ethernet cores.
TEST(EthernetCaptureTest, AFileWithoutEthernetCoresReplaysOnADeviceThatHasThem) {
  const std::vector<uint8_t> file = captured([] { CloseDevice(CreateDevice(0)); });
  const auto without = lightmetal::testing::rewritten(
      *lightmetal::testing::open_file(file), [](auto& command, auto&) {
        if (auto* call = command.call.AsCreateDevice()) {
          call->profile->ethernet_cores = 0;
          call->profile->ethernet_l1_size = 0;
          call->profile->ethernet_unreserved_base = 0;
          call->profile->first_ethernet.reset();
        }
      });
  run(without);
  IDevice* device = CreateDevice(0);
  EXPECT_TRUE(LightMetalReplay(LightMetalBinary(without), device).run());
  CloseDevice(device);
}

#endif

}  // namespace
}  // namespace tt::tt_metal
