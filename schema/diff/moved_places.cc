#include "schema/diff/moved_places.h"

#include "host/buffer.h"
#include "schema/commands/profile.h"

namespace lightmetal::schema {
namespace {

constexpr uint64_t kSemaphoreSize = sizeof(uint32_t);

}  // namespace

void MovedPlaces::add(const Command& a, const Command& b) {
  if (const auto* device = a.call_as_CreateDevice()) {
    profiles_[device->id()] = to_profile(*device->profile());
  } else if (const auto* buffer = a.call_as_BufferCreate()) {
    if (buffer->address().has_value()) return;
    buffers_[buffer->id()] = {.buffer = buffer->id(),
                              .device = buffer->device(),
                              .a = buffer->allocated_address(),
                              .b = b.call_as_BufferCreate()->allocated_address(),
                              .size = size_of(*buffer)};
  } else if (const auto* semaphore = a.call_as_GlobalSemaphoreCreate()) {
    semaphores_[semaphore->id()] = {.device = semaphore->device(),
                                    .a = semaphore->allocated_address(),
                                    .b = b.call_as_GlobalSemaphoreCreate()->allocated_address(),
                                    .size = kSemaphoreSize};
  } else if (const auto* freed = a.call_as_BufferDeallocate()) {
    buffers_.erase(freed->buffer());
  } else if (const auto* ended = a.call_as_BufferDestroy()) {
    buffers_.erase(ended->buffer());
  } else if (const auto* gone = a.call_as_GlobalSemaphoreDestroy()) {
    semaphores_.erase(gone->global_semaphore());
  }
}

uint64_t MovedPlaces::size_of(const BufferCreate& buffer) const {
  const auto profile = profiles_.find(buffer.device());
  if (buffer.layout() != BufferLayout::Interleaved || profile == profiles_.end())
    return buffer.size();
  const auto type = static_cast<host::BufferType>(buffer.buffer_type());
  return host::Buffer{.size = buffer.size(),
                      .page_size = buffer.page_size(),
                      .type = type,
                      .banks = host::banks_of(profile->second, type)}
      .size_per_bank();
}

std::optional<MovedPlaces::Found> MovedPlaces::find(uint64_t in_a, uint64_t in_b) const {
  std::optional<Found> best;
  bool is_unclear = false;
  for (const auto* places : {&buffers_, &semaphores_}) {
    for (const auto& [id, place] : *places) {
      if (in_a < place.a || in_a - place.a > place.size || in_a - place.a != in_b - place.b)
        continue;
      const uint64_t offset = in_a - place.a;
      // Which device the word is for is not known.
      if (best.has_value() && best->place->device != place.device) return std::nullopt;
      if (best.has_value() && offset > best->offset) continue;
      is_unclear = best.has_value() && offset == best->offset;
      best = Found{&place, offset};
    }
  }
  return is_unclear ? std::nullopt : best;
}

}  // namespace lightmetal::schema
