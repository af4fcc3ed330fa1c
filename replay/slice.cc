#include <algorithm>
#include <lightmetal/slice.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "replay/replay_written.h"
#include "schema/commands/references.h"
#include "schema/file/reader.h"
#include "schema/storage/output_file.h"
#include "schema/verify/slicer.h"
#include "schema/verify/verify.h"

namespace lightmetal {
namespace {

using schema::Slicer;

bool has_golden(const schema::File& file, uint64_t number) {
  const auto view = file.command(number);
  bool found = false;
  if (!view.ok()) return found;
  schema::visit_blobs(*view->command, [&](const schema::BlobReference& blob) {
    found |= blob.role == schema::PayloadRole::Golden;
  });
  return found;
}

absl::Status add_command(const Slicer& slicer, uint64_t number, std::set<uint64_t>& outputs) {
  const std::vector<uint64_t> reads = slicer.reads();
  if (!std::ranges::binary_search(reads, number)) {
    return absl::InvalidArgumentError(
        absl::StrCat("command ", number, " of ", slicer.file().name(), " is no read"));
  }
  if (!has_golden(slicer.file(), number)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "command ", number, " of ", slicer.file().name(),
        " has no golden, by which it could be seen that nothing which it needs is missing"));
  }
  outputs.insert(number);
  return absl::OkStatus();
}

absl::Status add_buffer(const Slicer& slicer, uint64_t id, std::set<uint64_t>& outputs) {
  std::vector<uint64_t> reads = slicer.reads_of_buffer(id);
  std::erase_if(reads, [&](uint64_t number) { return !has_golden(slicer.file(), number); });
  outputs.insert(reads.begin(), reads.end());
  if (!reads.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("no read of buffer ", id, " of ", slicer.file().name(), " has a golden"));
}

absl::StatusOr<std::set<uint64_t>> outputs_of(const Slicer& slicer, const SliceOptions& options) {
  std::set<uint64_t> outputs;
  for (const uint64_t number : options.commands)
    LM_RETURN_IF_ERROR(add_command(slicer, number, outputs));
  for (const uint64_t id : options.buffers) LM_RETURN_IF_ERROR(add_buffer(slicer, id, outputs));
  if (outputs.empty()) return absl::InvalidArgumentError("there is no output to keep");
  return outputs;
}

class Slice {
 public:
  Slice(const Slicer& slicer, const SliceOptions& options) : slicer_(slicer), options_(options) {}

  absl::StatusOr<SliceResult> run() {
    LM_ASSIGN_OR_RETURN(outputs, outputs_of(slicer_, options_));
    Slicer::Commands kept = slicer_.none();
    for (const uint64_t number : outputs) kept[number] = true;
    auto result = write(slicer_.with_ends(slicer_.with_sources(std::move(kept))));
    if (result.ok() && result->replay.matches()) return result;
    result = write(slicer_.with_ends(slicer_.first(*outputs.rbegin() + 1)));
    if (result.ok()) result->by_arguments = false;
    return result;
  }

 private:
  // Writes and replays a file; it gets its name only when all outputs are as recorded.
  absl::StatusOr<SliceResult> write(const Slicer::Commands& kept) const {
    LM_ASSIGN_OR_RETURN(output,
                        schema::OutputFile::create(options_.output, slicer_.file().paths()));
    LM_ASSIGN_OR_RETURN(sink, output.sink());
    LM_RETURN_IF_ERROR(slicer_.write(kept, std::move(sink)));
    LM_ASSIGN_OR_RETURN(result, replay::replay_written(output.unfinished(), options_.load,
                                                       {.on_progress = options_.on_progress}));
    if (result.matches()) LM_RETURN_IF_ERROR(output.finish());
    const auto commands = std::count(kept.begin(), kept.end(), true);
    return SliceResult{.commands = static_cast<uint64_t>(commands), .replay = std::move(result)};
  }

  const Slicer& slicer_;
  const SliceOptions& options_;
};

}  // namespace

absl::StatusOr<SliceResult> slice(std::shared_ptr<const schema::File> file,
                                  const SliceOptions& options) {
  std::vector<std::string> paths = file->paths();
  paths.push_back(options.output);
  LM_RETURN_IF_ERROR(
      replay::check_environment_spares(paths, "this process", "which trim reads or writes"));
  LM_RETURN_IF_ERROR(schema::verify(*file, nullptr,
                                    {.allow_incomplete = options.load.allow_incomplete,
                                     .check_references = true,
                                     .memory_limit = options.load.memory_limit}));
  LM_ASSIGN_OR_RETURN(slicer, Slicer::create(std::move(file)));
  return Slice(slicer, options).run();
}

}  // namespace lightmetal
