// The last number that is allowed, and the one next to it.
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/schema/semantics_calls.h"
#include "tests/schema/semantics_rows.h"

namespace lightmetal::semantics_testing::edges {
namespace {

using namespace schema;

struct Edge {
  std::string name;
  std::function<lightmetal::testing::FilePointer(uint64_t)> file_with;  // a number
  uint64_t good, bad;
  std::string message;  // for the bad one
};

void PrintTo(const Edge& edge, std::ostream* out) { *out << edge.name; }

// The number is a field of the `nth` such call in the legal file.
template <class Call, class Change>
Edge edge(std::string name, Change change, uint64_t good, uint64_t bad, std::string message,
          int nth = 0) {
  const auto file_with = [change, nth](uint64_t number) {
    return lightmetal::testing::open_file(changed(row<Call>(
        "", [&](Call& call) { change(call, number); }, "", nth)));
  };
  return {std::move(name), file_with, good, bad, std::move(message)};
}

// The number is in a file of its own.
Edge edge_of(std::string name, std::function<schema::testing::Calls(uint64_t)> calls_with,
             uint64_t good, uint64_t bad, std::string message) {
  const auto file_with = [calls_with](uint64_t number) { return calls_with(number).file(); };
  return {std::move(name), file_with, good, bad, std::move(message)};
}

schema::testing::Calls with(auto call) { return schema::testing::Calls().add(std::move(call)); }

std::vector<Edge> transfers() {
  return {
      edge<EnqueueWriteBufferT>(
          "Queue", [](auto& c, uint64_t n) { c.cq = n; }, 1, 2, "there is no queue 2"),
      edge<EnqueueWriteSubBufferT>(
          "Offset", [](auto& c, uint64_t n) { c.offset = n; }, 2048, 4096, "is invalid for buffer"),
      edge<ReadShardT>(
          "Shard", [](auto& c, uint64_t n) { c.shard = n; }, 1, 2, "there is no shard 2"),
      edge<WriteToDeviceDRAMChannelT>(
          "WrittenChannel", [](auto& c, uint64_t n) { c.channel = n; }, 11, 12,
          "there is no channel 12"),
      edge<ReadFromDeviceDRAMChannelT>(
          "ReadChannel", [](auto& c, uint64_t n) { c.channel = n; }, 11, 12,
          "there is no channel 12"),
      edge<WriteToDeviceDRAMChannelT>(
          "WrittenDram", [](auto& c, uint64_t n) { c.address = n; }, (1u << 30) - 64,
          (1u << 30) - 60, "end outside it"),
      edge<ReadFromDeviceDRAMChannelT>(
          "ReadDram", [](auto& c, uint64_t n) { c.address = n; }, (1u << 30) - 64, (1u << 30) - 60,
          "end outside it"),
      edge<WriteToDeviceL1T>(
          "WrittenCore", [](auto& c, uint64_t n) { *c.core = CoreCoord(n, 7); }, 7, 8,
          "is outside the 8x8 grid"),
      edge<WriteToDeviceL1T>(
          "WrittenL1", [](auto& c, uint64_t n) { c.address = n; }, 1499136 - 64, 1499136 - 60,
          "end outside it"),
      edge<ReadFromDeviceL1T>(
          "ReadL1", [](auto& c, uint64_t n) { c.address = n; }, 1499136 - 64, 1499136 - 60,
          "end outside it"),
      edge<WriteToEthernetL1T>(
          "WrittenEthernetCore", [](auto& c, uint64_t n) { *c.core = CoreCoord(0, n); }, 7, 8,
          "is outside the 1x8 Ethernet grid"),
      edge<ReadFromEthernetL1T>(
          "ReadEthernetL1", [](auto& c, uint64_t n) { c.address = n; }, 0x40000 - 64, 0x40000 - 60,
          "end outside it"),
      edge<ScopeBeginT>(
          "LengthOfAScopesName", [](auto& c, uint64_t n) { c.name = std::string(n, 'n'); }, 1024,
          1025, "at most 1024 are allowed"),
      edge<BindTensorT>(
          "LengthOfABuffersName", [](auto& c, uint64_t n) { c.name = std::string(n, 'n'); }, 255,
          256, "at most 255 are allowed"),
      edge<BindTensorT>(
          "Dimensions",
          [](auto& c, uint64_t n) {
            c.tensor->shape.assign(n, 1);
            c.tensor->shape.front() = 1024;
          },
          8, 9, "at most 8 dimensions"),
      edge<BindTensorT>(
          "BytesOfATensor", [](auto& c, uint64_t n) { c.tensor->shape.assign(1, n); }, 1024, 1025,
          "and the buffer has 4096"),
  };
}

std::vector<Edge> buffers() {
  using schema::testing::Calls;
  constexpr uint64_t kBank = 1072693248;  // the end of DRAM buffers: a trace region follows
  return {
      edge<BufferCreateT>(
          "Address", [](auto& c, uint64_t n) { c.allocated_address = n; }, kBank - 2048,
          kBank - 2016, "lie outside the memory of DRAM buffers"),
      edge<BufferCreateT>(
          "FirstAddress", [](auto& c, uint64_t n) { c.allocated_address = n; }, 32, 0,
          "lie outside the memory of DRAM buffers"),
      edge_of(
          "GivenAddress",
          [](uint64_t n) { return Calls().view(1, BufferType::Dram, n, 2048, 2048).read(1, true); },
          (1u << 30) - 2048, (1u << 30) - 2016, "reach beyond the end"),
      edge_of(
          "Size", [](uint64_t n) { return Calls().buffer(1, 32, n, 1 << 20); },
          uint64_t{12} * 1023 << 20, (uint64_t{12} * 1023 + 1) << 20,
          "lie outside the memory of DRAM buffers"),
      edge_of(
          "Neighbour",
          [](uint64_t n) { return Calls().buffer(1, 32, 2048, 2048).buffer(2, n, 2048, 2048); },
          32 + 2048, 2048, "are not free in DRAM"),
      edge_of(
          "NeighbourBelow",
          [](uint64_t n) {
            return Calls().buffer(1, 32 + 2048, 2048, 2048).buffer(2, n, 2048, 2048);
          },
          32, 64, "are not free in DRAM"),
      edge<BufferCreateT>(
          "ShardGrid", [](auto& c, uint64_t n) { c.shard->grid = range(0, n - 1, 0, n); }, 7, 8,
          "has cores outside the L1 grid", /*nth=*/2),
  };
}

std::vector<Edge> devices() {
  using schema::testing::Calls;
  const auto device = [](auto change) {
    return [change](uint64_t n) {
      CreateDeviceT create;
      create.id = 2;
      create.chip_id = 1;
      create.num_hw_cqs = 1;
      create.profile = std::make_unique<DeviceProfileT>(schema::testing::profile());
      change(create, n);
      return with(std::move(create));
    };
  };
  const auto chip = device([](auto& c, uint64_t n) { c.chip_id = n; });
  const auto queues = device([](auto& c, uint64_t n) { c.num_hw_cqs = n; });
  const auto small = device([](auto& c, uint64_t n) { c.l1_small_size = n; });
  const auto trace = device([](auto& c, uint64_t n) { c.trace_region_size = n; });
  const auto mesh = device([](auto& c, uint64_t n) {
    c.mesh_place = std::make_unique<MeshPlaceT>();
    c.mesh_place->shape.assign(n, 2);
    c.mesh_place->coordinate.assign(n, 1);
  });
  const auto divided = [](auto change) {
    return [change](uint64_t n) {
      SubDeviceManagerCreateT create;
      create.id = create.device = 1;
      change(create, n);
      SubDeviceManagerLoadT load;
      load.device = load.manager = 1;
      return std::move(with(std::move(create)).add(load));
    };
  };
  const auto add = [](SubDeviceManagerCreateT& c, uint32_t x, uint32_t y) {
    c.sub_devices.push_back(std::make_unique<SubDeviceT>());
    c.sub_devices.back()->cores = range(x, y, x, y);
  };
  const auto parts = divided([add](auto& c, uint64_t n) {
    for (uint32_t i = 0; i < n; ++i) add(c, i % 8, i / 8);
  });
  const auto local = divided([add](auto& c, uint64_t n) {
    add(c, 0, 0);
    c.local_l1_size = n;
  });
  const auto core = divided([add](auto& c, uint64_t n) { add(c, 0, n); });
  return {
      edge_of("Chip", chip, 7, 8, "ids go from 0 to 7"),
      edge_of("Queues", queues, 2, 3, "1 to 2 command queues"),
      edge_of("FewestQueues", queues, 1, 0, "1 to 2 command queues"),
      edge_of("L1Small", small, 1396736, 1396736 + 32, "of a core's L1 are free"),
      edge_of("TraceRegion", trace, 1073741792, 1073741792 + 32, "of a DRAM bank are free"),
      edge_of("MeshDimensions", mesh, 8, 9, "is 9 numbers, expected 1 to 8"),
      edge_of("SubDevices", parts, 8, 9, "1 to 8 sub-devices"),
      edge_of("FewestSubDevices", parts, 1, 0, "1 to 8 sub-devices"),
      edge_of("LocalL1", local, 1396736, 1396736 + 16, "of each bank of L1"),
      edge_of("CoreOfASubDevice", core, 7, 8, "which leave the 8x8 compute grid"),
  };
}

// A number of the profile of a device, which has no other limits than the file's check.
using ChangeProfile = void (*)(DeviceProfileT&, uint64_t);

Edge profile_edge(std::string name, const char* field, ChangeProfile change, uint64_t good,
                  uint64_t bad) {
  const auto calls_with = [change](uint64_t number) {
    CreateDeviceT create;
    create.id = 2;
    create.chip_id = create.num_hw_cqs = 1;
    create.profile = std::make_unique<DeviceProfileT>(schema::testing::profile());
    create.profile->l1_unreserved_base = create.profile->dram_unreserved_base = 0;
    create.profile->dram_cores.clear();
    change(*create.profile, number);
    return with(std::move(create));
  };
  return edge_of(std::move(name), calls_with, good, bad,
                 absl::StrCat("device 2: its field profile.", field, " is ", bad, ", expected "));
}

std::vector<Edge> profiles() {
  using P = DeviceProfileT;
  constexpr uint64_t kMiB = 1 << 20, kGiB = 1 << 30, kL1 = 1499136;
  const auto grid_x = [](P& p, uint64_t n) { *p.grid = CoreCoord(n, 1); };
  const auto grid_y = [](P& p, uint64_t n) { *p.grid = CoreCoord(1, n); };
  const auto l1 = [](P& p, uint64_t n) { p.l1_size = n; };
  const auto l1_base = [](P& p, uint64_t n) { p.l1_unreserved_base = n; };
  const auto l1_unit = [](P& p, uint64_t n) { p.l1_alignment = n; };
  const auto banks = [](P& p, uint64_t n) { p.dram_banks = n; };
  const auto dram = [](P& p, uint64_t n) { p.dram_bank_size = n; };
  const auto dram_base = [](P& p, uint64_t n) { p.dram_unreserved_base = n; };
  const auto dram_unit = [](P& p, uint64_t n) { p.dram_alignment = n; };
  const auto buffers = [](P& p, uint64_t n) { p.num_circular_buffers = n; };
  const auto semaphores = [](P& p, uint64_t n) { p.num_semaphores = n; };
  const auto args = [](P& p, uint64_t n) { p.max_runtime_args = n; };
  const auto queues = [](P& p, uint64_t n) { p.max_command_queues = n; };
  const auto ethernet = [](P& p, uint64_t n) { p.ethernet_cores = n; };
  const auto ethernet_l1 = [](P& p, uint64_t n) { p.ethernet_l1_size = n; };
  return {
      profile_edge("Columns", "grid.x", grid_x, 64, 65),
      profile_edge("FewestColumns", "grid.x", grid_x, 1, 0),
      profile_edge("Rows", "grid.y", grid_y, 64, 65),
      profile_edge("FewestRows", "grid.y", grid_y, 1, 0),
      profile_edge("L1", "l1_size", l1, 64 * kMiB, 64 * kMiB + 1),
      profile_edge("LeastL1", "l1_size", l1, 4096, 4095),
      profile_edge("BaseOfL1", "l1_unreserved_base", l1_base, kL1, kL1 + 1),
      profile_edge("UnitOfL1", "l1_alignment", l1_unit, 4096, 8192),
      profile_edge("Banks", "dram_banks", banks, 256, 257),
      profile_edge("FewestBanks", "dram_banks", banks, 1, 0),
      profile_edge("Dram", "dram_bank_size", dram, 64 * kGiB, 64 * kGiB + 1),
      profile_edge("LeastDram", "dram_bank_size", dram, 4096, 4095),
      profile_edge("BaseOfDram", "dram_unreserved_base", dram_base, kGiB, kGiB + 1),
      profile_edge("UnitOfDram", "dram_alignment", dram_unit, 4096, 8192),
      profile_edge("CircularBuffers", "num_circular_buffers", buffers, 256, 257),
      profile_edge("FewestCircularBuffers", "num_circular_buffers", buffers, 1, 0),
      profile_edge("Semaphores", "num_semaphores", semaphores, 1024, 1025),
      profile_edge("Arguments", "max_runtime_args", args, 65536, 65537),
      profile_edge("Queues", "max_command_queues", queues, 64, 65),
      profile_edge("FewestQueues", "max_command_queues", queues, 1, 0),
      profile_edge("EthernetCores", "ethernet_cores", ethernet, 64, 65),
      profile_edge("EthernetL1", "ethernet_l1_size", ethernet_l1, 64 * kMiB, 64 * kMiB + 1),
  };
}

std::vector<Edge> programs() {
  using schema::testing::Calls;
  const auto on_kernel = [](auto call) {
    return std::move(Calls().program(1).compute_kernel(1, 1).add(std::move(call)));
  };
  const auto unique_args = [on_kernel](uint64_t n) {
    SetRuntimeArgsT call;
    call.kernel = 1;
    call.cores = range(0, 0, 0, 0);
    call.args.resize(n);
    return on_kernel(std::move(call));
  };
  const auto common_args = [on_kernel](uint64_t n) {
    SetCommonRuntimeArgsT call;
    call.kernel = 1;
    call.args.resize(n);
    return on_kernel(std::move(call));
  };
  const auto core_of_args = [on_kernel](uint64_t n) {
    SetRuntimeArgsT call;
    call.kernel = 1;
    call.cores = range(0, 0, n, 7);
    call.args.resize(2);
    return on_kernel(std::move(call));
  };
  const auto circular_buffers = [](uint64_t n) {
    return std::move(Calls().program(1).circular_buffer(1, 1, n, 64));
  };
  const auto kernel_on = [](uint64_t n) {
    KernelCreateT call;
    call.id = call.program = 1;
    call.cores = range(n, n, n, n);
    call.config.Set(ComputeConfigT());
    return std::move(Calls().program(1).add(std::move(call)));
  };
  const auto tile = [](CircularBufferCreateT& c, uint64_t height, uint64_t width, bool turned) {
    CircularBufferIndexT& index = *c.config->indices[0];
    index.tile_height = height;
    index.tile_width = width;
    index.transpose_tile = turned;
  };
  return {
      edge_of("UniqueArguments", unique_args, 341, 342, "the maximum allowable is 341"),
      edge_of("CommonArguments", common_args, 341, 342, "targeting kernel 1 are too large"),
      edge_of("CoreOfArguments", core_of_args, 7, 8, "Cannot access runtime args"),
      edge_of("IndexOfACircularBuffer", circular_buffers, 63, 64,
              "exceeds max number of circular buffers"),
      edge_of("CoreOfAKernel", kernel_on, 63, 64, "leaves the largest grid of all devices"),
      edge<CircularBufferCreateT>(
          "HeightOfATile", [tile](auto& c, uint64_t n) { tile(c, n, 32, false); }, 32, 64,
          "is 64 by 32, expected a tile of"),
      edge<CircularBufferCreateT>(
          "WidthOfATile", [tile](auto& c, uint64_t n) { tile(c, 32, n, false); }, 16, 8,
          "is 32 by 8, expected a tile of"),
      edge<CircularBufferCreateT>(
          "HeightOfATransposedTile", [tile](auto& c, uint64_t n) { tile(c, n, 32, true); }, 16, 8,
          "expected false for a tile of height 8"),
      edge<SetCommonRuntimeArgsSymbolicT>(
          "SymbolicArguments",
          [](auto& c, uint64_t n) {
            while (c.args->args.size() < n) c.args->args.push_back(std::make_unique<RuntimeArgT>());
          },
          339, 340, "unique+common runtime args targeting kernel 5 are too large"),
      edge<CreateSemaphoreWithIdT>(
          "Semaphore", [](auto& c, uint64_t n) { c.semaphore_id = n; }, 15, 16,
          "exceeds the maximum number of semaphores (16)"),
      edge<EnqueueProgramT>(
          "Queue", [](auto& c, uint64_t n) { c.cq = n; }, 1, 2, "there is no queue 2"),
      edge<KernelCreateT>(
          "Network", [](auto& c, uint64_t n) { c.config.AsDataMovementConfig()->noc = n; }, 1, 2,
          "expected less than 2"),
      edge<GlobalSemaphoreCreateT>(
          "CoreOfAGlobalSemaphore", [](auto& c, uint64_t n) { c.cores = range(n, 7, n, 7); }, 7, 8,
          "leaves the 8x8 grid"),
      edge<UpdateDynamicCircularBufferAddressOffsetT>(
          "OffsetOfACircularBuffer", [](auto& c, uint64_t n) { c.offset = n; }, 1024, 1040,
          "larger than the associated L1 buffer of 1008 B"),
      edge<UpdateDynamicCircularBufferAddressAndTotalSizeT>(
          "SizeOfACircularBuffer", [](auto& c, uint64_t n) { c.total_size = n; }, 2048, 3072,
          "Cannot set circular buffer size to 3072 B"),
  };
}

std::vector<Edge> traces() {
  using Load = LoadTraceT;
  return {
      edge<Load>(
          "Queue", [](Load& c, uint64_t n) { c.cq = n; }, 1, 2, "there is no queue 2"),
      edge<Load>(
          "Core", [](Load& c, uint64_t n) { *first_core(c).core = CoreCoord(n, 7); }, 7, 8,
          "which is not in the grid of (8, 8)"),
      edge<Load>(
          "Network", [](Load& c, uint64_t n) { c.content->launches[0]->kernels[0]->noc = n; }, 1, 2,
          "the trace names network 2"),
      edge<Load>(
          "Arguments",
          [](Load& c, uint64_t n) {
            c.content->launches[0]->args.resize(400);
            first_core(c).kernels[0] = {0, 0, static_cast<uint32_t>(n), 0, 0};
          },
          341, 342, "arguments of a kernel up to 342, expected at most 341"),
      edge<Load>(
          "CommonArguments",
          [](Load& c, uint64_t n) {
            c.content->launches[0]->args.resize(10);
            for (const auto& core : c.content->launches[0]->cores) core->kernels.clear();
            first_core(c).kernels = {{0, 0, 0, static_cast<uint32_t>(n), 2}};
          },
          8, 9, "the trace names arguments up to 11, expected at most 10"),
      edge<Load>(
          "EthernetCore",
          [](Load& c, uint64_t n) {
            auto core = std::make_unique<TraceCoreT>();
            core->core = std::make_unique<CoreCoord>(0, n);
            core->ethernet = true;
            c.content->launches[0]->cores.push_back(std::move(core));
          },
          7, 8, "Ethernet core (0, 8), which is not in the grid of (1, 8)"),
      edge<Load>(
          "PageOfACircularBuffer",
          [](Load& c, uint64_t n) {
            first_core(c).circular_buffers[0] = {0x19000, 64, static_cast<uint32_t>(n), 0, 5};
          },
          32, 48, "a circular buffer of 64 bytes in pages of 48"),
      edge<Load>(
          "ConfigurationOfARemoteCircularBuffer",
          [](Load& c, uint64_t n) {
            first_core(c).remote_circular_buffers = {{static_cast<uint32_t>(n), 16, 31}};
          },
          1499135, 1499136, "the trace names L1 at 1499136, expected less than 1499136"),
      edge<Load>(
          "EndOfACircularBuffer",
          [](Load& c, uint64_t n) {
            first_core(c).circular_buffers[0] = {0x19000, static_cast<uint32_t>(n - 0x19000), 1, 0,
                                                 5};
          },
          1499136, 1499152, "expected at most 1499136"),
      edge<Load>(
          "Semaphore",
          [](Load& c, uint64_t n) { first_core(c).semaphores[0] = TraceSemaphore(n, 0); }, 15, 16,
          "the trace names semaphore 16, expected less than 16"),
  };
}

class SemanticsOfEdges : public ::testing::TestWithParam<Edge> {};

TEST_P(SemanticsOfEdges, TheLastNumberIsAllowedAndTheNextIsNot) {
  const Edge& edge = GetParam();
  EXPECT_EQ(schema::verify(*edge.file_with(edge.good)), absl::OkStatus()) << edge.good;
  EXPECT_THAT(std::string(schema::verify(*edge.file_with(edge.bad)).message()),
              ::testing::HasSubstr(edge.message))
      << edge.bad;
}

std::string name_of_edge(const ::testing::TestParamInfo<Edge>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Transfer, SemanticsOfEdges, ::testing::ValuesIn(transfers()),
                         name_of_edge);
INSTANTIATE_TEST_SUITE_P(Buffer, SemanticsOfEdges, ::testing::ValuesIn(buffers()), name_of_edge);
INSTANTIATE_TEST_SUITE_P(Device, SemanticsOfEdges, ::testing::ValuesIn(devices()), name_of_edge);
INSTANTIATE_TEST_SUITE_P(Profile, SemanticsOfEdges, ::testing::ValuesIn(profiles()), name_of_edge);
INSTANTIATE_TEST_SUITE_P(Program, SemanticsOfEdges, ::testing::ValuesIn(programs()), name_of_edge);
INSTANTIATE_TEST_SUITE_P(Trace, SemanticsOfEdges, ::testing::ValuesIn(traces()), name_of_edge);

}  // namespace
}  // namespace lightmetal::semantics_testing::edges
