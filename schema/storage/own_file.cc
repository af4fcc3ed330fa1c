#include "schema/storage/own_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/absolute_path.h"
#include "base/file_error.h"
#include "schema/storage/file_lock.h"

namespace lightmetal::schema {
namespace {

// Moves the descriptor to a high number. A program that closes descriptors which it does not know,
// and then opens files of its own, gets the lowest numbers for them: ours is not among those.
int out_of_the_way(int file) {
  constexpr int kFar = 512;
  rlimit limit = {};
  const bool all_are_near = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= kFar;
  const int lowest = all_are_near ? static_cast<int>(limit.rlim_cur) / 2 : kFar;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) return file;
  ::close(file);
  return moved;
}

bool is_regular_file(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

bool is_pipe_without_reader(const std::string& path, int error) {
  struct stat info {};
  return error == ENXIO && ::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

// Returns a descriptor, or -1 with errno. A pipe that nobody has opened for reading is no place to
// write to, but its reader may be about to come.
int open_without_blocking(const std::string& path, int flags) {
  constexpr int kTries = 100;
  constexpr useconds_t kPause = 10'000;
  for (int i = 0;; ++i) {
    const int file = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, kFileMode);
    if (file >= 0 || i == kTries || !is_pipe_without_reader(path, errno)) return file;
    ::usleep(kPause);
  }
}

// Locks the file before emptying it: another capture may be writing to it, such as that of the
// program that started this one.
absl::Status take_file(int file, const std::string& path) {
  if (!is_regular_file(file)) return absl::OkStatus();
  if (!lock_file(file)) return taken_error(path);
  if (::ftruncate(file, 0) != 0) return file_error("create", path, errno);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OwnFile> OwnFile::create(const std::string& path, int access) {
  const int file = open_without_blocking(path, access | O_CREAT);
  if (file < 0 && is_pipe_without_reader(path, errno)) {
    return absl::UnavailableError(absl::StrCat("cannot write to ", path, ": nobody reads it"));
  }
  if (file < 0) return file_error("create", path, errno);
  absl::Status taken = take_file(file, path);
  if (taken.ok()) return OwnFile(path, absolute_path(path), access, out_of_the_way(file));
  ::close(file);
  return taken;
}

absl::StatusOr<OwnFile> OwnFile::copy_of(int descriptor, std::string name) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return file_error("write to", name, errno);
  return OwnFile(std::move(name), "", 0, out_of_the_way(own));
}

OwnFile::OwnFile(std::string path, std::string reopen_path, int access, int descriptor)
    : path_(std::move(path)),
      reopen_path_(std::move(reopen_path)),
      access_(access),
      descriptor_(descriptor),
      is_regular_(is_regular_file(descriptor)),
      identity_(FileIdentity::of(descriptor)) {}

OwnFile::OwnFile(OwnFile&& other) noexcept
    : path_(std::move(other.path_)),
      reopen_path_(std::move(other.reopen_path_)),
      access_(other.access_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_regular_(other.is_regular_),
      identity_(other.identity_) {}

absl::Status OwnFile::reopen() {
  descriptor_ = -1;
  if (!is_regular_ || !identity_.is_at(reopen_path_)) return error("write to", EBADF);
  const int file = open_without_blocking(reopen_path_, access_);
  if (file < 0) return error("write to", errno);
  // Asked again of the open file: the path may lead elsewhere since it was looked at.
  if (!identity_.is_of(file) || !lock_file(file)) {
    ::close(file);
    return error("write to", EBADF);
  }
  descriptor_ = out_of_the_way(file);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> OwnFile::size() const {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) return error("write to", errno);
  return static_cast<uint64_t>(info.st_size);
}

absl::Status OwnFile::close() {
  const int file = std::exchange(descriptor_, -1);
  if (file < 0) return absl::OkStatus();
  // The number is that of a file of the program now, which stays open.
  if (!identity_.is_of(file)) return error("close", EBADF);
  // Without this, a forked child that has the file open, too, would keep the lock.
  ::flock(file, LOCK_UN);
  // Linux has closed the file even when it reports an error, so there is no second try.
  if (::close(file) != 0 && errno != EINTR) return error("close", errno);
  return absl::OkStatus();
}

void OwnFile::leave() {
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

absl::Status OwnFile::error(const char* action, int error) const {
  return file_error(action, path_, error);
}

}  // namespace lightmetal::schema
