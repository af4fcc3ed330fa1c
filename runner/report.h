#pragma once

#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runner/command_line.h"
#include "runner/output_paths.h"
#include "schema/file/reader.h"
#include "schema/storage/output_file.h"
#include "schema/verify/golden_update.h"

// How `run` compares goldens, and what it writes of them: `--golden`, `--report`, `--save-actual`
// and the variables that stand for them, and `--update-golden`.
namespace lightmetal::runner {

void add_golden_options(cxxopts::Options& options);

// Sets the policies of `options`. Throws for a text that is none, and for a command or buffer that
// is given two.
void set_golden_policies(const cxxopts::ParseResult& arguments, RunOptions& options);

// What the goldens of one run came to, and the files that tell. Not thread-safe.
class Report {
 public:
  // Throws for a --report that is neither json=FILE nor junit=FILE, and for --update-golden without
  // one -o.
  explicit Report(const cxxopts::ParseResult& arguments);

  // Whether it writes any file.
  bool writes() const { return !files_.empty() || !folder_.empty() || updates(); }
  // Whether it writes the file anew with what was read in place of goldens that differ.
  bool updates() const { return !update_path_.empty(); }

  // Whether it has to hear of the goldens of a run with these options.
  bool listens(const RunOptions& options) const {
    return writes() || !options.command_policies.empty() || !options.buffer_policies.empty();
  }

  // Begins the files, of which none may be one of `inputs`; `file` is what is replayed. They appear
  // when finish() has written them.
  absl::Status begin(std::shared_ptr<const schema::File> file, std::vector<std::string> inputs);

  // Forgets the goldens before: another run begins.
  void begin_run() { goldens_.clear(); }

  // Takes a golden of the run, and saves what was read instead when it did not pass.
  void add(const GoldenResult& golden, absl::Span<const std::byte> found);

  // Returns NotFound if a policy of `options` is for a command or a buffer of which no golden was
  // compared.
  absl::Status check_policies_were_used(const RunOptions& options) const;

  // Writes the files. Returns the first error that occurred.
  absl::Status finish(const std::string& path, const std::optional<Schedule>& schedule);

  // Writes the files with these texts instead, by their kinds.
  absl::Status finish_with(const std::string& json, const std::string& junit);

  // What became of the goldens, once finish() has written the file anew.
  const std::optional<schema::GoldenUpdateReport>& updated() const { return updated_; }
  const std::string& update_path() const { return update_path_; }

 private:
  struct File {
    bool is_json;
    std::string path;
    std::unique_ptr<schema::OutputFile> output = {};  // once it has begun
  };

  absl::Status save(const GoldenResult& golden, absl::Span<const std::byte> found) const;
  absl::Status begin_update(std::shared_ptr<const schema::File> file);
  absl::Status finish_update();

  const std::string goldens_by_;  // what says how goldens are compared, for messages
  std::vector<File> files_;
  std::string folder_;       // for what was read; empty: it is not saved
  std::string update_path_;  // of the file with new goldens; empty: none is written
  std::shared_ptr<const schema::File> updated_file_;
  std::optional<schema::OutputFile> update_output_;
  std::optional<schema::GoldenUpdate> update_;
  std::optional<schema::GoldenUpdateReport> updated_;
  std::vector<std::string> inputs_;
  OutputPaths outputs_;
  std::vector<GoldenResult> goldens_;
  absl::Status status_;
};

}  // namespace lightmetal::runner
