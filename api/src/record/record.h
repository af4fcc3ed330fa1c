#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "api/src/objects/program_state.h"
#include "api/src/support/object_ids.h"
#include "base/tensor_desc.h"
#include "capture/record.h"
#include "host/bindings.h"

// How a function of the host API records its call (capture/record.h):
//
//   LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CreateSemaphore>, program, cores, initial_value,
//                                   core_type, id);
//
// This header says what the host API's objects and values are in a file. What takes more than a
// line is in capture_calls.h.
namespace tt::tt_metal {

namespace schema = lightmetal::schema;

using lightmetal::capture::Embedded;
using lightmetal::capture::Encoder;
using lightmetal::capture::Kind;
using lightmetal::capture::ObjectOf;
using lightmetal::capture::ReadBack;
using lightmetal::capture::record;
using lightmetal::capture::record_encoded;
using lightmetal::capture::record_if_known;
using lightmetal::capture::Upload;

// A queue is two fields: its device and its number.
template <class Table, class... Values>
void record(const CommandQueue& cq, const Values&... values) {
  record<Table>(*cq.device(), static_cast<uint8_t>(cq.id()), values...);
}

// Writes an intent of the call that is about to be made, where the capture was asked for intents.
template <class Table, class... Values>
void announce(const lightmetal::capture::CallScope& scope, const Values&... values) {
  lightmetal::capture::announce(scope, [&] { record<Table>(values...); });
}

// ---- Objects, and what they are in messages ----
//
// A call that uses an object which the file does not know is an error; its message takes the
// description.

inline ObjectOf<Kind::Device> object_of(const IDevice& device) { return {unique_id_of(device)}; }
inline ObjectOf<Kind::Buffer> object_of(const Buffer& buffer) { return {buffer.unique_id()}; }
inline ObjectOf<Kind::Program> object_of(const ProgramState& program) { return {program.id}; }
inline ObjectOf<Kind::Program> object_of(const Program& program) {
  return object_of(program.state());
}
inline ObjectOf<Kind::Kernel> object_of(const Kernel& kernel) { return {kernel.unique_id()}; }
inline ObjectOf<Kind::Event> object_of(const Event& event) { return {event.unique_id()}; }
inline ObjectOf<Kind::GlobalSemaphore> object_of(const GlobalSemaphore& semaphore) {
  return {semaphore.unique_id()};
}
namespace experimental {
inline ObjectOf<Kind::GlobalCircularBuffer> object_of(const GlobalCircularBuffer& buffer) {
  return {buffer.unique_id()};
}
}  // namespace experimental

// The ids of objects, for functions that have no more of them.
using BufferId = ObjectOf<Kind::Buffer>;
using CircularBufferId = ObjectOf<Kind::CircularBuffer>;  // of a CBHandle
using GlobalSemaphoreId = ObjectOf<Kind::GlobalSemaphore>;
using GlobalCircularBufferId = ObjectOf<Kind::GlobalCircularBuffer>;

// A trace by its device and its id, because programs may give traces of different devices one id.
struct TraceOn {
  const IDevice& device;
  uint32_t id;
};
// Device ids are unique in the process, trace ids have 32 bits: together they are unique.
inline ObjectOf<Kind::Trace> object_of(const TraceOn& trace) {
  return {unique_id_of(trace.device) << 32 | trace.id};
}

struct ManagerOn {
  const IDevice& device;
  SubDeviceManagerId id;
};
// Manager ids are unique in the process.
inline ObjectOf<Kind::SubDeviceManager> object_of(const ManagerOn& manager) {
  return {*manager.id};
}

std::string description_of(const IDevice& device);
std::string description_of(const Buffer& buffer);
std::string description_of(const ProgramState& program);
inline std::string description_of(const Program& program) {
  return description_of(program.state());
}
std::string description_of(const Kernel& kernel);
std::string description_of(const TraceOn& trace);
std::string description_of(const ManagerOn& manager);

}  // namespace tt::tt_metal

// Values. The compiler looks for field() in this namespace, because an Encoder is given.
namespace lightmetal::capture {

namespace tm = tt::tt_metal;

inline uint8_t field(Encoder&, tt::CoreType type) { return static_cast<uint8_t>(type); }
inline schema::BufferType field(Encoder&, tm::BufferType type) {
  return static_cast<schema::BufferType>(type);
}
inline schema::CoreCoord field(Encoder&, const tm::CoreCoord& core) {
  return {static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
}
inline schema::BindingRole field(Encoder&, host::BindingRole role) {
  return static_cast<schema::BindingRole>(role);
}
flatbuffers::Offset<schema::TensorDesc> field(Encoder& encoder, const TensorDesc& tensor);
VectorOffset<const schema::CoreCoord*> field(Encoder& encoder,
                                             const std::vector<tm::CoreCoord>& cores);
VectorOffset<const schema::CoreRange*> field(Encoder& encoder, const tm::CoreRangeSet& cores);
// The field is absent when there are none.
VectorOffset<uint8_t> field(Encoder& encoder, std::span<const tm::SubDeviceId> sub_devices);
TablesOffset<schema::SubDevice> field(Encoder& encoder, std::span<const tm::SubDevice> sub_devices);
flatbuffers::Offset<schema::RuntimeArgs> field(Encoder& encoder, const tm::LightMetalArgs& args);
flatbuffers::Offset<schema::CircularBufferConfig> field(Encoder& encoder,
                                                        const tm::CircularBufferConfig& config);
TablesOffset<schema::SenderToReceivers> field(
    Encoder& encoder, const std::vector<std::pair<tm::CoreCoord, tm::CoreRangeSet>>& mapping);
flatbuffers::Offset<schema::TraceContent> field(Encoder& encoder, const tm::TraceDescriptor& trace);
// Absent unless there is a distribution that decides where pages are.
flatbuffers::Offset<schema::BufferDistribution> field(Encoder& encoder,
                                                      const tm::BufferShardingArgs& sharding);
// The field is absent without a specification.
flatbuffers::Offset<schema::ShardSpec> field(Encoder& encoder,
                                             const std::optional<tm::ShardSpecBuffer>& spec);

// ---- Calls whose fields have always had another order in files than flatc gives them ----

flatbuffers::Offset<schema::BufferCreate> create_buffer(
    flatbuffers::FlatBufferBuilder& builder, uint64_t id, uint64_t device,
    std::optional<uint64_t> address, uint64_t allocated_address, uint64_t size, uint64_t page_size,
    schema::BufferType buffer_type, schema::BufferLayout layout,
    flatbuffers::Offset<schema::ShardSpec> shard, std::optional<bool> bottom_up,
    std::optional<uint8_t> sub_device,
    flatbuffers::Offset<schema::BufferDistribution> distribution);
template <>
inline constexpr auto kCreate<schema::BufferCreate> = &create_buffer;

flatbuffers::Offset<schema::Synchronize> create_synchronize(flatbuffers::FlatBufferBuilder& builder,
                                                            uint64_t device,
                                                            std::optional<uint8_t> cq,
                                                            VectorOffset<uint8_t> sub_devices);
template <>
inline constexpr auto kCreate<schema::Synchronize> = &create_synchronize;

}  // namespace lightmetal::capture
