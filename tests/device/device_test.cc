#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "device/noc.h"
#include "tests/device/device_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kLoopback = R"(
#include <cstdint>
void kernel_main() {
  uint32_t l1 = get_arg_val<uint32_t>(0);
  uint32_t from_bank = get_arg_val<uint32_t>(1), from = get_arg_val<uint32_t>(2);
  uint32_t to_bank = get_arg_val<uint32_t>(3), to = get_arg_val<uint32_t>(4);
  uint32_t size = get_arg_val<uint32_t>(5);
  noc_async_read(get_noc_addr_from_bank_id<true>(from_bank, from), l1, size);
  noc_async_read_barrier();
  noc_async_write(l1, get_noc_addr_from_bank_id<true>(to_bank, to), size);
  noc_async_write_barrier();
}
)";

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CpuDeviceTest, LoopbackCopiesDramThroughL1) {
  auto device = open_cpu();
  std::vector<uint32_t> words(8192);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u;
  ASSERT_TRUE(device->write_dram(3, 4096, bytes_of_words(words)).ok());

  LaunchBuilder launch(*device);
  launch.run_on({2, 5}, launch.kernel("loopback.cpp", kLoopback),
                {kL1, 3, 4096, 11, 1 << 20, static_cast<uint32_t>(words.size() * 4)});
  const absl::Status status = launch.launch();
  ASSERT_TRUE(status.ok()) << status;

  std::vector<uint32_t> result(words.size());
  ASSERT_TRUE(
      device
          ->read_dram(11, 1 << 20, {reinterpret_cast<std::byte*>(result.data()), words.size() * 4})
          .ok());
  EXPECT_EQ(result, words);
  EXPECT_EQ(read_words(*device, {2, 5}, kL1, words.size()), words);
  EXPECT_THAT(read_words(*device, {2, 4}, kL1, 2), ElementsAre(0, 0))
      << "another core's L1 changed";
}

std::vector<std::byte> random_bytes(size_t size, uint32_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::byte& each : bytes)
    each = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  return bytes;
}

std::vector<std::byte> read_bank(Device& device, uint32_t bank, uint64_t address, size_t size) {
  std::vector<std::byte> bytes(size);
  EXPECT_TRUE(device.read_dram(bank, address, absl::MakeSpan(bytes)).ok());
  return bytes;
}

// On the host, the banks lie in stripes between each other. No transfer may show it, wherever it
// begins and ends and however long it is.
TEST(CpuDeviceTest, BanksAreApartInTransfersOfAnyPlaceAndSize) {
  constexpr uint32_t kSize = 9000, kFrom = 1001, kTo = (1 << 20) + 30, kMargin = 5000;
  auto device = open_cpu();
  const uint32_t banks = device->profile().dram_banks;
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("loopback.cpp", kLoopback);
  std::vector<std::vector<std::byte>> contents;
  for (uint32_t bank = 0; bank < banks; ++bank) {
    contents.push_back(random_bytes(kSize, bank + 1));
    ASSERT_TRUE(device->write_dram(bank, kFrom, contents.back()).ok());
    launch.run_on({bank % 8, bank / 8}, kernel,
                  {kL1, bank, kFrom + bank, (bank + 5) % banks, kTo + bank, kSize - 701 * bank});
  }
  const absl::Status status = launch.launch();
  ASSERT_TRUE(status.ok()) << status;

  for (uint32_t bank = 0; bank < banks; ++bank) {
    EXPECT_EQ(read_bank(*device, bank, kFrom, kSize), contents[bank]) << bank;
    std::vector<std::byte> expected(kSize + 2 * kMargin);
    std::copy_n(contents[bank].begin() + bank, kSize - 701 * bank,
                expected.begin() + kMargin + bank);
    EXPECT_EQ(read_bank(*device, (bank + 5) % banks, kTo - kMargin, expected.size()), expected)
        << bank;
  }
}

TEST(CpuDeviceTest, EachCoreSeesItsOwnL1BehindAnAddressFromTheHost) {
  auto device = open_cpu();
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("sum.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      volatile uint32_t* in = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
      uint32_t sum = 0;
      for (uint32_t i = 0; i < 256; ++i) sum += in[i];
      *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(1)) = sum;
    }
  )");
  for (uint32_t y = 0; y < 8; ++y) {
    for (uint32_t x = 0; x < 8; ++x) {
      write_words(*device, {x, y}, kL1, std::vector<uint32_t>(256, 1 + x + 100 * y));
      launch.run_on({x, y}, kernel, {kL1, kL1 + 4096});
    }
  }
  const absl::Status status = launch.launch();
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t y = 0; y < 8; ++y) {
    for (uint32_t x = 0; x < 8; ++x) {
      EXPECT_THAT(read_words(*device, {x, y}, kL1 + 4096, 1), ElementsAre(256 * (1 + x + 100 * y)));
    }
  }
}

TEST(CpuDeviceTest, ArgumentsOfEachLaunchReachTheKernel) {
  auto device = open_cpu();
  LaunchBuilder builder(*device);
  const uint32_t kernel = builder.kernel("args.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
      out[0] = get_arg_val<uint32_t>(1);
      out[1] = get_common_arg_val<uint32_t>(0);
      out[2] = *reinterpret_cast<volatile uint32_t*>(get_arg_addr(1));
      out[3] = *reinterpret_cast<volatile uint32_t*>(get_common_arg_addr(1));
    }
  )",
                                         Processor::kRiscv1);
  builder.run_on({1, 1}, kernel, {kL1, 7}, {8, 9});
  Launch launch = builder.build();
  ASSERT_TRUE(device->launch(launch).ok());
  EXPECT_THAT(read_words(*device, {1, 1}, kL1, 4), ElementsAre(7, 8, 7, 9));
  launch.args = {kL1, 70, 80, 90};
  ASSERT_TRUE(device->launch(launch).ok());
  EXPECT_THAT(read_words(*device, {1, 1}, kL1, 4), ElementsAre(70, 80, 70, 90));
}

TEST(CpuDeviceTest, PagesFlowThroughACircularBufferInOrder) {
  auto device = open_cpu();
  LaunchBuilder launch(*device);
  const uint32_t reader = launch.kernel("reader.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      for (uint32_t i = 0; i < 1000; ++i) {
        cb_reserve_back(2, 1);
        *reinterpret_cast<volatile uint32_t*>(get_write_ptr(2)) = i;
        cb_push_back(2, 1);
      }
    }
  )",
                                        Processor::kRiscv1);
  const uint32_t writer = launch.kernel("writer.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
      for (uint32_t i = 0; i < 1000; ++i) {
        cb_wait_front(2, 1);
        out[i] = *reinterpret_cast<volatile uint32_t*>(get_read_ptr(2));
        cb_pop_front(2, 1);
      }
    }
  )");
  launch.run_on({0, 0}, writer, {kL1 + 4096});
  launch.run_on({0, 0}, reader, {});
  launch.circular_buffer({0, 0}, 2, kL1, 4, 64);
  const absl::Status status = launch.launch();
  ASSERT_TRUE(status.ok()) << status;
  const std::vector<uint32_t> out = read_words(*device, {0, 0}, kL1 + 4096, 1000);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], i);
}

TEST(CpuDeviceTest, MemoryStartsAsZerosAndOutlivesLaunches) {
  auto device = open_cpu();
  EXPECT_THAT(read_words(*device, {7, 7}, device->profile().l1_size - 8, 2), ElementsAre(0, 0));
  write_words(*device, {0, 0}, kL1, {5});
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("empty.cpp", "void kernel_main() {}"), {});
  ASSERT_TRUE(launch.launch().ok());
  EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(5));
}

TEST(CpuDeviceTest, RangesOutsideABankOrCoreAreRefused) {
  auto device = open_cpu();
  const DeviceProfile& profile = device->profile();
  const std::vector<uint32_t> words = {1, 2};
  EXPECT_TRUE(device->write_dram(0, profile.dram_bank_size - 8, bytes_of_words(words)).ok());
  absl::Status status = device->write_dram(0, profile.dram_bank_size - 7, bytes_of_words(words));
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("DRAM bank 0"), HasSubstr("1073741824 bytes")));
  EXPECT_EQ(device->write_dram(12, 0, bytes_of_words(words)).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(device->write_dram(0, ~uint64_t{0}, bytes_of_words(words)).code(),
            absl::StatusCode::kOutOfRange);
  status = device->write_l1({1, 2}, profile.l1_size, bytes_of_words(words));
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("L1 of core (1,2)"));
  EXPECT_EQ(device->write_l1({8, 0}, 0, bytes_of_words(words)).code(),
            absl::StatusCode::kOutOfRange);
}

TEST(CpuDeviceTest, ObjectForAnotherTargetIsRefused) {
  auto device = open_cpu();
  const KernelObject object = compile(*device, "empty.cpp", "void kernel_main() {}");
  KernelObject other = object;
  other.target = "cpu-vax-1";
  const absl::Status status = device->load(other, "empty.cpp").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("empty.cpp"), HasSubstr("cpu-vax-1"), HasSubstr(object.target)));
}

TEST(CpuDeviceTest, BytesThatAreNoObjectAreRefused) {
  auto device = open_cpu();
  const KernelObject object = compile(*device, "empty.cpp", "void kernel_main() {}");
  const KernelObject broken = {object.target, std::vector<std::byte>(1000, std::byte{0x5a})};
  const absl::Status status = device->load(broken, "broken.cpp").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("broken.cpp"));
}

// Loading and unloading in turn reuses file descriptors; each must still give its own code.
TEST(CpuDeviceTest, WhatIsLoadedAfterAnotherWasUnloadedIsItsOwnCode) {
  for (uint32_t value = 1; value <= 4; ++value) {
    auto device = open_cpu();
    LaunchBuilder launch(*device);
    const std::string text =
        "#include <cstdint>\nvoid kernel_main() { *reinterpret_cast<volatile "
        "uint32_t*>(0x20000) = " +
        std::to_string(value % 2) + "; }";
    launch.run_on({0, 0}, launch.kernel("in_turn.cpp", text), {});
    ASSERT_TRUE(launch.launch().ok());
    EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(value % 2));
  }
}

TEST(CpuDeviceTest, EqualObjectsAreLoadedOnceAndDifferentOnesApart) {
  auto device = open_cpu();
  const std::string text = "void kernel_main() {}";
  auto first = load(*device, "a.cpp", text);
  EXPECT_EQ(first, load(*device, "a.cpp", text));
  const std::weak_ptr<LoadedKernel> kept = std::exchange(first, nullptr);
  EXPECT_FALSE(kept.expired()) << "a device keeps what it has loaded";
  const std::string other = R"(
    #include <cstdint>
    void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x20000) = 1; })";
  for (int round = 0; round < 3; ++round) {
    LaunchBuilder launch(*device);
    write_words(*device, {0, 0}, kL1, {0});
    launch.run_on({0, 0}, launch.kernel("b.cpp", round == 1 ? text : other), {});
    ASSERT_TRUE(launch.launch().ok());
    EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(round == 1 ? 0 : 1));
  }
}

TEST(CpuDeviceTest, KernelOfAnotherDeviceIsRefused) {
  auto device = open_cpu();
  auto other = open_cpu();
  LaunchBuilder builder(*other);
  builder.run_on({0, 0}, builder.kernel("empty.cpp", "void kernel_main() {}"), {});
  const Launch launch = builder.build();
  EXPECT_EQ(device->launch(launch).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(other->launch(launch).ok());
}

TEST(CpuDeviceTest, WrongPlansAreRefused) {
  auto device = open_cpu();
  LaunchBuilder builder(*device);
  const uint32_t kernel = builder.kernel("empty.cpp", "void kernel_main() {}");
  const auto code_of = [&](auto change) {
    LaunchBuilder changed = builder;
    change(changed);
    return changed.launch().code();
  };
  EXPECT_EQ(code_of([&](auto& b) { b.run_on({8, 0}, kernel, {}); }), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code_of([&](auto& b) { b.run_on({0, 0}, 9, {}); }), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code_of([&](auto& b) { b.semaphore({0, 0}, 16, 0); }), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code_of([&](auto& b) {
              b.circular_buffer({0, 0}, 0, 1'499'136 - 32, 1, 64);
            }),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code_of([&](auto& b) {
              b.circular_buffer({0, 0}, 0, kL1, 1, 0);
            }),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&](auto& b) {
              b.run_on({0, 0}, kernel, {});
              b.run_on({0, 0}, kernel, {});
            }),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&](auto& b) {
              b.run_on({0, 0}, kernel, std::vector<uint32_t>(342));
            }),
            absl::StatusCode::kInvalidArgument);
  LaunchBuilder short_args = builder;
  short_args.run_on({0, 0}, kernel, {1, 2});
  Launch launch = short_args.build();
  launch.args.pop_back();
  EXPECT_EQ(device->launch(launch).code(), absl::StatusCode::kOutOfRange);
}

// A plan of a kernel with two arguments of its own and two common ones on core (0,0), changed.
struct WrongPlan {
  const char* message;  // a part of it
  void (*change)(LaunchPlan& plan);
};

void add_buffer(LaunchPlan& plan, uint32_t size) {
  plan.cores[0].circular_buffers.push_back(
      {.index = 3, .format = DataFormat::Float16_b, .address = kL1, .size = size, .page_size = 64});
}

void add_remote_buffer(LaunchPlan& plan, uint8_t index, uint32_t config, uint32_t page_size = 64) {
  plan.cores[0].remote_circular_buffers.push_back(
      {.index = index, .config_address = config, .page_size = page_size});
}

void move_to_ethernet(LaunchPlan& plan) {
  plan.cores[0].kind = CoreKind::kEthernet;
  plan.cores[0].kernels.clear();
}

KernelOnCore& arguments_of(LaunchPlan& plan) { return plan.cores[0].kernels[0]; }

const WrongPlan kWrongPlans[] = {
    {"core (0,0) is in the plan twice",
     [](LaunchPlan& plan) { plan.cores.push_back(plan.cores[0]); }},
    {"Ethernet core (0,0) has no processor RISCV_0",
     [](LaunchPlan& plan) { plan.cores[0].kind = CoreKind::kEthernet; }},
    {"Ethernet core (0,0) cannot have circular buffers",
     [](LaunchPlan& plan) { move_to_ethernet(plan), add_remote_buffer(plan, 3, 0x30000); }},
    {"kernel empty.cpp is not loaded on this device",
     [](LaunchPlan& plan) { plan.kernels[0].kernel = nullptr; }},
    {"which the CPU device does not have",
     [](LaunchPlan& plan) { plan.kernels[0].processor = static_cast<Processor>(9); }},
    {"has 343 arguments; at most 341 fit",
     [](LaunchPlan& plan) { arguments_of(plan).common_count = 341; }},
    {"end outside the launch's 4 words",
     [](LaunchPlan& plan) { arguments_of(plan).common_begin = 3; }},
    {"end outside the launch's 4 words",
     [](LaunchPlan& plan) { arguments_of(plan).args_begin = 0xffffffff; }},
    {"circular buffer 3 is there twice",
     [](LaunchPlan& plan) { add_buffer(plan, 64), add_buffer(plan, 64); }},
    {"circular buffer 3 is there twice",
     [](LaunchPlan& plan) { add_buffer(plan, 64), add_remote_buffer(plan, 3, 0x30000); }},
    {"its 100 bytes are not a number of pages", [](LaunchPlan& plan) { add_buffer(plan, 100); }},
    {"its 0 bytes are not a number of pages", [](LaunchPlan& plan) { add_buffer(plan, 0); }},
    {"remote circular buffer 64 does not exist",
     [](LaunchPlan& plan) { add_remote_buffer(plan, 64, 0x30000); }},
    {"its configuration at address 0 with",
     [](LaunchPlan& plan) { add_remote_buffer(plan, 3, 0); }},
    {"its configuration at address 196610 with",
     [](LaunchPlan& plan) { add_remote_buffer(plan, 3, 0x30002); }},
    {"with pages of 0 bytes", [](LaunchPlan& plan) { add_remote_buffer(plan, 3, 0x30000, 0); }},
    {"L1 of core (0,0) holds 1499136 bytes",
     [](LaunchPlan& plan) { add_remote_buffer(plan, 3, 1'499'136 - 4); }},
};

TEST(CpuDeviceTest, AWrongPlanIsRefusedHoweverOftenItIsLaunched) {
  auto device = open_cpu();
  for (const WrongPlan& wrong : kWrongPlans) {
    LaunchBuilder builder(*device);
    builder.run_on({0, 0}, builder.kernel("empty.cpp", "void kernel_main() {}"), {1, 2}, {3, 4});
    Launch launch = builder.build();
    auto plan = std::make_shared<LaunchPlan>(*launch.plan);
    wrong.change(*plan);
    launch.plan = std::move(plan);
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(std::string(device->launch(launch).message()), HasSubstr(wrong.message));
  }
  EXPECT_EQ(device->launch({}), absl::InvalidArgumentError("the launch has no plan"));
  expect_usable(*device);
}

TEST(CpuDeviceTest, AKernelMayHaveAsManyArgumentsAsFit) {
  auto device = open_cpu();
  const uint32_t most = device->profile().max_runtime_args;
  for (const uint32_t common : {0u, 1u, most}) {
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("last.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        auto* args = reinterpret_cast<volatile uint32_t*>(get_arg_addr(0));
        *reinterpret_cast<volatile uint32_t*>(0x20000) = args[)" +
                                                          std::to_string(most - 1) + "]; }");
    std::vector<uint32_t> unique(most - common), shared(common);
    (common == 0 ? unique : shared).back() = 7 + common;
    launch.run_on({1, 1}, kernel, unique, shared);
    const absl::Status status = launch.launch();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_THAT(read_words(*device, {1, 1}, kL1, 1), ElementsAre(7 + common));
  }
}

TEST(CpuDeviceTest, LaunchesFromSeveralThreadsRunOneAfterTheOther) {
  auto device = open_cpu_with_workers(2);
  LaunchBuilder builder(*device);
  const uint32_t kernel = builder.kernel("count.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* word = reinterpret_cast<volatile uint32_t*>(0x20000);
      uint32_t before = *word;
      invalidate_l1_cache();
      *word = before + 1;
    }
  )");
  for (uint32_t x = 0; x < 4; ++x) builder.run_on({x, 0}, kernel, {});
  const Launch launch = builder.build();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) EXPECT_TRUE(device->launch(launch).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint32_t x = 0; x < 4; ++x)
    EXPECT_THAT(read_words(*device, {x, 0}, kL1, 1), ElementsAre(200));
}

TEST(CpuDeviceTest, PrintsReachTheFileFromTheChosenCoresInWholeLines) {
  const std::string path =
      ::testing::TempDir() + "lightmetal_dprint_" + std::to_string(getpid()) + ".txt";
  {
    Environment environment;
    environment.set("TT_METAL_DPRINT_CORES", "(0,0),(1,2)-(2,2)");
    environment.set("TT_METAL_DPRINT_FILE", path);
    auto device = open_cpu();
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("print.cpp", R"(
      #include <cstdint>
      #include "debug/dprint.h"
      void kernel_main() {
        DPRINT << "hello " << get_arg_val<uint32_t>(0) << ENDL();
        DPRINT << "\033[2J\x9b\ttab" << ENDL();
        DPRINT << "rest";
      }
    )",
                                          Processor::kRiscv1);
    for (uint32_t x = 0; x < 3; ++x) launch.run_on({x, 2}, kernel, {x + 40});
    ASSERT_TRUE(launch.launch().ok());
  }
  const std::string text = read_text(path);
  std::remove(path.c_str());
  EXPECT_THAT(
      text, AllOf(HasSubstr("0:(x=1,y=2):NC: hello 41\n"), HasSubstr("0:(x=2,y=2):NC: hello 42\n"),
                  HasSubstr("0:(x=1,y=2):NC: rest\n"),
                  // What a terminal would obey is shown.
                  HasSubstr("0:(x=1,y=2):NC: \\x1b[2J\\x9b\ttab\n")));
  EXPECT_EQ(text.find("x=0"), std::string::npos) << text;
}

const char* const kPrintHere = R"(
  #include "debug/dprint.h"
  void kernel_main() { DPRINT << "here" << ENDL(); })";

// The cores whose kernels print, of the first four of the first four rows.
std::string cores_that_print(const std::string& setting) {
  Environment environment;
  environment.set("TT_METAL_DPRINT_CORES", setting);
  environment.set("TT_METAL_DPRINT_FILE", "");
  ::testing::internal::CaptureStdout();
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("here.cpp", kPrintHere);
  for (uint32_t i = 0; i < 16; ++i) launch.run_on({i % 4, i / 4}, kernel, {});
  EXPECT_EQ(launch.launch(), absl::OkStatus());
  const std::string printed = ::testing::internal::GetCapturedStdout();
  std::string cores;
  for (uint32_t i = 0; i < 16; ++i) {
    const std::string line = absl::StrCat("0:(x=", i % 4, ",y=", i / 4, "):BR: here\n");
    if (absl::StrContains(printed, line)) absl::StrAppend(&cores, i % 4, ",", i / 4, " ");
  }
  return cores;
}

TEST(CpuDeviceTest, PrintsComeFromTheCoresThatTheVariableNames) {
  const char* const all = "0,0 1,0 2,0 3,0 0,1 1,1 2,1 3,1 0,2 1,2 2,2 3,2 0,3 1,3 2,3 3,3 ";
  const std::pair<const char*, const char*> settings[] = {
      {"all", all},
      {"worker", all},
      {"", ""},
      {" 1, 2", "1,2 "},
      {"(3,1)", "3,1 "},
      {"(0,0),(2,3)", "0,0 2,3 "},
      {" (0, 0) , (2,3) - (3, 3)", "0,0 2,3 3,3 "},
      {"(1,1)-(2,2)", "1,1 2,1 1,2 2,2 "},
      {"(3,0)-(3,1),(0,3)-(1,3)", "3,0 3,1 0,3 1,3 "}};
  for (const auto& [setting, cores] : settings) EXPECT_EQ(cores_that_print(setting), cores);
}

TEST(CpuDeviceTest, PrintsNameChipAndProcessorAndComeAfterWhatTheHostHasPrinted) {
  Environment environment;
  environment.set("TT_METAL_DPRINT_CORES", "all");
  environment.set("TT_METAL_DPRINT_FILE", "");
  ::testing::internal::CaptureStdout();
  auto device = open_cpu({.chip_id = 3, .profile = {}});
  std::printf("the host, ");
  for (const Processor processor :
       {Processor::kRiscv0, Processor::kRiscv1, Processor::kCompute, Processor::kEthernet}) {
    LaunchBuilder launch(*device);
    launch.run_on({0, 2}, launch.kernel("here.cpp", kPrintHere, processor), {});
    if (processor == Processor::kEthernet) launch.core({0, 2}).kind = CoreKind::kEthernet;
    EXPECT_EQ(launch.launch(), absl::OkStatus());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "the host, 3:(x=0,y=2):BR: here\n3:(x=0,y=2):NC: here\n"
            "3:(x=0,y=2):TR: here\n3:(x=0,y=2):ER: here\n");
}

constexpr const char* kEndings[] = {"", "ASSERT(false);", "cb_wait_front(3, 1);",
                                    "__builtin_trap();",
                                    "noc_async_read(get_noc_addr(63, 63, 0), 0x20000, 32);"};

absl::Status launch_after_print(Device& device, const std::string& printed,
                                const std::string& ending) {
  LaunchBuilder launch(device);
  launch.run_on({1, 2},
                launch.kernel("print.cpp", "#include \"debug/dprint.h\"\nvoid kernel_main() { " +
                                               printed + " " + ending + " }"),
                {});
  launch.circular_buffer({1, 2}, 3, kL1, 4, 64);
  return launch.launch();
}

// One worker runs all kernels, each on the fiber of the last one.
TEST(CpuDeviceTest, ALineThatAKernelHasBegunIsPrintedWhateverEndsTheKernel) {
  const std::string path =
      ::testing::TempDir() + "lightmetal_endings_" + std::to_string(getpid()) + ".txt";
  std::string expected;
  {
    Environment environment;
    environment.set("TT_METAL_DPRINT_CORES", "all");
    environment.set("TT_METAL_DPRINT_FILE", path);
    auto device = open_cpu_with_workers(1);
    for (const std::string ending : kEndings) {
      for (const char* begun : {R"(DPRINT << "be" << "gun";)", R"(DEVICE_PRINT("be{}", "gun");)"}) {
        EXPECT_EQ(launch_after_print(*device, begun, ending).ok(), ending.empty()) << ending;
        EXPECT_EQ(launch_after_print(*device, R"(DPRINT << "next";)", ""), absl::OkStatus());
        expected += "0:(x=1,y=2):BR: begun\n0:(x=1,y=2):BR: next\n";
      }
    }
  }
  EXPECT_EQ(read_text(path), expected);
  std::remove(path.c_str());
}

TEST(CpuDeviceTest, SettingsThatSayNothingAreErrors) {
  const auto code_with = [](const char* name, const char* value) {
    Environment environment;
    environment.set(name, value);
    return open_device("cpu", {}).status().code();
  };
  for (const char* cores : {"some", "(0,0", "0,0)", "(0,0),(1,1", "((0,0))", "(0,0)-(1,1"}) {
    EXPECT_EQ(code_with("TT_METAL_DPRINT_CORES", cores), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(code_with("LIGHTMETAL_CPU_DEVICE_WORKERS", "none"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code_with("LIGHTMETAL_CPU_DEVICE_WORKERS", "0"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code_with("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "-1"),
            absl::StatusCode::kInvalidArgument);
}

struct NumberSetting {
  const char* name;
  std::vector<const char*> good, bad;
};

TEST(CpuDeviceTest, NumbersOfTheEnvironmentHaveALeastAndAMost) {
  const NumberSetting settings[] = {
      {"LIGHTMETAL_CPU_DEVICE_WORKERS", {"", "1", "1024"}, {"0.9", "1025", "nan", "2 workers"}},
      {"LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS",
       {"", "0.01", "1e6"},
       {"0.009", "1000001", "soon", "inf"}},
      {"LIGHTMETAL_CPU_DEVICE_DEBUG", {"", "0", "1"}, {"2", "-1", "yes"}}};
  for (const auto& [name, good, bad] : settings) {
    Environment environment;
    for (const char* value : good) {
      environment.set(name, value);
      EXPECT_EQ(open_device("cpu", {}).status(), absl::OkStatus()) << name << "=" << value;
    }
    for (const char* value : bad) {
      environment.set(name, value);
      EXPECT_THAT(std::string(open_device("cpu", {}).status().message()),
                  HasSubstr(absl::StrCat(name, "=", value, " is not a number from ")));
    }
  }
}

TEST(CpuDeviceTest, AScheduleOfTheOptionsGoesBeforeThatOfTheEnvironment) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", "races");  // refused with random schedules alone
  const auto is_random = [&](const char* variable, const std::optional<Schedule>& option) {
    environment.set("LIGHTMETAL_CPU_DEVICE_SCHEDULE", variable);
    return !open_device("cpu", {.chip_id = 0, .profile = {}, .schedule = option}).ok();
  };
  const Schedule any, fixed{.kind = Schedule::Kind::Fixed}, random{.kind = Schedule::Kind::Random};
  EXPECT_TRUE(is_random("random:1", std::nullopt));
  EXPECT_FALSE(is_random("random:1", any));
  EXPECT_FALSE(is_random("random:1", fixed));
  EXPECT_FALSE(is_random("fixed", std::nullopt));
  EXPECT_TRUE(is_random("fixed", random));
  EXPECT_TRUE(is_random("", random));
}

TEST(CpuDeviceTest, ProfileThatDoesNotFitIsRefused) {
  DeviceOptions options;
  options.profile.grid = {60, 60};
  EXPECT_EQ(open_device("cpu", options).status().code(), absl::StatusCode::kInvalidArgument);
  options.profile = {};
  options.profile.l1_size = 1000;
  EXPECT_EQ(open_device("cpu", options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DeviceTest, UnknownNameIsAnErrorThatListsTheKnownOnes) {
  const absl::Status status = open_device("tpu", {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("tpu"), HasSubstr("cpu, null")));
}

TEST(DeviceTest, RegisteredFactoryOpens) {
  register_device("mine",
                  [](const DeviceOptions& options) { return open_device("null", options); });
  EXPECT_TRUE(open_device("mine", {}).ok());
}

TEST(NullDeviceTest, WritesVanishAndReadsGiveZeros) {
  auto device = *open_device("null", {});
  write_words(*device, {1, 1}, kL1, {5});
  EXPECT_THAT(read_words(*device, {1, 1}, kL1, 1), ElementsAre(0));
  uint32_t word = 7;
  EXPECT_TRUE(device->write_dram(0, 64, bytes_of(&word, 4)).ok());
  EXPECT_TRUE(device->read_dram(0, 64, {reinterpret_cast<std::byte*>(&word), 4}).ok());
  EXPECT_EQ(word, 0);
  EXPECT_EQ(device->write_dram(12, 0, bytes_of(&word, 4)).code(), absl::StatusCode::kOutOfRange);
}

TEST(NullDeviceTest, LaunchesAreOkAndForeignObjectsAreNot) {
  auto device = *open_device("null", {});
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("never_compiled.cpp", "not C++"), {});
  EXPECT_TRUE(launch.launch().ok());
  EXPECT_EQ(device->load({.target = "cpu-x86_64-1", .bytes = {}}, "other.cpp").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(NocTest, CoordinatesOfWorkersAndBanksNeverMeet) {
  DeviceProfile profile;
  profile.first_worker = {0, 0};
  profile.dram_cores.clear();
  for (const DeviceProfile& each : {DeviceProfile{}, profile}) {
    std::vector<Core> seen;
    for (uint32_t bank = 0; bank < num_l1_banks(each); ++bank) {
      seen.push_back(noc_coordinate_of_worker(each, core_of_l1_bank(each, bank)));
    }
    for (uint32_t bank = 0; bank < each.dram_banks; ++bank) {
      seen.push_back(noc_coordinate_of_dram_bank(each, bank));
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  }
}

TEST(NocTest, AddressesComeApartAsTheyWereMade) {
  const NocTarget target = noc_target(noc_multicast_address({18, 19}, {25, 63}, 0xfedcba987));
  EXPECT_EQ(target.start, (Core{18, 19}));
  EXPECT_EQ(target.noc, (Core{25, 63}));
  EXPECT_EQ(target.local, 0xfedcba987u);
}

}  // namespace
}  // namespace lightmetal::device::testing
