#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "api/src/object_ids.h"
#include "api/src/program_state.h"
#include "capture/recorder.h"
#include "schema/command_generated.h"

// The host API's objects and values in the words of the recorder and of the schema. For
// capture_calls_*.cc.
namespace tt::tt_metal::capture_calls {

namespace schema = lightmetal::schema;

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using lightmetal::capture::Encoder;
using lightmetal::capture::Kind;
using lightmetal::capture::kNewId;
using lightmetal::capture::Object;

// ---- Objects ----

inline Object object_of(const IDevice& device) { return {Kind::Device, unique_id_of(device)}; }
inline Object object_of(const Buffer& buffer) { return {Kind::Buffer, buffer.unique_id()}; }
inline Object object_of(const ProgramState& program) { return {Kind::Program, program.id}; }
inline Object object_of(const Kernel& kernel) { return {Kind::Kernel, kernel.unique_id()}; }
inline Object object_of(const Event& event) { return {Kind::Event, event.unique_id()}; }
inline Object circular_buffer(CBHandle handle) { return {Kind::CircularBuffer, handle}; }
inline Object global_semaphore(uint64_t unique_id) { return {Kind::GlobalSemaphore, unique_id}; }
inline Object object_of(const experimental::GlobalCircularBuffer& buffer) {
  return {Kind::GlobalCircularBuffer, buffer.unique_id()};
}
inline Object sub_device_manager(SubDeviceManagerId id) { return {Kind::SubDeviceManager, *id}; }
// Programs may give traces of different devices one id.
inline Object trace_object(const IDevice& device, uint32_t trace_id) {
  return {Kind::Trace, unique_id_of(device) << 32 | trace_id};
}

// The file's id of an object that a call uses; the error that is due without one says which object
// it is.
uint64_t use(Encoder& encoder, const IDevice& device);
uint64_t use(Encoder& encoder, const Buffer& buffer);
uint64_t use(Encoder& encoder, const ProgramState& program);
inline uint64_t use(Encoder& encoder, const Program& program) {
  return use(encoder, program.state());
}
uint64_t use(Encoder& encoder, const Kernel& kernel);
uint64_t use(Encoder& encoder, const Event& event);

// ---- Values ----

inline schema::CoreCoord coord(const CoreCoord& core) {
  return {static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
}

using CoreRangesOffset = Offset<flatbuffers::Vector<const schema::CoreRange*>>;
CoreRangesOffset ranges(FlatBufferBuilder& builder, const CoreRangeSet& cores);
Offset<flatbuffers::Vector<const schema::CoreCoord*>> coords(FlatBufferBuilder& builder,
                                                             const std::vector<CoreCoord>& cores);
inline Offset<flatbuffers::Vector<uint32_t>> words(FlatBufferBuilder& builder,
                                                   std::span<const uint32_t> words) {
  return builder.CreateVector(words.data(), words.size());
}
// Absent when there are none.
Offset<flatbuffers::Vector<uint8_t>> sub_devices(FlatBufferBuilder& builder,
                                                 std::span<const SubDeviceId> sub_devices);

// A payload of a read, which the file only has when the capture keeps them.
class Golden {
 public:
  Golden(Encoder& encoder, lightmetal::Bytes data)
      : present_(!data.empty() && lightmetal::capture::keeps_read_goldens()) {
    if (present_) reference_ = encoder.blob(data);
  }
  const schema::BlobRef* get() const { return present_ ? &reference_ : nullptr; }

 private:
  bool present_;
  schema::BlobRef reference_;
};

inline uint8_t queue_number(const CommandQueue& cq) { return static_cast<uint8_t>(cq.id()); }

}  // namespace tt::tt_metal::capture_calls
