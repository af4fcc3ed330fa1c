#include "api/src/capture/written_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "base/round.h"
#include "device/noc.h"

namespace tt::tt_metal {
namespace {

using lightmetal::device::MemoryPart;

// Memory is read in pieces of at most so many bytes, and looked at in grains.
constexpr uint64_t kPiece = uint64_t{1} << 20;
constexpr uint64_t kGrain = 4096;

bool is_zero(const std::byte* bytes, uint64_t size) {
  static constexpr std::array<std::byte, kGrain> kZeros = {};
  for (uint64_t done = 0; done < size; done += kGrain) {
    if (std::memcmp(bytes + done, kZeros.data(), std::min(kGrain, size - done)) != 0) return false;
  }
  return true;
}

// Calls visit(first, last) for each part of the ranges within [first, last].
template <class Visit>
void for_each_within(const RangeSet<>& ranges, uint64_t first, uint64_t last, Visit visit) {
  const RangeSet<>::Ranges& all = ranges.ranges();
  auto range = all.upper_bound(first);
  if (range != all.begin()) --range;
  for (; range != all.end() && range->first <= last; ++range) {
    if (range->second.last < first) continue;
    visit(std::max(first, range->first), std::min(last, range->second.last));
  }
}

// Calls visit(first, last) for each part of [first, last] outside of the ranges.
template <class Visit>
void for_each_outside(const RangeSet<>& ranges, uint64_t first, uint64_t last, Visit visit) {
  uint64_t next = first;
  for_each_within(ranges, first, last, [&](uint64_t begin, uint64_t end) {
    if (next < begin) visit(next, begin - 1);
    next = end + 1;
  });
  if (next <= last) visit(next, last);
}

std::vector<MemoryPart> all_memory(const lightmetal::DeviceProfile& profile) {
  std::vector<MemoryPart> parts;
  for (uint32_t bank = 0; bank < profile.dram_banks; ++bank)
    parts.push_back({.bank = bank, .size = profile.dram_bank_size});
  for (uint32_t bank = 0; bank < lightmetal::device::num_l1_banks(profile); ++bank) {
    parts.push_back({.kind = MemoryPart::Kind::kL1,
                     .core = lightmetal::device::core_of_l1_bank(profile, bank),
                     .size = profile.l1_size});
  }
  for (uint32_t core = 0; core < profile.ethernet_cores; ++core) {
    parts.push_back({.kind = MemoryPart::Kind::kEthernetL1,
                     .core = {0, core},
                     .size = profile.ethernet_l1_size});
  }
  return parts;
}

uint64_t num_pages(const BufferLayoutSnapshot& buffer) {
  return buffer.page_size == 0 ? 0 : buffer.size / buffer.page_size;
}

}  // namespace

WrittenMemory::WrittenMemory(const IDevice& device) : backend_(impl_of(device).share_backend()) {
  const auto parts = backend_->written(all_memory(backend_->profile()));
  if (absl::IsUnimplemented(parts.status())) {
    take_buffers(device);
  } else {
    throw_if_error(parts.status());
    for (const MemoryPart& part : *parts) add(part);
  }
}

void WrittenMemory::take_buffers(const IDevice& device) {
  LiveObjects<Buffer>::for_each([&](const Buffer& buffer) {
    if (buffer.device() != &device || !buffer.is_allocated()) return;
    for (const MemoryPart& part : memory_of(*backend_, snapshot_of(buffer))) add(part);
  });
}

void WrittenMemory::add(const MemoryPart& part) {
  if (part.size != 0) written_[place_of(part)].add(part.address, part.address + part.size - 1);
}

RangeSet<> WrittenMemory::pages_of(const BufferLayoutSnapshot& buffer) {
  RangeSet<> found;
  if (num_pages(buffer) == 0) return found;
  const RangeSet<> written =
      buffer.page_mapping == nullptr ? written_rows(buffer) : written_pages(buffer);
  for (const auto& [first, rest] : written.ranges())
    find_pages_with_data(buffer, first, rest.last, found);
  return found;
}

// The rows of an interleaved buffer, each of a page in every bank, in which any was written.
RangeSet<> WrittenMemory::written_rows(const BufferLayoutSnapshot& buffer) const {
  RangeSet<> rows, pages;
  const uint64_t page = buffer.aligned_page_size;
  const uint64_t count = (num_pages(buffer) + buffer.num_banks - 1) / buffer.num_banks;
  for (const MemoryPart& part : memory_of(*backend_, buffer)) {
    const auto written = written_.find(place_of(part));
    if (written == written_.end()) continue;
    for_each_within(written->second, buffer.address, buffer.address + count * page - 1,
                    [&](uint64_t first, uint64_t last) {
                      rows.add((first - buffer.address) / page, (last - buffer.address) / page);
                    });
  }
  for (const auto& [first, rest] : rows.ranges()) {
    pages.add(first * buffer.num_banks,
              std::min((rest.last + 1) * buffer.num_banks, num_pages(buffer)) - 1);
  }
  return pages;
}

RangeSet<> WrittenMemory::written_pages(const BufferLayoutSnapshot& buffer) const {
  RangeSet<> pages;
  for (uint64_t page = 0; page < num_pages(buffer); ++page) {
    const BytePlace first = place_of_page(*backend_, buffer, page);
    const auto written = written_.find(first.place);
    if (written == written_.end()) continue;
    for_each_within(written->second, first.address, first.address + buffer.page_size - 1,
                    [&](uint64_t, uint64_t) { pages.add(page, page); });
  }
  return pages;
}

void WrittenMemory::find_pages_with_data(const BufferLayoutSnapshot& buffer, uint64_t first,
                                         uint64_t last, RangeSet<>& found) {
  const uint64_t grain = std::max<uint64_t>(kGrain / buffer.page_size, 1);
  const uint64_t step =
      lightmetal::round_up(std::max<uint64_t>(kPiece / buffer.page_size, 1), grain);
  for (uint64_t begin = lightmetal::round_down(first, grain); begin <= last; begin += step) {
    const uint64_t count = std::min(step, num_pages(buffer) - begin);
    bytes_.resize(count * buffer.page_size);
    throw_if_error(
        read_buffer(*backend_, buffer, begin * buffer.page_size, absl::MakeSpan(bytes_)));
    for (uint64_t page = 0; page < count; page += grain) {
      const uint64_t pages = std::min(grain, count - page);
      if (!is_zero(bytes_.data() + page * buffer.page_size, pages * buffer.page_size))
        found.add(begin + page, begin + page + pages - 1);
    }
  }
}

void WrittenMemory::remove(const MemoryRange& range) {
  removed_[range.place].add(range.begin, range.begin + range.size - 1);
}

void WrittenMemory::remove_pages(const BufferLayoutSnapshot& buffer, uint64_t first,
                                 uint64_t last) {
  const bool lie_together =
      buffer.page_mapping == nullptr && buffer.page_size == buffer.aligned_page_size;
  if (!lie_together) {
    for (uint64_t page = first; page <= last; ++page) {
      const BytePlace byte = place_of_page(*backend_, buffer, page);
      remove({byte.place, byte.address, buffer.page_size});
    }
    return;
  }
  // Every num_banks-th page is the next one in a bank.
  for (uint64_t page = first; page <= last && page < first + buffer.num_banks; ++page) {
    const BytePlace byte = place_of_page(*backend_, buffer, page);
    const uint64_t rows = (last - page) / buffer.num_banks + 1;
    remove({byte.place, byte.address, rows * buffer.page_size});
  }
}

// Below this address memory belongs to the system, which writes it before each launch.
uint64_t WrittenMemory::base_of(const MemoryPlace& place) const {
  switch (place.kind) {
    case MemoryPlace::Kind::kDram:
      return 0;
    case MemoryPlace::Kind::kL1:
      return backend_->profile().l1_unreserved_base;
    case MemoryPlace::Kind::kEthernetL1:
      break;
  }
  return backend_->profile().ethernet_unreserved_base;
}

void WrittenMemory::find_ranges_with_data(const MemoryRange& range,
                                          std::vector<MemoryRange>& found) {
  const uint64_t end = range.begin + range.size;
  for (uint64_t begin = range.begin; begin < end;) {
    const uint64_t stop = std::min(lightmetal::round_down(begin + kPiece, kGrain), end);
    bytes_.resize(stop - begin);
    throw_if_error(read_memory(*backend_, range.place, begin, absl::MakeSpan(bytes_)));
    for (uint64_t grain = begin; grain < stop;) {
      const uint64_t next = std::min(lightmetal::round_down(grain + kGrain, kGrain), stop);
      if (!is_zero(bytes_.data() + (grain - begin), next - grain)) {
        const bool joins = !found.empty() && found.back().place == range.place &&
                           found.back().begin + found.back().size == grain;
        if (!joins) found.push_back({range.place, grain, 0});
        found.back().size += next - grain;
      }
      grain = next;
    }
    begin = stop;
  }
}

// Adds what of [first, last] was written, is not removed and is not zeros.
void WrittenMemory::add_rest(const MemoryPlace& place, uint64_t first, uint64_t last,
                             std::vector<MemoryRange>& found) {
  const RangeSet<>& removed = removed_[place];
  for_each_within(written_[place], first, last, [&](uint64_t begin, uint64_t end) {
    for_each_outside(removed, begin, end, [&](uint64_t from, uint64_t to) {
      // The API writes whole words.
      const uint64_t word = lightmetal::round_down(from, sizeof(uint32_t));
      const uint64_t stop = lightmetal::round_up(to + 1, sizeof(uint32_t));
      find_ranges_with_data({place, word, stop - word}, found);
    });
  });
}

std::vector<MemoryRange> WrittenMemory::rest() {
  std::vector<MemoryRange> found;
  for (const auto& [place, written] : written_)
    add_rest(place, base_of(place), std::numeric_limits<uint32_t>::max(), found);
  return found;
}

std::vector<MemoryRange> WrittenMemory::rest_of(const BufferLayoutSnapshot& buffer) {
  std::vector<MemoryRange> found;
  for (const MemoryPart& part : memory_of(*backend_, buffer))
    add_rest(place_of(part), part.address, part.address + part.size - 1, found);
  return found;
}

}  // namespace tt::tt_metal
