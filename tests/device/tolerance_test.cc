// What hardware lets pass passes on the CPU device, with one line of warning for each kind and
// place; the check of its name makes it an error.
#include <algorithm>
#include <functional>

#include "absl/strings/str_replace.h"
#include "base/data_format.h"
#include "tests/device/diagnosis_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Core kOther{3, 4};

// What `run` writes to the standard error.
std::string warnings_of(const std::function<void()>& run) {
  ::testing::internal::CaptureStderr();
  run();
  return ::testing::internal::GetCapturedStderr();
}

size_t count_lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// By default the kernel runs to its end after one warning that says `what`, and where; with the
// check the launch fails and says the same.
void expect_tolerated(const std::string& text, const std::string& what, int line,
                      const std::string& check, Processor processor = Processor::kRiscv0) {
  const auto lenient = open_checking("");
  const std::string warnings =
      warnings_of([&] { expect_ok(run_kernel(*lenient, text, processor)); });
  EXPECT_THAT(
      warnings,
      AllOf(::testing::StartsWith("warning: core (1,2) "), HasSubstr(" kernel buggy.cpp: " + what),
            HasSubstr("LIGHTMETAL_CPU_DEVICE_CHECKS=" + check + " it is an error"),
            ::testing::EndsWith(" (at buggy.cpp:" + std::to_string(line) + ")\n")));
  EXPECT_EQ(count_lines(warnings), 1u) << warnings;
  const auto strict = open_checking(check);
  expect_report(*strict, text, what, line, processor);
}

TEST(CpuToleranceTest, PoppingMorePagesThanThereArePasses) {
  expect_tolerated(R"(
void kernel_main() {
  cb_reserve_back(3, 1);
  cb_push_back(3, 1);
  cb_wait_front(3, 1);
  cb_pop_front(3, 2);
})",
                   "circular buffer 3: pops 2 pages, but there are only 1", 7, "circular_buffers");
}

// They may come from a file.
TEST(CpuToleranceTest, WhatAKernelIsCalledIsNothingThatATerminalObeys) {
  const auto device = open_checking("");
  LaunchBuilder launch(*device);
  const uint32_t kernel =
      launch.kernel("a\x1b[31m\nb.cpp", "void kernel_main() { cb_pop_front(9, 1); }");
  launch.run_on({1, 2}, kernel, {});
  const std::string warning = warnings_of([&] { expect_ok(launch.launch()); });
  EXPECT_THAT(warning, HasSubstr("kernel a\\x1b[31m\\nb.cpp: circular buffer 9"));
  EXPECT_EQ(count_lines(warning), 1u) << warning;
}

TEST(CpuToleranceTest, PushingMorePagesThanAreFreePasses) {
  expect_tolerated(R"(
void kernel_main() {
  cb_reserve_back(3, 4);
  cb_push_back(3, 4);
  cb_push_back(3, 4);
})",
                   "circular buffer 3: pushes 4 pages, but free are only 0", 6, "circular_buffers");
}

TEST(CpuToleranceTest, PagesOfAMissingCircularBufferArePoppedAndPushed) {
  expect_tolerated(R"(
void kernel_main() {
  cb_pop_front(9, 1);
})",
                   "circular buffer 9: pops pages, but this core has no such circular buffer", 4,
                   "circular_buffers");
  expect_tolerated(R"(
void kernel_main() {
  cb_push_back(9, 1);
})",
                   "circular buffer 9: pushes pages, but this core has no such circular buffer", 4,
                   "circular_buffers");
}

// A wait for what was popped too much ends at once, as on hardware, where the difference of the
// counters has no sign; what is pushed later makes up for it.
TEST(CpuToleranceTest, CountersGoOnAsOnHardware) {
  const auto device = open_checking("");
  warnings_of([&] {
    expect_ok(run_kernel(*device, R"(
void kernel_main() {
  auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
  cb_pop_front(3, 3);
  words[0] = get_read_ptr(3);
  cb_wait_front(3, 4);
  words[1] = cb_pages_available_at_front(3, 4);
  cb_pop_front(3, 2);
  words[2] = get_read_ptr(3);
  cb_reserve_back(3, 4);
  cb_push_back(3, 4);
  cb_push_back(3, 4);
  words[3] = cb_pages_available_at_front(3, 3);
  words[4] = cb_pages_reservable_at_back(3, 1);
})"));
  });
  EXPECT_THAT(read_words(*device, kWhere, kScratch, 5),
              ElementsAre(kL1 + 3 * 64, 1, kL1 + 64, 1, 1));
}

TEST(CpuToleranceTest, EachPlaceWarnsOnceHoweverOftenAndWhereverItRuns) {
  const auto device = open_checking("");
  const std::string warnings = warnings_of([&] {
    for (int i = 0; i < 3; ++i) {
      LaunchBuilder launch(*device);
      const uint32_t kernel = launch.kernel("twice.cpp", R"(#include <cstdint>
void kernel_main() {
  for (int i = 0; i < 5; ++i) cb_pop_front(3, 1);
  cb_pop_front(9, 1);
  cb_push_back(3, 4); cb_push_back(3, 4); cb_push_back(3, 4); cb_pop_front(3, 1);
})");
      for (const Core core : {kWhere, kOther}) {
        launch.run_on(core, kernel, {});
        launch.circular_buffer(core, 3, kL1, 4, 64);
      }
      expect_ok(launch.launch());
    }
  });
  EXPECT_EQ(count_lines(warnings), 3u) << warnings;
  EXPECT_THAT(warnings, AllOf(HasSubstr("(at twice.cpp:3)"), HasSubstr("(at twice.cpp:4)"),
                              HasSubstr("(at twice.cpp:5)")));
}

// Its pages are there without a push: what a sharded operand is used for.
TEST(CpuToleranceTest, PagesOfAGloballyAllocatedBufferArePoppedWithoutAWord) {
  for (const char* checks : {"", "circular_buffers"}) {
    const auto device = open_checking(checks);
    LaunchBuilder launch(*device);
    launch.run_on(kWhere,
                  launch.kernel("in_place.cpp", "void kernel_main() { cb_pop_front(3, 4); }"), {});
    launch.circular_buffer(kWhere, 3, kL1, 4, 64);
    launch.core(kWhere).circular_buffers[0].globally_allocated = true;
    absl::Status status;
    EXPECT_THAT(warnings_of([&] { status = launch.launch(); }), IsEmpty());
    EXPECT_EQ(status.ok(), *checks == '\0') << status;
  }
}

TEST(CpuToleranceTest, ABufferIsGloballyAllocatedForItsOwnLaunchOnly) {
  const auto device = open_checking("");
  LaunchBuilder launch(*device);
  launch.run_on(kWhere, launch.kernel("pops.cpp", "void kernel_main() { cb_pop_front(3, 4); }"),
                {});
  launch.circular_buffer(kWhere, 3, kL1, 4, 64);
  for (const bool globally_allocated : {true, false}) {
    launch.core(kWhere).circular_buffers[0].globally_allocated = globally_allocated;
    EXPECT_EQ(count_lines(warnings_of([&] { expect_ok(launch.launch()); })),
              globally_allocated ? 0u : 1u);
  }
}

TEST(CpuToleranceTest, PagesNeedNotBeMultiplesOfFourBytes) {
  const auto run = [](const char* checks) {
    const auto device = open_checking(checks);
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("bytes.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        for (uint8_t i = 0; i < 6; ++i) {
          cb_reserve_back(3, 1);
          *reinterpret_cast<volatile uint8_t*>(get_write_ptr(3) + 17) = i + 1;
          cb_push_back(3, 1);
          cb_wait_front(3, 1);
          *reinterpret_cast<volatile uint8_t*>(0x30000 + i) = *reinterpret_cast<volatile uint8_t*>(get_read_ptr(3) + 17);
          cb_pop_front(3, 1);
        }
      })");
    for (const Core core : {kWhere, kOther}) {
      launch.run_on(core, kernel, {});
      launch.circular_buffer(core, 3, kL1, 4, 18);
    }
    const absl::Status status = launch.launch();
    if (status.ok()) {
      EXPECT_THAT(read_words(*device, kWhere, kScratch, 2), ElementsAre(0x04030201, 0x0605));
    }
    return status;
  };
  absl::Status status;
  const std::string warnings = warnings_of([&] { status = run(""); });
  expect_ok(status);
  EXPECT_THAT(warnings, HasSubstr("circular buffer 3: its pages of 18 bytes are no multiple of 4"));
  EXPECT_EQ(count_lines(warnings), 1u) << warnings;
  EXPECT_THAT(
      std::string(run("circular_buffers").message()),
      HasSubstr("core (1,2): circular buffer 3: its pages of 18 bytes are no multiple of 4"));
}

constexpr char kCopyTile[] = R"(
#include "compute_kernel_api/tile_move_copy.h"
void kernel_main() {
  acquire_dst();
  copy_tile(3, 0, 0);
  cb_reserve_back(4, 1);
  pack_tile(0, 4);
  cb_push_back(4, 1);
  release_dst();
})";

// A course's first program has pages of a few numbers; the hardware moves a whole tile from the
// page's address.
TEST(CpuToleranceTest, TilesMayBeLargerThanTheirCircularBuffer) {
  const auto run = [](const char* checks, uint32_t address) {
    const auto device = open_checking(checks);
    std::vector<uint32_t> words(512);
    for (uint32_t i = 0; i < 512; ++i) words[i] = 0x3f803f80 + i * 2;
    write_words(*device, kWhere, kL1, words);
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel(
        "small.cpp", std::string("#include <cstdint>") + kCopyTile, Processor::kCompute);
    launch.run_on(kWhere, kernel, {});
    launch.circular_buffer(kWhere, 3, kL1, 2, 64);
    launch.circular_buffer(kWhere, 4, address, 2, 64);
    const absl::Status status = launch.launch();
    if (status.ok()) {
      EXPECT_EQ(read_words(*device, kWhere, address, 512), words);
    }
    return status;
  };
  absl::Status status;
  const std::string warnings = warnings_of([&] { status = run("", 0x40000); });
  expect_ok(status);
  EXPECT_EQ(count_lines(warnings), 2u) << warnings;
  EXPECT_THAT(warnings, AllOf(HasSubstr("circular buffer 3: tile 0 lies past its end: of its 2048 "
                                        "bytes at L1 0x20000 the last 1920 are beyond the buffer"),
                              HasSubstr("circular buffer 4: tile 0 lies past its end"),
                              HasSubstr("CHECKS=tiles it is an error (at small.cpp:5)")));
  EXPECT_THAT(std::string(run("tiles", 0x40000).message()),
              AllOf(HasSubstr("core (1,2) COMPUTE kernel small.cpp: circular buffer 3: tile 0 lies "
                              "past its end"),
                    HasSubstr("(at small.cpp:5)")));
  constexpr uint32_t kEndOfL1 = 1'499'136;
  const std::string of_input = warnings_of([&] { status = run("", kEndOfL1 - 128); });
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("circular buffer 4: tile 0 lies past its end, and past the end of L1"));
}

// Wormhole's matrix unit computes with integers of 8 bits.
TEST(CpuToleranceTest, IntegersOfMoreThanEightBitsAreAdded) {
  const auto run = [](const char* checks, DataFormat format) {
    const auto device = open_checking(checks);
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("sum.cpp", R"(#include <cstdint>
#include "compute_kernel_api/eltwise_binary.h"
void kernel_main() {
  acquire_dst();
  add_tiles(3, 3, 0, 0, 0);
  cb_reserve_back(4, 1);
  pack_tile(0, 4);
  release_dst();
})",
                                          Processor::kCompute);
    write_words(*device, kWhere, kL1, {5, 7});
    launch.run_on(kWhere, kernel, {});
    launch.circular_buffer(kWhere, 3, kL1, 1, tile_bytes(format));
    launch.circular_buffer(kWhere, 4, 0x40000, 1, 4096);
    launch.core(kWhere).circular_buffers[0].format = format;
    launch.core(kWhere).circular_buffers[1].format = DataFormat::Int32;
    const absl::Status status = launch.launch();
    if (status.ok()) {
      EXPECT_EQ(read_words(*device, kWhere, 0x40000, 1)[0], 10u);
    }
    return status;
  };
  absl::Status status;
  const std::string warnings = warnings_of([&] { status = run("", DataFormat::UInt32); });
  expect_ok(status);
  EXPECT_EQ(count_lines(warnings), 1u) << warnings;
  EXPECT_THAT(warnings, AllOf(HasSubstr("circular buffer 3: the matrix unit computes with integers "
                                        "of 8 bits, not with data format 24"),
                              HasSubstr("CHECKS=integers it is an error (at sum.cpp:5)")));
  EXPECT_THAT(std::string(run("integers", DataFormat::UInt32).message()),
              HasSubstr("circular buffer 3: the matrix unit computes with integers of 8 bits"));
  EXPECT_THAT(warnings_of([&] { expect_ok(run("integers", DataFormat::Int8)); }), IsEmpty());
}

TEST(CpuToleranceTest, WritesToReservedL1Pass) {
  expect_tolerated(
      R"(
void kernel_main() {
  uint64_t core = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0);
  noc_async_write(0x20000, core + 0x18fe0, 64);
  noc_async_write_barrier();
})",
      "NoC transfer: writes 64 bytes at 0x18fe0 in L1 of core (0,0), where programs may "
      "use what lies from 0x19000 on",
      5, "reserved");
  expect_tolerated(R"(
void kernel_main() {
  noc_async_read(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000), 0x100, 64);
  noc_async_read_barrier();
})",
                   "NoC transfer: writes 64 bytes at 0x100 in L1 of core (1,2)", 4, "reserved");
  expect_tolerated(R"(
void kernel_main() {
  noc_inline_dw_write(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x3100), 5);
  noc_async_write_barrier();
})",
                   "NoC transfer: writes 4 bytes at 0x3100 in L1 of core (0,0)", 4, "reserved");
  expect_tolerated(R"(
void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_write_multicast(0x20000, get_noc_multicast_addr(x, y, x, y, 0x18ffc), 8, 1);
  noc_async_write_barrier();
})",
                   "NoC transfer: writes 8 bytes at 0x18ffc in L1 of core (0,0)", 5, "reserved");
}

TEST(CpuToleranceTest, SemaphoresAndProgramsOwnL1AreNotReserved) {
  const auto device = open_checking("reserved");
  EXPECT_THAT(warnings_of([&] {
                expect_ok(run_kernel(*device, R"(
void kernel_main() {
  uint64_t core = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0);
  noc_semaphore_inc(core + get_semaphore(15), 1);
  noc_semaphore_set_remote(get_semaphore(1), core + get_semaphore(0));
  noc_inline_dw_write(core + get_semaphore(2), 1);
  noc_async_write(0x20000, core + 0x19000, 64);
  noc_async_read(core + 0x20000, 0x19000, 64);
  noc_async_read_barrier();
  noc_async_write_barrier();
})"));
              }),
              IsEmpty());
}

// ---- NoC transfers of one packet ----

struct PacketCall {
  const char* name;
  const char* code;  // moves 12000 bytes from 0x20000 to 0x40000, `from` or `to` another core
  bool reads;
};

constexpr PacketCall kPacketCalls[] = {
    {"read", "noc_async_read_one_packet(from, 0x40000, 12000);", true},
    {"read with state",
     "noc_async_read_one_packet_set_state(from, 12000); "
     "noc_async_read_one_packet_with_state(0x20000, 0x40000);",
     true},
    {"read with state and transaction",
     "noc_async_read_one_packet_set_state(from, 12000); "
     "noc_async_read_one_packet_with_state_with_trid(0x20000, 0, 0x40000, 1);",
     true},
    {"read of at most one packet", "noc_async_read<8192>(from, 0x40000, 12000);", true},
    {"write", "noc_async_write_one_packet(0x20000, to, 12000);", false},
    {"write with state",
     "noc_async_write_one_packet_set_state(to, 12000); "
     "noc_async_write_one_packet_with_state(0x20000, 0x40000);",
     false},
    {"write with transaction", "noc_async_write_one_packet_with_trid(0x20000, to, 12000, 1);",
     false},
    {"write with state and transaction",
     "noc_async_write_one_packet_with_trid_set_state(to); "
     "noc_async_write_one_packet_with_trid_with_state(0x20000, 0x40000, 12000, 1);",
     false},
    {"write of at most one packet", "noc_async_write<8192>(0x20000, to, 12000);", false},
    {"multicast", "noc_async_write_multicast_one_packet(0x20000, all, 12000, 1);", false},
    {"multicast of at most one packet", "noc_async_write_multicast<8192>(0x20000, all, 12000, 1);",
     false},
};

std::string kernel_of(const PacketCall& call) {
  return std::string(R"(
void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  const uint64_t from = get_noc_addr(x, y, 0x20000), to = get_noc_addr(x, y, 0x40000);
  const uint64_t all = get_noc_multicast_addr(x, y, x, y, 0x40000);
)") + call.code +
         "\n  noc_async_full_barrier();\n}";
}

TEST(CpuToleranceTest, TransfersOfOnePacketMayBeLonger) {
  constexpr Core kFar{0, 0};
  std::vector<uint32_t> sent(3000);
  for (uint32_t i = 0; i < sent.size(); ++i) sent[i] = i * 2654435761u;
  for (const PacketCall& call : kPacketCalls) {
    SCOPED_TRACE(call.name);
    const auto device = open_checking("");
    for (const Core core : {kWhere, kFar}) write_words(*device, core, 0x20000, sent);
    warnings_of([&] { expect_ok(run_kernel(*device, kernel_of(call))); });
    EXPECT_EQ(read_words(*device, call.reads ? kWhere : kFar, 0x40000, sent.size()), sent);
    expect_tolerated(kernel_of(call),
                     "NoC transfer of one packet: moves 12000 bytes, but a packet has at most "
                     "NOC_MAX_BURST_SIZE (8192)",
                     7, "packets");
  }
}

TEST(CpuToleranceTest, TransfersOfOneWholePacketAreNoMisuse) {
  std::string calls;
  for (const PacketCall& call : kPacketCalls) calls += call.code;
  calls = absl::StrReplaceAll(calls, {{" 12000", " 8192"}});
  const std::string kernel = kernel_of({.name = "all", .code = calls.c_str(), .reads = false});
  const auto device = open_checking("packets");
  EXPECT_THAT(warnings_of([&] { expect_ok(run_kernel(*device, kernel)); }), IsEmpty());
}

}  // namespace
}  // namespace lightmetal::device::testing
