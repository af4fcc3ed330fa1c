// Devices, sub-devices, buffers, reads and writes whose numbers make no sense.
#include "tests/schema/semantics_rows.h"

namespace lightmetal::semantics_testing::devices {
namespace {

using namespace schema;

// The payload of half the bytes that most calls write.
BlobRef half_page() {
  for (const CommandT& command : testing::commands_of(*legal_file())) {
    if (const auto* write = command.call.AsEnqueueWriteSubBuffer()) return *write->data;
  }
  return {};
}

// The payload of sixteen words that memory is written by address.
BlobRef sixteen_words() {
  for (const CommandT& command : testing::commands_of(*legal_file())) {
    if (const auto* write = command.call.AsWriteToDeviceL1()) return *write->data;
  }
  return {};
}

std::vector<Row> device_rows() {
  using Create = CreateDeviceT;
  return {
      row<Create>(
          "dispatch_core_type", [](Create& c) { c.dispatch_core_type = 2; },
          "its field dispatch_core_type is 2"),
      row<Create>(
          "mesh_without_shape", [](Create& c) { c.mesh_place = std::make_unique<MeshPlaceT>(); },
          "its field mesh_place.shape is 0 numbers, expected 1 to 8"),
      row<Create>(
          "mesh_dimensions",
          [](Create& c) {
            c.mesh_place = std::make_unique<MeshPlaceT>();
            c.mesh_place->shape = {2, 4};
            c.mesh_place->coordinate = {1};
          },
          "its field mesh_place.coordinate is 1 numbers, expected 2, as many as the shape"),
      row<Create>(
          "mesh_coordinate",
          [](Create& c) {
            c.mesh_place = std::make_unique<MeshPlaceT>();
            c.mesh_place->shape = {2, 4};
            c.mesh_place->coordinate = {1, 4};
          },
          "its field mesh_place.coordinate is 4, expected less than 4"),
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

// What verify alone refuses of buffers: numbers of the file itself.
std::vector<Row> buffer_rows() {
  using Create = BufferCreateT;
  constexpr int kView = 1, kSharded = 2;
  return {
      row<Create>(
          "given_elsewhere", [](Create& c) { c.allocated_address += 64; }, "which was given",
          kView),
      row<Create>(
          "shard_grid_twice", [](Create& c) { c.shard->grid.push_back(c.shard->grid[0]); },
          "[(x=0,y=0) - (x=0,y=1)] overlaps another one", kSharded),
      row<Create>(
          "shard_grid_upside_down", [](Create& c) { c.shard->grid = range(1, 1, 0, 1); },
          "Invalid core range: its end (x=0,y=1) lies before its start (x=1,y=1)", kSharded),
  };
}

// Two shards of a page on two cores.
BufferDistributionT& distribute(BufferCreateT& create) {
  BufferDistributionT distribution;
  distribution.tensor_shape = {2};
  distribution.shard_shape = {1};
  distribution.cores = {CoreCoord(0, 0), CoreCoord(1, 0)};
  distribution.layout = BufferLayout::NdSharded;
  create.layout = BufferLayout::NdSharded;
  create.distribution = std::make_unique<BufferDistributionT>(std::move(distribution));
  return *create.distribution;
}

std::vector<Row> buffer_rules() {
  using Create = BufferCreateT;
  constexpr int kView = 1, kSharded = 2, kOther = 5;
  return {
      row<Create>(
          "size", [](Create& c) { c.size += 4; },
          "Buffer size 4100 must be divisible by page size 2048"),
      row<Create>(
          "too_large", [](Create& c) { c.size = uint64_t{1} << 60; },
          "Out of Memory: Not enough space to allocate 1152921504606846976 B DRAM buffer across 12 "
          "banks of 1073741824 B each"),
      row<Create>(
          "no_page", [](Create& c) { c.page_size = 0; },
          "Buffer size 4096 must be divisible by page size 0"),
      row<Create>(
          "page_of_words", [](Create& c) { c.page_size = 2; },
          "Page size 2 must be divisible by 4, because buffers hold words"),
      row<Create>(
          "system_memory", [](Create& c) { c.buffer_type = BufferType::SystemMemory; },
          "SYSTEM_MEMORY is no memory of a device"),
      row<Create>(
          "unaligned", [](Create& c) { c.allocated_address = 36; },
          "Address 36 of a DRAM buffer is not a multiple of 32"),
      row<Create>(
          "outside", [](Create& c) { c.allocated_address = uint64_t{1} << 30; },
          "2048 B at address 1073741824 lie outside the memory of DRAM buffers, [32, 1072693248)"),
      row<Create>(
          "taken", [](Create& c) { c.allocated_address += 1024; },
          "2048 B at address 1496064 are not free in L1: address 1497088 is taken, with 2048 B",
          kOther),
      row<Create>(
          "given_address", [](Create& c) { c.address = uint64_t{1} << 31; },
          "Address 2147483648 of a DRAM buffer lies outside its banks of 1073741824 B", kView),
      row<Create>(
          "shard_absent", [](Create& c) { c.shard = nullptr; },
          "A buffer with layout HEIGHT_SHARDED needs a shard specification", kSharded),
      row<Create>(
          "shard_height", [](Create& c) { c.shard->shape_height = 33; },
          "Shard shape 33x32 must be divisible by page shape 32x32", kSharded),
      row<Create>(
          "shard_width", [](Create& c) { c.shard->page_width = 0; },
          "Shard shape 32x32 must be divisible by page shape 32x0", kSharded),
      row<Create>(
          "shard_huge", [](Create& c) { c.shard->shape_height = c.shard->shape_width = 1u << 31; },
          "Out of Memory: Not enough space to allocate 4096 B L1 buffer, where each bank needs to "
          "store 4503599627370496 pages of 2048 B and holds 1499136 B",
          kSharded),
      row<Create>(
          "shard_grid", [](Create& c) { c.shard->grid = range(0, 7, 0, 8); },
          "Shard grid {[(x=0,y=7) - (x=0,y=8)]} has cores outside the L1 grid of 8x8 banks",
          kSharded),
      row<Create>(
          "shard_grid_empty", [](Create& c) { c.shard->grid.clear(); },
          "A sharded buffer needs cores, but its grid is empty", kSharded),
      row<Create>(
          "distribution_absent", [](Create& c) { c.layout = BufferLayout::NdSharded; },
          "A buffer with layout ND_SHARDED needs a shard specification", kSharded),
      row<Create>(
          "distribution_of_nothing", [](Create& c) { distribute(c).shard_shape = {0}; },
          "A shard of [0] pages holds nothing", kSharded),
      row<Create>(
          "distribution_rank",
          [](Create& c) {
            distribute(c).shard_shape = {1, 1};
          },
          "A tensor of [2] pages cannot be cut into shards of [1, 1]: both need the same "
          "dimensions, "
          "and at least one",
          kSharded),
      row<Create>(
          "distribution_volume",
          [](Create& c) {
            distribute(c).tensor_shape = {1u << 31, 1u << 31};
            c.distribution->shard_shape = {1, 1};
          },
          "A tensor of [2147483648, 2147483648] pages has more than 4294967295 of them", kSharded),
      row<Create>(
          "distribution_cores", [](Create& c) { distribute(c).cores.clear(); },
          "Shards need cores, but there are none", kSharded),
      row<Create>(
          "distribution_core_twice", [](Create& c) { distribute(c).cores[1] = CoreCoord(0, 0); },
          "Core (x=0,y=0) is to hold shards twice", kSharded),
      row<Create>(
          "distribution_outside", [](Create& c) { distribute(c).cores[1] = CoreCoord(0, 8); },
          "Shard grid {[(x=0,y=0) - (x=0,y=0)], [(x=0,y=8) - (x=0,y=8)]} has cores outside the L1 "
          "grid of 8x8 banks",
          kSharded),
      row<Create>(
          "distribution_grid",
          [](Create& c) {
            distribute(c).strategy = ShardDistribution::Grid2D;
            c.distribution->tensor_shape = {3};
          },
          "A grid of 2 cores cannot hold 3 shards, one on each core", kSharded),
      row<Create>(
          "distribution_runs",
          [](Create& c) {
            distribute(c).strategy = ShardDistribution::Contiguous1D;
            c.distribution->tensor_shape = {3};
          },
          "Runs of shards are equally long, but 3 shards do not divide evenly among 2 cores",
          kSharded),
      row<Create>(
          "distribution_huge", [](Create& c) { distribute(c).shard_shape = {1u << 20}; },
          "Out of Memory: Not enough space to allocate 4096 B L1 buffer, where each bank needs to "
          "store 1048576 pages of 2048 B and holds 1499136 B",
          kSharded),
      row<Create>(
          "distribution_empty", [](Create& c) { distribute(c).tensor_shape = {0}; },
          "A distribution of a tensor without pages has no place for the 2 pages of a buffer",
          kSharded),
      row<Create>(
          "distribution_too_small", [](Create& c) { distribute(c).tensor_shape = {1}; },
          "The 1 shards of 1x1 pages of a tensor of 1x1 pages, ND_SHARDED, have no room for all of "
          "the 2 pages of buffer #",
          kSharded),
      row<Create>(
          "too_few_shards", [](Create& c) { c.shard->grid = range(0, 0, 0, 0); },
          "The 1 shards of 1x1 pages of a tensor of 2x1 pages, HEIGHT_SHARDED, have no room for "
          "all of the 2 pages of buffer #",
          kSharded),
      row<Create>(
          "view_beyond_banks", [](Create& c) { c.address = c.allocated_address = 1499120; },
          "The pages of 2048 B of buffer # from address 1499120 on reach beyond the end of its "
          "banks of 1499136 B",
          kSharded),
      row<ReadShardT>(
          "deallocated", [](auto& c) { c.buffer = 1, c.golden = nullptr; },
          "Buffer # at address 32 has been deallocated"),
      row<ClearBufferT>(
          "cleared", [](auto& c) { c.buffer = 1; }, "Buffer # at address 32 has been deallocated"),
      row<BufferSetPageSizeT>(
          "set_page_size", [](auto& c) { c.page_size = 1000; },
          "Buffer size 4096 must be divisible by page size 1000"),
  };
}

std::vector<Row> transfer_rows() {
  return {
      row<EnqueueWriteBufferT>(
          "payload", [](auto& c) { *c.data = half_page(); },
          "its field data is a payload of 2048 bytes, expected 4096 bytes"),
      row<WriteToBufferT>(
          "payload_beside", [](auto& c) { *c.data = half_page(); },
          "its field data is a payload of 2048 bytes, expected 4096 bytes"),
      row<EnqueueReadBufferT>(
          "golden", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 4096 bytes"),
      row<LightMetalCompareT>(
          "compare", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes"),
      row<EnqueueWriteSubBufferT>(
          "payload_of_a_part", [](auto& c) { *c.data = sixteen_words(); },
          "its field data is a payload of 64 bytes, expected 2048 bytes"),
      row<EnqueueReadSubBufferT>(
          "golden_of_a_part", [](auto& c) { *c.golden = sixteen_words(); },
          "its field golden is a payload of 64 bytes, expected 2048 bytes"),
      row<ReadFromBufferT>(
          "golden_beside", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 4096 bytes"),
      row<ReadShardT>(
          "golden_of_a_shard", [](auto& c) { *c.golden = sixteen_words(); },
          "its field golden is a payload of 64 bytes, expected 2048 bytes"),
      row<ReadShardT>(
          "golden_of_a_core", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 8192 bytes", 1),
      row<ReadFromDeviceL1T>(
          "golden_of_l1", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 64 bytes"),
      row<ReadFromDeviceDRAMChannelT>(
          "golden_of_a_channel", [](auto& c) { *c.golden = half_page(); },
          "its field golden is a payload of 2048 bytes, expected 64 bytes"),
      row<LightMetalCompareT>(
          "policy", [](auto& c) { c.policy = "close"; }, "\"close\" is no policy of comparison"),
      row<LightMetalCompareT>(
          "policy_of_words", [](auto& c) { c.policy = "ulp:1"; },
          "are compared exactly: ulp:1 is for Float32 and BFloat16"),
      row<ScopeBeginT>(
          "scope", [](auto& c) { c.name = std::string(1025, 'n'); },
          "Cannot begin a scope with a name of 1025 bytes: at most 1024 are allowed"),
      row<EntryBeginT>(
          "entry", [](auto& c) { c.name = ""; }, "Cannot name an entry: the name is empty"),
      row<BindTensorT>(
          "bound_name", [](auto& c) { c.name = std::string(256, 'n'); },
          "Cannot name a buffer: the name has 256 bytes, and at most 255 are allowed"),
      row<BindTensorT>(
          "bound_character", [](auto& c) { c.name = "a=b"; },
          "Cannot name a buffer: the name has a '=', a '/' or a control character"),
      row<BindTensorT>(
          "bound_size", [](auto& c) { c.tensor->shape[0] = 3; },
          "the tensor uint32:3x512:row_major takes 6144 bytes, and the buffer has 4096"),
      row<BindTensorT>(
          "bound_padding", [](auto& c) { c.tensor->order = TensorOrder::Tile; },
          "the tensor uint32:2x512:tile takes 65536 bytes, and the buffer has 4096"),
      row<BindTensorT>(
          "bound_type", [](auto& c) { c.tensor->type = ElementType::Bytes; },
          "to words: there is no element type 0"),
      row<BindTensorT>(
          "bound_nothing", [](auto& c) { c.tensor->shape[0] = 0; },
          "a tensor has 1 to 4294967295 elements"),
      row<BindTensorT>(
          "bound_overflow",
          [](auto& c) {
            c.tensor->shape = {1u << 16, 1u << 16, 1u << 16, 1u << 16, 1u << 16};
          },
          "a tensor has 1 to 4294967295 elements"),
      row<BindTensorT>(
          "bound_dimensions", [](auto& c) { c.tensor->shape.assign(9, 1); },
          "a tensor has at most 8 dimensions, and this one 9"),
  };
}

std::vector<Row> transfer_rules() {
  return {
      row<EnqueueWriteBufferT>(
          "cq", [](auto& c) { c.cq = 2; }, "Device # has 2 command queues: there is no queue 2"),
      row<EnqueueWriteSubBufferT>(
          "offset", [](auto& c) { c.offset = 4096; },
          "Buffer region of 2048 B at offset 4096 B is invalid for buffer # of 4096 B"),
      row<EnqueueWriteSubBufferT>(
          "page", [](auto& c) { c.offset = 4; },
          "Buffer region of 2048 B at offset 4 B must begin and end at pages of 2048 B"),
      row<EnqueueReadSubBufferT>(
          "overflow", [](auto& c) { c.offset = ~uint64_t{0}; },
          "Buffer region of 2048 B at offset 18446744073709551615 B is invalid for buffer # of "
          "4096 B"),
      row<ReadShardT>(
          "shard", [](auto& c) { c.shard = 2; }, "Buffer # has 2 shards: there is no shard 2"),
      row<ReadShardT>(
          "shard_of_pages", [](auto& c) { c.buffer = 2, c.golden = nullptr; },
          "Buffer # is not sharded"),
      row<WriteToDeviceDRAMChannelT>(
          "channel", [](auto& c) { c.channel = 12; },
          "Device # has 12 DRAM channels: there is no channel 12"),
      row<ReadFromDeviceDRAMChannelT>(
          "last_channel", [](auto& c) { c.channel = ~0u; },
          "Device # has 12 DRAM channels: there is no channel 4294967295"),
      row<WriteToDeviceDRAMChannelT>(
          "dram_address", [](auto& c) { c.address = 1u << 30; },
          "DRAM bank 3 holds 1073741824 bytes; 64 bytes at 0x40000000 end outside it"),
      row<ReadFromDeviceDRAMChannelT>(
          "no_words", [](auto& c) { c.size = 6, c.golden = nullptr; },
          "6 B cannot be read into words of 4 B"),
      row<WriteToDeviceL1T>(
          "l1_core", [](auto& c) { *c.core = CoreCoord(8, 0); },
          "Core (x=8,y=0) is outside the 8x8 grid of device #"),
      row<ReadFromDeviceL1T>(
          "l1_address", [](auto& c) { c.address = 1499136 - 60; },
          "L1 of core (0,0) holds 1499136 bytes; 64 bytes at 0x16dfc4 end outside it"),
      row<WriteToEthernetL1T>(
          "ethernet_core", [](auto& c) { *c.core = CoreCoord(1, 0); },
          "Core (x=1,y=0) is outside the 1x8 Ethernet grid of device #"),
      row<ReadFromEthernetL1T>(
          "ethernet_address", [](auto& c) { c.address = 0x40000; },
          "L1 of Ethernet core (0,0) holds 262144 bytes; 64 bytes at 0x40000 end outside it"),
  };
}

std::vector<Row> device_rules() {
  using Create = CreateDeviceT;
  return {
      row<Create>(
          "chip_id", [](Create& c) { c.chip_id = 8; }, "There is no device #: ids go from 0 to 7"),
      row<Create>(
          "num_hw_cqs", [](Create& c) { c.num_hw_cqs = 3; },
          "num_hw_cqs is 3: a device has 1 to 2 command queues"),
      row<Create>(
          "no_queue", [](Create& c) { c.num_hw_cqs = 0; },
          "num_hw_cqs is 0: a device has 1 to 2 command queues"),
      row<Create>(
          "l1_small_size", [](Create& c) { c.l1_small_size = 1 << 21; },
          "l1_small_size is 2097152 B: only 1396736 B of a core's L1 are free"),
      row<Create>(
          "trace_region_size", [](Create& c) { c.trace_region_size = ~uint64_t{0}; },
          "trace_region_size is 18446744073709551615 B: only 1073741792 B of a DRAM bank are free"),
  };
}

// What verify alone refuses of sub-devices.
std::vector<Row> sub_device_rows() {
  return {
      row<SubDeviceManagerCreateT>(
          "elsewhere", [](auto& c) { c.sub_devices[1]->cores = range(4, 4, 5, 5); },
          "which are not in one sub-device of manager 1"),
  };
}

std::vector<Row> sub_device_rules() {
  using Create = SubDeviceManagerCreateT;
  const std::string no_sub_device = "1 sub-device is loaded: there is no sub-device ";
  return {
      row<Create>(
          "none", [](Create& c) { c.sub_devices.clear(); },
          "A device is divided into 1 to 8 sub-devices, not into 0"),
      row<Create>(
          "no_cores", [](Create& c) { c.sub_devices[1]->cores.clear(); },
          "Sub-device 1 has no cores"),
      row<Create>(
          "overlap", [](Create& c) { c.sub_devices[1]->cores = c.sub_devices[0]->cores; },
          "Sub-devices 0 and 1 overlap on cores {[(x=0,y=0) - (x=1,y=1)]}"),
      row<Create>(
          "grid", [](Create& c) { c.sub_devices[1]->cores = range(8, 0, 8, 0); },
          "Sub-device 1 has cores {[(x=8,y=0) - (x=8,y=0)]}, which leave the 8x8 compute grid"),
      row<Create>(
          "memory", [](Create& c) { c.local_l1_size = 1 << 21; },
          "Sub-devices cannot have 2097152 B of each bank of L1, which has 1396736 B"),
      row<BufferCreateT>(
          "buffer", [](auto& c) { c.sub_device = uint8_t{1}; }, no_sub_device + "1"),
      row<SubDeviceStallGroupSetT>(
          "stall", [](auto& c) { c.sub_devices = {2}; },
          "2 sub-devices are loaded: there is no sub-device 2"),
      row<SubDeviceStallGroupSetT>(
          "stall_none", [](auto& c) { c.sub_devices.clear(); },
          "A stall group has at least one sub-device"),
      row<EnqueueRecordEventT>(
          "event", [](auto& c) { c.sub_devices = {1}; }, no_sub_device + "1"),
      row<FinishQueueT>(
          "finish", [](auto& c) { c.sub_devices = {3}; }, no_sub_device + "3"),
  };
}

class SemanticsOfDevices : public ::testing::TestWithParam<Row> {};

TEST_P(SemanticsOfDevices, AChangedFieldIsRefusedByVerifyAndByLoad) { expect_refused(GetParam()); }

class SemanticsOfRules : public ::testing::TestWithParam<Row> {};

TEST_P(SemanticsOfRules, AreOneSentenceForVerifyAndForTheHostApi) {
  expect_one_sentence(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Device, SemanticsOfRules, ::testing::ValuesIn(device_rules()), name_of);
INSTANTIATE_TEST_SUITE_P(Buffer, SemanticsOfRules, ::testing::ValuesIn(buffer_rules()), name_of);
INSTANTIATE_TEST_SUITE_P(Transfer, SemanticsOfRules, ::testing::ValuesIn(transfer_rules()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SubDevice, SemanticsOfRules, ::testing::ValuesIn(sub_device_rules()),
                         name_of);

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
}  // namespace lightmetal::semantics_testing::devices
