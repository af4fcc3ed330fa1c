#include "replay/optimize.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "replay/replay_written.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"
#include "schema/verify/slicer.h"
#include "schema/verify/verify.h"

namespace lightmetal::replay {
namespace {

using schema::Slicer;

class Optimizer {
 public:
  Optimizer(const Slicer& slicer, const OptimizeOptions& options)
      : slicer_(slicer), file_(slicer.file()), options_(options) {}

  absl::StatusOr<OptimizeResult> run() {
    // Without reads, nothing would be needed.
    if (!slicer_.reads().empty()) {
      auto result = write(slicer_.needed());
      if (result.ok() && result->replay.matches()) return result;
    }
    auto result = write(slicer_.used());
    if (result.ok()) result->by_arguments = slicer_.reads().empty();
    return result;
  }

 private:
  // Writes and replays a file; it gets its name only when all goldens are matched.
  absl::StatusOr<OptimizeResult> write(const Slicer::Commands& kept) const {
    LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(options_.output, file_.paths()));
    OptimizeResult result;
    LM_ASSIGN_OR_RETURN(removal, schema::removal_of(file_, kept));
    LM_ASSIGN_OR_RETURN(sink, output.sink());
    LM_RETURN_IF_ERROR(slicer_.write(kept, std::move(sink), options_.compression_level));
    LM_ASSIGN_OR_RETURN(bytes, size_of(output.unfinished()));
    if (removal.is_empty() && bytes >= file_.size()) return copy();
    LM_ASSIGN_OR_RETURN(replayed, replay_written(output.unfinished(), options_.load,
                                                 {.on_progress = options_.on_progress}));
    if (replayed.matches()) LM_RETURN_IF_ERROR(output.finish());
    result.removal = std::move(removal);
    result.commands = static_cast<uint64_t>(std::count(kept.begin(), kept.end(), true));
    result.bytes_before = file_.size();
    result.bytes_after = bytes;
    result.replay = std::move(replayed);
    return result;
  }

  // The file as it is, with its signatures.
  absl::StatusOr<OptimizeResult> copy() const {
    LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(options_.output, file_.paths()));
    LM_ASSIGN_OR_RETURN(sink, output.sink());
    LM_RETURN_IF_ERROR(sink->append({file_.bytes()}));
    LM_RETURN_IF_ERROR(sink->close());
    LM_RETURN_IF_ERROR(output.finish());
    OptimizeResult result;
    result.commands = file_.num_commands();
    result.bytes_before = result.bytes_after = file_.size();
    result.is_same = true;
    return result;
  }

  static absl::StatusOr<uint64_t> size_of(const std::string& path) {
    LM_ASSIGN_OR_RETURN(file, schema::MappedFile::open(path));
    return file->bytes().size();
  }

  const Slicer& slicer_;
  const schema::File& file_;
  const OptimizeOptions& options_;
};

}  // namespace

absl::StatusOr<OptimizeResult> optimize(std::shared_ptr<const schema::File> file,
                                        const OptimizeOptions& options) {
  if (!file->complete()) {
    return absl::FailedPreconditionError(absl::StrCat(
        file->name(), " is not optimized, because it is incomplete: ", file->incomplete_reason()));
  }
  std::vector<std::string> paths = file->paths();
  paths.push_back(options.output);
  LM_RETURN_IF_ERROR(check_environment_spares(paths, "this process", "which it reads or writes"));
  LM_RETURN_IF_ERROR(schema::verify(
      *file, nullptr, {.check_references = true, .memory_limit = options.load.memory_limit}));
  LM_ASSIGN_OR_RETURN(slicer, Slicer::create(std::move(file)));
  return Optimizer(slicer, options).run();
}

}  // namespace lightmetal::replay
