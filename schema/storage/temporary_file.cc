#include "schema/storage/temporary_file.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"

namespace lightmetal::schema {
namespace {

// Returns a descriptor, or -1 with errno.
int open_unnamed(const std::string& folder) {
  // O_EXCL: nobody can give the file a name later.
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (file >= 0) return file;
  // Not every file system has files without a name.
  std::string pattern = folder + "/lightmetal-XXXXXX";
  const int named = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(pattern.c_str());
  return named;
}

absl::StatusOr<uint64_t> size_of(int file, const std::string& name) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return file_error("read", name, errno);
  return static_cast<uint64_t>(info.st_size);
}

// Copies as copy_file_range() does, which not all pairs of file systems can do; sendfile() can.
ssize_t copy_some(int from, off_t* position, int to, size_t count) {
  const ssize_t copied = ::copy_file_range(from, position, to, nullptr, count, 0);
  if (copied >= 0 || errno == EINTR || errno == ENOSPC || errno == EIO) return copied;
  return ::sendfile(to, from, position, count);
}

// Copies the first `size` bytes of `from` to the position of `to`. The message of an error begins
// with `action`.
absl::Status copy_bytes(int from, int to, uint64_t size, absl::string_view action,
                        absl::string_view name) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  off_t position = 0;
  while (static_cast<uint64_t>(position) < size) {
    const uint64_t left = size - static_cast<uint64_t>(position);
    const ssize_t copied = copy_some(from, &position, to, std::min(left, kMost));
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return file_error(action, name, errno);
    if (copied == 0)
      return absl::DataLossError(
          absl::StrCat("cannot ", action, " ", name, ": what is copied was cut short"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TemporaryFile>> TemporaryFile::create() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  const std::string name =
      absl::StrCat("a temporary file in ", error ? "the temporary folder" : folder.string());
  if (error) return file_error("create", name, error.value());
  const int file = open_unnamed(folder.string());
  if (file < 0) return file_error("create", name, errno);
  return std::unique_ptr<TemporaryFile>(new TemporaryFile(file, name));
}

absl::StatusOr<std::unique_ptr<TemporaryFile>> TemporaryFile::copy_of(const std::string& path) {
  const int source = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return file_error("read", path, errno);
  const absl::Cleanup close_source = [source] { ::close(source); };
  LM_ASSIGN_OR_RETURN(size, size_of(source, path));
  LM_ASSIGN_OR_RETURN(file, create());
  LM_RETURN_IF_ERROR(copy_bytes(source, file->descriptor(), size,
                                absl::StrCat("copy ", path, " to"), file->name()));
  return file;
}

TemporaryFile::~TemporaryFile() {
  if (identity_.is_of(descriptor_)) ::close(descriptor_);
}

absl::Status TemporaryFile::check_open() const {
  return identity_.is_of(descriptor_) ? absl::OkStatus() : file_error("read", name_, EBADF);
}

absl::StatusOr<uint64_t> TemporaryFile::size() const {
  LM_RETURN_IF_ERROR(check_open());
  return size_of(descriptor_, name_);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> TemporaryFile::map() const {
  LM_RETURN_IF_ERROR(check_open());
  return MappedFile::map(descriptor_, name_);
}

}  // namespace lightmetal::schema
