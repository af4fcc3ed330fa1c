#include "host/global_memory.h"

#include <algorithm>

#include "base/round.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

constexpr uint32_t kWordBytes = sizeof(uint32_t);

uint32_t whole_units(uint32_t bytes) { return static_cast<uint32_t>(round_up(bytes, kRemoteUnit)); }

absl::Status check_in_grid(absl::string_view what, const CoreSet& cores, const Target& target) {
  const Core& grid = target.profile.grid;
  if (cores.fits(grid)) return absl::OkStatus();
  return refuse("A global ", what, " on cores ", cores.text(), " leaves the ", grid.x, "x", grid.y,
                " grid of device ", target.device_id);
}

}  // namespace

absl::Status check_global_semaphore(BufferType type, const CoreSet& cores, const Target& target) {
  if (!is_l1(type)) {
    return refuse("Global semaphore can only be created for L1 buffer types, not ", name_of(type));
  }
  if (cores.empty()) return refuse("A global semaphore needs at least one core");
  return check_in_grid("semaphore", cores, target);
}

// For each receiver, the configuration has the two words of its coordinate and two counters, of
// what was sent and of what was taken; each counter is at the beginning of a unit.
RemoteConfigLayout::RemoteConfigLayout(uint32_t receivers)
    : coordinates(whole_units(kRemoteConfigWords * kWordBytes)),
      counters(coordinates + whole_units(receivers * 2 * kWordBytes)),
      size(counters + receivers * 2 * kRemoteUnit) {}

absl::Status Senders::take(const CoreSet& cores, absl::string_view role) {
  if (cores_.intersects(cores)) {
    return refuse("A core is one sender's receiver or a sender, and only once: cores ",
                  cores_.intersection(cores).text(), " cannot be ", role, " too");
  }
  cores_.add(cores);
  return absl::OkStatus();
}

absl::Status Senders::add(const CoreSet& sender, const CoreSet& receivers) {
  if (receivers.empty()) {
    const Core& end = sender.end();
    return refuse("Sender ", text_of({end.x - 1, end.y - 1}),
                  " of a global circular buffer has no receivers");
  }
  LM_RETURN_IF_ERROR(take(sender, "senders"));
  LM_RETURN_IF_ERROR(take(receivers, "receivers"));
  most_receivers_ = std::max(most_receivers_, receivers.count());
  return absl::OkStatus();
}

absl::Status check_global_circular_buffer(BufferType type, const Senders& senders, uint32_t size,
                                          const Target& target) {
  if (!is_l1(type)) {
    return refuse("A global circular buffer can only be in L1, not in ", name_of(type));
  }
  if (senders.cores().empty()) return refuse("A global circular buffer needs at least one sender");
  const uint32_t alignment = target.profile.l1_alignment;
  if (size == 0 || size % alignment != 0 || alignment != kRemoteUnit) {
    return refuse("The size ", size,
                  " B of a global circular buffer must be a positive multiple of ", alignment,
                  " B, the alignment of L1");
  }
  return check_in_grid("circular buffer", senders.cores(), target);
}

absl::Status check_memory(const Buffer& buffer, bool is_of_device, uint32_t size,
                          const Senders& senders, const Target& target) {
  const uint32_t num_cores = senders.cores().count();
  const bool has_pages = is_of_device && is_l1(buffer.type) && buffer.size != 0 &&
                         buffer.page_size == size && buffer.shards &&
                         buffer.shards->num_shards == num_cores;
  if (has_pages && buffer.address <= buffer.banks.size && buffer.lies_in_banks(size)) {
    return absl::OkStatus();
  }
  return refuse("Buffer ", buffer.id, " is not ", size, " B of L1 on each of ", num_cores,
                " cores of device ", target.device_id, ", as a global circular buffer needs");
}

}  // namespace lightmetal::host
