// Coordinates: what programs and kernels know of places, whichever network they name.
#include <array>
#include <iterator>
#include <tt-metalium/allocator.hpp>

#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using testing::add_data_movement;
using testing::expect_refused;

class CoordinatesTest : public testing::CpuApiTest {
 protected:
  // Runs `body` on core (2, 3) with a processor of each network; `out` is where it stores words.
  std::vector<uint32_t> stored(const std::string& body, DataMovementProcessor processor) {
    Program program = CreateProgram();
    add_data_movement(
        program, "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n" + body,
        CoreCoord(2, 3), {}, processor);
    EnqueueProgram(queue(), program, true);
    return l1_words({2, 3}, 0x80000, 8);
  }
};

constexpr std::array kProcessors = {DataMovementProcessor::RISCV_0, DataMovementProcessor::RISCV_1};

std::string call(const std::string& function, const CoreCoord& core, const std::string& rest) {
  return function + "(" + std::to_string(core.x) + ", " + std::to_string(core.y) + ", " + rest;
}

TEST_F(CoordinatesTest, BothNetworksHaveTheCoordinatesThatTheHostNames) {
  const CoreCoord host = device()->worker_core_from_logical_core({2, 3});
  EXPECT_EQ(device()->virtual_core_from_logical_core({2, 3}, CoreType::WORKER), host);
  EXPECT_EQ(device()->virtual_core_from_logical_core({2, 3}, CoreType::TENSIX), host);
  for (const DataMovementProcessor processor : kProcessors) {
    const auto words = stored(
        "out[0] = my_x[0]; out[1] = my_y[0]; out[2] = my_x[1]; out[3] = my_y[1];\n"
        "out[4] = my_x[noc_index]; out[5] = my_y[noc_index]; out[6] = noc_index;",
        processor);
    EXPECT_THAT(words, ::testing::ElementsAre(host.x, host.y, host.x, host.y, host.x, host.y,
                                              processor == kProcessors[0] ? 0 : 1, ::testing::_));
  }
}

// However a program forms an address, it is the same place.
TEST_F(CoordinatesTest, AddressesOfBothNetworksAreEqual) {
  const CoreCoord other = device()->worker_core_from_logical_core({5, 6});
  const uint32_t encoding = device()->get_noc_unicast_encoding(0, other);
  EXPECT_EQ(device()->get_noc_unicast_encoding(1, other), encoding);
  std::vector<uint32_t> value = {77};
  detail::WriteToDeviceL1(device(), CoreCoord(5, 6), 0x90000, value);
  for (const DataMovementProcessor processor : kProcessors) {
    const auto words =
        stored("const uint64_t a = " + call("get_noc_addr", other, "0x90000, 0);\n") +
                   "const uint64_t b = " + call("get_noc_addr", other, "0x90000, 1);\n") +
                   "const uint64_t c = get_noc_addr_helper(" + std::to_string(encoding) +
                   "u, 0x90000);\n"
                   "out[0] = a == b; out[1] = a == c;\n"
                   "noc_async_read(a, 0x80010, 4, 1 - noc_index);\n"
                   "noc_async_read_barrier(1 - noc_index);",
               processor);
    EXPECT_EQ(words[0], 1u);
    EXPECT_EQ(words[1], 1u);
    EXPECT_EQ(words[4], 77u);
  }
}

TEST_F(CoordinatesTest, MulticastRectanglesTakeTheirCornersInEitherOrder) {
  const CoreCoord start = device()->worker_core_from_logical_core({4, 4});
  const CoreCoord end = device()->worker_core_from_logical_core({5, 6});
  for (const bool swapped : {false, true}) {
    for (const DataMovementProcessor processor : kProcessors) {
      std::vector<uint32_t> zero(1, 0);
      for (const CoreCoord& core : corerange_to_cores(CoreRange({4, 4}, {5, 6}))) {
        detail::WriteToDeviceL1(device(), core, 0x90000, zero);
      }
      const CoreCoord& a = swapped ? end : start;
      const CoreCoord& b = swapped ? start : end;
      stored(
          "out[0] = 123;\n"
          "noc_async_write_multicast(0x80000, " +
              call("get_noc_multicast_addr", a, std::to_string(b.x) + ", ") + std::to_string(b.y) +
              ", 0x90000), 4, 6);\nnoc_async_write_barrier();",
          processor);
      for (const CoreCoord& core : corerange_to_cores(CoreRange({4, 4}, {5, 6}))) {
        EXPECT_EQ(l1_words(core, 0x90000, 1)[0], 123u) << core.str() << swapped;
      }
    }
  }
}

TEST_F(CoordinatesTest, MulticastEncodingsAreWhatKernelsMake) {
  const CoreRange rectangle(device()->worker_core_from_logical_core({4, 4}),
                            device()->worker_core_from_logical_core({5, 6}));
  const uint32_t encoding = device()->get_noc_multicast_encoding(0, rectangle);
  EXPECT_EQ(device()->get_noc_multicast_encoding(1, rectangle), encoding);
  const CoreCoord& end = rectangle.end_coord;
  const auto words = stored(
      "const uint64_t made = " +
          call("get_noc_multicast_addr", rectangle.start_coord, std::to_string(end.x) + ", ") +
          std::to_string(end.y) +
          ", 0x90000);\n"
          "out[0] = made == get_noc_addr_helper(" +
          std::to_string(encoding) + "u, 0x90000);",
      kProcessors[0]);
  EXPECT_EQ(words[0], 1u);
}

TEST_F(CoordinatesTest, DramChannelsHaveCoresOfTheirOwn) {
  for (uint32_t channel = 0; channel < 12; ++channel) {
    const CoreCoord logical = device()->logical_core_from_dram_channel(channel);
    EXPECT_EQ(device()->dram_channel_from_logical_core(logical), channel);
    const CoreCoord noc = device()->virtual_core_from_logical_core(logical, CoreType::DRAM);
    EXPECT_EQ(device()->dram_channel_from_virtual_core(noc), channel);
    std::vector<uint32_t> value = {channel + 50};
    detail::WriteToDeviceDRAMChannel(device(), static_cast<int>(channel), 0x10000, value);
    const auto words = stored("noc_async_read(" + call("get_noc_addr", noc, "0x10000), ") +
                                  "0x80000, 4);\nnoc_async_read_barrier();",
                              kProcessors[0]);
    EXPECT_EQ(words[0], channel + 50);
  }
  expect_refused([&] { device()->logical_core_from_dram_channel(12); }, "no channel 12");
  const CoreCoord worker = device()->worker_core_from_logical_core({0, 0});
  expect_refused([&] { device()->dram_channel_from_virtual_core(worker); }, "no DRAM channel");
}

// Wormhole's, of the endpoints that its workers use, by bank.
constexpr uint32_t kDramCores[12][2] = {{0, 11}, {0, 1}, {0, 5}, {0, 7}, {5, 1}, {5, 11},
                                        {5, 2},  {5, 9}, {5, 8}, {5, 3}, {5, 5}, {5, 7}};

// Programs write these coordinates down.
TEST_F(CoordinatesTest, DramBanksAreWhereTheChipHasThem) {
  constexpr uint32_t kPage = 32;
  auto buffer = CreateBuffer(InterleavedBufferConfig{.device = device(),
                                                     .size = std::size(kDramCores) * kPage,
                                                     .page_size = kPage,
                                                     .buffer_type = BufferType::DRAM});
  std::vector<uint32_t> pages(std::size(kDramCores) * kPage / 4);
  for (uint32_t i = 0; i < pages.size(); ++i) pages[i] = 1000 + i / (kPage / 4);
  EnqueueWriteBuffer(queue(), buffer, pages, true);
  for (uint32_t bank = 0; bank < std::size(kDramCores); ++bank) {
    const CoreCoord core(kDramCores[bank][0], kDramCores[bank][1]);
    EXPECT_EQ(device()->dram_core_from_dram_channel(bank), core);
    EXPECT_EQ(buffer->noc_coordinates(bank), core);
    EXPECT_EQ(device()->dram_channel_from_virtual_core(core), bank);
    const std::string address = std::to_string(buffer->address()) + ")";
    for (const DataMovementProcessor processor : kProcessors) {
      const auto words = stored("noc_async_read(" + call("get_noc_addr", core, address) +
                                    ", 0x80000, 32);\nnoc_async_read_barrier();",
                                processor);
      EXPECT_EQ(words[0], 1000 + bank);
    }
  }
}

// Grayskull's DRAM is at (1, 0); logical coordinates are no coordinates of the network.
TEST_F(CoordinatesTest, WhereNothingIsALaunchFailsAndSaysWhatIsWhere) {
  for (const char* place : {"1, 0", "0, 0", "3, 3"}) {
    expect_refused(
        [&] {
          stored("noc_async_read(get_noc_addr(" + std::string(place) + ", 32), 0x80000, 32);",
                 kProcessors[0]);
        },
        "nothing is at NoC coordinate", "the first worker is at (18,18), DRAM bank 0 at (0,11)");
  }
}

TEST_F(CoordinatesTest, PlacesThatAreNotAreRefused) {
  expect_refused([&] { device()->worker_core_from_logical_core({8, 0}); }, "outside the 8x8");
  expect_refused(
      [&] {
        device()->virtual_core_from_logical_core({0, 0}, CoreType::ARC);
      },
      "core type");
}

}  // namespace
}  // namespace tt::tt_metal
