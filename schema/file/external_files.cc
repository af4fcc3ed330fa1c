#include "schema/file/external_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/storage/mapped_file.h"

namespace lightmetal::schema {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;

int64_t nanoseconds_of(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Reads all of `target`. An error when the file ends before.
absl::Status read_all(int descriptor, const std::string& path, uint64_t offset,
                      absl::Span<std::byte> target) {
  while (!target.empty()) {
    const ssize_t count =
        ::pread(descriptor, target.data(), target.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) return absl::DataLossError(absl::StrCat(path, " ends at ", offset));
    offset += static_cast<uint64_t>(count);
    target.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Reads the bytes rather than mapping them, so that a file that is cut short meanwhile is an error
// and no signal.
absl::StatusOr<::lightmetal::Digest> digest_in_file(int descriptor, const std::string& path,
                                                    uint64_t offset, uint64_t size) {
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(std::min(size, kPiece));
  Digester digester;
  for (uint64_t done = 0; done < size; done += kPiece) {
    const absl::Span<std::byte> piece(memory.get(), std::min(kPiece, size - done));
    LM_RETURN_IF_ERROR(read_all(descriptor, path, offset + done, piece));
    digester.add(piece);
  }
  return digester.digest();
}

// "lies at 4096 in /data/weights.bin"
std::string place_of(const ExternalBlobInfo& blob, const std::string& path) {
  return absl::StrCat(
      "lies at ", blob.offset, " in ", escaped(path),
      path == blob.path ? std::string() : absl::StrCat(" (recorded as ", escaped(blob.path), ")"));
}

}  // namespace

// An open file and its mapping.
class ReferencedFile {
 public:
  static absl::StatusOr<std::shared_ptr<const ReferencedFile>> open(const std::string& path) {
    LM_ASSIGN_OR_RETURN(descriptor, open_regular_file(path));
    const auto file = std::make_shared<ReferencedFile>(descriptor);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) return file_error("open", path, errno);
    LM_ASSIGN_OR_RETURN(mapping, MappedFile::map(descriptor, path));
    file->modified_ns_ = nanoseconds_of(info.st_mtim);
    file->mapping_ = std::move(mapping);
    return file;
  }

  // Takes the descriptor over. The object is of use only when open() has mapped the file.
  explicit ReferencedFile(int descriptor) : descriptor_(descriptor) {}
  ~ReferencedFile() { ::close(descriptor_); }
  ReferencedFile(const ReferencedFile&) = delete;
  ReferencedFile& operator=(const ReferencedFile&) = delete;

  uint64_t size() const { return mapping_->bytes().size(); }

  // REQUIRES: the blob lies in the file.
  Payload payload(const ExternalBlobInfo& blob) const {
    return mapping_->payload(blob.offset, blob.size);
  }

  absl::Status check(const ExternalBlobInfo& blob, const std::string& path,
                     ReferenceOptions::Check check) const {
    const auto bad = [&](auto&&... what) {
      return absl::FailedPreconditionError(absl::StrCat(place_of(blob, path), ", but ", what...));
    };
    if (blob.offset > size() || blob.size > size() - blob.offset) {
      return bad("that file has ", size(), " bytes, and had ", blob.file_size, " at the capture");
    }
    if (check == ReferenceOptions::Check::SizeAndTime) {
      if (size() == blob.file_size && modified_ns_ == blob.modified_ns) return absl::OkStatus();
      return bad("that file was changed: it has ", size(), " bytes and modification time ",
                 modified_ns_, " ns, and had ", blob.file_size, " and ", blob.modified_ns,
                 " at the capture");
    }
    LM_ASSIGN_OR_RETURN(found, digest_in_file(descriptor_, path, blob.offset, blob.size));
    if (found == blob.digest) return absl::OkStatus();
    return bad("that file has other content there: its digest is ", found.hex(), ", and was ",
               blob.digest.hex(), " at the capture");
  }

 private:
  const int descriptor_;
  int64_t modified_ns_ = 0;
  std::shared_ptr<const MappedFile> mapping_;
};

ExternalFiles::~ExternalFiles() = default;

absl::StatusOr<std::shared_ptr<const ReferencedFile>> ExternalFiles::open(const std::string& path) {
  MutexLock lock(&mutex_);
  std::shared_ptr<const ReferencedFile>& file = files_[path];
  if (file != nullptr) return file;
  auto opened = ReferencedFile::open(path);
  if (!opened.ok()) return opened.status();
  return file = *std::move(opened);
}

absl::StatusOr<std::shared_ptr<const ReferencedFile>> ExternalFiles::open_checked(
    const ExternalBlobInfo& blob) {
  LM_ASSIGN_OR_RETURN(path, resolve_path(blob.path, options_));
  const auto opened = open(path);
  if (!opened.ok()) {
    return absl::Status(opened.status().code(),
                        absl::StrCat(place_of(blob, path), ", but ", opened.status().message()));
  }
  const Checked key(blob.digest, path, blob.offset, blob.size);
  {
    MutexLock lock(&mutex_);
    if (checked_.contains(key)) return *opened;
  }
  // Outside the lock: the check may read gigabytes. Two threads may both check a payload, which
  // harms nothing.
  LM_RETURN_IF_ERROR((*opened)->check(blob, path, options_.check));
  MutexLock lock(&mutex_);
  checked_.insert(key);
  return *opened;
}

absl::Status ExternalFiles::check(const ExternalBlobInfo& blob) {
  return open_checked(blob).status();
}

absl::StatusOr<Payload> ExternalFiles::get(const ExternalBlobInfo& blob) {
  LM_ASSIGN_OR_RETURN(file, open_checked(blob));
  return file->payload(blob);
}

absl::StatusOr<int> open_regular_file(const std::string& path) {
  // The path is looked at before it is opened, because to open some devices is to use them.
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  }
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return file_error("open", path, errno);
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) return descriptor;
  ::close(descriptor);
  return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
}

absl::StatusOr<ExternalBlobInfo> describe_in_file(int descriptor, const std::string& path,
                                                  uint64_t offset, uint64_t size) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return file_error("open", path, errno);
  LM_ASSIGN_OR_RETURN(digest, digest_in_file(descriptor, path, offset, size));
  return ExternalBlobInfo{.path = path,
                          .offset = offset,
                          .size = size,
                          .digest = digest,
                          .file_size = static_cast<uint64_t>(info.st_size),
                          .modified_ns = nanoseconds_of(info.st_mtim)};
}

}  // namespace lightmetal::schema
