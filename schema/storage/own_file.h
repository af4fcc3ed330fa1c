#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/file_identity.h"

namespace lightmetal::schema {

// The rights of files that the library makes, less the umask. The files hold machine code, and
// `run` takes machine code from no file that others may write to.
inline constexpr mode_t kFileMode = 0644;

// A file that is open for writing in a process which knows nothing of it, and which may close the
// file's descriptor and get the number for a file of its own. So a user asks is_open() right before
// each use of the descriptor. Holds a lock (flock) on a regular file that it has created. Not
// thread-safe.
class OwnFile {
 public:
  // Creates the file, or empties it when it exists. `access` is O_WRONLY or O_RDWR. An error names
  // the path and the reason; AlreadyExists when another OwnFile, of this process or another, has
  // the file open. Nothing blocks: a pipe gets a second to find a reader, and then Unavailable is
  // returned.
  static absl::StatusOr<OwnFile> create(const std::string& path, int access);

  // A second descriptor of the file behind `descriptor`, which stays the caller's. `name` stands
  // for the path in errors; the file cannot be opened again.
  static absl::StatusOr<OwnFile> copy_of(int descriptor, std::string name);

  OwnFile(OwnFile&& other) noexcept;
  OwnFile& operator=(OwnFile&&) = delete;
  ~OwnFile() { leave(); }

  // -1 once the file is closed.
  int descriptor() const { return descriptor_; }
  const FileIdentity& identity() const { return identity_; }
  const std::string& path() const { return path_; }
  bool is_regular() const { return is_regular_; }

  // True when the descriptor stands for the file.
  bool is_open() const { return descriptor_ >= 0 && identity_.is_of(descriptor_); }
  // Opens the file again by its path. An error when the path leads to no file or to another one.
  // REQUIRES: not is_open(), and nothing of this process maps the file, which would keep its lock.
  absl::Status reopen();

  // REQUIRES: is_open().
  absl::StatusOr<uint64_t> size() const;

  // Unlocks and closes the file. An error when the program has closed the descriptor before.
  absl::Status close();
  // Closes the descriptor and leaves the lock alone: for a forked child, whose parent holds the
  // lock.
  void leave();

  // "cannot ACTION PATH: REASON".
  absl::Status error(const char* action, int error) const;

 private:
  OwnFile(std::string path, std::string reopen_path, int access, int descriptor);

  std::string path_;
  std::string reopen_path_;  // absolute; empty when the file has no path
  int access_;
  int descriptor_;
  bool is_regular_;
  FileIdentity identity_;
};

}  // namespace lightmetal::schema
