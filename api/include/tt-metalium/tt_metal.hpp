#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/profiler_optional_metadata.hpp>
#include <tt-metalium/profiler_types.hpp>
#include <vector>

// Calls beside the command queues: they reach the device from the caller's thread, do not wait for
// the queues, and have taken effect when they return. Nothing orders them with what the queues do.
// Addresses and sizes are in bytes. Errors are std::runtime_error.
namespace tt::tt_metal::detail {

// Open all of the devices, or throw and leave open only those that were open before. The other
// options are accepted and change nothing, because there is neither a profiler nor a fabric.
std::map<chip_id_t, IDevice*> CreateDevices(
    const std::vector<chip_id_t>& device_ids, const uint8_t num_hw_cqs = 1,
    const size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
    const size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
    const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
    const std::vector<uint32_t>& l1_bank_remap = {},
    const size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE, bool init_profiler = true,
    bool use_max_eth_core_count_on_all_devices = false,
    bool initialize_fabric_and_dispatch_fw = true);
void CloseDevices(const std::map<chip_id_t, IDevice*>& devices);

// Writes the whole buffer. For a vector that holds less than buffer.size() bytes see
// EnqueueWriteBuffer; what it holds beyond them is not written.
template <typename DType>
void WriteToBuffer(Buffer& buffer, const std::vector<DType>& host_buffer) {
  write_to_buffer(buffer, host_buffer.data(), host_buffer.size() * sizeof(DType),
                  payload_type_of<DType>);
}
template <typename DType>
void WriteToBuffer(std::shared_ptr<Buffer> buffer, const std::vector<DType>& host_buffer) {
  WriteToBuffer(buffer_of(buffer), host_buffer);
}
inline void WriteToBuffer(Buffer& buffer, tt::stl::Span<const uint8_t> host_buffer) {
  write_to_buffer(buffer, host_buffer.data(), host_buffer.size(), payload_type_of<uint8_t>);
}

// Reads the whole buffer. Makes `host_buffer` as large as the buffer. Upstream's shard_order is
// accepted and changes nothing: the data are in the buffer's page order. Throws unless
// sizeof(DType) divides the size of the buffer.
template <typename DType>
void ReadFromBuffer(Buffer& buffer, std::vector<DType>& host_buffer, bool /*shard_order*/ = false) {
  host_buffer.resize(num_elements(buffer.size(), sizeof(DType)));
  read_from_buffer(buffer, host_buffer.data(), payload_type_of<DType>);
}
template <typename DType>
void ReadFromBuffer(std::shared_ptr<Buffer> buffer, std::vector<DType>& host_buffer,
                    bool shard_order = false) {
  ReadFromBuffer(buffer_of(buffer), host_buffer, shard_order);
}
// REQUIRES: `host_buffer` points to buffer.size() bytes.
inline void ReadFromBuffer(Buffer& buffer, uint8_t* host_buffer, bool /*shard_order*/ = false) {
  read_from_buffer(buffer, host_buffer, payload_type_of<uint8_t>);
}

// Reads the pages of one shard of a sharded buffer, in the order of its core's memory; pages that
// pad the shard read as zeros. Throws unless sizeof(DType) divides the size of a shard.
template <typename DType>
void ReadShard(Buffer& buffer, std::vector<DType>& host_buffer, const uint32_t& core_id) {
  host_buffer.resize(num_elements(shard_bytes(buffer), sizeof(DType)));
  read_shard(buffer, host_buffer.data(), core_id, payload_type_of<DType>);
}
// REQUIRES: `host_buffer` points to as many bytes as a shard has.
inline void ReadShard(Buffer& buffer, uint8_t* host_buffer, const uint32_t& core_id) {
  read_shard(buffer, host_buffer, core_id, payload_type_of<uint8_t>);
}

// Compiles the program and launches it beside the queues, behind earlier such launches. Waits for
// its end when `wait_until_cores_done`; otherwise WaitProgramDone waits, for all launches beside
// the queues.
void LaunchProgram(IDevice* device, Program& program, bool wait_until_cores_done = true,
                   bool force_slow_dispatch = false);
void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                   bool wait_until_cores_done = true, bool force_slow_dispatch = false);
// Upstream's last parameter is accepted and changes nothing: there is no profiler to read.
void WaitProgramDone(IDevice* device, Program& program, bool read_device_profiler_results = true);

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

// Write and read memory by address, and return true. A size that is read must be a multiple of 4;
// reading makes the vector as large. Throw when the device is closed, when it has no such channel
// or core, and when the range leaves the memory.
bool WriteToDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                              std::vector<uint32_t>& host_buffer);
bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address, uint32_t size,
                               std::vector<uint32_t>& host_buffer);
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::vector<uint32_t>& host_buffer, CoreType core_type = CoreType::WORKER);
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      uint32_t size, std::vector<uint32_t>& host_buffer,
                      CoreType core_type = CoreType::WORKER);

// Write and read bytes in the same way, of any number and at any address. A write of parts of words
// reads these words before.
bool WriteToDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                              std::span<const uint8_t> host_buffer);
bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                               std::span<uint8_t> host_buffer);
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::span<const uint8_t> host_buffer, CoreType core_type = CoreType::WORKER);
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      std::span<uint8_t> host_buffer, CoreType core_type = CoreType::WORKER);

// Waits for the device and appends the times of its kernels' profiler zones to
// profile_log_device.csv. Zones are timed if TT_METAL_DEVICE_PROFILER is set, and not 0, when the
// device is opened. What they take is the host's time, not that of hardware. CloseDevice does the
// same. Throws for a file that cannot be written.
void ReadDeviceProfilerResults(IDevice* device, ProfilerReadState state = ProfilerReadState::NORMAL,
                               const std::optional<ProfilerOptionalMetadata>& metadata = {});
// The name of ReadDeviceProfilerResults until the summer of 2025.
void DumpDeviceProfileResults(IDevice* device, ProfilerDumpState state = ProfilerDumpState::NORMAL,
                              const std::optional<ProfilerOptionalMetadata>& metadata = {});
void DumpDeviceProfileResults(IDevice* device, const std::vector<CoreCoord>& worker_cores,
                              ProfilerDumpState state = ProfilerDumpState::NORMAL,
                              const std::optional<ProfilerOptionalMetadata>& metadata = {});
void DumpDeviceProfileResults(IDevice* device, const std::vector<CoreCoord>& worker_cores,
                              bool last_dump);
void DumpDeviceProfileResults(IDevice* device, bool last_dump);
void DumpDeviceProfileResults(IDevice* device, const Program& program);

// The folder of profile_log_device.csv. Without one: generated/profiler/.logs below TT_METAL_HOME,
// or below the working folder.
void SetDeviceProfilerDir(const std::string& output_dir = "");
// Lets the next read-out begin the file again.
void FreshProfilerDeviceLog();

// Nothing of the hardware's profiler is there that these could set up. The host is not profiled.
void ClearProfilerControlBuffer(IDevice* device);
void InitDeviceProfiler(IDevice* device);
void ProfilerSync(ProfilerSyncState state);
void SetHostProfilerDir(const std::string& output_dir = "");
void FreshProfilerHostLog();

}  // namespace tt::tt_metal::detail
