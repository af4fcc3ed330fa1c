#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "base/digest.h"
#include "device/device.h"
#include "schema/forward.h"

namespace tt::tt_metal {
class ProgramState;
}

// One function for each captured host API call: it turns the call's arguments into the command's
// table. Called by LIGHT_METAL_TRACE_FUNCTION_CALL in the function of that name, only while a
// capture runs, on the outermost call. None of them throws: what cannot be recorded becomes the
// capture's first error. Implemented in capture_calls_*.cc.
namespace tt::tt_metal::capture_calls {

namespace schema = lightmetal::schema;

// Devices.
void create_device(const IDevice& device);
void close_device(const IDevice& device);
// Frees memory under buffers that live on, which no file can say: ends the capture with an error.
void deallocate_buffers();

// Sub-devices.
void sub_device_manager_create(const IDevice& device, SubDeviceManagerId manager,
                               std::span<const SubDevice> sub_devices, DeviceAddr local_l1_size);
void sub_device_manager_remove(const IDevice& device, SubDeviceManagerId manager);
void sub_device_manager_load(const IDevice& device, SubDeviceManagerId manager);
void sub_device_manager_clear(const IDevice& device);
void sub_device_stall_group_set(const IDevice& device, std::span<const SubDeviceId> sub_devices);
void sub_device_stall_group_reset(const IDevice& device);

// Buffers.
void buffer_create(const Buffer& buffer);
// How a file makes a buffer that lives already.
struct BufferCreation {
  std::optional<uint64_t> given_address;  // set: a view, which allocates nothing
  DeviceAddr page_size = 0;
  std::optional<SubDeviceId> sub_device;
};
void buffer_create_as(const Buffer& buffer, const BufferCreation& creation);
void buffer_set_page_size(const Buffer& buffer);
void buffer_deallocate(const Buffer& buffer);
void buffer_destroy(const Buffer& buffer);

// Programs.
void program_create(const ProgramState& program);
void program_destroy(const ProgramState& program);
void create_kernel(const ProgramState& program, const Kernel& kernel);
// When the program of the kernel has been compiled: once for each object and capture.
void kernel_binary(const Kernel& kernel, const lightmetal::device::KernelObject& object);
// The same for those captures that do not have it.
void kernel_binary_once(Kernel& kernel,
                        const std::shared_ptr<const lightmetal::device::KernelObject>& object);
void create_circular_buffer(const ProgramState& program, CBHandle handle, const CoreRangeSet& cores,
                            const CircularBufferConfig& config);
void update_circular_buffer_total_size(CBHandle handle, uint32_t total_size);
void update_circular_buffer_page_size(CBHandle handle, uint8_t index, uint32_t page_size);
void update_dynamic_circular_buffer_address(CBHandle handle, const Buffer& buffer);
void update_dynamic_circular_buffer_address_and_total_size(CBHandle handle, const Buffer& buffer,
                                                           uint32_t total_size);
void create_semaphore(const ProgramState& program, const CoreRangeSet& cores,
                      uint32_t initial_value, CoreType core_type, uint32_t semaphore_id);
void global_semaphore_create(const GlobalSemaphore& semaphore, const IDevice& device,
                             const CoreRangeSet& cores, uint32_t initial_value,
                             BufferType buffer_type);
void global_semaphore_reset_value(const GlobalSemaphore& semaphore, uint32_t value);
void global_semaphore_destroy(uint64_t unique_id);
void global_circular_buffer_create(const experimental::GlobalCircularBuffer& buffer,
                                   const Buffer& config_buffer, BufferType buffer_type);
void global_circular_buffer_destroy(uint64_t unique_id);
void create_circular_buffer_on_global(const ProgramState& program, CBHandle handle,
                                      const CoreRangeSet& cores, const CircularBufferConfig& config,
                                      const experimental::GlobalCircularBuffer& buffer);
void update_dynamic_circular_buffer_global(CBHandle handle,
                                           const experimental::GlobalCircularBuffer& buffer);
void assign_global_buffer_to_program(const Buffer& buffer, const ProgramState& program);

// Runtime arguments.
void set_runtime_args(const Kernel& kernel, const CoreRangeSet& cores,
                      std::span<const uint32_t> args);
void set_runtime_args_per_core(const Kernel& kernel, const std::vector<CoreCoord>& cores,
                               const std::vector<std::vector<uint32_t>>& args);
void set_runtime_args_symbolic(const IDevice& device, const Kernel& kernel,
                               const CoreRangeSet& cores, const RuntimeArgs& args);
void set_runtime_args_symbolic_per_core(const IDevice& device, const Kernel& kernel,
                                        const std::vector<CoreCoord>& cores,
                                        const std::vector<std::shared_ptr<RuntimeArgs>>& args);
void set_common_runtime_args(const Kernel& kernel, std::span<const uint32_t> args);
// Arguments changed through a reference from GetRuntimeArgs / GetCommonRuntimeArgs, found when the
// program is enqueued.
void write_runtime_args(const Kernel& kernel, const CoreCoord& core,
                        std::span<const uint32_t> args);
void write_common_runtime_args(const Kernel& kernel, std::span<const uint32_t> args);

// Command queues. `data` is what was written or read; for reads it is empty unless goldens are kept
// (see keeps_read_goldens). True while a capture runs that turns every read into a golden; reads
// then wait for their data.
bool keeps_read_goldens();
void enqueue_write_buffer(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes data,
                          schema::ElementType type, bool blocking);
void enqueue_read_buffer(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes data,
                         schema::ElementType type, bool blocking);
void enqueue_write_sub_buffer(const CommandQueue& cq, const Buffer& buffer,
                              const BufferRegion& region, lightmetal::Bytes data,
                              schema::ElementType type, bool blocking);
void enqueue_read_sub_buffer(const CommandQueue& cq, const Buffer& buffer,
                             const BufferRegion& region, lightmetal::Bytes data,
                             schema::ElementType type, bool blocking);
void enqueue_program(const CommandQueue& cq, const Program& program, bool blocking);
void finish(const CommandQueue& cq, std::span<const SubDeviceId> sub_devices);
void synchronize(const IDevice& device, std::optional<uint8_t> cq_id,
                 std::span<const SubDeviceId> sub_devices);
void event_create(const Event& event);
void event_destroy(const Event& event);
void enqueue_record_event(const CommandQueue& cq, const Event& event,
                          std::span<const SubDeviceId> sub_devices);
void enqueue_wait_for_event(const CommandQueue& cq, const Event& event);
void event_synchronize(const Event& event);

// Traces.
void load_trace(const IDevice& device, uint8_t cq_id, uint32_t trace_id,
                const TraceDescriptor& trace);
void replay_trace(const IDevice& device, uint8_t cq_id, uint32_t trace_id, bool blocking);
void enqueue_trace(const CommandQueue& cq, uint32_t trace_id, bool blocking);
void release_trace(const IDevice& device, uint32_t trace_id);

// tt::tt_metal::detail.
void compile_program(const IDevice& device, const Program& program);
void configure_device_with_program(const IDevice& device, const Program& program);
void write_runtime_args_to_device(const IDevice& device, const Program& program);
void launch_program(const IDevice& device, const Program& program, bool wait_until_cores_done);
void wait_program_done(const IDevice& device, const Program& program);
void write_to_buffer(const Buffer& buffer, lightmetal::Bytes data, schema::ElementType type);
void read_from_buffer(const Buffer& buffer, lightmetal::Bytes data, schema::ElementType type);
void read_shard(const Buffer& buffer, uint32_t shard, lightmetal::Bytes data,
                schema::ElementType type);
void write_to_device_dram_channel(const IDevice& device, uint32_t channel, uint64_t address,
                                  lightmetal::Bytes data);
void read_from_device_dram_channel(const IDevice& device, uint32_t channel, uint64_t address,
                                   lightmetal::Bytes data);
void write_to_device_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                        lightmetal::Bytes data);
void read_from_device_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                         lightmetal::Bytes data);
void write_to_ethernet_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                          lightmetal::Bytes data);
void read_from_ethernet_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                           lightmetal::Bytes data);

// Goldens.
void light_metal_compare(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes golden,
                         schema::ElementType type, bool is_user_data);

}  // namespace tt::tt_metal::capture_calls
