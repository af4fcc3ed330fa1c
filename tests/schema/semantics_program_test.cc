// Programs, circular buffers, arguments and traces whose numbers make no sense.
#include "tests/schema/semantics_rows.h"

namespace lightmetal::semantics_testing::programs {
namespace {

using namespace schema;

DataMovementConfigT& data_movement(KernelCreateT& call) {
  return *call.config.AsDataMovementConfig();
}

std::vector<Row> program_rows() {
  using Create = KernelCreateT;
  return {
      row<Create>(
          "handle", [](Create& c) { c.handle = 5; }, "kernel 1: its field handle is 5, expected 0"),
      row<Create>(
          "no_cores", [](Create& c) { c.cores.clear(); },
          "kernel 1: A kernel needs at least one core"),
      row<Create>(
          "largest_grid", [](Create& c) { c.cores = range(0, 0, 64, 0); },
          "leaves the largest grid of all devices, 64 by 64"),
      row<Create>(
          "grid", [](Create& c) { c.cores = range(0, 0, 9, 0); },
          "Illegal placement of kernel 1 of program 1 on cores {[(x=0,y=0) - (x=9,y=0)]}: the "
          "compute "
          "grid of device 1 is 8x8"),
      row<Create>(
          "processor", [](Create& c) { data_movement(c).processor = schema::Processor::Compute; },
          "its field config.processor is Compute, expected Riscv0 or Riscv1"),
      row<Create>(
          "noc", [](Create& c) { data_movement(c).noc = 2; },
          "its field config.noc is 2, expected less than 2"),
      row<Create>(
          "noc_mode", [](Create& c) { data_movement(c).noc_mode = 2; },
          "its field config.noc_mode is 2"),
      row<Create>(
          "fidelity", [](Create& c) { c.config.AsComputeConfig()->math_fidelity = 1; },
          "its field config.math_fidelity is 1", 1),
      row<Create>(
          "processor_twice",
          [](Create& c) {
            c.config.Reset();
            c.config.Set(DataMovementConfigT());
          },
          "Cannot create kernel 2 on processor RISCV_0: kernel 1 of program 1 uses it", 1),
      row<KernelBinaryT>(
          "target", [](auto& c) { c.target.clear(); }, "its field target is empty"),
      row<KernelBinaryT>(
          "no_binary", [](auto& c) { c.kernel = 1; },
          "kernel 2: it is launched or compiled, expected a KernelBinary before", 1),
      row<CreateSemaphoreT>(
          "semaphore_id", [](auto& c) { c.semaphore_id = 1; },
          "its field semaphore_id is 1, expected 0"),
      row<CreateSemaphoreWithIdT>(
          "chosen_id", [](auto& c) { c.semaphore_id = 16; },
          "program 4: Semaphore id 16 exceeds the maximum number of semaphores (16)"),
      row<CreateSemaphoreWithIdT>(
          "chosen_core_type", [](auto& c) { c.core_type = 1; },
          "its field core_type: Worker and Ethernet cores have semaphores"),
      row<CreateSemaphoreWithIdT>(
          "chosen_cores", [](auto& c) { c.cores.clear(); },
          "program 4: A semaphore needs at least one core"),
      row<SetCommonRuntimeArgsSymbolicT>(
          "symbolic_common_args",
          [](auto& c) {
            while (c.args->args.size() < 400)
              c.args->args.push_back(std::make_unique<RuntimeArgT>());
          },
          "402 unique+common runtime args targeting kernel 5 are too large"),
      row<SetCommonRuntimeArgsSymbolicT>(
          "symbolic_common_offset", [](auto& c) { c.args->args.at(1)->value = 4; },
          "Cannot give a kernel the address 4 B behind buffer"),
      row<CreateSemaphoreT>(
          "core_type", [](auto& c) { c.core_type = 1; },
          "its field core_type: Worker and Ethernet cores have semaphores"),
      row<EnqueueProgramT>(
          "queue", [](auto& c) { c.cq = 9; }, "Device 1 has 2 command queues: there is no queue 9"),
      row<GlobalSemaphoreCreateT>(
          "global_type", [](auto& c) { c.buffer_type = BufferType::Dram; },
          "Global semaphore can only be created for L1 buffer types, not DRAM"),
      row<GlobalSemaphoreCreateT>(
          "global_cores", [](auto& c) { c.cores = range(8, 0, 8, 0); },
          "A global semaphore on cores {[(x=8,y=0) - (x=8,y=0)]} leaves the 8x8 grid of device 1"),
      row<GlobalSemaphoreCreateT>(
          "global_address", [](auto& c) { c.allocated_address = 16; },
          "global semaphore 1: 16 B at address 16 lie outside the memory of L1 buffers"),
  };
}

std::vector<Row> circular_buffer_rows() {
  using Create = CircularBufferCreateT;
  using Global = GlobalCircularBufferCreateT;
  return {
      row<Create>(
          "total", [](Create& c) { c.config->total_size = 0; },
          "circular buffer 1: Total size for circular buffer must be non-zero"),
      row<Create>(
          "no_index", [](Create& c) { c.config->indices.clear(); },
          "circular buffer 1: A circular buffer of 4096 B has no index"),
      row<Create>(
          "index", [](Create& c) { c.config->indices[0]->index = 64; },
          "Buffer index (64) exceeds max number of circular buffers per core (64)"),
      row<Create>(
          "index_taken", [](Create& c) { c.config->indices[0]->index = 0; },
          "circular buffer 2: Invalid circular buffer index: cannot add circular buffer at index 0",
          1),
      row<Create>(
          "page", [](Create& c) { c.config->indices[0]->page_size = 2052; },
          "must be divisible by page size 2052 B of index 0"),
      row<Create>(
          "no_page", [](Create& c) { c.config->indices[0]->page_size = 0; },
          "Circular buffer index 0 has no page size: set_page_size"),
      row<Create>(
          "format", [](Create& c) { c.config->indices[0]->data_format = 99; },
          "its field config.indices.data_format is 99"),
      row<Create>(
          "tile", [](Create& c) { c.config->indices[0]->tile_height = 3; },
          "its field config.indices.tile_height is 3 by 32", 1),
      row<Create>(
          "remote", [](Create& c) { c.config->indices[0]->remote = true; },
          "its field config.indices.remote is true"),
      row<Create>(
          "shared_size", [](Create& c) { c.config->total_size = 1 << 20; },
          "This is larger than the associated L1 buffer of 2048 B", 1),
      row<UpdateCircularBufferTotalSizeT>(
          "l1", [](auto& c) { c.total_size = 1 << 21; },
          "which is beyond max L1 size of 1499136 B"),
      row<UpdateCircularBufferTotalSizeT>(
          "pages", [](auto& c) { c.total_size = 1028; },
          "circular buffer 1: Total circular buffer size 1028 B must be divisible by page size "
          "1024 B"),
      row<UpdateCircularBufferPageSizeT>(
          "other_index", [](auto& c) { c.index = 7; },
          "Illegal circular buffer index 7: page size can only be specified for indices"),
      row<UpdateDynamicCircularBufferAddressOffsetT>(
          "offset_unit", [](auto& c) { c.offset = 8; },
          "its field offset: The address offset 8 B of a circular buffer must be a multiple of 16 "
          "B"),
      row<UpdateDynamicCircularBufferAddressOffsetT>(
          "offset", [](auto& c) { c.offset = 2048; },
          "its field offset: The address offset 2048 B of a circular buffer leaves the associated "
          "L1 buffer of 2048 B"),
      row<UpdateDynamicCircularBufferAddressOffsetT>(
          "offset_room", [](auto& c) { c.offset = 1040; },
          "Cannot set circular buffer size to 1024 B. This is larger than the associated L1 buffer "
          "of 1008 B"),
      row<UpdateDynamicCircularBufferAddressAndTotalSizeT>(
          "dynamic", [](auto& c) { c.total_size = 4096; },
          "Cannot set circular buffer size to 4096 B"),
      row<Global>(
          "global_size", [](Global& c) { c.size = 40; },
          "global circular buffer 1: The size 40 B of a global circular buffer must be a positive "
          "multiple of 16 B, the alignment of L1"),
      row<Global>(
          "global_none", [](Global& c) { c.mapping.clear(); },
          "A global circular buffer needs at least one sender"),
      row<Global>(
          "global_twice", [](Global& c) { c.mapping[0]->receivers = range(0, 0, 1, 0); },
          "cores {[(x=0,y=0) - (x=0,y=0)]} cannot be receivers too"),
      row<Global>(
          "global_cores", [](Global& c) { c.mapping[0]->receivers = range(1, 8, 2, 8); },
          "leaves the 8x8 grid of device 1"),
      row<Global>(
          "global_memory", [](Global& c) { std::swap(c.buffer, c.config_buffer); },
          "is not 2048 B of L1 on each of 3 cores of device 1, as a global circular buffer needs"),
      row<Global>(
          "global_config", [](Global& c) { c.config_buffer = c.buffer; },
          "is not 112 B of L1 on each of 3 cores of device 1, as a global circular buffer needs"),
      row<CircularBufferCreateOnGlobalT>(
          "on_global_cores", [](auto& c) { c.cores = range(5, 5, 5, 5); },
          "expected one on all of its cores"),
      row<CircularBufferCreateOnGlobalT>(
          "on_global_order",
          [](auto& c) {
            c.config->indices[0]->index = 30;
            c.config->indices[1]->index = 29;
          },
          "Remote circular buffer index 29 must be above local index 30"),
  };
}

std::vector<Row> argument_rows() {
  return {
      row<SetRuntimeArgsT>(
          "cores", [](auto& c) { c.cores = range(0, 0, 2, 0); },
          "kernel 1: its field cores: Cannot access runtime args of kernel 1 on core (x=2,y=0)"),
      row<SetRuntimeArgsT>(
          "many", [](auto& c) { c.args.resize(342); },
          "342 unique and 0 common, and the maximum allowable is 341"),
      row<SetRuntimeArgsPerCoreT>(
          "lists", [](auto& c) { c.args.pop_back(); }, "its field args is 1 lists, expected 2"),
      row<SetRuntimeArgsPerCoreT>(
          "core", [](auto& c) { c.cores[1] = CoreCoord(7, 7); },
          "its field cores: Cannot access runtime args of kernel 1 on core (x=7,y=7)"),
      row<SetRuntimeArgsPerCoreT>(
          "grown", [](auto& c) { c.args[1]->words.resize(3); },
          "kernel 1 on core (x=1,y=0): their number cannot grow from 2 to 3"),
      row<SetRuntimeArgsSymbolicT>(
          "symbolic", [](auto& c) { c.cores = range(0, 0, 0, 1); },
          "on core (x=0,y=1): it is placed on {[(x=0,y=0) - (x=1,y=0)]}"),
      row<SetRuntimeArgsSymbolicT>(
          "symbolic_offset", [](auto& c) { c.args->args[0]->value = 4; },
          "Cannot give a kernel the address 4 B behind buffer"),
      row<SetRuntimeArgsSymbolicPerCoreT>(
          "symbolic_per_core_offset", [](auto& c) { c.args[1]->args[0]->value = 4; },
          "Cannot give a kernel the address 4 B behind buffer"),
      row<SetRuntimeArgsSymbolicPerCoreT>(
          "symbolic_lists", [](auto& c) { c.cores.clear(); },
          "its field args is 2 lists, expected 0"),
      row<SetCommonRuntimeArgsT>(
          "common", [](auto& c) { c.args.resize(340); }, "2 unique and 340 common"),
      row<WriteRuntimeArgsT>(
          "write_core", [](auto& c) { *c.core = CoreCoord(2, 0); },
          "its field core: Cannot access runtime args of kernel 1 on core (x=2,y=0)"),
      row<WriteRuntimeArgsT>(
          "write", [](auto& c) { c.args.pop_back(); },
          "its field args is 1 words, expected 2, as many as core (1, 0) has"),
      row<WriteCommonRuntimeArgsT>(
          "write_common", [](auto& c) { c.args.push_back(0); },
          "its field args is 3 words, expected 2"),
  };
}

std::vector<Row> trace_rows() {
  using Load = LoadTraceT;
  return {
      row<Load>(
          "cq", [](Load& c) { c.cq = 2; }, "Device 1 has 2 command queues: there is no queue 2"),
      row<Load>(
          "lane", [](Load& c) { c.content->launches[0]->lane = 1; },
          "A trace fits where the device is divided into sub-devices as it was when the trace was "
          "captured: device 1 is not divided, and the trace is of one that was"),
      row<Load>(
          "other_lane", [](Load& c) { c.content->launches[0]->lane = 3; },
          "The trace has a launch on sub-device 2, but 2 are loaded", 1),
      row<Load>(
          "lane_cores", [](Load& c) { c.content->launches[0]->lane = 1; },
          "which is not of sub-device 0", 1),
      row<Load>(
          "core", [](Load& c) { *first_core(c).core = CoreCoord(8, 0); },
          "the trace has core (8, 0), which is not in the grid of (8, 8)"),
      row<Load>(
          "core_twice",
          [](Load& c) { *first_core(c).core = *c.content->launches[0]->cores.at(1)->core; },
          "twice in one launch"),
      row<Load>(
          "kernel",
          [](Load& c) {
            first_core(c).kernels[0] = {9, 0, 0, 0, 0};
          },
          "the trace names kernel 9, expected less than 2"),
      row<Load>(
          "processor_twice", [](Load& c) { first_core(c).kernels[1] = first_core(c).kernels[0]; },
          "two kernels for one processor"),
      row<Load>(
          "ethernet", [](Load& c) { first_core(c).ethernet = true; }, "on an Ethernet core"),
      row<Load>(
          "noc", [](Load& c) { c.content->launches[0]->kernels[0]->noc = 2; },
          "the trace names network 2"),
      row<Load>(
          "arguments",
          [](Load& c) {
            first_core(c).kernels[0] = {0, 4000000000u, 4000000000u, 0, 0};
          },
          "the trace names arguments up to 8000000000"),
      row<Load>(
          "globally_allocated", [](Load& c) { first_core(c).globally_allocated = {31}; },
          "the trace has a circular buffer 31 in a buffer, which is none of its core's"),
      row<Load>(
          "globally_allocated_without_end",
          [](Load& c) { first_core(c).globally_allocated.resize(300); },
          "the trace has 300 circular buffers that lie in buffers, of"),
      row<Load>(
          "circular_buffer",
          [](Load& c) {
            first_core(c).circular_buffers[0] = {0x19000, 0xFFFFFFFF, 1, 0, 5};
          },
          "the trace names L1 up to 4295069695, expected at most 1499136"),
      row<Load>(
          "format",
          [](Load& c) {
            first_core(c).circular_buffers[0] = {0x19000, 64, 64, 0, 99};
          },
          "data format 99"),
      row<Load>(
          "remote",
          [](Load& c) {
            first_core(c).remote_circular_buffers = {{0x19000, 0, 31}};
          },
          "with pages of 0 bytes"),
      row<Load>(
          "semaphore",
          [](Load& c) {
            first_core(c).semaphores[0] = {16, 0};
          },
          "the trace names semaphore 16, expected less than 16"),
  };
}

class SemanticsOfPrograms : public ::testing::TestWithParam<Row> {};

TEST_P(SemanticsOfPrograms, AChangedFieldIsRefusedByVerifyAndByLoad) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Program, SemanticsOfPrograms, ::testing::ValuesIn(program_rows()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(CircularBuffer, SemanticsOfPrograms,
                         ::testing::ValuesIn(circular_buffer_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Argument, SemanticsOfPrograms, ::testing::ValuesIn(argument_rows()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Trace, SemanticsOfPrograms, ::testing::ValuesIn(trace_rows()), name_of);

}  // namespace
}  // namespace lightmetal::semantics_testing::programs
