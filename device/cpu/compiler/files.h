#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"

// Files and folders that compiling needs on disk.
namespace lightmetal::device::cpu {

// The whole content. NotFound when the file cannot be opened, Unavailable when it cannot be read.
absl::StatusOr<std::string> read_file(const std::string& path);

// What `check` says of the file, which is not asked again while the file is the one that it
// approved: the same inode, with the same size and times. Reading the toolbox took longer than a
// small kernel's link. Thread-safe; `check` is called without a lock.
bool is_checked(const std::string& path, absl::FunctionRef<bool()> check);

// Replaces the file in one step: other processes see the old content or the new one. Unavailable
// when the file cannot be written.
absl::Status write_file(const std::string& path, absl::string_view content);

// Whether clang can leave the folder out of the names that it writes (-ffile-prefix-map). It cannot
// when the name has a '=', since clang takes the first one for the end of what it is to replace.
bool may_be_left_out_of_names(absl::string_view folder);

// A new folder that only this user can read, in $TMPDIR, or in /tmp when $TMPDIR is not set or has
// a '=' in its name. The destructor removes the folder with all that it holds.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  // Makes the folder. To be called once.
  absl::Status create();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The folder of the kernel cache, the headers and the pass: the first that is set of
// $LIGHTMETAL_CACHE_DIR, $XDG_CACHE_HOME/lightmetal and $HOME/.cache/lightmetal. It is made when it
// is missing. The result is empty when nobody can write there.
std::string cache_folder();

// The folder, in the cache folder, of objects and sources that a debugger reads. FailedPrecondition
// without a cache folder.
absl::StatusOr<std::string> debug_folder();

// The kernel headers and the clang pass, which this library holds, as files on disk.
struct Toolbox {
  std::string headers;   // a folder
  std::string pass;      // a file
  std::string preludes;  // a folder for what is compiled once for many kernels
};

// The path below Toolbox::headers of a header that is included by one of its other names:
// compute_kernel_api/pack.h of api/compute/pack.h. Paths without another name stay.
std::string header_of_name(absl::string_view name);

// Digest of what a Toolbox holds.
Digest toolbox_digest();

// Writes the files that are missing or differ, into the cache folder or else into a temporary one
// that goes when the process ends. Thread-safe, and several processes may do it at once.
absl::StatusOr<Toolbox> unpack_toolbox();

}  // namespace lightmetal::device::cpu
