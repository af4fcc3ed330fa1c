#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "device/device.h"

namespace tt::tt_metal {
class ProgramState;
}

// The calls of the host API that are not recorded by one line (api/src/record/record.h): a function
// for each turns the call's arguments into commands. Called by LIGHT_METAL_TRACE_FUNCTION_CALL,
// only while a capture runs, on the outermost call. What cannot be recorded becomes the capture's
// first error.
namespace tt::tt_metal::capture_calls {

void create_device(const IDevice& device);
// Frees memory under buffers that live on, which no file can say: ends the capture with an error.
void deallocate_buffers();

void buffer_create(const Buffer& buffer);
// How a file makes a buffer that lives already.
struct BufferCreation {
  std::optional<uint64_t> given_address;  // set: a view, which allocates nothing
  DeviceAddr page_size = 0;
  std::optional<SubDeviceId> sub_device;
};
void buffer_create_as(const Buffer& buffer, const BufferCreation& creation);

// What the program owns ends with it.
void program_destroy(const ProgramState& program);
void create_kernel(const ProgramState& program, const Kernel& kernel);
// When the program of the kernel has been compiled: once for each object and capture.
void kernel_binary(const Kernel& kernel, const lightmetal::device::KernelObject& object);
// The same for those captures that do not have it.
void kernel_binary_once(Kernel& kernel,
                        const std::shared_ptr<const lightmetal::device::KernelObject>& object);

void set_runtime_args_per_core(const Kernel& kernel, const std::vector<CoreCoord>& cores,
                               const std::vector<std::vector<uint32_t>>& args);
void set_runtime_args_symbolic_per_core(const IDevice& device, const Kernel& kernel,
                                        const std::vector<CoreCoord>& cores,
                                        const std::vector<std::shared_ptr<RuntimeArgs>>& args);

}  // namespace tt::tt_metal::capture_calls
