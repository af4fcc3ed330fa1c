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

// The rights of files that are made here, less the umask. They hold machine code, and `run` takes
// it from no file that others may write to.
inline constexpr mode_t kFileMode = 0644;

// A file that is open for writing in a process which knows nothing of it, and which may close its
// descriptor and get the number for a file of its own. So nobody uses the descriptor without having
// asked is_open() right before. Not thread-safe.
class OwnFile {
 public:
  // Creates the file, or empties it when it exists. `access`: O_WRONLY or O_RDWR. Errors name the
  // path and the reason; AlreadyExists when another OwnFile, of this process or not, has it open.
  // Nothing blocks: a pipe gets a second to find a reader.
  static absl::StatusOr<OwnFile> create(const std::string& path, int access);

  // The file behind a descriptor that stays the caller's. `name` stands for the path.
  static absl::StatusOr<OwnFile> copy_of(int descriptor, std::string name);

  OwnFile(OwnFile&& other) noexcept;
  OwnFile& operator=(OwnFile&&) = delete;
  ~OwnFile() { leave(); }

  // -1 once it is closed.
  int descriptor() const { return descriptor_; }
  const FileIdentity& identity() const { return identity_; }
  const std::string& path() const { return path_; }
  bool is_regular() const { return is_regular_; }

  // True when the descriptor stands for the file.
  bool is_open() const { return descriptor_ >= 0 && identity_.is_of(descriptor_); }
  // Opens the file again by its path. REQUIRES: not is_open(); nothing of this process maps it,
  // which would keep its lock. An error when the path leads to no file or to another one.
  absl::Status reopen();

  // REQUIRES: is_open().
  absl::StatusOr<uint64_t> size() const;

  // Unlocks and closes it.
  absl::Status close();
  // Closes it and leaves the lock, which belongs to the parent of this process.
  void leave();

  // "cannot ACTION PATH: REASON".
  absl::Status error(const char* action, int error) const;

 private:
  OwnFile(std::string path, std::string reopen_path, int access, int descriptor);

  std::string path_;
  std::string reopen_path_;  // empty: the file has no path
  int access_;
  int descriptor_;
  bool is_regular_;
  FileIdentity identity_;
};

}  // namespace lightmetal::schema
