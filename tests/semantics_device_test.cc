// Devices, sub-devices, buffers, reads and writes whose numbers make no sense.
#include "tests/semantics_rows.h"

namespace lightmetal::semantics_testing {
namespace {

using namespace schema;

// The payload of half the bytes that most calls write.
BlobRef half_page() {
  for (const CommandT& command : testing::commands_of(*legal_file())) {
    if (const auto* write = command.call.AsEnqueueWriteSubBuffer()) return *write->data;
  }
  return {};
}

std::vector<Row> device_rows() {
  using Create = CreateDeviceT;
  return {
      row<Create>(
          "chip_id", [](Create& c) { c.chip_id = 8; },
          "device 1: its field chip_id is 8, expected 0 to 7"),
      row<Create>(
          "num_hw_cqs", [](Create& c) { c.num_hw_cqs = 3; },
          "its field num_hw_cqs is 3, expected 1 to 2"),
      row<Create>(
          "no_queue", [](Create& c) { c.num_hw_cqs = 0; }, "its field num_hw_cqs is 0"),
      row<Create>(
          "dispatch_core_type", [](Create& c) { c.dispatch_core_type = 2; },
          "its field dispatch_core_type is 2"),
      row<Create>(
          "l1_small_size", [](Create& c) { c.l1_small_size = 1 << 21; },
          "its field l1_small_size is 2097152, expected at most 1396736"),
      row<Create>(
          "trace_region_size", [](Create& c) { c.trace_region_size = ~uint64_t{0}; },
          "its field trace_region_size is 18446744073709551615"),
      row<Create>(
          "grid", [](Create& c) { *c.profile->grid = CoreCoord(65, 8); },
          "its field profile.grid.x is 65, expected 1 to 64"),
      row<Create>(
          "l1_size", [](Create& c) { c.profile->l1_size = uint64_t{1} << 40; },
          "its field profile.l1_size is 1099511627776"),
      row<Create>(
          "l1_alignment", [](Create& c) { c.profile->l1_alignment = 24; },
          "its field profile.l1_alignment is 24, expected a power of two"),
      row<Create>(
          "dram_base", [](Create& c) { c.profile->dram_unreserved_base = ~uint64_t{0}; },
          "its field profile.dram_unreserved_base is 18446744073709551615"),
      row<Create>(
          "dram_banks", [](Create& c) { c.profile->dram_banks = 0; },
          "its field profile.dram_banks is 0"),
      row<Create>(
          "dram_core_missing", [](Create& c) { c.profile->dram_cores.pop_back(); },
          "device 1: the device profile's dram_cores has 11 coordinates; one for each of the 12 "
          "DRAM banks is expected"),
      row<Create>(
          "dram_cores_without_end",
          [](Create& c) { c.profile->dram_cores.resize(1 << 20, CoreCoord(1, 1)); },
          "one for each of the 12 DRAM banks is expected"),
      row<Create>(
          "dram_core_twice", [](Create& c) { c.profile->dram_cores[7] = c.profile->dram_cores[2]; },
          "dram_cores puts DRAM bank 7 at (0, 5); a coordinate of 0 to 63 on each axis is "
          "expected, where no worker and no other bank is"),
      row<Create>(
          "dram_core_of_a_worker",
          [](Create& c) {
            c.profile->dram_cores[1] = {25, 18};
          },
          "dram_cores puts DRAM bank 1 at (25, 18)"),
      row<Create>(
          "dram_core_outside",
          [](Create& c) {
            c.profile->dram_cores[0] = {0, 64};
          },
          "dram_cores puts DRAM bank 0 at (0, 64)"),
      row<Create>(
          "max_runtime_args", [](Create& c) { c.profile->max_runtime_args = 3; },
          "4 unique+common runtime args targeting kernel 1 are too large: the maximum allowable on "
          "device 1 is 3"),
  };
}

std::vector<Row> buffer_rows() {
  using Create = BufferCreateT;
  constexpr int kView = 1, kSharded = 2, kOther = 4;
  return {
      row<Create>(
          "size", [](Create& c) { c.size += 4; },
          "buffer 1: its field page_size is 2048, expected a divisor of the size 4100"),
      row<Create>(
          "too_large", [](Create& c) { c.size = uint64_t{1} << 60; },
          "its field size is 1152921504606846976, expected at most 12 banks of"),
      row<Create>(
          "no_page", [](Create& c) { c.page_size = 0; }, "its field page_size is 0"),
      row<Create>(
          "page_of_words", [](Create& c) { c.page_size = 2; },
          "its field page_size is 2, expected a multiple of 4"),
      row<Create>(
          "system_memory", [](Create& c) { c.buffer_type = BufferType::SystemMemory; },
          "its field buffer_type is SystemMemory"),
      row<Create>(
          "unaligned", [](Create& c) { c.allocated_address += 4; }, "expected a multiple of 32"),
      row<Create>(
          "outside", [](Create& c) { c.allocated_address = uint64_t{1} << 30; },
          "its field allocated_address is 1073741824, expected room for 2048 bytes"),
      row<Create>(
          "taken", [](Create& c) { c.allocated_address += 1024; },
          "bytes that are free: there are 2048 taken at", kOther),
      row<Create>(
          "given_address", [](Create& c) { c.address = uint64_t{1} << 31; },
          "its field address is 2147483648, expected at most 1073741824", kView),
      row<Create>(
          "given_elsewhere", [](Create& c) { c.allocated_address += 64; }, "which was given",
          kView),
      row<Create>(
          "shard_absent", [](Create& c) { c.shard = nullptr; }, "its field shard is absent",
          kSharded),
      row<Create>(
          "shard_height", [](Create& c) { c.shard->shape_height = 33; },
          "its field shard.shape_height is 33, expected a positive multiple", kSharded),
      row<Create>(
          "shard_width", [](Create& c) { c.shard->page_width = 0; },
          "its field shard.shape_width is 32", kSharded),
      row<Create>(
          "shard_huge", [](Create& c) { c.shard->shape_height = c.shard->shape_width = 1u << 31; },
          "its field shard is of", kSharded),
      row<Create>(
          "shard_grid", [](Create& c) { c.shard->grid = range(0, 7, 0, 8); },
          "its field shard.grid is up to before (1, 9), expected cores of the grid of "
          "(8, 8) banks",
          kSharded),
      row<Create>(
          "shard_grid_empty", [](Create& c) { c.shard->grid.clear(); },
          "its field shard.grid is empty", kSharded),
      row<Create>(
          "shard_grid_twice", [](Create& c) { c.shard->grid.push_back(c.shard->grid[0]); },
          "[(x=0,y=0) - (x=0,y=1)] overlaps another one", kSharded),
      row<Create>(
          "shard_grid_upside_down", [](Create& c) { c.shard->grid = range(1, 1, 0, 1); },
          "Invalid core range: its end (x=0,y=1) lies before its start (x=1,y=1)", kSharded),
      row<Create>(
          "too_few_shards", [](Create& c) { c.shard->grid = range(0, 0, 0, 0); },
          "have no room for all of its 2 pages", kSharded),
      row<Create>(
          "sub_device", [](Create& c) { c.sub_device = uint8_t{1}; },
          "its field sub_device is 1, expected less than 1"),
      row<BufferSetPageSizeT>(
          "set_page_size", [](auto& c) { c.page_size = 1000; },
          "its field page_size is 1000, expected a divisor"),
  };
}

std::vector<Row> transfer_rows() {
  return {
      row<EnqueueWriteBufferT>(
          "payload", [](auto& c) { *c.data = half_page(); },
          "its field data is a payload of 2048 bytes, expected 4096 bytes"),
      row<EnqueueWriteBufferT>(
          "cq", [](auto& c) { c.cq = 2; }, "its field cq is 2, expected less than 2"),
      row<WriteToBufferT>(
          "payload_beside", [](auto& c) { *c.data = half_page(); },
          "its field data is a payload of 2048 bytes, expected 4096 bytes"),
      row<EnqueueReadBufferT>(
          "golden", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 4096 bytes"),
      row<EnqueueWriteSubBufferT>(
          "offset", [](auto& c) { c.offset = 4096; },
          "its field offset is 4096, expected at most 2048"),
      row<EnqueueWriteSubBufferT>(
          "page", [](auto& c) { c.offset = 4; }, "expected whole pages of 2048 bytes"),
      row<EnqueueReadSubBufferT>(
          "size", [](auto& c) { c.size = uint64_t{1} << 40; },
          "its field size is 1099511627776, expected at most 4096"),
      row<EnqueueReadSubBufferT>(
          "overflow", [](auto& c) { c.offset = ~uint64_t{0}; },
          "its field offset is 18446744073709551615"),
      row<ReadShardT>(
          "shard", [](auto& c) { c.shard = 2; }, "its field shard is 2, expected less than 2"),
      row<LightMetalCompareT>(
          "compare", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes"),
      row<WriteToDeviceDRAMChannelT>(
          "channel", [](auto& c) { c.channel = 12; },
          "its field channel is 12, expected less than 12"),
      row<WriteToDeviceDRAMChannelT>(
          "dram_address", [](auto& c) { c.address = 1u << 30; },
          "its field address is 1073741824, expected 64 bytes from"),
      row<ReadFromDeviceDRAMChannelT>(
          "no_words", [](auto& c) { c.size = 6; }, "its field size is 6, expected a multiple of 4"),
      row<ReadFromDeviceDRAMChannelT>(
          "dram_size", [](auto& c) { c.size = 1u << 31; }, "expected 2147483648 bytes from"),
      row<WriteToDeviceL1T>(
          "l1_core", [](auto& c) { *c.core = CoreCoord(8, 0); },
          "its field core is (8, 0), expected a core of the grid of (8, 8)"),
      row<ReadFromDeviceL1T>(
          "l1_address", [](auto& c) { c.address = 1499136 - 60; },
          "64 bytes from there on in a memory of 1499136 bytes"),
      row<WriteToEthernetL1T>(
          "ethernet_core", [](auto& c) { *c.core = CoreCoord(1, 0); },
          "its field core is (1, 0), expected a core of the grid of (1, 8)"),
      row<ReadFromEthernetL1T>(
          "ethernet_address", [](auto& c) { c.address = 0x40000; }, "in a memory of 262144 bytes"),
  };
}

std::vector<Row> sub_device_rows() {
  using Create = SubDeviceManagerCreateT;
  return {
      row<Create>(
          "none", [](Create& c) { c.sub_devices.clear(); },
          "its field sub_devices is 0 sub-devices, expected 1 to 8"),
      row<Create>(
          "overlap", [](Create& c) { c.sub_devices[1]->cores = c.sub_devices[0]->cores; },
          "and none that another sub-device has"),
      row<Create>(
          "grid", [](Create& c) { c.sub_devices[1]->cores = range(8, 0, 8, 0); },
          "at least one core of the grid of (8, 8)"),
      row<Create>(
          "memory", [](Create& c) { c.local_l1_size = 1 << 21; },
          "its sub-devices are to have 2097152 bytes of L1 each"),
      row<Create>(
          "elsewhere", [](Create& c) { c.sub_devices[1]->cores = range(4, 4, 5, 5); },
          "which are not in one sub-device of manager 1"),
      row<SubDeviceStallGroupSetT>(
          "stall", [](auto& c) { c.sub_devices = {2}; },
          "its field sub_devices is 2, expected less than 2"),
      row<SubDeviceStallGroupSetT>(
          "stall_none", [](auto& c) { c.sub_devices.clear(); }, "its field sub_devices is empty"),
      row<EnqueueRecordEventT>(
          "event", [](auto& c) { c.sub_devices = {1}; },
          "its field sub_devices is 1, expected less than 1"),
  };
}

class SemanticsOfDevices : public ::testing::TestWithParam<Row> {};

TEST_P(SemanticsOfDevices, AChangedFieldIsRefusedByVerifyAndByLoad) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Device, SemanticsOfDevices, ::testing::ValuesIn(device_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Buffer, SemanticsOfDevices, ::testing::ValuesIn(buffer_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Transfer, SemanticsOfDevices, ::testing::ValuesIn(transfer_rows()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SubDevice, SemanticsOfDevices, ::testing::ValuesIn(sub_device_rows()),
                         name_of);

TEST(Semantics, AFileWithEveryCallIsLegal) {
  VerifyReport report;
  EXPECT_EQ(verify(*legal_file(), &report), absl::OkStatus());
  EXPECT_GT(report.peak_memory, 0u);
}

}  // namespace
}  // namespace lightmetal::semantics_testing
