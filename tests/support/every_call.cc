#include "tests/support/every_call.h"

#include <array>
#include <memory>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

namespace {

constexpr uint32_t kPage = 2048;
constexpr char kKernel[] = "#include <cstdint>\nvoid kernel_main() {}\n";
const CoreCoord kCore(0, 0);

std::shared_ptr<Buffer> buffer_in(IDevice* device, BufferType type) {
  return CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = kPage, .page_size = kPage, .buffer_type = type});
}

void use_buffers(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  auto dram = CreateBuffer(
      InterleavedBufferConfig{.device = device, .size = 2 * kPage, .page_size = kPage});
  std::vector<uint32_t> data(2 * kPage / 4, 0), half(kPage / 4, 0);
  EnqueueWriteBuffer(cq, dram, data, /*blocking=*/false);
  EnqueueReadBuffer(cq, dram, data, /*blocking=*/true);
  EnqueueWriteSubBuffer(cq, dram, half, BufferRegion(kPage, kPage), /*blocking=*/false);
  EnqueueReadSubBuffer(cq, dram, half, BufferRegion(0, kPage), /*blocking=*/false);
  Finish(cq);
  detail::WriteToBuffer(dram, data);
  detail::ReadFromBuffer(dram, data);
  LightMetalBindOutput("words", dram, {{2, kPage / 4}, lightmetal::TensorType::UInt32});
  LightMetalEntryBegin("compare");
  LightMetalScopeBegin("compare");
  LightMetalCompareToCapture(cq, dram);
  LightMetalScopeEnd();
  LightMetalEntryEnd();
  LightMetalCompareToGolden(cq, dram, data);
  dram->set_page_size(kPage / 2);
  auto view =
      CreateBuffer(InterleavedBufferConfig{.device = device, .size = kPage, .page_size = kPage},
                   dram->address());
  DeallocateBuffer(*dram);

  const ShardSpecBuffer shards(CoreRange({0, 0}, {0, 1}), {32, 32}, ShardOrientation::ROW_MAJOR,
                               {32, 32}, {2, 1});
  auto sharded = CreateBuffer(ShardedBufferConfig{
      .device = device, .size = 2 * kPage, .page_size = kPage, .shard_parameters = shards});
  std::vector<uint32_t> shard;
  detail::ReadShard(*sharded, shard, 1);
  LightMetalClearBuffer(sharded);

  const BufferDistributionSpec spec(Shape({3, 2}), Shape({2, 1}),
                                    CoreRangeSet(CoreRange({1, 0}, {1, 1})),
                                    ShardOrientation::ROW_MAJOR);
  auto distributed = Buffer::create(device, 6 * kPage, kPage, BufferType::L1, spec);
  detail::ReadShard(*distributed, shard, 1);
}

void use_memory(IDevice* device) {
  std::vector<uint32_t> words(16, 0);
  detail::WriteToDeviceDRAMChannel(device, 3, 0x10000, words);
  detail::ReadFromDeviceDRAMChannel(device, 3, 0x10000, 64, words);
  detail::WriteToDeviceL1(device, kCore, 0x80000, words);
  detail::ReadFromDeviceL1(device, kCore, 0x80000, 64, words);
  detail::WriteToDeviceL1(device, kCore, 0x10000, words, CoreType::ETH);
  detail::ReadFromDeviceL1(device, kCore, 0x10000, 64, words, CoreType::ETH);
  GlobalSemaphore semaphore = CreateGlobalSemaphore(device, CoreRangeSet(CoreRange(kCore)), 3);
  semaphore.reset_semaphore_value(4);
}

void set_arguments(IDevice* device, Program& program, KernelHandle kernel,
                   const std::shared_ptr<Buffer>& buffer) {
  const CoreRange cores({0, 0}, {1, 0});
  const std::vector<CoreCoord> each = {{0, 0}, {1, 0}};
  const auto symbolic = std::make_shared<RuntimeArgs>(RuntimeArgs{buffer.get(), 7u});
  SetRuntimeArgs(program, kernel, cores, {1, 2});
  SetRuntimeArgs(program, kernel, each, {{3, 4}, {5, 6}});
  SetRuntimeArgs(device, detail::GetKernel(program, kernel), cores, symbolic);
  SetRuntimeArgs(device, detail::GetKernel(program, kernel), each, {symbolic, symbolic});
  LightMetalAllowMove(buffer);
  LightMetalSetRuntimeArgs(program, kernel, cores, {LightMetalAddress{buffer.get(), 32}, 7u});
  SetCommonRuntimeArgs(program, kernel, {8, 9});
}

void change_arguments(Program& program, KernelHandle kernel) {
  GetRuntimeArgs(program, kernel, CoreCoord(1, 0))[0] = 10;
  GetCommonRuntimeArgs(program, kernel)[1] = 11;
}

void use_programs(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  Program program = CreateProgram();
  const CoreRange cores({0, 0}, {1, 0});
  const KernelHandle kernel =
      CreateKernelFromString(program, kKernel, cores,
                             DataMovementConfig{.compile_args = {1, 2},
                                                .defines = {{"A", "1"}},
                                                .named_compile_args = {{"second", 4}, {"first", 3}},
                                                .opt_level = KernelBuildOptLevel::O3,
                                                .compiler_include_paths = {"include"}});
  CreateKernelFromString(program, kKernel, kCore, ComputeConfig{});
  auto shared = buffer_in(device, BufferType::L1);
  auto other = buffer_in(device, BufferType::L1);
  CreateSemaphore(program, cores, 5);
  const CBHandle own = CreateCircularBuffer(
      program, cores,
      CircularBufferConfig(2 * kPage, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, kPage));
  const CBHandle dynamic =
      CreateCircularBuffer(program, cores,
                           CircularBufferConfig(kPage, {{1, tt::DataFormat::Float32}}, *shared)
                               .set_page_size(1, kPage)
                               .set_tile_dims(1, Tile({16, 32})));
  UpdateCircularBufferTotalSize(program, own, 4 * kPage);
  UpdateCircularBufferPageSize(program, own, 0, kPage / 2);
  UpdateDynamicCircularBufferAddress(program, dynamic, *other);
  UpdateDynamicCircularBufferAddressAndTotalSize(program, dynamic, *shared, kPage);
  AssignGlobalBufferToProgram(other, program);
  set_arguments(device, program, kernel, shared);
  EnqueueProgram(cq, program, /*blocking=*/false);
  change_arguments(program, kernel);
  EnqueueProgram(cq, program, /*blocking=*/true);

  detail::CompileProgram(device, program);
  detail::ConfigureDeviceWithProgram(device, program);
  detail::WriteRuntimeArgsToDevice(device, program);
  detail::LaunchProgram(device, program, /*wait_until_cores_done=*/false);
  detail::WaitProgramDone(device, program);

  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(cq, program, /*blocking=*/false);
  EndTraceCapture(device, 0, trace);
  ReplayTrace(device, 0, trace, /*blocking=*/true);
  EnqueueTrace(cq, trace, /*blocking=*/false);
  Synchronize(device, 0);
  ReleaseTrace(device, trace);
}

// What a program that is made from a descriptor has beyond the calls of the others.
void use_descriptors(IDevice* device) {
  auto buffer = buffer_in(device, BufferType::L1);
  KernelDescriptor kernel{.kernel_source = kKernel,
                          .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
                          .core_ranges = CoreRangeSet(CoreRange(kCore)),
                          .config = WriterConfigDescriptor{}};
  kernel.emplace_runtime_args(kCore, {buffer.get(), 1u});
  kernel.emplace_common_runtime_args({2u, buffer.get()});
  ProgramDescriptor descriptor;
  descriptor.kernels = {kernel};
  descriptor.semaphores = {{.id = 3, .core_ranges = kernel.core_ranges, .initial_value = 6}};
  descriptor.cbs = {{.total_size = kPage / 2,
                     .core_ranges = kernel.core_ranges,
                     .format_descriptors = {{.buffer_index = 2, .page_size = kPage / 2}},
                     .buffer = buffer.get(),
                     .address_offset = kPage / 2}};
  Program program(descriptor);
  EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
}

void use_events(IDevice* device) {
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(device->command_queue(0), event);
  EnqueueWaitForEvent(device->command_queue(1), event);
  EventSynchronize(event);
  Synchronize(device);
}

void use_global_circular_buffers(IDevice* device) {
  const std::vector<std::pair<CoreCoord, CoreRangeSet>> mapping = {
      {kCore, CoreRangeSet(CoreRange({1, 1}, {2, 1}))}};
  const auto first = experimental::CreateGlobalCircularBuffer(device, mapping, kPage);
  const auto second = experimental::CreateGlobalCircularBuffer(device, mapping, 2 * kPage);
  Program program = CreateProgram();
  CircularBufferConfig config(kPage);
  config.remote_index(31).set_page_size(kPage).set_data_format(tt::DataFormat::Float16_b);
  config.index(0).set_page_size(kPage).set_data_format(tt::DataFormat::Float16_b);
  const CBHandle shared =
      experimental::CreateCircularBuffer(program, first.all_cores(), config, first);
  experimental::UpdateDynamicCircularBufferAddress(program, shared, second);
  CreateKernelFromString(program, kKernel, first.all_cores(), DataMovementConfig{});
  EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
}

void use_sub_devices(IDevice* device) {
  const std::array first = {CoreRangeSet(CoreRange({0, 0}, {1, 1}))};
  const std::array second = {CoreRangeSet(CoreRange({2, 0}, {3, 1}))};
  const auto manager =
      device->create_sub_device_manager({SubDevice(first), SubDevice(second)}, 2 * kPage);
  device->load_sub_device_manager(manager);
  device->set_sub_device_stall_group({SubDeviceId{1}});
  Program program = CreateProgram();
  CreateKernelFromString(program, kKernel, CoreRange({2, 0}, {2, 1}), DataMovementConfig{});
  EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(device->command_queue(), program, /*blocking=*/false);
  EndTraceCapture(device, 0, trace);
  ReplayTrace(device, 0, trace, /*blocking=*/true);
  ReleaseTrace(device, trace);
  device->reset_sub_device_stall_group();
  device->clear_loaded_sub_device_manager();
  device->remove_sub_device_manager(manager);
}

}  // namespace

void make_every_call() {
  IDevice* device = CreateDevice(0, 2, DEFAULT_L1_SMALL_SIZE, 1 << 20);
  use_buffers(device);
  use_memory(device);
  use_programs(device);
  use_events(device);
  use_global_circular_buffers(device);
  use_sub_devices(device);
  use_descriptors(device);
  CloseDevice(device);
}
