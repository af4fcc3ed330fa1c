#include "runtime/movable_placement.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "replay/without_exceptions.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

}  // namespace

absl::StatusOr<std::shared_ptr<tm::Buffer>> MovablePlacement::create(
    const schema::BufferCreate& call, tm::IDevice* device) {
  const bool is_movable = moves_.movable.contains(call.id());
  hooks::RecordedBuffer recorded = replay::recorded_buffer(call, device);
  if (views_.contains(call.id())) recorded.address = call.allocated_address();
  if (recorded.address.has_value()) recorded.address = moved_.address_of(recorded);
  const bool is_view = recorded.address.has_value();
  std::shared_ptr<tm::Buffer> buffer =
      is_movable && !is_view ? place(recorded) : hooks::create_buffer(recorded);
  // A view that the program made follows the buffer in whose memory it is.
  if (call.address().has_value()) {
    LM_RETURN_IF_ERROR(replay::check_address(call.allocated_address(), *call.address()));
  } else if (!is_movable) {
    LM_RETURN_IF_ERROR(replay::check_address(call.allocated_address(), buffer->address()));
  }
  if (!is_view && !moves_.movable.empty()) moved_.add(call.allocated_address(), *buffer);
  return buffer;
}

std::shared_ptr<tm::Buffer> MovablePlacement::place(hooks::RecordedBuffer recorded) const {
  std::shared_ptr<tm::Buffer> buffer;
  const absl::Status status = replay::without_exceptions([&] {
    buffer = hooks::create_buffer(recorded);
    return absl::OkStatus();
  });
  if (status.ok()) return buffer;
  recorded.allocated_address = std::nullopt;
  // Memory in a kept place is held until other memory is found.
  std::vector<std::shared_ptr<tm::Buffer>> held;
  while (true) {
    buffer = hooks::create_buffer(recorded);
    if (!is_in_kept_place(*buffer)) return buffer;
    held.push_back(std::move(buffer));
  }
}

bool MovablePlacement::is_in_kept_place(const tm::Buffer& buffer) const {
  return std::ranges::any_of(moves_.kept, [&](const schema::BufferCreate* kept) {
    return static_cast<tm::BufferType>(kept->buffer_type()) == buffer.buffer_type() &&
           kept->allocated_address() < buffer.address() + buffer.aligned_size_per_bank() &&
           buffer.address() < kept->allocated_address() + kept->size();
  });
}

absl::Status MovablePlacement::reserve(const schema::BufferCreate& call, tm::IDevice* device) {
  return replay::without_exceptions([&] {
    reserved_.push_back(hooks::create_buffer(replay::recorded_buffer(call, device)));
    return absl::OkStatus();
  });
}

void MovablePlacement::note_end(uint64_t id, const tm::Buffer& buffer) {
  ended_addresses_[id] = buffer.address();
}

std::optional<uint64_t> MovablePlacement::address_of_ended(uint64_t id) const {
  const auto ended = ended_addresses_.find(id);
  if (ended == ended_addresses_.end()) return std::nullopt;
  return ended->second;
}

void MovablePlacement::clear() {
  views_.clear();
  moved_.clear();
  reserved_.clear();
  ended_addresses_.clear();
}

}  // namespace lightmetal::runtime
