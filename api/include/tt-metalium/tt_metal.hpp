#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

// Calls beside the command queues: they reach the device from the caller's thread, do not wait for
// the queues, and have taken effect when they return. Addresses and sizes are in bytes. Errors are
// std::runtime_error.
namespace tt::tt_metal::detail {

std::map<chip_id_t, IDevice*> CreateDevices(
    const std::vector<chip_id_t>& device_ids, const uint8_t num_hw_cqs = 1,
    const size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
    const size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
    const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{});
void CloseDevices(const std::map<chip_id_t, IDevice*>& devices);

// A vector must hold at least buffer.size() bytes.
template <typename DType>
void WriteToBuffer(Buffer& buffer, const std::vector<DType>& host_buffer) {
  write_to_buffer(buffer, host_buffer.data(), host_buffer.size() * sizeof(DType),
                  payload_type_of<DType>);
}
template <typename DType>
void WriteToBuffer(std::shared_ptr<Buffer> buffer, const std::vector<DType>& host_buffer) {
  WriteToBuffer(*buffer, host_buffer);
}

// Makes `host_buffer` as large as the buffer. Upstream's shard_order is accepted: the data is in
// the buffer's page order.
template <typename DType>
void ReadFromBuffer(Buffer& buffer, std::vector<DType>& host_buffer, bool /*shard_order*/ = false) {
  host_buffer.resize(buffer.size() / sizeof(DType));
  read_from_buffer(buffer, host_buffer.data(), payload_type_of<DType>);
}
template <typename DType>
void ReadFromBuffer(std::shared_ptr<Buffer> buffer, std::vector<DType>& host_buffer,
                    bool shard_order = false) {
  ReadFromBuffer(*buffer, host_buffer, shard_order);
}

// The pages of one shard of a sharded buffer in the order of its core's memory.
template <typename DType>
void ReadShard(Buffer& buffer, std::vector<DType>& host_buffer, const uint32_t& core_id) {
  host_buffer.resize(shard_bytes(buffer) / sizeof(DType));
  read_shard(buffer, host_buffer.data(), core_id, payload_type_of<DType>);
}

// Compiles the program, and runs it; waits for its end when `wait_until_cores_done`, and otherwise
// WaitProgramDone does.
void LaunchProgram(IDevice* device, Program& program, bool wait_until_cores_done = true,
                   bool force_slow_dispatch = false);
void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                   bool wait_until_cores_done = true);
void WaitProgramDone(IDevice* device, Program& program);

// The steps before a launch, for programs that take them one by one. LaunchProgram needs none of
// them.
void CompileProgram(IDevice* device, Program& program, bool force_slow_dispatch = false);
void WriteRuntimeArgsToDevice(IDevice* device, Program& program, bool force_slow_dispatch = false);
bool ConfigureDeviceWithProgram(IDevice* device, Program& program,
                                bool force_slow_dispatch = false);

// Throws when the program's circular buffers reach beyond L1 or into an L1 buffer, as every launch
// does. REQUIRES: they have addresses (Program::allocate_circular_buffers, or a launch).
void ValidateCircularBufferRegion(const Program& program, const IDevice* device);

// Throws when the program has no such kernel.
std::shared_ptr<Kernel> GetKernel(const Program& program, KernelHandle kernel_id);

// Throws when the program has no such circular buffer.
std::shared_ptr<CircularBuffer> GetCircularBuffer(const Program& program, CBHandle id);

// The functions that write and read return true.
bool WriteToDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                              std::vector<uint32_t>& host_buffer);
bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address, uint32_t size,
                               std::vector<uint32_t>& host_buffer);
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::vector<uint32_t>& host_buffer, CoreType core_type = CoreType::WORKER);
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      uint32_t size, std::vector<uint32_t>& host_buffer,
                      CoreType core_type = CoreType::WORKER);

// Kernels are not profiled: waits for the device, and leaves no file.
void DumpDeviceProfileResults(IDevice* device);
void DumpDeviceProfileResults(IDevice* device, const Program& program);

}  // namespace tt::tt_metal::detail
