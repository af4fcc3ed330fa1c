#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runner/command_line.h"
#include "schema/storage/output_file.h"

// `--trace-out FILE`: what the devices did when, as schema/show/timeline_trace.h writes it.
namespace lightmetal::runner {

void add_trace_option(cxxopts::Options& options);

// The timeline of a run. Not thread-safe.
class TraceOutput {
 public:
  explicit TraceOutput(const cxxopts::ParseResult& arguments);

  bool writes() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

  // Begins the file, which may be none of `inputs`, and the timeline. Called before a device is
  // opened. Does nothing when no file is asked for.
  absl::Status begin(absl::Span<const std::string> inputs);
  // Writes the file.
  absl::Status finish();

 private:
  std::string path_;  // empty: none is written
  std::optional<schema::OutputFile> output_;
};

}  // namespace lightmetal::runner
