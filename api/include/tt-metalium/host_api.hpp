#pragma once

#include <hostdevcommon/kernel_structs.h>
#include <hostdevcommon/profiler_common.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hostdevcommon/common_values.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/circular_buffer_types.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/command_queue_interface.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/kernel.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <tt-metalium/profiler_optional_metadata.hpp>
#include <tt-metalium/profiler_types.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/program_impl.hpp>
#include <tt-metalium/runtime_args_data.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <tt-metalium/trace_buffer.hpp>
#include <tt-metalium/util.hpp>
#include <tt-metalium/utils.hpp>
#include <utility>
#include <variant>
#include <vector>

// The host API: everything a program does with a device. Source-compatible with TT-Metalium's of
// early 2025. Errors are std::runtime_error with a text that names the values. Functions of
// different devices, queues and programs may be called from several threads at once; one thread at
// a time uses a program. Sizes and addresses are in bytes.
namespace tt::tt_metal {

// ---- Devices ----

// How many devices can be opened: LIGHTMETAL_NUM_DEVICES in the environment, or 8.
size_t GetNumAvailableDevices();
// The host reaches every device directly, so each device is its own PCIe device, and there is no
// Galaxy.
bool IsGalaxyCluster();
size_t GetNumPCIeDevices();
chip_id_t GetPCIeDeviceID(chip_id_t device_id);

// Opens a device on the backend that LIGHTMETAL_DEVICE names ("cpu" by default, or "null").
// `l1_small_size` bytes at the top of each core's L1 are kept for L1_SMALL buffers. A device that
// is open already with the same parameters is given again, with a warning in the log: so a test
// that throws before it closes its device does not fail the tests behind it. Throws when the device
// is open with other parameters, or when there is no such device. The pointer stays valid to the
// end of the process. Programs need no room of their own in L1 here: `worker_l1_size` changes
// nothing.
IDevice* CreateDevice(chip_id_t device_id, const uint8_t num_hw_cqs = 1,
                      const size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
                      const size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
                      const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
                      const std::vector<uint32_t>& l1_bank_remap = {},
                      size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
IDevice* CreateDeviceMinimal(chip_id_t device_id, const uint8_t num_hw_cqs = 1,
                             const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{});

// Waits for the device's queues and closes the device. Work that waits for an event which never
// came is given up. Returns false when the device was closed before. Throws the first error of the
// device's work that nobody has seen; the device is closed then, too.
bool CloseDevice(IDevice* device);

// ---- Programs ----

// An empty program, owned by the caller.
Program CreateProgram();

// Adds the kernel in a file to the program. The path is absolute or relative to the working
// directory, or else, with or without a leading slash, relative to TT_METAL_HOME or
// TT_METAL_KERNEL_PATH. The source is read now, and compiled when the program is compiled. Throws
// when the program has been compiled, or when the kernel clashes with another one on a core.
KernelHandle CreateKernel(
    Program& program, const std::string& file_name,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    const std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>& config);
KernelHandle CreateKernelFromString(
    Program& program, const std::string& kernel_src_code,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    const std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>& config);

// The form of late 2025 on: a variant without Ethernet cores.
template <std::same_as<std::variant<DataMovementConfig, ComputeConfig>> Config>
KernelHandle CreateKernel(Program& program, const std::string& file_name,
                          const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
                          const Config& config) {
  return std::visit(
      [&](const auto& given) { return CreateKernel(program, file_name, core_spec, given); },
      config);
}
template <std::same_as<std::variant<DataMovementConfig, ComputeConfig>> Config>
KernelHandle CreateKernelFromString(
    Program& program, const std::string& kernel_src_code,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec, const Config& config) {
  return std::visit(
      [&](const auto& given) {
        return CreateKernelFromString(program, kernel_src_code, core_spec, given);
      },
      config);
}

// Adds a circular buffer to the program. At most one circular buffer has a given index on a given
// core.
CBHandle CreateCircularBuffer(Program& program,
                              const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
                              const CircularBufferConfig& config);
// The configuration as it is now; the reference is valid as long as the program. Throws when the
// program has no such circular buffer.
const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle cb_handle);
// These take effect when the program is next enqueued. A call that throws leaves the circular
// buffer as it was.
void UpdateCircularBufferTotalSize(Program& program, CBHandle cb_handle, uint32_t total_size);
void UpdateCircularBufferPageSize(Program& program, CBHandle cb_handle, uint8_t buffer_index,
                                  uint32_t page_size);
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle, const Buffer& buffer);
// The circular buffer begins `address_offset` bytes behind the beginning of the buffer, a multiple
// of 16; the forms without an offset put it to the beginning.
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle, const Buffer& buffer,
                                        uint32_t address_offset);
void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle cb_handle,
                                                    const Buffer& buffer, uint32_t total_size);
// Into the buffer of a tensor: at one address on each device of its mesh.
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle,
                                        const MeshTensor& tensor);
void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle cb_handle,
                                                    const MeshTensor& tensor, uint32_t total_size);

// Returns the lowest id that is free on all of the cores. Every launch sets the semaphore to its
// initial value. Throws when no id is free.
uint32_t CreateSemaphore(Program& program, const std::variant<CoreRange, CoreRangeSet>& core_spec,
                         uint32_t initial_value, CoreType core_type = CoreType::WORKER);
// Makes a global semaphore. The value is set in the order of command queue 0, after the programs on
// the named sub-devices, or on those of the stall group when none are named; the call does not
// wait. REQUIRES, when some are named: no other thread uses the device meanwhile.
GlobalSemaphore CreateGlobalSemaphore(IDevice* device, const CoreRangeSet& cores,
                                      uint32_t initial_value,
                                      BufferType buffer_type = BufferType::L1,
                                      tt::stl::Span<const SubDeviceId> sub_device_ids = {});
GlobalSemaphore CreateGlobalSemaphore(IDevice* device, CoreRangeSet&& cores, uint32_t initial_value,
                                      BufferType buffer_type = BufferType::L1,
                                      tt::stl::Span<const SubDeviceId> sub_device_ids = {});

// ---- Buffers ----

// The form with an address allocates nothing; the caller owns that memory. The form with a
// sub-device allocates from the memory that the sub-device has for itself. Buffer::create() says
// what is refused.
std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config);
std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config, DeviceAddr address);
std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config,
                                     SubDeviceId sub_device_id);
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config);
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, DeviceAddr address);
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, SubDeviceId sub_device_id);

// Frees the buffer's memory; the object and its address live on.
void DeallocateBuffer(Buffer& buffer);
// The program keeps the buffer alive as long as it lives.
void AssignGlobalBufferToProgram(std::shared_ptr<Buffer> buffer, Program& program);

// ---- Runtime arguments ----

using RuntimeArgs = std::vector<std::variant<Buffer*, uint32_t>>;

// Arguments take effect when the program is next enqueued; a program that is in a queue keeps the
// arguments that it was enqueued with. The first call for a core fixes how many arguments the core
// has; later calls may give fewer, which replace the first ones. Common arguments are set once and
// changed in place: a second SetCommonRuntimeArgs throws, unless the first was empty. A Buffer*
// stands for the buffer's address. A call checks all cores before it sets the first.
void SetRuntimeArgs(const Program& program, KernelHandle kernel,
                    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
                    stl::Span<const uint32_t> runtime_args);
void SetRuntimeArgs(const Program& program, KernelHandle kernel,
                    const std::vector<CoreCoord>& core_spec,
                    const std::vector<std::vector<uint32_t>>& runtime_args);
void SetRuntimeArgs(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
                    std::shared_ptr<RuntimeArgs> runtime_args);
void SetRuntimeArgs(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                    const std::vector<CoreCoord>& core_spec,
                    const std::vector<std::shared_ptr<RuntimeArgs>>& runtime_args);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id,
                          stl::Span<const uint32_t> runtime_args);

// The kernel's own storage, valid as long as the kernel. What a program writes there takes effect
// when the program is next enqueued.
RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel_id,
                                const CoreCoord& logical_core);
std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program,
                                                          KernelHandle kernel_id);  // [x][y]
RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id);

// ---- Command queues ----
//
// A call with blocking = false returns at once, and its work is done later, in the queue's order.
// The target of a read must live until its work is done (until Finish); the source of a write may
// go when the call returns. An error of the work is thrown by the next call that waits for the
// queue.

using BufferArgument = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

// REQUIRES: buffer.size() bytes at `dst`.
void EnqueueReadBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer, void* dst,
    bool blocking);
// Makes `dst` as large as the buffer. Throws unless sizeof(DType) divides the size of the buffer.
template <typename DType>
void EnqueueReadBuffer(CommandQueue& cq, Buffer& buffer, std::vector<DType>& dst, bool blocking) {
  dst.resize(detail::num_elements(buffer.size(), sizeof(DType)));
  detail::enqueue_read_buffer(cq, buffer, dst.data(), detail::payload_type_of<DType>, blocking);
}
template <typename DType>
void EnqueueReadBuffer(CommandQueue& cq, std::shared_ptr<Buffer> buffer, std::vector<DType>& dst,
                       bool blocking) {
  EnqueueReadBuffer(cq, detail::buffer_of(buffer), dst, blocking);
}

// Writes the whole buffer. A pointer must point to buffer.size() bytes. A vector may hold less: its
// bytes are written, and the rest of the last page that they reach becomes 0. The log says so once;
// with LIGHTMETAL_CPU_DEVICE_CHECKS a short vector is an error.
void EnqueueWriteBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    HostDataType src, bool blocking);
template <typename DType>
void EnqueueWriteBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    const std::vector<DType>& src, bool blocking) {
  detail::enqueue_write_buffer(cq, detail::buffer_of(buffer), src.data(),
                               src.size() * sizeof(DType), detail::payload_type_of<DType>,
                               blocking);
}

// The same for `region` of a buffer, whose bytes begin and end at page boundaries.
void EnqueueReadSubBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer, void* dst,
    const BufferRegion& region, bool blocking);
template <typename DType>
void EnqueueReadSubBuffer(CommandQueue& cq, Buffer& buffer, std::vector<DType>& dst,
                          const BufferRegion& region, bool blocking) {
  dst.resize(detail::num_elements(region.size, sizeof(DType)));
  detail::enqueue_read_sub_buffer(cq, buffer, dst.data(), region, detail::payload_type_of<DType>,
                                  blocking);
}
template <typename DType>
void EnqueueReadSubBuffer(CommandQueue& cq, std::shared_ptr<Buffer> buffer, std::vector<DType>& dst,
                          const BufferRegion& region, bool blocking) {
  EnqueueReadSubBuffer(cq, detail::buffer_of(buffer), dst, region, blocking);
}
void EnqueueWriteSubBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    HostDataType src, const BufferRegion& region, bool blocking);
template <typename DType>
void EnqueueWriteSubBuffer(
    CommandQueue& cq,
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer,
    const std::vector<DType>& src, const BufferRegion& region, bool blocking) {
  detail::enqueue_write_sub_buffer(cq, detail::buffer_of(buffer), src.data(),
                                   src.size() * sizeof(DType), region,
                                   detail::payload_type_of<DType>, blocking);
}

// Launches the program. Compiles it first if need be, and throws with the compiler's messages then.
// The program may be changed or destroyed while it is in the queue.
void EnqueueProgram(CommandQueue& cq, Program& program, bool blocking);

// Waits until everything that was enqueued before has been done, and throws the queue's error.
void Finish(CommandQueue& cq, tt::stl::Span<const SubDeviceId> sub_device_ids = {});
// Finish of one queue or of all queues of the device.
void Synchronize(IDevice* device, const std::optional<uint8_t> cq_id = std::nullopt,
                 tt::stl::Span<const SubDeviceId> sub_device_ids = {});

// The queue that calls of this thread use when they name none (MeshDevice::mesh_command_queue): the
// one that the thread has pushed last, or queue 0. Popping returns the queue, and throws when none
// was pushed.
void PushCurrentCommandQueueIdForThread(uint8_t cq_id);
uint8_t PopCurrentCommandQueueIdForThread();
uint8_t GetCurrentCommandQueueIdForThread();

// Puts the event into the queue.
void EnqueueRecordEvent(CommandQueue& cq, const std::shared_ptr<Event>& event,
                        tt::stl::Span<const SubDeviceId> sub_device_ids = {});
// What is enqueued afterwards waits for the event, which may belong to any queue of any device, and
// may be recorded later.
void EnqueueWaitForEvent(CommandQueue& cq, const std::shared_ptr<Event>& event);
// The calling thread waits until the event has been reached. Throws when the event was never
// recorded, and the error of the queue in which it was recorded.
void EventSynchronize(const std::shared_ptr<Event>& event);
// True once the event has been reached; false as long as it was not recorded.
bool EventQuery(const std::shared_ptr<Event>& event);

// As detail::ReadDeviceProfilerResults of <tt-metalium/tt_metal.hpp>, the last two for each device.
void DumpDeviceProfileResults(IDevice* device, const Program& program);
void ReadMeshDeviceProfilerResults(distributed::MeshDevice& mesh_device,
                                   ProfilerReadState state = ProfilerReadState::NORMAL,
                                   const std::optional<ProfilerOptionalMetadata>& metadata = {});
void DumpMeshDeviceProfileResults(distributed::MeshDevice& mesh_device,
                                  ProfilerDumpState state = ProfilerDumpState::NORMAL,
                                  const std::optional<ProfilerOptionalMetadata>& metadata = {});

// ---- Device traces ----

// A device trace is a list of launches that runs as one operation of a queue. From
// BeginTraceCapture to EndTraceCapture, EnqueueProgram on that queue puts the program, with its
// present arguments, into the trace instead of running it; other calls on that queue throw. Returns
// the trace's id, unique in the process.
uint32_t BeginTraceCapture(IDevice* device, const uint8_t cq_id);
// Ends the trace and gives it to the device. Throws when the queue does not capture that trace.
void EndTraceCapture(IDevice* device, const uint8_t cq_id, const uint32_t tid);
// Runs the launches of the trace, with the arguments that they had when they were captured. Throws
// when the device has no such trace, or when another sub-device manager is loaded than when the
// trace was captured. EnqueueTrace is the same call by its queue.
void ReplayTrace(IDevice* device, const uint8_t cq_id, const uint32_t tid, const bool blocking);
// Forgets the trace; what a queue still runs of it goes on. Throws when the device has no such
// trace.
void ReleaseTrace(IDevice* device, const uint32_t tid);
void EnqueueTrace(CommandQueue& cq, uint32_t trace_id, bool blocking);
// Gives the device a trace that was captured before, on this device or on another. Throws when the
// device has a trace of that id, and when the trace does not fit the sub-devices that are loaded.
void LoadTrace(IDevice* device, const uint8_t cq_id, const uint32_t trace_id,
               const TraceDescriptor& trace_desc);

// ---- Light Metal ----

// From here to LightMetalEndCapture() every call is recorded, into memory. <lightmetal/capture.hpp>
// says more.
void LightMetalBeginCapture();
// Ends the capture and returns it. Throws when something could not be recorded, in which case the
// capture has ended, too, and when no capture was begun.
LightMetalBinary LightMetalEndCapture();

}  // namespace tt::tt_metal

// The namespace in which early 2025 had the API.
namespace tt::tt_metal::v0 {
using namespace ::tt::tt_metal;
}  // namespace tt::tt_metal::v0
