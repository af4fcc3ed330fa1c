#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "schema/storage/own_file.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// Returns OK unless `output` is one of `inputs`, whatever names lead to it: a tool must not
// overwrite the file that it reads.
absl::Status check_no_input(const std::string& output, absl::Span<const std::string> inputs);

// Whether `path` leads to a pipe, a device, a folder: something that no file can replace.
bool is_no_regular_file(const std::string& path);

// A file that appears under its name only when it is whole; until then, the name leads to what was
// there before. Meanwhile the file has no name, so that nothing of it is left when the process is
// killed. It has another name in the same folder for the moment in which it replaces a file, and
// all the time where the file system has no files without names. Not thread-safe.
class OutputFile {
 public:
  // Begins the file. InvalidArgument when `path` is empty, or names something that is not a regular
  // file, or one of `inputs`, which are the files that are read meanwhile; AlreadyExists when a
  // capture is writing to the file that it names. Symbolic links are followed: the file that they
  // lead to is made or replaced, and the links stay. The file's rights are `mode`, less the umask
  // and less each right that one of `inputs`, or the file that is replaced, does not have.
  static absl::StatusOr<OutputFile> create(const std::string& path,
                                           absl::Span<const std::string> inputs,
                                           mode_t mode = kFileMode);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Removes what was written, unless finish() has succeeded.
  ~OutputFile();

  // A sink that writes to the file. REQUIRES: at most one sink is used, and it is closed before
  // finish().
  absl::StatusOr<std::shared_ptr<Sink>> sink() const;
  // A path by which this process can write to the file; no other process can use it. For code that
  // takes no descriptor.
  std::string unfinished() const;

  // Gives the file the rights of the file at `path`, less those that the file that is replaced does
  // not have.
  absl::Status take_rights_of(const std::string& path);
  // Puts the file on the disk and gives it its name. After an error, what was there before is still
  // there.
  absl::Status finish();

 private:
  OutputFile(std::string target, std::string unfinished, int file, mode_t rights);
  absl::Status drop_rights();
  absl::Status link_to(const std::string& name);
  absl::Status give_name();

  const std::string target_;
  std::string unfinished_;  // the file's name for now; empty when there is none to remove
  int file_;
  mode_t dropped_;  // rights that the file has only until it is finished
};

}  // namespace lightmetal::schema
