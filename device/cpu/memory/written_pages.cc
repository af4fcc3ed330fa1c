#include "device/cpu/memory/written_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "device/cpu/memory/mapping.h"

namespace lightmetal::device::cpu {
namespace {

// A page has memory when it is in memory or was swapped out (Linux, admin-guide/mm/pagemap).
constexpr uint64_t kHasMemory = uint64_t{3} << 62;
// Entries that are read at once.
constexpr uint64_t kEntries = 1 << 14;

class PageMap {
 public:
  PageMap() : descriptor_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)), entries_(kEntries) {}
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;
  ~PageMap() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // Adds the parts of the range to `found`. REQUIRES: the range is whole pages.
  void add(const HostRange& range, std::vector<HostRange>& found) {
    for (const std::byte* page = range.begin; page < range.end;) {
      const uint64_t left = static_cast<uint64_t>(range.end - page) / page_size();
      const uint64_t count = std::min(kEntries, left);
      const bool is_known = read(page, count);
      for (uint64_t i = 0; i < count; ++i, page += page_size()) {
        if (is_known ? (entries_[i] & kHasMemory) != 0 : !is_zero(page)) add_page(page, found);
      }
    }
  }

 private:
  bool read(const std::byte* page, uint64_t count) {
    if (descriptor_ < 0) return false;
    const auto size = static_cast<ssize_t>(count * sizeof(uint64_t));
    const uint64_t number = reinterpret_cast<uint64_t>(page) / page_size();
    return pread(descriptor_, entries_.data(), static_cast<size_t>(size),
                 static_cast<off_t>(number * sizeof(uint64_t))) == size;
  }

  // Each byte is equal to the next one.
  static bool is_zero(const std::byte* page) {
    return *page == std::byte{0} && std::memcmp(page, page + 1, page_size() - 1) == 0;
  }

  static void add_page(const std::byte* page, std::vector<HostRange>& found) {
    if (found.empty() || found.back().end != page) found.push_back({page, page});
    found.back().end = page + page_size();
  }

  const int descriptor_;
  std::vector<uint64_t> entries_;
};

const std::byte* down_to_page(const std::byte* byte) {
  return byte - reinterpret_cast<uint64_t>(byte) % page_size();
}

// Makes whole pages of the ranges, in ascending order, which do not overlap.
std::vector<HostRange> joined(std::vector<HostRange> ranges) {
  std::erase_if(ranges, [](const HostRange& range) { return range.begin == range.end; });
  std::ranges::sort(ranges, {}, &HostRange::begin);
  std::vector<HostRange> joined;
  for (const HostRange& range : ranges) {
    const HostRange pages{down_to_page(range.begin), down_to_page(range.end + page_size() - 1)};
    if (joined.empty() || joined.back().end < pages.begin) {
      joined.push_back(pages);
    } else {
      joined.back().end = std::max(joined.back().end, pages.end);
    }
  }
  return joined;
}

}  // namespace

std::vector<HostRange> written_pages(std::vector<HostRange> ranges) {
  PageMap map;
  std::vector<HostRange> found;
  for (const HostRange& range : joined(std::move(ranges))) map.add(range, found);
  return found;
}

}  // namespace lightmetal::device::cpu
