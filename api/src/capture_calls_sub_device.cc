#include "absl/strings/str_cat.h"
#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {
namespace {

using namespace lightmetal::capture;

uint64_t use_manager(Encoder& encoder, const IDevice& device, SubDeviceManagerId manager) {
  return encoder.use(sub_device_manager(manager),
                     [&] { return absl::StrCat("with id ", *manager, " of chip ", device.id()); });
}

Offset<schema::SenderToReceivers> sender(
    FlatBufferBuilder& builder, const std::pair<CoreCoord, CoreRangeSet>& sender_to_receivers) {
  const auto receivers = ranges(builder, sender_to_receivers.second);
  const schema::CoreCoord core = coord(sender_to_receivers.first);
  return schema::CreateSenderToReceivers(builder, &core, receivers);
}

}  // namespace

void sub_device_manager_create(const IDevice& device, SubDeviceManagerId manager,
                               std::span<const SubDevice> sub_devices, DeviceAddr local_l1_size) {
  record_creation<schema::SubDeviceManagerCreate>(
      sub_device_manager(manager), [&](Encoder& encoder) {
        FlatBufferBuilder& builder = encoder.builder();
        std::vector<Offset<schema::SubDevice>> offsets;
        for (const SubDevice& sub_device : sub_devices) {
          offsets.push_back(schema::CreateSubDevice(
              builder, ranges(builder, sub_device.cores(HalProgrammableCoreType::TENSIX))));
        }
        const auto all = builder.CreateVector(offsets);
        return schema::CreateSubDeviceManagerCreate(builder, kNewId, use(encoder, device), all,
                                                    local_l1_size);
      });
}

void sub_device_manager_remove(const IDevice& device, SubDeviceManagerId manager) {
  record_destruction<schema::SubDeviceManagerRemove>(
      sub_device_manager(manager), [&](Encoder& encoder, uint64_t id) {
        return schema::CreateSubDeviceManagerRemove(encoder.builder(), use(encoder, device), id);
      });
}

void sub_device_manager_load(const IDevice& device, SubDeviceManagerId manager) {
  record<schema::SubDeviceManagerLoad>([&](Encoder& encoder) {
    return schema::CreateSubDeviceManagerLoad(encoder.builder(), use(encoder, device),
                                              use_manager(encoder, device, manager));
  });
}

void sub_device_manager_clear(const IDevice& device) {
  record<schema::SubDeviceManagerClear>([&](Encoder& encoder) {
    return schema::CreateSubDeviceManagerClear(encoder.builder(), use(encoder, device));
  });
}

void sub_device_stall_group_set(const IDevice& device, std::span<const SubDeviceId> group) {
  record<schema::SubDeviceStallGroupSet>([&](Encoder& encoder) {
    const auto ids = sub_devices(encoder.builder(), group);
    return schema::CreateSubDeviceStallGroupSet(encoder.builder(), use(encoder, device), ids);
  });
}

void sub_device_stall_group_reset(const IDevice& device) {
  record<schema::SubDeviceStallGroupReset>([&](Encoder& encoder) {
    return schema::CreateSubDeviceStallGroupReset(encoder.builder(), use(encoder, device));
  });
}

void global_circular_buffer_create(const experimental::GlobalCircularBuffer& buffer,
                                   const Buffer& config_buffer, BufferType buffer_type) {
  record_creation<schema::GlobalCircularBufferCreate>(object_of(buffer), [&](Encoder& encoder) {
    FlatBufferBuilder& builder = encoder.builder();
    std::vector<Offset<schema::SenderToReceivers>> offsets;
    for (const auto& each : buffer.sender_receiver_core_mapping()) {
      offsets.push_back(sender(builder, each));
    }
    const auto mapping = builder.CreateVector(offsets);
    return schema::CreateGlobalCircularBufferCreate(
        builder, kNewId, use(encoder, *buffer.get_device()), use(encoder, buffer.cb_buffer()),
        use(encoder, config_buffer), mapping, buffer.size(),
        static_cast<schema::BufferType>(buffer_type));
  });
}

void global_circular_buffer_destroy(uint64_t unique_id) {
  record_destruction<schema::GlobalCircularBufferDestroy>(
      {Kind::GlobalCircularBuffer, unique_id}, [](Encoder& encoder, uint64_t id) {
        return schema::CreateGlobalCircularBufferDestroy(encoder.builder(), id);
      });
}

}  // namespace tt::tt_metal::capture_calls
