#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"
#include "api/src/device_registry.h"
#include "api/src/snapshot.h"
#include "capture/session.h"
#include "schema/profile.h"

namespace tt::tt_metal::capture_calls {

using namespace lightmetal::capture;

namespace {

// Here, because every program that opens a device has this file of the static library.
[[maybe_unused]] const bool kHasSnapshots = set_snapshot_source(
    {.prepare = prepare_segment, .record_pending = record_pending, .record = record_segment});

}  // namespace

void create_device(const IDevice& device) {
  record_creation<schema::CreateDevice>(object_of(device), [&](Encoder& encoder) {
    FlatBufferBuilder& builder = encoder.builder();
    const DeviceParameters& parameters = parameters_of(device);
    const auto remap = words(builder, parameters.l1_bank_remap);
    const auto backend = builder.CreateString(parameters.backend);
    const auto profile_offset = schema::from_profile(builder, parameters.profile);
    return schema::CreateCreateDevice(
        builder, kNewId, static_cast<uint32_t>(parameters.chip_id), parameters.num_hw_cqs,
        parameters.l1_small_size, parameters.trace_region_size,
        static_cast<uint8_t>(parameters.dispatch.get_dispatch_core_type()), remap, backend,
        profile_offset);
  });
}

void close_device(const IDevice& device) {
  record_destruction<schema::CloseDevice>(object_of(device), [](Encoder& encoder, uint64_t id) {
    return schema::CreateCloseDevice(encoder.builder(), id);
  });
}

void deallocate_buffers() {
  record_error(absl::UnimplementedError(
      "the call Allocator::deallocate_buffers cannot be captured: it frees the memory of buffers "
      "that live on"));
}

void synchronize(const IDevice& device, std::optional<uint8_t> cq_id,
                 std::span<const SubDeviceId> waited_for) {
  record<schema::Synchronize>([&](Encoder& encoder) {
    const auto sub_device_ids = sub_devices(encoder.builder(), waited_for);
    schema::SynchronizeBuilder call(encoder.builder());
    call.add_device(use(encoder, device));
    if (cq_id) call.add_cq(*cq_id);
    call.add_sub_devices(sub_device_ids);
    return call.Finish();
  });
}

}  // namespace tt::tt_metal::capture_calls
