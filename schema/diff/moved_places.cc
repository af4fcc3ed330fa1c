#include "schema/diff/moved_places.h"

#include "host/buffer.h"
#include "schema/commands/profile.h"

namespace lightmetal::schema {

void MovedPlaces::add(uint64_t number, const Command& a, const Command& b) {
  a_.add(number, a);
  b_.add(number, b);
  if (const auto* device = a.call_as_CreateDevice()) {
    profiles_[device->id()] = to_profile(*device->profile());
  } else if (const auto* buffer = a.call_as_BufferCreate()) {
    sizes_[a_.size() - 1] = size_per_bank(*buffer);
  }
}

uint64_t MovedPlaces::size_per_bank(const BufferCreate& buffer) const {
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
  for (const uint32_t object : a_.living()) {
    const ObjectIndex::Memory &a = *a_[object].memory, &b = *b_[object].memory;
    const auto size = sizes_.find(object);
    const uint64_t offset = in_a - a.address;
    if (a.is_view || in_a < a.address || offset != in_b - b.address ||
        offset > (size == sizes_.end() ? a.size : size->second)) {
      continue;
    }
    const auto& [kind, id] = a_[object].name;
    const uint64_t device = a_[a.device].name.id;
    // Which device the word is for is not known.
    if (best.has_value() && best->device != device) return std::nullopt;
    if (best.has_value() && offset > best->offset) continue;
    is_unclear = best.has_value() && offset == best->offset;
    best = Found{kind == ObjectKind::Buffer ? id : 0, device, offset};
  }
  return is_unclear ? std::nullopt : best;
}

}  // namespace lightmetal::schema
