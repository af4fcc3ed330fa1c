#include "schema/storage/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"

namespace lightmetal::schema {
namespace {

// Linux maps the pages around the one that was touched as well, within a block of this size. Giving
// back whole blocks catches those pages, too.
constexpr uint64_t kFaultAround = 64 << 10;

// What happens to the pages of a payload when its last copy ends.
struct PayloadEnd {
  std::shared_ptr<const MappedFile> file;
  Bytes payload;

  void release(Bytes part) const {
    file->release(static_cast<uint64_t>(part.data() - file->bytes().data()), part.size());
  }
  void operator()(const void*) const { release(payload); }
};

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return file_error("open", path, errno);
  const absl::Cleanup close_file = [file] { ::close(file); };
  return map(file, path);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::map(int descriptor,
                                                                  const std::string& name) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return file_error("open", name, errno);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is a directory"));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not a regular file"));
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* data = nullptr;
  if (size != 0) data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return file_error("open", name, errno);
  return std::shared_ptr<const MappedFile>(new MappedFile(bytes_of(data, size)));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(uint64_t offset, uint64_t size) const {
  if (bytes_.size() <= kReleaseWindow || size == 0) return;
  const uint64_t begin = offset / kFaultAround * kFaultAround;
  const uint64_t end = (offset + size + kFaultAround - 1) / kFaultAround * kFaultAround;
  auto* data = const_cast<std::byte*>(bytes_.data());
  for (const Range& range : add_released({begin, std::min<uint64_t>(end, bytes_.size())})) {
    ::madvise(data + range.begin, range.end - range.begin, MADV_DONTNEED);
  }
}

std::vector<MappedFile::Range> MappedFile::add_released(Range range) const {
  MutexLock lock(&mutex_);
  // Payloads that follow one another in the file are released in that order, mostly: joining with
  // the last range keeps the list short and counts no byte twice.
  if (!released_.empty() && range.begin <= released_.back().end &&
      released_.back().begin <= range.end) {
    Range& last = released_.back();
    released_bytes_ -= last.end - last.begin;
    range = {std::min(range.begin, last.begin), std::max(range.end, last.end)};
    released_.pop_back();
  }
  released_.push_back(range);
  released_bytes_ += range.end - range.begin;
  if (released_bytes_ < kReleaseWindow) return {};
  released_bytes_ = 0;
  return std::exchange(released_, {});
}

Payload MappedFile::payload(uint64_t offset, uint64_t size) const {
  const Bytes bytes = bytes_.subspan(offset, size);
  if (bytes_.size() <= kReleaseWindow) return Payload(bytes, shared_from_this());
  return Payload(bytes, {bytes.data(), PayloadEnd{shared_from_this(), bytes}});
}

void release_part(const std::shared_ptr<const void>& owner, Bytes part) {
  if (const auto* end = std::get_deleter<PayloadEnd>(owner)) end->release(part);
}

}  // namespace lightmetal::schema
