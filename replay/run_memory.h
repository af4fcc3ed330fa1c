#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "replay/object_table.h"

// Reads the buffers of a run. REQUIRES, for the functions that read: no work is under way on the
// devices.
namespace lightmetal::replay {

// The names in messages: "buffer 3 (2048 bytes at 0x20, DRAM)". Buffers of the devices of a mesh
// can be alike, so the name of a device is appended where there are several: ", device 1".
std::string name_of_buffer(const ObjectTable& objects, uint64_t id,
                           const tt::tt_metal::Buffer& buffer);
std::string name_of_device(const ObjectTable& objects, const tt::tt_metal::IDevice& device);

// Calls `visit` for each DRAM and L1 buffer that has memory, in ascending order of ids.
using BufferVisitor =
    absl::FunctionRef<absl::Status(uint64_t id, const std::string& name, Bytes content)>;
absl::Status for_each_buffer(const ObjectTable& objects, BufferVisitor visit);

// As Replay::living_buffers() and Replay::read_buffer().
std::vector<LivingBuffer> living_buffers(const ObjectTable& objects);
absl::StatusOr<std::vector<uint8_t>> read_buffer(ObjectTable& objects, uint64_t id);

}  // namespace lightmetal::replay
