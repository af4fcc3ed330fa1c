#include "capture/file_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file_error.h"
#include "base/mutex.h"
#include "base/per_process.h"
#include "base/status.h"
#include "capture/mapped_memory.h"
#include "schema/file/external_files.h"

namespace lightmetal::capture {
namespace {

uintptr_t begin_of(Bytes data) { return reinterpret_cast<uintptr_t>(data.data()); }
uintptr_t end_of(Bytes data) { return begin_of(data) + data.size(); }

// Declared ranges of memory, none of which overlap. A forked child has the declarations of its
// parent: every change makes a new list and then publishes it, so the child finds a whole list
// whatever its parent's threads were doing.
class Declarations {
 public:
  void add(Bytes data, FilePlace place) {
    auto range = std::make_shared<const Range>(begin_of(data), end_of(data), std::move(place));
    MutexLock lock(&Lock::get().mutex);
    Ranges next = all_but_overlapping(data);
    next.insert(next.begin() + num_up_to(next, begin_of(data)), std::move(range));
    replace(std::move(next));
  }

  void remove(Bytes data) {
    MutexLock lock(&Lock::get().mutex);
    replace(all_but_overlapping(data));
  }

  // The place of `data` in a file, if one declared range holds all of it.
  std::optional<FilePlace> find(Bytes data) const {
    MutexLock lock(&Lock::get().mutex);
    const ptrdiff_t up_to = num_up_to(now(), begin_of(data));
    if (up_to == 0) return std::nullopt;
    const Range& range = *now()[static_cast<size_t>(up_to - 1)];
    if (end_of(data) > range.end) return std::nullopt;
    return FilePlace{range.place.path, range.place.offset + (begin_of(data) - range.begin)};
  }

 private:
  struct Range {
    Range(uintptr_t begin, uintptr_t end, FilePlace place)
        : begin(begin), end(end), place(std::move(place)) {}

    const uintptr_t begin;
    const uintptr_t end;
    const FilePlace place;
  };
  using Ranges = std::vector<std::shared_ptr<const Range>>;  // by their begin
  using RangesNow = absl::Span<const std::shared_ptr<const Range>>;

  // The lock for all that is done with `ranges_`. A forked child has one of its own, because its
  // parent's may be held.
  struct Lock {
    static Lock& get() { return PerProcess<Lock>::get(); }

    Mutex mutex;
  };

  // How many ranges begin at `address` or before.
  static ptrdiff_t num_up_to(RangesNow ranges, uintptr_t address) {
    const auto begin_of_range = [](const auto& range) { return range->begin; };
    return std::ranges::upper_bound(ranges, address, {}, begin_of_range) - ranges.begin();
  }

  RangesNow now() const {
    const Ranges* const ranges = ranges_.load(std::memory_order_acquire);
    return ranges == nullptr ? RangesNow() : RangesNow(*ranges);
  }

  Ranges all_but_overlapping(Bytes data) const {
    Ranges rest;
    std::ranges::copy_if(now(), std::back_inserter(rest), [data](const auto& range) {
      return range->end <= begin_of(data) || range->begin >= end_of(data);
    });
    return rest;
  }

  void replace(Ranges next) {
    delete ranges_.exchange(new Ranges(std::move(next)), std::memory_order_acq_rel);
  }

  std::atomic<const Ranges*> ranges_ = nullptr;
};

// Without a destructor: programs may declare and capture while the process ends.
constinit Declarations g_declarations;

absl::Status check_range(int descriptor, const std::string& path, uint64_t offset, uint64_t size) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return file_error("open", path, errno);
  const auto file_size = static_cast<uint64_t>(info.st_size);
  if (offset <= file_size && size <= file_size - offset) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat(path, " has ", file_size, " bytes, no ", size, " at ", offset));
}

std::string text_of_maps() {
  std::string text;
  std::FILE* file = std::fopen("/proc/self/maps", "re");
  if (file == nullptr) return text;
  char piece[4096];
  while (const size_t count = std::fread(piece, 1, sizeof(piece), file)) text.append(piece, count);
  std::fclose(file);
  return text;
}

// What the file holds at `place` now: its digest, size and time.
absl::StatusOr<schema::ExternalBlobInfo> describe(const FilePlace& place, uint64_t size) {
  LM_ASSIGN_OR_RETURN(descriptor, schema::open_regular_file(place.path));
  const absl::Cleanup close_file = [descriptor = descriptor] { ::close(descriptor); };
  LM_RETURN_IF_ERROR(check_range(descriptor, place.path, place.offset, size));
  return schema::describe_in_file(descriptor, place.path, place.offset, size);
}

}  // namespace

absl::Status declare_file_data(Bytes data, const std::string& path, uint64_t offset) {
  if (data.empty()) return absl::OkStatus();
  std::error_code error;
  const std::string resolved = std::filesystem::canonical(path, error).string();
  if (error) return absl::NotFoundError(absl::StrCat("cannot open ", path, ": ", error.message()));
  LM_ASSIGN_OR_RETURN(descriptor, schema::open_regular_file(resolved));
  const absl::Cleanup close_file = [descriptor = descriptor] { ::close(descriptor); };
  LM_RETURN_IF_ERROR(check_range(descriptor, resolved, offset, data.size()));
  g_declarations.add(data, {resolved, offset});
  return absl::OkStatus();
}

void undeclare_file_data(Bytes data) {
  if (!data.empty()) g_declarations.remove(data);
}

std::optional<schema::ExternalBlobInfo> find_file_data(Bytes payload, const Digest& digest) {
  std::optional<FilePlace> place = g_declarations.find(payload);
  if (!place.has_value()) place = find_mapping(text_of_maps(), payload);
  if (!place.has_value()) return std::nullopt;
  const absl::StatusOr<schema::ExternalBlobInfo> found = describe(*place, payload.size());
  // A file that cannot be read or holds other bytes is no error here: the payload is embedded, or
  // the policy refuses it.
  if (!found.ok() || found->digest != digest) return std::nullopt;
  return *found;
}

}  // namespace lightmetal::capture
