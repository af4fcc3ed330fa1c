#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {

using namespace lightmetal::capture;

bool keeps_read_goldens() { return lightmetal::capture::keeps_read_goldens(); }

void enqueue_write_buffer(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes data,
                          schema::ElementType type, bool blocking) {
  record<schema::EnqueueWriteBuffer>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    return schema::CreateEnqueueWriteBuffer(encoder.builder(), use(encoder, *cq.device()),
                                            queue_number(cq), use(encoder, buffer), &payload, type,
                                            blocking);
  });
}

void enqueue_read_buffer(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes data,
                         schema::ElementType type, bool blocking) {
  record<schema::EnqueueReadBuffer>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    return schema::CreateEnqueueReadBuffer(encoder.builder(), use(encoder, *cq.device()),
                                           queue_number(cq), use(encoder, buffer), golden.get(),
                                           type, blocking);
  });
}

void enqueue_write_sub_buffer(const CommandQueue& cq, const Buffer& buffer,
                              const BufferRegion& region, lightmetal::Bytes data,
                              schema::ElementType type, bool blocking) {
  record<schema::EnqueueWriteSubBuffer>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    return schema::CreateEnqueueWriteSubBuffer(
        encoder.builder(), use(encoder, *cq.device()), queue_number(cq), use(encoder, buffer),
        region.offset, region.size, &payload, type, blocking);
  });
}

void enqueue_read_sub_buffer(const CommandQueue& cq, const Buffer& buffer,
                             const BufferRegion& region, lightmetal::Bytes data,
                             schema::ElementType type, bool blocking) {
  record<schema::EnqueueReadSubBuffer>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    return schema::CreateEnqueueReadSubBuffer(encoder.builder(), use(encoder, *cq.device()),
                                              queue_number(cq), use(encoder, buffer), region.offset,
                                              region.size, golden.get(), type, blocking);
  });
}

void enqueue_program(const CommandQueue& cq, const Program& program, bool blocking) {
  record<schema::EnqueueProgram>([&](Encoder& encoder) {
    return schema::CreateEnqueueProgram(encoder.builder(), use(encoder, *cq.device()),
                                        queue_number(cq), use(encoder, program), blocking);
  });
}

void finish(const CommandQueue& cq, std::span<const SubDeviceId> waited_for) {
  record<schema::FinishQueue>([&](Encoder& encoder) {
    const auto sub_device_ids = sub_devices(encoder.builder(), waited_for);
    return schema::CreateFinishQueue(encoder.builder(), use(encoder, *cq.device()),
                                     queue_number(cq), sub_device_ids);
  });
}

void event_create(const Event& event) {
  record_creation<schema::EventCreate>(object_of(event), [](Encoder& encoder) {
    return schema::CreateEventCreate(encoder.builder(), kNewId);
  });
}

void event_destroy(const Event& event) {
  record_destruction<schema::EventDestroy>(object_of(event), [](Encoder& encoder, uint64_t id) {
    return schema::CreateEventDestroy(encoder.builder(), id);
  });
}

void enqueue_record_event(const CommandQueue& cq, const Event& event,
                          std::span<const SubDeviceId> waited_for) {
  record<schema::EnqueueRecordEvent>([&](Encoder& encoder) {
    const auto sub_device_ids = sub_devices(encoder.builder(), waited_for);
    return schema::CreateEnqueueRecordEvent(encoder.builder(), use(encoder, *cq.device()),
                                            queue_number(cq), use(encoder, event), sub_device_ids);
  });
}

void enqueue_wait_for_event(const CommandQueue& cq, const Event& event) {
  record<schema::EnqueueWaitForEvent>([&](Encoder& encoder) {
    return schema::CreateEnqueueWaitForEvent(encoder.builder(), use(encoder, *cq.device()),
                                             queue_number(cq), use(encoder, event));
  });
}

void event_synchronize(const Event& event) {
  record<schema::EventSynchronize>([&](Encoder& encoder) {
    return schema::CreateEventSynchronize(encoder.builder(), use(encoder, event));
  });
}

void light_metal_compare(const CommandQueue& cq, const Buffer& buffer, lightmetal::Bytes golden,
                         schema::ElementType type, bool is_user_data) {
  record<schema::LightMetalCompare>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.blob(golden);
    return schema::CreateLightMetalCompare(encoder.builder(), use(encoder, *cq.device()),
                                           queue_number(cq), use(encoder, buffer), &payload, type,
                                           is_user_data);
  });
}

}  // namespace tt::tt_metal::capture_calls
