// The architectures of devices: Wormhole, and Blackhole where the environment asks for it. What a
// program captures on one replays on it, whatever the environment of the replay says.
#include "base/device_profile.h"

#include <functional>
#include <string>
#include <tt-metalium/circular_buffer_constants.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/tt_cluster.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/cpu_profile.h"
#include "device/registry/registry.h"
#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using lightmetal::DeviceProfile;
using lightmetal::testing::commands_of;
using lightmetal::testing::open_file;
using testing::expect_refused;
using testing::expect_replays_alike;
using ::testing::HasSubstr;

constexpr char kVariable[] = "LIGHTMETAL_DEVICE_PROFILE";
constexpr uint32_t kPageBytes = 64;
constexpr uint32_t kPages = 16;  // two in each DRAM bank of Blackhole

class DeviceProfiles : public ::testing::Test {
 protected:
  DeviceProfiles() { unsetenv("LIGHTMETAL_DEVICE"); }
  ~DeviceProfiles() override { unsetenv(kVariable); }

  static void ask_for(const char* name) { setenv(kVariable, name, 1); }
};

// Moves pages through a circular buffer and adds to each word what the kernels know of the
// architecture.
constexpr char kReading[] = R"(
  const InterleavedAddrGen<true> in = {get_arg_val<uint32_t>(0), 64};
  for (uint32_t page = 0; page < 16; ++page) {
    cb_reserve_back(CB, 1);
    noc_async_read(get_noc_addr(page, in), get_write_ptr(CB), 64);
    noc_async_read_barrier();
    cb_push_back(CB, 1);
  })";
constexpr char kWriting[] = R"(
#ifdef ARCH_BLACKHOLE
  constexpr uint32_t architecture = 0x20000000;
#else
  constexpr uint32_t architecture = 0x10000000;
#endif
  constexpr uint32_t known =
      architecture + NUM_CIRCULAR_BUFFERS * 0x10000 + NOC_MAX_BURST_SIZE + DRAM_ALIGNMENT;
  const InterleavedAddrGen<true> out = {get_arg_val<uint32_t>(0), 64};
  for (uint32_t page = 0; page < 16; ++page) {
    cb_wait_front(CB, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(CB));
    for (uint32_t i = 0; i < 16; ++i) words[i] += known;
    noc_async_write(get_read_ptr(CB), get_noc_addr(page, out), 64);
    noc_async_write_barrier();
    cb_pop_front(CB, 1);
  })";

CircularBufferConfig config_of(uint8_t index) {
  return CircularBufferConfig(2 * kPageBytes, {{index, tt::DataFormat::UInt32}})
      .set_page_size(index, kPageBytes);
}

Program moving_program(const CoreCoord& core, uint8_t index, const Buffer& in, const Buffer& out) {
  Program program;
  CreateCircularBuffer(program, core, config_of(index));
  const std::string cb = "constexpr uint32_t CB = " + std::to_string(index) + ";\n";
  const KernelHandle reader =
      testing::add_data_movement(program, cb + kReading, core, {}, DataMovementProcessor::RISCV_1);
  const KernelHandle writer = testing::add_data_movement(program, cb + kWriting, core);
  SetRuntimeArgs(program, reader, core, {in.address()});
  SetRuntimeArgs(program, writer, core, {out.address()});
  return program;
}

std::vector<uint32_t> numbered(uint32_t more) {
  std::vector<uint32_t> words(kPages * kPageBytes / 4);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i + more;
  return words;
}

// On the last core of the grid. `known` is what the kernels are to know.
void run_moving_program(uint8_t index, uint32_t known) {
  IDevice* device = CreateDevice(0);
  {
    const InterleavedBufferConfig config = {
        .device = device, .size = kPages * kPageBytes, .page_size = kPageBytes};
    const auto in = CreateBuffer(config), out = CreateBuffer(config);
    CommandQueue& queue = device->command_queue();
    EnqueueWriteBuffer(queue, in, numbered(0), false);
    const CoreCoord grid = device->compute_with_storage_grid_size();
    Program program = moving_program({grid.x - 1, grid.y - 1}, index, *in, *out);
    EnqueueProgram(queue, program, false);
    std::vector<uint32_t> words;
    EnqueueReadBuffer(queue, out, words, true);
    EXPECT_EQ(words, numbered(known));
  }
  CloseDevice(device);
}

void run_on_blackhole() { run_moving_program(63, 0x20000000 + 64 * 0x10000 + 16384 + 64); }
void run_on_wormhole() { run_moving_program(31, 0x10000000 + 32 * 0x10000 + 8192 + 32); }

std::vector<uint8_t> captured(void (*program)()) {
  LightMetalBeginCapture({.read_goldens = true});
  program();
  return LightMetalEndCapture().get_data();
}

void expect_replays(const std::vector<uint8_t>& file) {
  auto replay = lightmetal::Replay::load_bytes(file, {});
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->goldens_checked, 0u);
  EXPECT_TRUE(result->matches());
}

TEST_F(DeviceProfiles, BlackholeHasTheNumbersOfItsDescription) {
  const DeviceProfile profile = lightmetal::profile_named("blackhole").value();
  EXPECT_EQ(profile.arch, "blackhole");
  EXPECT_EQ(profile.grid, (lightmetal::Core{13, 10}));
  EXPECT_EQ(profile.l1_size, 1536u * 1024);
  EXPECT_EQ(profile.l1_alignment, 16u);
  EXPECT_EQ(profile.dram_banks, 8u);
  EXPECT_EQ(profile.dram_bank_size, 4080u * 1024 * 1024);
  EXPECT_EQ(profile.dram_alignment, 64u);
  EXPECT_EQ(profile.num_circular_buffers, 64u);
  EXPECT_EQ(profile.dram_cores.size(), 8u);
  EXPECT_EQ(profile.dram_cores[0], (lightmetal::Core{0, 11}));
  EXPECT_EQ(profile.dram_cores[7], (lightmetal::Core{9, 6}));
  EXPECT_EQ(lightmetal::check_cpu_profile(profile), absl::OkStatus());
}

TEST_F(DeviceProfiles, WormholeIsTheProfileWithoutAName) {
  EXPECT_EQ(lightmetal::profile_named("wormhole_b0"), DeviceProfile());
  EXPECT_EQ(lightmetal::profile_named("loom"), std::nullopt);
  EXPECT_EQ(hal::get_arch(), ARCH::WORMHOLE_B0);
  ask_for("");
  EXPECT_EQ(hal::get_arch(), ARCH::WORMHOLE_B0);
  ask_for("wormhole_b0");
  EXPECT_EQ(hal::get_num_dataflow_buffers(), 32u);
}

// A profile of one worker, whose numbers can be changed one at a time.
DeviceProfile small_profile() {
  DeviceProfile profile;
  profile.grid = {1, 1};
  profile.dram_banks = 1;
  profile.dram_cores.clear();
  profile.l1_unreserved_base = lightmetal::cpu_limits::kL1OfDevice;
  profile.ethernet_cores = 1;
  return profile;
}

struct Limits {
  std::string field;
  std::function<void(DeviceProfile&, uint64_t)> set;
  uint64_t least, most;
};

std::vector<Limits> limits_of_numbers() {
  using Profile = DeviceProfile;
  return {
      {"first_worker.x", [](Profile& p, uint64_t n) { p.first_worker.x = n; }, 0, 63},
      {"first_worker.y", [](Profile& p, uint64_t n) { p.first_worker.y = n; }, 0, 62},
      {"grid.x", [](Profile& p, uint64_t n) { p.grid.x = n; }, 1, 64 - 18},
      {"grid.y", [](Profile& p, uint64_t n) { p.grid.y = n; }, 1, 64 - 18},
      {"grid.y",
       [](Profile& p, uint64_t n) { p.first_worker.y = p.ethernet_cores = 0, p.grid.y = n; }, 1,
       63},
      {"dram_banks", [](Profile& p, uint64_t n) { p.dram_banks = n; }, 1, 64},
      {"dram_bank_size", [](Profile& p, uint64_t n) { p.dram_bank_size = n; }, 1, 1ull << 36},
      {"l1_size", [](Profile& p, uint64_t n) { p.l1_size = n; }, 0x5800, 2ull << 30},
      {"l1_unreserved_base", [](Profile& p, uint64_t n) { p.l1_unreserved_base = n; }, 0x5800,
       1499136},
      {"num_circular_buffers", [](Profile& p, uint64_t n) { p.num_circular_buffers = n; }, 0, 32},
      {"num_semaphores", [](Profile& p, uint64_t n) { p.num_semaphores = n; }, 0, 256},
      {"max_runtime_args", [](Profile& p, uint64_t n) { p.max_runtime_args = n; }, 0, 512},
      {"first_ethernet.x", [](Profile& p, uint64_t n) { p.first_ethernet.x = n; }, 0, 63},
      {"first_ethernet.y", [](Profile& p, uint64_t n) { p.first_ethernet.y = n; }, 0, 63},
      {"ethernet_cores", [](Profile& p, uint64_t n) { p.ethernet_cores = n; }, 0, 64 - 18},
      {"ethernet_l1_size", [](Profile& p, uint64_t n) { p.ethernet_l1_size = n; }, 0x40000,
       0x40000},
      {"ethernet_unreserved_base", [](Profile& p, uint64_t n) { p.ethernet_unreserved_base = n; },
       0x8000, 0x8000},
  };
}

TEST_F(DeviceProfiles, EachNumberHasItsLimitsOnTheCpuDevice) {
  for (const Limits& each : limits_of_numbers()) {
    const auto refusal_of = [&](uint64_t number) {
      DeviceProfile profile = small_profile();
      each.set(profile, number);
      return std::string(lightmetal::check_cpu_profile(profile).message());
    };
    EXPECT_EQ(refusal_of(each.least), "") << each.field;
    EXPECT_EQ(refusal_of(each.most), "") << each.field;
    for (const uint64_t number : {each.least - 1, each.most + 1}) {
      if (number == UINT64_MAX) continue;
      EXPECT_THAT(refusal_of(number),
                  HasSubstr(absl::StrCat("the device profile's ", each.field, " is ", number,
                                         "; the CPU device takes ")));
    }
  }
}

TEST_F(DeviceProfiles, EthernetCoresAreWhereNothingElseIs) {
  const auto refusal_of = [](lightmetal::Core first, uint32_t count) {
    DeviceProfile profile;
    profile.dram_cores.clear();
    profile.first_ethernet = first;
    profile.ethernet_cores = count;
    return std::string(lightmetal::check_cpu_profile(profile).message());
  };
  EXPECT_EQ(refusal_of({12, 0}, 8), "");
  EXPECT_EQ(refusal_of({10, 25}, 8), "");
  EXPECT_EQ(refusal_of({26, 25}, 8), "");
  EXPECT_EQ(refusal_of({18, 26}, 8), "");
  EXPECT_EQ(refusal_of({18, 18}, 0), "");
  EXPECT_EQ(refusal_of({11, 0}, 8),
            "the device profile's first_ethernet (11, 0) puts Ethernet "
            "cores where workers or DRAM banks are");
  EXPECT_THAT(refusal_of({25, 25}, 1), HasSubstr("puts Ethernet cores where"));
  EXPECT_THAT(refusal_of({11, 18}, 8), HasSubstr("puts Ethernet cores where"));
}

TEST_F(DeviceProfiles, OnlyBlackholeHasMoreThan32CircularBuffers) {
  DeviceProfile profile = lightmetal::blackhole_profile();
  profile.num_circular_buffers = 65;
  EXPECT_THAT(lightmetal::check_cpu_profile(profile).message(),
              HasSubstr("num_circular_buffers is 65; the CPU device takes 0 to 64"));
  profile = DeviceProfile();
  profile.num_circular_buffers = 33;
  EXPECT_THAT(lightmetal::check_cpu_profile(profile).message(),
              HasSubstr("num_circular_buffers is 33; the CPU device takes 0 to 32"));
}

TEST_F(DeviceProfiles, WhatIsAskedBeforeADeviceIsOpenFollowsTheEnvironment) {
  ask_for("blackhole");
  EXPECT_EQ(hal::get_arch(), ARCH::BLACKHOLE);
  EXPECT_EQ(hal::get_arch_name(), "blackhole");
  EXPECT_EQ(hal::get_l1_size(), 1'572'864u);
  EXPECT_EQ(hal::get_dram_alignment(), 64u);
  EXPECT_EQ(hal::get_l1_alignment(), 16u);
  EXPECT_EQ(hal::get_num_dataflow_buffers(), 64u);
  EXPECT_EQ(hal::get_arch_num_circular_buffers(), 64u);
  EXPECT_EQ(tt::Cluster::instance().arch(), ARCH::BLACKHOLE);
  EXPECT_EQ(tt::Cluster::instance().get_board_type(0), BoardType::P150);
}

TEST_F(DeviceProfiles, ANameThatIsNotKnownIsRefused) {
  ask_for("grayskull");
  const char* expected =
      R"(LIGHTMETAL_DEVICE_PROFILE is "grayskull": "wormhole_b0" or "blackhole" is expected)";
  expect_refused([] { CreateDevice(0); }, expected);
  expect_refused([] { hal::get_arch(); }, expected);
}

TEST_F(DeviceProfiles, ADeviceSaysWhatItIs) {
  ask_for("blackhole");
  IDevice* device = CreateDevice(0);
  EXPECT_EQ(device->arch(), ARCH::BLACKHOLE);
  EXPECT_EQ(device->compute_with_storage_grid_size(), CoreCoord(13, 10));
  EXPECT_EQ(device->num_dram_channels(), 8);
  EXPECT_EQ(device->l1_size_per_core(), 1'572'864u);
  EXPECT_EQ(device->dram_size_per_channel(), 4'278'190'080u);
  EXPECT_EQ(device->dram_grid_size(), CoreCoord(8, 1));
  EXPECT_EQ(device->allocator()->get_alignment(BufferType::DRAM), 64u);
  CloseDevice(device);
}

TEST_F(DeviceProfiles, CircularBuffer63OfBlackholeWorksAndReplays) {
  ask_for("blackhole");
  expect_replays_alike(run_on_blackhole);
}

TEST_F(DeviceProfiles, AFileReplaysOnTheArchitectureThatItWasCapturedOn) {
  ask_for("blackhole");
  const std::vector<uint8_t> blackhole = captured(run_on_blackhole);
  ask_for("wormhole_b0");
  const std::vector<uint8_t> wormhole = captured(run_on_wormhole);
  expect_replays(blackhole);
  ask_for("blackhole");
  expect_replays(wormhole);
  EXPECT_EQ(lightmetal::schema::verify(*open_file(blackhole)), absl::OkStatus());
  EXPECT_EQ(commands_of(*open_file(blackhole))[0].call.AsCreateDevice()->profile->arch,
            "blackhole");
}

TEST_F(DeviceProfiles, WormholeRefusesAProgramWithACircularBufferThatItDoesNotHave) {
  IDevice* device = CreateDevice(0);
  Program program;
  CreateCircularBuffer(program, CoreCoord(0, 0), config_of(40));
  testing::add_data_movement(program, "", CoreCoord(0, 0));
  expect_refused([&] { EnqueueProgram(device->command_queue(), program, true); },
                 "Buffer index (40) exceeds max number of circular buffers per core (32)");
  CloseDevice(device);
}

TEST_F(DeviceProfiles, NoArchitectureHasCircularBuffer64) {
  ask_for("blackhole");
  expect_refused([] { config_of(64); },
                 "Buffer index (64) exceeds max number of circular buffers per core (64)");
}

// The file's device becomes Wormhole, and the program stays as it was.
TEST_F(DeviceProfiles, AFileThatUsesWhatItsDeviceLacksIsRefused) {
  ask_for("blackhole");
  const std::vector<uint8_t> file = captured(run_on_blackhole);
  const auto changed = lightmetal::testing::rewritten(
      *open_file(file), [](lightmetal::schema::CommandT& command, auto&) {
        if (auto* created = command.call.AsCreateDevice()) {
          created->profile->arch = "wormhole_b0";
          created->profile->num_circular_buffers = 32;
        }
      });
  EXPECT_THAT(lightmetal::schema::verify(*open_file(changed)).message(),
              HasSubstr("Buffer index (63) exceeds max number of circular buffers per core (32)"));
}

TEST_F(DeviceProfiles, AKernelOfOneArchitectureIsNotLoadedOnTheOther) {
  using namespace lightmetal::device;
  const auto wormhole = open_device("cpu", {.profile = DeviceProfile()});
  const auto blackhole = open_device("cpu", {.profile = lightmetal::blackhole_profile()});
  ASSERT_TRUE(wormhole.ok() && blackhole.ok());
  KernelSource source;
  source.name = "kernel.cpp";
  source.text = "void kernel_main() {}";
  const auto object = (*blackhole)->compile(source);
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_THAT(object->target, HasSubstr("cpu-blackhole-"));
  EXPECT_NE(object->bytes, (*wormhole)->compile(source)->bytes);
  EXPECT_EQ((*blackhole)->load(*object, "kernel.cpp").status(), absl::OkStatus());
  const absl::Status status = (*wormhole)->load(*object, "kernel.cpp").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              HasSubstr("kernel kernel.cpp was compiled for target \"cpu-blackhole-"));
}

}  // namespace
}  // namespace tt::tt_metal
