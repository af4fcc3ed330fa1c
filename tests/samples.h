#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/blob.h"
#include "schema/calls.h"
#include "schema/encode.h"
#include "schema/references.h"

// One sample of each command for the table-driven tests, with every field set to something that is
// not its default. A member of the union Call without a sample does not compile.

namespace lightmetal::schema::samples {

// The one object of each kind that the samples speak of. The patterns are unlike anything else in a
// command.
inline constexpr uint64_t kDevice = 0x51D2D3D400000001;
inline constexpr uint64_t kBuffer = 0x51D2D3D400000002;
inline constexpr uint64_t kProgram = 0x51D2D3D400000003;
inline constexpr uint64_t kKernel = 0x51D2D3D400000004;
inline constexpr uint64_t kCircularBuffer = 0x51D2D3D400000005;
inline constexpr uint64_t kGlobalSemaphore = 0x51D2D3D400000006;
inline constexpr uint64_t kEvent = 0x51D2D3D400000007;
inline constexpr uint64_t kTrace = 0x51D2D3D400000008;
inline constexpr uint64_t kGlobalCircularBuffer = 0x51D2D3D400000009;
inline constexpr uint64_t kSubDeviceManager = 0x51D2D3D40000000A;
// Two commands create circular buffers.
inline constexpr uint64_t kCircularBufferOnGlobal = 0x51D2D3D40000000B;

// The one payload that the samples refer to.
inline const std::string& payload() {
  static const std::string text = "sixteen bytes or";
  return text;
}

inline Bytes payload_bytes() { return bytes_of(payload().data(), payload().size()); }

inline std::unique_ptr<BlobRef> blob() {
  return std::make_unique<BlobRef>(blob_ref_of(payload_bytes()));
}

inline std::vector<CoreRange> ranges() {
  return {{CoreCoord(0, 0), CoreCoord(7, 3)}, {CoreCoord(2, 5), CoreCoord(2, 5)}};
}

inline std::vector<CoreCoord> cores() { return {CoreCoord(0, 0), CoreCoord(3, 4)}; }

template <class T, class... Values>
std::vector<std::unique_ptr<T>> list_of(Values... values) {
  std::vector<std::unique_ptr<T>> list;
  (list.push_back(std::make_unique<T>(std::move(values))), ...);
  return list;
}

inline DeviceProfileT profile() {
  DeviceProfileT profile;
  profile.arch = "wormhole_b0";
  profile.grid = std::make_unique<CoreCoord>(8, 8);
  profile.l1_size = 1499136;
  profile.l1_unreserved_base = 0x19000;
  profile.l1_alignment = 16;
  profile.dram_banks = 12;
  profile.dram_bank_size = uint64_t{1} << 30;
  profile.dram_unreserved_base = 32;
  profile.dram_alignment = 32;
  profile.num_circular_buffers = 32;
  profile.num_semaphores = 16;
  profile.max_runtime_args = 341;
  profile.first_worker = std::make_unique<CoreCoord>(18, 18);
  profile.max_command_queues = 2;
  profile.ethernet_cores = 8;
  profile.ethernet_l1_size = 0x40000;
  profile.ethernet_unreserved_base = 0x8000;
  profile.first_ethernet = std::make_unique<CoreCoord>(18, 16);
  for (uint32_t bank = 0; bank < 12; ++bank) profile.dram_cores.emplace_back(5, bank);
  return profile;
}

inline RuntimeArgT arg(uint64_t buffer, uint32_t value) {
  RuntimeArgT arg;
  arg.buffer = buffer;
  arg.value = value;
  return arg;
}

inline RuntimeArgsT args() {
  RuntimeArgsT args;
  args.args = list_of<RuntimeArgT>(arg(kBuffer, 0), arg(0, 17));
  return args;
}

template <class Table>
using Of = std::type_identity<Table>;

// ---- Devices ----

inline CreateDeviceT sample(Of<CreateDevice>) {
  CreateDeviceT call;
  call.id = kDevice;
  call.chip_id = 1;
  call.num_hw_cqs = 2;
  call.l1_small_size = 1024;
  call.trace_region_size = 4096;
  call.dispatch_core_type = 1;
  call.l1_bank_remap = {1, 0};
  call.backend = "cpu";
  call.profile = std::make_unique<DeviceProfileT>(profile());
  return call;
}

inline CloseDeviceT sample(Of<CloseDevice>) {
  CloseDeviceT call;
  call.device = kDevice;
  return call;
}

// ---- Sub-devices ----

inline SubDeviceManagerCreateT sample(Of<SubDeviceManagerCreate>) {
  SubDeviceT sub_device;
  sub_device.cores = ranges();
  SubDeviceManagerCreateT call;
  call.id = kSubDeviceManager;
  call.device = kDevice;
  call.sub_devices = list_of<SubDeviceT>(sub_device);
  call.local_l1_size = 3200;
  return call;
}

inline SubDeviceManagerRemoveT sample(Of<SubDeviceManagerRemove>) {
  SubDeviceManagerRemoveT call;
  call.device = kDevice;
  call.manager = kSubDeviceManager;
  return call;
}

inline SubDeviceManagerLoadT sample(Of<SubDeviceManagerLoad>) {
  SubDeviceManagerLoadT call;
  call.device = kDevice;
  call.manager = kSubDeviceManager;
  return call;
}

inline SubDeviceManagerClearT sample(Of<SubDeviceManagerClear>) {
  SubDeviceManagerClearT call;
  call.device = kDevice;
  return call;
}

inline SubDeviceStallGroupSetT sample(Of<SubDeviceStallGroupSet>) {
  SubDeviceStallGroupSetT call;
  call.device = kDevice;
  call.sub_devices = {1, 0};
  return call;
}

inline SubDeviceStallGroupResetT sample(Of<SubDeviceStallGroupReset>) {
  SubDeviceStallGroupResetT call;
  call.device = kDevice;
  return call;
}

// ---- Buffers ----

inline BufferCreateT sample(Of<BufferCreate>) {
  BufferCreateT call;
  call.id = kBuffer;
  call.device = kDevice;
  call.address = 0x20000;
  call.allocated_address = 0x20000;
  call.size = 8192;
  call.page_size = 2048;
  call.buffer_type = BufferType::L1;
  call.layout = BufferLayout::BlockSharded;
  call.shard = std::make_unique<ShardSpecT>();
  call.shard->grid = ranges();
  call.shard->shape_height = 64;
  call.shard->shape_width = 32;
  call.shard->orientation = ShardOrientation::ColMajor;
  call.shard->page_height = 32;
  call.shard->page_width = 32;
  call.shard->tensor_height_in_pages = 4;
  call.shard->tensor_width_in_pages = 1;
  call.bottom_up = true;
  call.sub_device = uint8_t{0};
  return call;
}

inline BufferSetPageSizeT sample(Of<BufferSetPageSize>) {
  BufferSetPageSizeT call;
  call.buffer = kBuffer;
  call.page_size = 4096;
  return call;
}

inline BufferDeallocateT sample(Of<BufferDeallocate>) {
  BufferDeallocateT call;
  call.buffer = kBuffer;
  return call;
}

inline BufferDestroyT sample(Of<BufferDestroy>) {
  BufferDestroyT call;
  call.buffer = kBuffer;
  return call;
}

// ---- Programs ----

inline ProgramCreateT sample(Of<ProgramCreate>) {
  ProgramCreateT call;
  call.id = kProgram;
  return call;
}

inline ProgramDestroyT sample(Of<ProgramDestroy>) {
  ProgramDestroyT call;
  call.program = kProgram;
  return call;
}

inline DefineT define(std::string key, std::string value) {
  DefineT define;
  define.key = std::move(key);
  define.value = std::move(value);
  return define;
}

inline KernelCreateT sample(Of<KernelCreate>) {
  ComputeConfigT config;
  config.math_fidelity = 4;
  config.fp32_dest_acc_en = true;
  config.dst_full_sync_en = true;
  config.bfp8_pack_precise = true;
  config.math_approx_mode = true;
  config.unpack_to_dest_fp32 = {true, false, true};
  KernelCreateT call;
  call.id = kKernel;
  call.program = kProgram;
  call.handle = 2;
  call.source_kind = KernelSourceKind::String;
  call.source_name = "kernels/compute/a \"quoted\"\tname.cpp";
  call.source_digest = std::make_unique<Digest>(1, 2);
  call.cores = ranges();
  call.config.Set(std::move(config));
  call.compile_args = {7, 8, 9};
  call.defines = list_of<DefineT>(define("A", "1"), define("B", "add_tiles"));
  return call;
}

inline KernelBinaryT sample(Of<KernelBinary>) {
  KernelBinaryT call;
  call.kernel = kKernel;
  call.target = "cpu-x86_64-1";
  call.object = blob();
  return call;
}

inline CircularBufferCreateT sample(Of<CircularBufferCreate>) {
  CircularBufferIndexT index;
  index.index = 16;
  index.remote = true;
  index.data_format = 5;
  index.page_size = 2048;
  index.tile_height = 32;
  index.tile_width = 16;
  index.transpose_tile = true;
  CircularBufferCreateT call;
  call.id = kCircularBuffer;
  call.program = kProgram;
  call.cores = ranges();
  call.config = std::make_unique<CircularBufferConfigT>();
  call.config->total_size = 4096;
  call.config->buffer = kBuffer;
  call.config->globally_allocated_address = 0x20000;
  call.config->indices = list_of<CircularBufferIndexT>(index);
  return call;
}

inline UpdateCircularBufferTotalSizeT sample(Of<UpdateCircularBufferTotalSize>) {
  UpdateCircularBufferTotalSizeT call;
  call.circular_buffer = kCircularBuffer;
  call.total_size = 8192;
  return call;
}

inline UpdateCircularBufferPageSizeT sample(Of<UpdateCircularBufferPageSize>) {
  UpdateCircularBufferPageSizeT call;
  call.circular_buffer = kCircularBuffer;
  call.index = 16;
  call.page_size = 1024;
  return call;
}

inline UpdateDynamicCircularBufferAddressT sample(Of<UpdateDynamicCircularBufferAddress>) {
  UpdateDynamicCircularBufferAddressT call;
  call.circular_buffer = kCircularBuffer;
  call.buffer = kBuffer;
  return call;
}

inline UpdateDynamicCircularBufferAddressAndTotalSizeT sample(
    Of<UpdateDynamicCircularBufferAddressAndTotalSize>) {
  UpdateDynamicCircularBufferAddressAndTotalSizeT call;
  call.circular_buffer = kCircularBuffer;
  call.buffer = kBuffer;
  call.total_size = 8192;
  return call;
}

inline CreateSemaphoreT sample(Of<CreateSemaphore>) {
  CreateSemaphoreT call;
  call.program = kProgram;
  call.cores = ranges();
  call.initial_value = 3;
  call.core_type = 1;
  call.semaphore_id = 2;
  return call;
}

inline GlobalSemaphoreCreateT sample(Of<GlobalSemaphoreCreate>) {
  GlobalSemaphoreCreateT call;
  call.id = kGlobalSemaphore;
  call.device = kDevice;
  call.cores = ranges();
  call.initial_value = 3;
  call.buffer_type = BufferType::L1;
  call.allocated_address = 0x19000;
  return call;
}

inline GlobalSemaphoreResetValueT sample(Of<GlobalSemaphoreResetValue>) {
  GlobalSemaphoreResetValueT call;
  call.global_semaphore = kGlobalSemaphore;
  call.value = 5;
  return call;
}

inline GlobalSemaphoreDestroyT sample(Of<GlobalSemaphoreDestroy>) {
  GlobalSemaphoreDestroyT call;
  call.global_semaphore = kGlobalSemaphore;
  return call;
}

inline GlobalCircularBufferCreateT sample(Of<GlobalCircularBufferCreate>) {
  SenderToReceiversT sender;
  sender.sender = std::make_unique<CoreCoord>(3, 4);
  sender.receivers = ranges();
  GlobalCircularBufferCreateT call;
  call.id = kGlobalCircularBuffer;
  call.device = kDevice;
  call.buffer = kBuffer;
  call.config_buffer = kBuffer;
  call.mapping = list_of<SenderToReceiversT>(sender);
  call.size = 3200;
  call.buffer_type = BufferType::L1;
  return call;
}

inline GlobalCircularBufferDestroyT sample(Of<GlobalCircularBufferDestroy>) {
  GlobalCircularBufferDestroyT call;
  call.global_circular_buffer = kGlobalCircularBuffer;
  return call;
}

inline CircularBufferCreateOnGlobalT sample(Of<CircularBufferCreateOnGlobal>) {
  const CircularBufferCreateT plain = sample(Of<CircularBufferCreate>());
  CircularBufferCreateOnGlobalT call;
  call.id = kCircularBufferOnGlobal;
  call.program = kProgram;
  call.cores = ranges();
  call.config = std::make_unique<CircularBufferConfigT>(*plain.config);
  call.global_circular_buffer = kGlobalCircularBuffer;
  return call;
}

inline UpdateDynamicCircularBufferGlobalT sample(Of<UpdateDynamicCircularBufferGlobal>) {
  UpdateDynamicCircularBufferGlobalT call;
  call.circular_buffer = kCircularBuffer;
  call.global_circular_buffer = kGlobalCircularBuffer;
  return call;
}

inline AssignGlobalBufferToProgramT sample(Of<AssignGlobalBufferToProgram>) {
  AssignGlobalBufferToProgramT call;
  call.buffer = kBuffer;
  call.program = kProgram;
  return call;
}

// ---- Runtime arguments ----

inline SetRuntimeArgsT sample(Of<SetRuntimeArgs>) {
  SetRuntimeArgsT call;
  call.kernel = kKernel;
  call.cores = ranges();
  for (uint32_t i = 0; i < 20; ++i) call.args.push_back(100 + i);
  return call;
}

inline SetRuntimeArgsPerCoreT sample(Of<SetRuntimeArgsPerCore>) {
  WordsT words;
  words.words = {1, 2, 3};
  SetRuntimeArgsPerCoreT call;
  call.kernel = kKernel;
  call.cores = cores();
  call.args = list_of<WordsT>(words, words);
  return call;
}

inline SetRuntimeArgsSymbolicT sample(Of<SetRuntimeArgsSymbolic>) {
  SetRuntimeArgsSymbolicT call;
  call.device = kDevice;
  call.kernel = kKernel;
  call.cores = ranges();
  call.args = std::make_unique<RuntimeArgsT>(args());
  return call;
}

inline SetRuntimeArgsSymbolicPerCoreT sample(Of<SetRuntimeArgsSymbolicPerCore>) {
  SetRuntimeArgsSymbolicPerCoreT call;
  call.device = kDevice;
  call.kernel = kKernel;
  call.cores = cores();
  call.args = list_of<RuntimeArgsT>(args(), args());
  return call;
}

inline SetCommonRuntimeArgsT sample(Of<SetCommonRuntimeArgs>) {
  SetCommonRuntimeArgsT call;
  call.kernel = kKernel;
  call.args = {4, 5};
  return call;
}

inline WriteRuntimeArgsT sample(Of<WriteRuntimeArgs>) {
  WriteRuntimeArgsT call;
  call.kernel = kKernel;
  call.core = std::make_unique<CoreCoord>(1, 2);
  call.args = {6};
  return call;
}

inline WriteCommonRuntimeArgsT sample(Of<WriteCommonRuntimeArgs>) {
  WriteCommonRuntimeArgsT call;
  call.kernel = kKernel;
  call.args = {7};
  return call;
}

// ---- Command queues ----

inline EnqueueWriteBufferT sample(Of<EnqueueWriteBuffer>) {
  EnqueueWriteBufferT call;
  call.device = kDevice;
  call.cq = 1;
  call.buffer = kBuffer;
  call.data = blob();
  call.element_type = ElementType::BFloat16;
  call.blocking = true;
  return call;
}

inline EnqueueReadBufferT sample(Of<EnqueueReadBuffer>) {
  EnqueueReadBufferT call;
  call.device = kDevice;
  call.cq = 1;
  call.buffer = kBuffer;
  call.golden = blob();
  call.element_type = ElementType::Float32;
  call.blocking = true;
  return call;
}

inline EnqueueWriteSubBufferT sample(Of<EnqueueWriteSubBuffer>) {
  EnqueueWriteSubBufferT call;
  call.device = kDevice;
  call.cq = 1;
  call.buffer = kBuffer;
  call.offset = 2048;
  call.size = 16;
  call.data = blob();
  call.element_type = ElementType::UInt8;
  call.blocking = true;
  return call;
}

inline EnqueueReadSubBufferT sample(Of<EnqueueReadSubBuffer>) {
  EnqueueReadSubBufferT call;
  call.device = kDevice;
  call.cq = 1;
  call.buffer = kBuffer;
  call.offset = 2048;
  call.size = 16;
  call.golden = blob();
  call.element_type = ElementType::UInt16;
  call.blocking = true;
  return call;
}

inline EnqueueProgramT sample(Of<EnqueueProgram>) {
  EnqueueProgramT call;
  call.device = kDevice;
  call.cq = 1;
  call.program = kProgram;
  call.blocking = true;
  return call;
}

inline FinishQueueT sample(Of<FinishQueue>) {
  FinishQueueT call;
  call.device = kDevice;
  call.cq = 1;
  call.sub_devices = {0, 1};
  return call;
}

inline SynchronizeT sample(Of<Synchronize>) {
  SynchronizeT call;
  call.device = kDevice;
  call.cq = uint8_t{0};
  call.sub_devices = {0, 1};
  return call;
}

inline EventCreateT sample(Of<EventCreate>) {
  EventCreateT call;
  call.id = kEvent;
  return call;
}

inline EventDestroyT sample(Of<EventDestroy>) {
  EventDestroyT call;
  call.event = kEvent;
  return call;
}

inline EnqueueRecordEventT sample(Of<EnqueueRecordEvent>) {
  EnqueueRecordEventT call;
  call.device = kDevice;
  call.cq = 1;
  call.event = kEvent;
  call.sub_devices = {1};
  return call;
}

inline EnqueueWaitForEventT sample(Of<EnqueueWaitForEvent>) {
  EnqueueWaitForEventT call;
  call.device = kDevice;
  call.cq = 1;
  call.event = kEvent;
  return call;
}

inline EventSynchronizeT sample(Of<EventSynchronize>) {
  EventSynchronizeT call;
  call.event = kEvent;
  return call;
}

// ---- Device traces ----

inline TraceLaunchT launch() {
  TraceKernelT kernel;
  kernel.name = "reader";
  kernel.target = "cpu-x86_64-1";
  kernel.object = blob();
  kernel.processor = Processor::Compute;
  kernel.noc = 1;
  TraceCoreT core;
  core.core = std::make_unique<CoreCoord>(1, 1);
  core.kernels = {TraceKernelOnCore(0, 1, 2, 3, 1)};
  core.circular_buffers = {TraceCircularBuffer(0x19000, 4096, 2048, 16, 5)};
  core.semaphores = {TraceSemaphore(1, 2)};
  core.remote_circular_buffers = {TraceRemoteCircularBuffer(0x20000, 2048, 31)};
  core.origin = std::make_unique<CoreCoord>(1, 0);
  core.ethernet = true;
  core.globally_allocated = {16};
  TraceLaunchT launch;
  launch.kernels = list_of<TraceKernelT>(kernel);
  launch.cores = list_of<TraceCoreT>(core, core);
  launch.args = {1, 2, 3, 4};
  launch.lane = 2;
  return launch;
}

inline LoadTraceT sample(Of<LoadTrace>) {
  LoadTraceT call;
  call.id = kTrace;
  call.device = kDevice;
  call.cq = 1;
  call.content = std::make_unique<TraceContentT>();
  call.content->launches = list_of<TraceLaunchT>(launch());
  return call;
}

inline ReplayTraceT sample(Of<ReplayTrace>) {
  ReplayTraceT call;
  call.device = kDevice;
  call.cq = 1;
  call.trace = kTrace;
  call.blocking = true;
  return call;
}

inline EnqueueTraceT sample(Of<EnqueueTrace>) {
  EnqueueTraceT call;
  call.device = kDevice;
  call.cq = 1;
  call.trace = kTrace;
  call.blocking = true;
  return call;
}

inline ReleaseTraceT sample(Of<ReleaseTrace>) {
  ReleaseTraceT call;
  call.device = kDevice;
  call.trace = kTrace;
  return call;
}

// ---- Calls beside the queues ----

inline CompileProgramT sample(Of<CompileProgram>) {
  CompileProgramT call;
  call.device = kDevice;
  call.program = kProgram;
  return call;
}

inline ConfigureDeviceWithProgramT sample(Of<ConfigureDeviceWithProgram>) {
  ConfigureDeviceWithProgramT call;
  call.device = kDevice;
  call.program = kProgram;
  return call;
}

inline WriteRuntimeArgsToDeviceT sample(Of<WriteRuntimeArgsToDevice>) {
  WriteRuntimeArgsToDeviceT call;
  call.device = kDevice;
  call.program = kProgram;
  return call;
}

inline LaunchProgramT sample(Of<LaunchProgram>) {
  LaunchProgramT call;
  call.device = kDevice;
  call.program = kProgram;
  call.wait_until_cores_done = true;
  return call;
}

inline WaitProgramDoneT sample(Of<WaitProgramDone>) {
  WaitProgramDoneT call;
  call.device = kDevice;
  call.program = kProgram;
  return call;
}

inline WriteToBufferT sample(Of<WriteToBuffer>) {
  WriteToBufferT call;
  call.buffer = kBuffer;
  call.data = blob();
  call.element_type = ElementType::UInt32;
  return call;
}

inline ReadFromBufferT sample(Of<ReadFromBuffer>) {
  ReadFromBufferT call;
  call.buffer = kBuffer;
  call.golden = blob();
  call.element_type = ElementType::UInt32;
  return call;
}

inline ReadShardT sample(Of<ReadShard>) {
  ReadShardT call;
  call.buffer = kBuffer;
  call.shard = 1;
  call.golden = blob();
  call.element_type = ElementType::Int32;
  return call;
}

inline WriteToDeviceDRAMChannelT sample(Of<WriteToDeviceDRAMChannel>) {
  WriteToDeviceDRAMChannelT call;
  call.device = kDevice;
  call.channel = 3;
  call.address = 64;
  call.data = blob();
  return call;
}

inline ReadFromDeviceDRAMChannelT sample(Of<ReadFromDeviceDRAMChannel>) {
  ReadFromDeviceDRAMChannelT call;
  call.device = kDevice;
  call.channel = 3;
  call.address = 64;
  call.size = 16;
  call.golden = blob();
  return call;
}

inline WriteToDeviceL1T sample(Of<WriteToDeviceL1>) {
  WriteToDeviceL1T call;
  call.device = kDevice;
  call.core = std::make_unique<CoreCoord>(1, 2);
  call.address = 0x19000;
  call.data = blob();
  return call;
}

inline WriteToEthernetL1T sample(Of<WriteToEthernetL1>) {
  WriteToEthernetL1T call;
  call.device = kDevice;
  call.core = std::make_unique<CoreCoord>(0, 2);
  call.address = 0x8000;
  call.data = blob();
  return call;
}

inline ReadFromEthernetL1T sample(Of<ReadFromEthernetL1>) {
  ReadFromEthernetL1T call;
  call.device = kDevice;
  call.core = std::make_unique<CoreCoord>(0, 2);
  call.address = 0x8000;
  call.size = 16;
  call.golden = blob();
  return call;
}

inline ReadFromDeviceL1T sample(Of<ReadFromDeviceL1>) {
  ReadFromDeviceL1T call;
  call.device = kDevice;
  call.core = std::make_unique<CoreCoord>(1, 2);
  call.address = 0x19000;
  call.size = 16;
  call.golden = blob();
  return call;
}

inline LightMetalCompareT sample(Of<LightMetalCompare>) {
  LightMetalCompareT call;
  call.device = kDevice;
  call.cq = 1;
  call.buffer = kBuffer;
  call.golden = blob();
  call.element_type = ElementType::BFloat16;
  call.is_user_data = true;
  return call;
}

inline CallFailedT sample(Of<CallFailed>) {
  CallFailedT call;
  call.function = "EnqueueProgram";
  call.error = "a kernel has failed";
  call.intent = static_cast<uint8_t>(Call::EnqueueProgram);
  return call;
}

// ---- All of them ----

template <class Table>
CommandT command_of(Of<Table> type) {
  CommandT command;
  command.call.Set(sample(type));
  return command;
}

// In the order of command.fbs.
inline std::vector<CommandT> all() {
  std::vector<CommandT> commands;
  for_each_call_type([&](auto type) { commands.push_back(command_of(type)); });
  return commands;
}

}  // namespace lightmetal::schema::samples
