#include "device/cpu/machine/written_parts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/status.h"
#include "device/bounds.h"
#include "device/cpu/memory/written_pages.h"

namespace lightmetal::device::cpu {
namespace {

absl::Status check(const DeviceProfile& profile, const MemoryPart& part) {
  switch (part.kind) {
    case MemoryPart::Kind::kDram:
      return check_dram_range(profile, part.bank, part.address, part.size);
    case MemoryPart::Kind::kL1:
      return check_l1_range(profile, part.core, part.address, part.size);
    case MemoryPart::Kind::kEthernetL1:
      break;
  }
  return check_ethernet_l1_range(profile, part.core, part.address, part.size);
}

Place place_of(Machine& machine, const MemoryPart& part) {
  switch (part.kind) {
    case MemoryPart::Kind::kDram:
      return machine.memory().dram(part.bank);
    case MemoryPart::Kind::kL1:
      return machine.core(part.core).memory;
    case MemoryPart::Kind::kEthernetL1:
      break;
  }
  return machine.ethernet_core(part.core.y).memory;
}

HostRange host_range(const Place& place, const MemoryPart& part) {
  if (part.size == 0) return {};
  return {place.at(part.address), place.at(part.address + part.size - 1) + 1};
}

// The bytes of `part` in the stripes that touch `pages`; of size 0 when none does.
MemoryPart part_in(const Place& place, MemoryPart part, const HostRange& pages) {
  const auto stripe_of = [&](const std::byte* byte) {
    return byte < place.begin ? 0 : static_cast<uint64_t>(byte - place.begin) / place.distance;
  };
  const uint64_t end = part.address + part.size;
  const uint64_t first = stripe_of(pages.begin) * Place::kStripe;
  const uint64_t last = (stripe_of(pages.end - 1) + 1) * Place::kStripe;
  part.address = std::max(part.address, first - std::min(first, place.before));
  const uint64_t stop = std::min(end, last - std::min(last, place.before));
  part.size = stop - std::min(stop, part.address);
  return part;
}

// L1 whose bytes have marks counts as written, since zeros that a program wrote have marks, too.
bool is_marked(Machine& machine, const MemoryPart& part) {
  return part.kind == MemoryPart::Kind::kL1 && machine.core(part.core).initialised != nullptr;
}

void add_written(Machine& machine, const MemoryPart& part, const std::vector<HostRange>& pages,
                 std::vector<MemoryPart>& written) {
  if (part.size == 0) return;
  if (is_marked(machine, part)) return written.push_back(part);
  const Place place = place_of(machine, part);
  const HostRange range = host_range(place, part);
  auto run = std::ranges::lower_bound(pages, range.begin, std::less_equal<>(), &HostRange::end);
  for (; run != pages.end() && run->begin < range.end; ++run) {
    const MemoryPart found = part_in(place, part, *run);
    if (found.size != 0) written.push_back(found);
  }
}

}  // namespace

absl::StatusOr<std::vector<MemoryPart>> written_parts(Machine& machine,
                                                      absl::Span<const MemoryPart> parts) {
  std::vector<HostRange> ranges;
  for (const MemoryPart& part : parts) {
    LM_RETURN_IF_ERROR(check(machine.profile(), part));
    ranges.push_back(host_range(place_of(machine, part), part));
  }
  const std::vector<HostRange> pages = written_pages(std::move(ranges));
  std::vector<MemoryPart> written;
  for (const MemoryPart& part : parts) add_written(machine, part, pages, written);
  return written;
}

}  // namespace lightmetal::device::cpu
