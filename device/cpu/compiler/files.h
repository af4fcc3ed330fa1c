#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"

// Files and folders that compiling needs on disk.
namespace lightmetal::device::cpu {

absl::StatusOr<std::string> read_file(const std::string& path);

// Replaces the file at once: other processes see the old content or the new one.
absl::Status write_file(const std::string& path, absl::string_view content);

// Whether clang can leave the folder out of the names that it writes (-ffile-prefix-map): it takes
// the first '=' for the end of what is to be replaced.
bool may_be_left_out_of_names(absl::string_view folder);

// A new folder only we can read, removed with all it holds when the object goes: in $TMPDIR, or in
// /tmp where that is not set or has a '=' in its name.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  absl::Status create();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Where the kernel cache, headers and pass live: $LIGHTMETAL_CACHE_DIR, $XDG_CACHE_HOME/lightmetal
// or $HOME/.cache/lightmetal, the first that is set. Created when missing. Empty when it cannot be
// written.
std::string cache_folder();

// Where objects and sources lie that a debugger reads: in the cache folder, which must be there.
absl::StatusOr<std::string> debug_folder();

// The kernel headers and the clang pass, embedded in this library, as files.
struct Toolbox {
  std::string headers;  // a folder
  std::string pass;     // a file
};

// Digest of what a Toolbox holds.
Digest toolbox_digest();

// Writes what is missing or differs, into the cache folder or else into a temporary one.
// Thread-safe.
absl::StatusOr<Toolbox> unpack_toolbox();

}  // namespace lightmetal::device::cpu
