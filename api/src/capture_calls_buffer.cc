#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {
namespace {

using namespace lightmetal::capture;

Offset<schema::ShardSpec> shard_spec(FlatBufferBuilder& builder,
                                     const std::optional<ShardSpecBuffer>& spec) {
  if (!spec) return 0;
  const auto grid = ranges(builder, spec->grid());
  return schema::CreateShardSpec(
      builder, grid, spec->shape()[0], spec->shape()[1],
      static_cast<schema::ShardOrientation>(spec->orientation()), spec->page_shape[0],
      spec->page_shape[1], spec->tensor2d_shape_in_pages[0], spec->tensor2d_shape_in_pages[1]);
}

// The file has no word for a single bank: the one page of such a buffer lies where the first page
// of an interleaved one does.
schema::BufferLayout layout_of(const Buffer& buffer) {
  if (buffer.buffer_layout() == TensorMemoryLayout::SINGLE_BANK) {
    return schema::BufferLayout::Interleaved;
  }
  return static_cast<schema::BufferLayout>(buffer.buffer_layout());
}

}  // namespace

void buffer_create(const Buffer& buffer) {
  buffer_create_as(buffer, {buffer.given_address(), buffer.page_size(), buffer.sub_device_id()});
}

void buffer_create_as(const Buffer& buffer, const BufferCreation& creation) {
  record_creation<schema::BufferCreate>(object_of(buffer), [&](Encoder& encoder) {
    const auto shard = shard_spec(encoder.builder(), buffer.given_shard_spec());
    schema::BufferCreateBuilder call(encoder.builder());
    call.add_id(kNewId);
    call.add_device(use(encoder, *buffer.device()));
    if (creation.given_address) call.add_address(*creation.given_address);
    call.add_allocated_address(buffer.address());
    call.add_size(buffer.size());
    call.add_page_size(creation.page_size);
    call.add_buffer_type(static_cast<schema::BufferType>(buffer.buffer_type()));
    call.add_layout(layout_of(buffer));
    call.add_shard(shard);
    if (buffer.given_bottom_up()) call.add_bottom_up(*buffer.given_bottom_up());
    if (creation.sub_device) call.add_sub_device(**creation.sub_device);
    return call.Finish();
  });
}

void buffer_set_page_size(const Buffer& buffer) {
  record<schema::BufferSetPageSize>([&](Encoder& encoder) {
    return schema::CreateBufferSetPageSize(encoder.builder(), use(encoder, buffer),
                                           buffer.page_size());
  });
}

void buffer_deallocate(const Buffer& buffer) {
  // Like a destruction: of a buffer that the file does not know it need not know the end.
  record_if_known<schema::BufferDeallocate>(object_of(buffer), [&](Encoder& encoder) {
    return schema::CreateBufferDeallocate(encoder.builder(), use(encoder, buffer));
  });
}

void buffer_destroy(const Buffer& buffer) {
  record_destruction<schema::BufferDestroy>(object_of(buffer), [](Encoder& encoder, uint64_t id) {
    return schema::CreateBufferDestroy(encoder.builder(), id);
  });
}

void global_semaphore_create(const GlobalSemaphore& semaphore, const IDevice& device,
                             const CoreRangeSet& cores, uint32_t initial_value,
                             BufferType buffer_type) {
  record_creation<schema::GlobalSemaphoreCreate>(
      global_semaphore(semaphore.unique_id()), [&](Encoder& encoder) {
        const auto core_ranges = ranges(encoder.builder(), cores);
        return schema::CreateGlobalSemaphoreCreate(
            encoder.builder(), kNewId, use(encoder, device), core_ranges, initial_value,
            static_cast<schema::BufferType>(buffer_type), semaphore.address());
      });
}

void global_semaphore_reset_value(const GlobalSemaphore& semaphore, uint32_t value) {
  record<schema::GlobalSemaphoreResetValue>([&](Encoder& encoder) {
    return schema::CreateGlobalSemaphoreResetValue(
        encoder.builder(), encoder.use(global_semaphore(semaphore.unique_id())), value);
  });
}

void global_semaphore_destroy(uint64_t unique_id) {
  record_destruction<schema::GlobalSemaphoreDestroy>(
      global_semaphore(unique_id), [](Encoder& encoder, uint64_t id) {
        return schema::CreateGlobalSemaphoreDestroy(encoder.builder(), id);
      });
}

}  // namespace tt::tt_metal::capture_calls
