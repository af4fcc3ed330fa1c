#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "device/device.h"

namespace tt::tt_metal {
class ProgramState;
}

// The calls of the host API that are not recorded by one line (api/src/record/record.h): a function
// for each turns the arguments of the call into a command. LIGHT_METAL_TRACE_FUNCTION_CALL calls
// them, only while a capture runs and on the outermost call; snapshots call some of them, too. What
// cannot be recorded becomes the capture's first error.
namespace tt::tt_metal::capture_calls {

void create_device(const IDevice& device);
// Allocator::deallocate_buffers() frees memory under buffers that live on, which no command says:
// ends the capture with an error.
void deallocate_buffers();

void buffer_create(const Buffer& buffer);
// How a file makes a buffer that lives already.
struct BufferCreation {
  std::optional<uint64_t> given_address;  // set: a view, which allocates nothing
  DeviceAddr page_size = 0;
  std::optional<SubDeviceId> sub_device;
};
void buffer_create_as(const Buffer& buffer, const BufferCreation& creation);

// Records the end of the program; its kernels and circular buffers end with it.
void program_destroy(const ProgramState& program);
void create_kernel(const ProgramState& program, const Kernel& kernel);
// A circular buffer that lies in no global one.
void create_circular_buffer(const ProgramState& program, CBHandle handle, const CoreRangeSet& cores,
                            const CircularBufferConfig& config);
// Records a compiled object of the kernel.
void kernel_binary(const Kernel& kernel, const lightmetal::device::KernelObject& object);
// The same for those captures alone that do not have the object.
void kernel_binary_once(Kernel& kernel,
                        const std::shared_ptr<const lightmetal::device::KernelObject>& object);

void set_runtime_args_per_core(const Kernel& kernel, const std::vector<CoreCoord>& cores,
                               const std::vector<std::vector<uint32_t>>& args);
void set_runtime_args_symbolic_per_core(const IDevice& device, const Kernel& kernel,
                                        const std::vector<CoreCoord>& cores,
                                        const std::vector<LightMetalArgs>& args);

}  // namespace tt::tt_metal::capture_calls
