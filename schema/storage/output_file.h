#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "schema/storage/own_file.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// OK unless `output` is one of `inputs`, by whichever name.
absl::Status check_no_input(const std::string& output, absl::Span<const std::string> inputs);

// A file that appears under its name only once it is whole; what was there before stays until then.
// It has no name meanwhile, so that nothing is left of it by a process that is killed; where the
// file system has no such files, it lies beside its place under another name. Not thread-safe.
class OutputFile {
 public:
  // InvalidArgument when `path` is empty, or names something that is not a regular file, or one of
  // `inputs`, the files that are read meanwhile. Where links lead, the file is made or replaced,
  // and the links stay. `mode`: its rights, less the umask.
  static absl::StatusOr<OutputFile> create(const std::string& path,
                                           absl::Span<const std::string> inputs,
                                           mode_t mode = kFileMode);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Removes what was written, unless finish() has succeeded.
  ~OutputFile();

  // Writes to it. At most one of them is used, and closed before finish().
  absl::StatusOr<std::shared_ptr<Sink>> sink() const;
  // For who needs a path to write to. No other process can use it.
  std::string unfinished() const;

  // The rights of the file at `path`.
  absl::Status take_rights_of(const std::string& path);
  // Puts it on the disk and gives it its name.
  absl::Status finish();

 private:
  OutputFile(std::string target, std::string unfinished, int file);
  absl::Status give_name();

  const std::string target_;
  std::string unfinished_;  // its name; empty when it has none, and there is nothing to remove
  int file_;
};

}  // namespace lightmetal::schema
