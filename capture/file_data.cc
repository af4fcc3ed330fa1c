#include "capture/file_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/mutex.h"
#include "base/per_process.h"
#include "base/status.h"
#include "capture/mapped_memory.h"
#include "schema/external_files.h"

namespace lightmetal::capture {
namespace {

// Declared ranges of memory, none of which overlap.
class Declarations {
 public:
  // Never destroyed: programs may declare and capture while the process ends.
  static Declarations& get() { return PerProcess<Declarations>::get(); }

  void add(Bytes data, FilePlace place) {
    MutexLock lock(&mutex_);
    remove_overlapping(data);
    ranges_[begin_of(data)] = {begin_of(data) + data.size(), std::move(place)};
  }

  void remove(Bytes data) {
    MutexLock lock(&mutex_);
    remove_overlapping(data);
  }

  // Where all of `data` lies.
  std::optional<FilePlace> find(Bytes data) const {
    MutexLock lock(&mutex_);
    auto after = ranges_.upper_bound(begin_of(data));
    if (after == ranges_.begin()) return std::nullopt;
    const auto& [begin, range] = *std::prev(after);
    if (begin_of(data) + data.size() > range.end) return std::nullopt;
    return FilePlace{range.place.path, range.place.offset + (begin_of(data) - begin)};
  }

 private:
  struct Range {
    uintptr_t end = 0;
    FilePlace place;
  };

  static uintptr_t begin_of(Bytes data) { return reinterpret_cast<uintptr_t>(data.data()); }

  void remove_overlapping(Bytes data) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    auto range = ranges_.upper_bound(begin_of(data));
    if (range != ranges_.begin() && std::prev(range)->second.end > begin_of(data)) --range;
    while (range != ranges_.end() && range->first < begin_of(data) + data.size()) {
      range = ranges_.erase(range);
    }
  }

  mutable Mutex mutex_;
  std::map<uintptr_t, Range> ranges_ ABSL_GUARDED_BY(mutex_);  // by their begin
};

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

// What a file holds at `place`.
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
  Declarations::get().add(data, {resolved, offset});
  return absl::OkStatus();
}

void undeclare_file_data(Bytes data) {
  if (!data.empty()) Declarations::get().remove(data);
}

std::optional<schema::ExternalBlobInfo> find_file_data(Bytes payload, const Digest& digest) {
  std::optional<FilePlace> place = Declarations::get().find(payload);
  if (!place.has_value()) place = find_mapping(text_of_maps(), payload);
  if (!place.has_value()) return std::nullopt;
  const absl::StatusOr<schema::ExternalBlobInfo> found = describe(*place, payload.size());
  if (!found.ok() || found->digest != digest) return std::nullopt;
  return *found;
}

}  // namespace lightmetal::capture
