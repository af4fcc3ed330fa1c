#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <variant>
#include <vector>

#include "base/compare_policy.h"
#include "base/device_profile.h"
#include "base/digest.h"
#include "base/mesh_place.h"
#include "base/schedule.h"
#include "device/device.h"
#include "schema/commands/forward.h"
#include "schema/storage/payload.h"

// What a replay needs beyond the public host API: objects placed and made exactly as they were
// recorded, and payloads with their element type. Each function is captured as the public call that
// it stands for, unless its name says otherwise, so that a replay that is captured gives the same
// file. Errors are thrown as the host API throws them.
namespace tt::tt_metal {
struct BufferPiece;  // api/src/memory/buffer_io.h
}

namespace tt::tt_metal::replay_hooks {

namespace schema = lightmetal::schema;

// Works as CreateDevice, on the backend of that name, which must be known already, and with that
// profile and schedule (DeviceOptions). CreateDevice does not give this device out.
IDevice* create_device(chip_id_t chip_id, uint8_t num_hw_cqs, size_t l1_small_size,
                       size_t trace_region_size, const DispatchCoreConfig& dispatch,
                       const std::vector<uint32_t>& l1_bank_remap, const std::string& backend,
                       const lightmetal::DeviceProfile& profile,
                       const std::optional<lightmetal::MeshPlace>& mesh_place,
                       const std::optional<lightmetal::Schedule>& schedule);

// What a file says of an open device.
const std::optional<lightmetal::MeshPlace>& mesh_place_of(const IDevice& device);
const lightmetal::DeviceProfile& profile_of(const IDevice& device);
const std::string& backend_of(const IDevice& device);

// A buffer as a file says it was made. Sizes and addresses are in bytes.
struct RecordedBuffer {
  IDevice* device = nullptr;
  std::optional<DeviceAddr> address = {};            // given by the program: nothing is allocated
  std::optional<DeviceAddr> allocated_address = {};  // where it must lie; none: where there is room
  DeviceAddr size = 0;
  DeviceAddr page_size = 0;
  BufferType buffer_type = BufferType::DRAM;
  BufferShardingArgs sharding = {};
  std::optional<bool> bottom_up = {};
  std::optional<SubDeviceId> sub_device = {};
};

// Places the buffer at its recorded address, if it has one. Throws, naming both, when that memory
// is taken.
std::shared_ptr<Buffer> create_buffer(const RecordedBuffer& recorded);
// How many bytes such a buffer takes in each bank; nothing is allocated, or recorded. Throws as
// Buffer::create for what the rules refuse.
uint64_t size_per_bank_of(const RecordedBuffer& recorded);

GlobalSemaphore create_global_semaphore(IDevice* device, const CoreRangeSet& cores,
                                        uint32_t initial_value, BufferType buffer_type,
                                        DeviceAddr allocated_address);

// Makes the global circular buffer in the memory of buffers that were created as recorded. Throws
// when they do not fit the mapping and the size.
experimental::GlobalCircularBuffer create_global_circular_buffer(
    IDevice* device, const std::vector<std::pair<CoreCoord, CoreRangeSet>>& mapping, uint32_t size,
    BufferType buffer_type, std::shared_ptr<Buffer> buffer, std::shared_ptr<Buffer> config_buffer);

// What a file says of the source of a kernel, whose text it does not hold.
struct RecordedKernel {
  bool from_string = false;
  std::string source_name;
  lightmetal::Digest source_digest;
};

// A kernel without its source. set_kernel_object must follow before the program is compiled.
KernelHandle create_kernel(
    Program& program, const RecordedKernel& recorded, const CoreRangeSet& cores,
    const std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>& config);
void set_kernel_object(Program& program, KernelHandle kernel,
                       std::shared_ptr<const lightmetal::device::KernelObject> object);

// Compiles the file at `path` (CreateKernel says where it is looked for) as that kernel of the
// program is compiled for the device: for its processor, with its arguments, defines and circular
// buffers. Neither the program nor a capture knows the object.
std::shared_ptr<const lightmetal::device::KernelObject> compile_kernel_from(const std::string& path,
                                                                            const Program& program,
                                                                            KernelHandle kernel,
                                                                            IDevice& device);

// SetRuntimeArgs of arguments that may be addresses of buffers.
void set_runtime_args(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                      const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores,
                      const LightMetalArgs& args);
void set_runtime_args_per_core(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                               const std::vector<CoreCoord>& cores,
                               const std::vector<LightMetalArgs>& args);

// What a program that is made from a descriptor does beyond the public calls: a semaphore whose id
// the caller chooses, and common arguments that may be buffers, as those of SetRuntimeArgs.
void create_semaphore_with_id(Program& program, const CoreRangeSet& cores, uint32_t initial_value,
                              CoreType core_type, uint32_t id);
void set_common_runtime_args(Program& program, KernelHandle kernel, const LightMetalArgs& args);
// SetCommonRuntimeArgs that may come again, as in files of earlier versions.
void set_common_runtime_args(const Program& program, KernelHandle kernel,
                             stl::Span<const uint32_t> args);

// These work as the calls of the public API, and wait only if they block, whatever dispatch the
// device was opened for.
void enqueue_program(CommandQueue& cq, Program& program, bool blocking);
void enqueue_trace(CommandQueue& cq, uint32_t trace_id, bool blocking);
void replay_trace(IDevice* device, uint8_t cq_id, uint32_t trace_id, bool blocking);

// These work as the calls of the public API, too. A queue keeps a share of the payload until it has
// written it, so no copy is made. `data` that is read into must have room for all that is read, and
// stay until then.
void enqueue_write_buffer(CommandQueue& cq, Buffer& buffer, const schema::Payload& data,
                          schema::ElementType type, bool blocking);
void enqueue_write_sub_buffer(CommandQueue& cq, Buffer& buffer, const BufferRegion& region,
                              const schema::Payload& data, schema::ElementType type, bool blocking);
void enqueue_read_buffer(CommandQueue& cq, Buffer& buffer, std::span<std::byte> data,
                         schema::ElementType type, bool blocking);
void enqueue_read_sub_buffer(CommandQueue& cq, Buffer& buffer, const BufferRegion& region,
                             std::span<std::byte> data, schema::ElementType type, bool blocking);
// Copies what a buffer holds to another one of the same device, pages and size, within the device;
// returns false where the device cannot. Throws when they differ. No command stands for it: while a
// capture runs, it is the capture's error. REQUIRES: nothing is under way that writes or reads
// them.
bool copy_buffer_unrecorded(Buffer& from, Buffer& to);
// The same for pieces of buffers, which may have other pages. Throws for one that leaves its
// buffer.
bool copy_pieces_unrecorded(Buffer& from, Buffer& to, std::span<const BufferPiece> pieces);
// Makes all bytes of a buffer zeros; otherwise as the two above.
void clear_buffer_unrecorded(Buffer& buffer);
// Reads all of a buffer, outside the command queues. No command stands for it, and a capture goes
// on. REQUIRES: `data` has the size of the buffer, and nothing is under way that writes to it.
void read_unrecorded(const Buffer& buffer, std::span<std::byte> data);

void write_to_buffer(Buffer& buffer, lightmetal::Bytes data, schema::ElementType type);
void read_from_buffer(Buffer& buffer, std::span<std::byte> data, schema::ElementType type);
void read_shard(Buffer& buffer, uint32_t shard, std::span<std::byte> data,
                schema::ElementType type);

// Writes runtime arguments as a program does through a reference from GetRuntimeArgs /
// GetCommonRuntimeArgs.
void write_runtime_args(Program& program, KernelHandle kernel, const CoreCoord& core,
                        std::span<const uint32_t> args);
void write_common_runtime_args(Program& program, KernelHandle kernel,
                               std::span<const uint32_t> args);

// What a comparison is recorded with. `bytes` may be the memory that the comparison reads into.
struct Golden {
  lightmetal::Bytes bytes;
  schema::ElementType type;
  bool is_user_data;
  std::optional<lightmetal::ComparePolicy> policy;  // nullopt: as all goldens of the capture
};

// LightMetalCompareToCapture or -ToGolden with a golden that has been read already. Blocks until
// `buffer` has been read into `data`. Compares nothing: the replay does.
void light_metal_compare(CommandQueue& cq, Buffer& buffer, std::span<std::byte> data,
                         const Golden& golden);

// An id for a trace that is about to be loaded with LoadTrace.
uint32_t reserve_trace_id();
// Works as LoadTrace, and is not recorded: nothing that is replayed uses the trace, so a capture of
// the replay is not to know it.
void load_trace_unrecorded(IDevice* device, uint8_t cq_id, uint32_t trace_id,
                           const TraceDescriptor& trace);
// Works as a ReplayTrace that blocks, and is not recorded: no command stands for it.
void run_trace_unrecorded(IDevice* device, uint8_t cq_id, uint32_t trace_id);

}  // namespace tt::tt_metal::replay_hooks
