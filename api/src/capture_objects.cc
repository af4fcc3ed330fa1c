#include "api/src/capture_objects.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tt::tt_metal::capture_calls {

uint64_t use(Encoder& encoder, const IDevice& device) {
  return encoder.use(object_of(device), [&] { return absl::StrCat("of chip ", device.id()); });
}

uint64_t use(Encoder& encoder, const Buffer& buffer) {
  return encoder.use(object_of(buffer), [&] {
    return absl::StrFormat("of %d bytes at address 0x%x", buffer.size(), buffer.address());
  });
}

uint64_t use(Encoder& encoder, const ProgramState& program) {
  return encoder.use(object_of(program),
                     [&] { return absl::StrCat("of ", program.kernels.size(), " kernels"); });
}

uint64_t use(Encoder& encoder, const Kernel& kernel) {
  return encoder.use(object_of(kernel), [&] { return absl::StrCat("named ", kernel.name()); });
}

uint64_t use(Encoder& encoder, const Event& event) { return encoder.use(object_of(event)); }

// CreateUninitializedVectorOfStructs of FlatBuffers 2.0 aligns wrongly: these do not use it.
CoreRangesOffset ranges(FlatBufferBuilder& builder, const CoreRangeSet& cores) {
  const auto range_of = [](const CoreRange& range) {
    return schema::CoreRange(coord(range.start_coord), coord(range.end_coord));
  };
  if (cores.ranges().size() == 1) {
    const schema::CoreRange only = range_of(cores.ranges().front());
    return builder.CreateVectorOfStructs(&only, 1);
  }
  absl::InlinedVector<schema::CoreRange, 4> all;
  for (const CoreRange& range : cores.ranges()) all.push_back(range_of(range));
  return builder.CreateVectorOfStructs(all.data(), all.size());
}

Offset<flatbuffers::Vector<const schema::CoreCoord*>> coords(FlatBufferBuilder& builder,
                                                             const std::vector<CoreCoord>& cores) {
  absl::InlinedVector<schema::CoreCoord, 8> all;
  for (const CoreCoord& core : cores) all.push_back(coord(core));
  return builder.CreateVectorOfStructs(all.data(), all.size());
}

Offset<flatbuffers::Vector<uint8_t>> sub_devices(FlatBufferBuilder& builder,
                                                 std::span<const SubDeviceId> sub_devices) {
  if (sub_devices.empty()) return 0;
  uint8_t* out = nullptr;
  const auto offset = builder.CreateUninitializedVector(sub_devices.size(), &out);
  for (const SubDeviceId& sub_device : sub_devices) *out++ = *sub_device;
  return offset;
}

}  // namespace tt::tt_metal::capture_calls
