#include <algorithm>
#include <cstddef>
#include <lightmetal/divergence.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/status.h"
#include "replay/compare.h"
#include "replay/executor.h"
#include "replay/launches.h"
#include "replay/loaded_file.h"
#include "replay/reference_run.h"
#include "replay/run_memory.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"

namespace lightmetal {

std::string Divergence::text() const {
  GoldenResult shown = difference;
  if (launch != 0) {
    shown.source = absl::StrCat(program ? absl::StrCat("program ", *program) : "a device trace",
                                ", launch ", launch, " of ", launches, ": ", shown.source);
  }
  const std::string range =
      since == command ? "" : absl::StrCat(" (or one from command ", since, " on)");
  return absl::StrCat("command ", command, range, ": ", shown.text());
}

namespace {

using replay::BufferTypes;
using replay::Executor;
using replay::LaunchCommand;
using replay::LoadedFile;
using replay::ReferenceRun;

// The commands behind which memory is compared.
using Places = std::set<uint64_t>;

// Called behind the first command at or after a place at which the devices can be waited for.
using Observe =
    absl::FunctionRef<absl::Status(Executor& executor, uint64_t command, uint64_t since)>;

// The error of work that was waited for.
absl::Status behind(const schema::File& file, uint64_t command, const absl::Status& error) {
  return absl::Status(
      error.code(), absl::StrCat(file.name(), ": behind command ", command, ": ", error.message()));
}

absl::Status execute_all(const LoadedFile& loaded, const RunOptions& options, const Places& places,
                         Executor& executor, Observe observe) {
  std::optional<uint64_t> since;  // the first place that was not observed yet
  uint64_t last = 0;
  return loaded.for_each_command(
      options.last_command, [&](uint64_t number, const schema::Command& command) -> absl::Status {
        if (options.on_progress) options.on_progress(number, loaded.commands.size());
        LM_RETURN_IF_ERROR(executor.execute(number, command));
        if (places.contains(number)) last = number;
        if (places.contains(number) && !since.has_value()) since = number;
        if (!since.has_value()) return absl::OkStatus();
        const auto finished = executor.finish();
        if (!finished.ok()) return behind(*loaded.file, number, finished.status());
        if (!*finished) return absl::OkStatus();
        return observe(executor, last, *std::exchange(since, std::nullopt));
      });
}

// A file to replay, and how it was loaded.
struct Side {
  LoadedFile loaded;
  LoadOptions options;
};

// Replays the file once, on devices that are closed again.
absl::Status replay_once(const Side& side, const RunOptions& options, const Places& places,
                         replay::Policies policies, Observe observe) {
  const LoadedFile& loaded = side.loaded;
  Executor executor(*loaded.file, side.options, loaded.golden_policy, loaded.traces,
                    std::move(policies));
  executor.begin_run(options);
  absl::Status status = execute_all(loaded, options, places, executor, observe);
  if (status.ok()) status = executor.end_run();
  if (!status.ok()) executor.abandon_run();
  return status;
}

// ---- Whether two files are of one program ----

std::vector<schema::ObjectName> ids_of(const schema::Command& command) {
  std::vector<schema::ObjectName> ids;
  schema::visit_ids(
      command, [&](const schema::IdReference& reference) { ids.push_back(reference.object()); });
  return ids;
}

absl::Status check_same_program(const LoadedFile& file, const LoadedFile& reference) {
  const size_t count = std::min(file.commands.size(), reference.commands.size());
  const auto name = [](const LoadedFile& of, size_t number) {
    return number < of.commands.size() ? schema::name_of(*of.commands[number]) : "the end";
  };
  size_t number = 0;
  while (number < count && name(file, number) == name(reference, number) &&
         ids_of(*file.commands[number]) == ids_of(*reference.commands[number])) {
    ++number;
  }
  if (number == count && file.commands.size() == reference.commands.size()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(reference.file->name(), " is not of the program of ", file.file->name(),
                   ": command ", number, " is ", name(reference, number), " there and ",
                   name(file, number), " here, or names other objects"));
}

std::vector<Digest> uploads_of(const schema::Command& command) {
  std::vector<Digest> uploads;
  schema::visit_blobs(command, [&](const schema::BlobReference& blob) {
    if (blob.role == schema::PayloadRole::Upload)
      uploads.push_back(schema::to_digest(blob.name.digest()));
  });
  return uploads;
}

// The writes of which the files have other data.
void add_other_uploads(const LoadedFile& file, const LoadedFile& reference, Places& places) {
  for (uint64_t number = 0; number < file.commands.size(); ++number) {
    if (uploads_of(*file.commands[number]) != uploads_of(*reference.commands[number]))
      places.insert(number);
  }
}

// ---- The comparison ----

// What the command reads must be, as the file has it; nullopt when the file does not say.
absl::StatusOr<std::optional<schema::Payload>> golden_of(const LoadedFile& loaded,
                                                         uint64_t command) {
  const schema::BlobRef* golden = nullptr;
  schema::visit_blobs(*loaded.commands[command], [&](const schema::BlobReference& blob) {
    if (blob.role == schema::PayloadRole::Golden) golden = &blob.name;
  });
  if (golden == nullptr) return std::nullopt;
  LM_ASSIGN_OR_RETURN(payload, loaded.file->blob(*golden));
  return payload;
}

class Comparison {
 public:
  Comparison(Side file, Side reference, RunOptions run, bool has_other_file)
      : file_side_(std::move(file)),
        reference_side_(std::move(reference)),
        options_(std::move(run)),
        has_other_file_(has_other_file),
        types_(file_),
        launches_(launches_of(file_, options_.last_command)) {}

  absl::StatusOr<DivergenceReport> run(bool bisect) {
    LM_RETURN_IF_ERROR(check_same_program(file_, reference_));
    report_.launches = launches_.size();
    LM_RETURN_IF_ERROR(bisect ? compare_by_halves()
                              : compare(places_up_to(launches_.size()), options_.last_command));
    return report_;
  }

 private:
  // The first `count` launches, and the writes of other data.
  Places places_up_to(size_t count) const {
    Places places;
    for (size_t i = 0; i < count; ++i) places.insert(launches_[i].command);
    if (has_other_file_) add_other_uploads(file_, reference_, places);
    return places;
  }

  // How many launches stand before the command.
  size_t launches_before(uint64_t command) const {
    return static_cast<size_t>(
        std::ranges::lower_bound(launches_, command, {}, &LaunchCommand::command) -
        launches_.begin());
  }

  // Finds the first launch behind which memory differs, between `begin` and what was found last.
  absl::Status compare_by_halves() {
    Places all = places_up_to(0);
    if (!launches_.empty()) all.insert(launches_.back().command);
    LM_RETURN_IF_ERROR(compare(all, options_.last_command));
    size_t begin = 0;
    while (report_.first.has_value() && begin < launches_before(report_.first->command)) {
      const size_t middle = begin + (launches_before(report_.first->command) - begin) / 2;
      Divergence found = *std::move(report_.first);
      const uint64_t command = launches_[middle].command;
      LM_RETURN_IF_ERROR(compare({command}, command));
      if (report_.first.has_value()) continue;
      report_.first = std::move(found);
      begin = middle + 1;
    }
    return absl::OkStatus();
  }

  // Replays both up to `last`; report_.first is what differs first.
  absl::Status compare(const Places& places, uint64_t last) {
    report_.first.reset();
    LM_ASSIGN_OR_RETURN(run, ReferenceRun::create());
    LM_RETURN_IF_ERROR(run_reference(places, last, run));
    return run_file(places, last, run);
  }

  absl::Status run_reference(const Places& places, uint64_t last, ReferenceRun& recorded) {
    absl::Status read_status;
    RunOptions options = options_;
    options.last_command = last;
    options.check_goldens = false;
    options.on_read = [&](const ReadData& read) {
      read_status.Update(recorded.add_read(read.command, read.data));
    };
    LM_RETURN_IF_ERROR(replay_once(
        reference_side_, options, places, {},
        [&](Executor& executor, uint64_t command, uint64_t /*since*/) {
          return replay::for_each_buffer(
              executor.objects(), [&](uint64_t id, const std::string& /*name*/, Bytes content) {
                return recorded.add_buffer(command, id, content);
              });
        }));
    LM_RETURN_IF_ERROR(read_status);
    return recorded.finish();
  }

  // Ends at the first difference.
  absl::Status run_file(const Places& places, uint64_t last, const ReferenceRun& recorded) {
    RunOptions options = options_;
    options.last_command = last;
    options.stop_at_mismatch = true;
    options.on_golden = [this](const GoldenResult&, absl::Span<const std::byte>) {
      ++report_.reads_compared;
    };
    options.on_mismatch = [this](const GoldenResult& read) { note(read, read.command); };
    ReferenceRun::Buffers expected;
    const absl::Status status =
        replay_once(file_side_, options, places, {.goldens = goldens_from(recorded)},
                    [&](Executor& executor, uint64_t command, uint64_t since) {
                      recorded.advance(command, expected);
                      return compare_memory(executor, command, since, recorded, expected);
                    });
    // A difference has ended the run, as its error.
    return report_.first.has_value() ? absl::OkStatus() : status;
  }

  replay::Goldens goldens_from(const ReferenceRun& recorded) const {
    return [this, &recorded](uint64_t command) -> absl::StatusOr<std::optional<schema::Payload>> {
      if (has_other_file_) {
        LM_ASSIGN_OR_RETURN(golden, golden_of(reference_, command));
        if (golden.has_value()) return golden;
      }
      return recorded.read_of(command);
    };
  }

  absl::Status compare_memory(Executor& executor, uint64_t command, uint64_t since,
                              const ReferenceRun& recorded, const ReferenceRun::Buffers& expected) {
    return replay::for_each_buffer(executor.objects(), [&](uint64_t id, const std::string& name,
                                                           Bytes found) {
      ++report_.buffers_compared;
      const auto reference = expected.find(id);
      if (reference == expected.end() || reference->second.size != found.size()) {
        return absl::FailedPreconditionError(absl::StrCat("behind command ", command, ", ", name,
                                                          " has another size in ",
                                                          reference_.file->name()));
      }
      if (reference->second.digest == digest_of(found)) return absl::OkStatus();
      return compare_buffer(command, since, id, name, recorded.bytes_of(reference->second), found);
    });
  }

  absl::Status compare_buffer(uint64_t command, uint64_t since, uint64_t id,
                              const std::string& name, Bytes expected, Bytes found) {
    LM_ASSIGN_OR_RETURN(by, replay::comparing(options_, {.name = name,
                                                         .type = types_.of(id),
                                                         .command = command,
                                                         .buffer = id,
                                                         .of_file = file_.golden_policy}));
    GoldenResult result = replay::compare(by.type, by.policy, expected, found);
    if (result.passed) return absl::OkStatus();
    result.command = command;
    result.call = std::string(schema::name_of(*file_.commands[command]));
    result.source = name;
    result.buffer = id;
    note(result, since);
    return absl::DataLossError(result.text());
  }

  // Notes the first difference.
  void note(const GoldenResult& difference, uint64_t since) {
    Divergence& first = report_.first.emplace();
    first.command = difference.command;
    first.since = since;
    first.difference = difference;
    first.launches = launches_.size();
    const size_t before = launches_before(first.command);
    if (before == launches_.size() || launches_[before].command != first.command) return;
    first.launch = before + 1;
    first.program = launches_[before].program;
  }

  const Side file_side_;
  const Side reference_side_;
  const LoadedFile& file_ = file_side_.loaded;
  const LoadedFile& reference_ = reference_side_.loaded;
  const RunOptions options_;
  const bool has_other_file_;
  const BufferTypes types_;
  const std::vector<LaunchCommand> launches_;
  DivergenceReport report_;
};

absl::StatusOr<Side> load_side(std::shared_ptr<const schema::File> file, LoadOptions options) {
  options.device = nullptr;
  LM_ASSIGN_OR_RETURN(loaded, replay::load(std::move(file), options));
  return Side{std::move(loaded), std::move(options)};
}

// The options of a run that count.
RunOptions run_options(const RunOptions& asked) {
  return {.golden_policy = asked.golden_policy,
          .command_policies = asked.command_policies,
          .buffer_policies = asked.buffer_policies,
          .on_progress = asked.on_progress,
          .last_command = asked.last_command};
}

}  // namespace

absl::StatusOr<DivergenceReport> find_divergence(std::shared_ptr<const schema::File> file,
                                                 const DivergenceOptions& options) {
  const bool has_other_file = options.reference != nullptr;
  LoadOptions load = options.load;
  load.replace_kernels.clear();
  if (!has_other_file || !options.reference_backend.empty())
    load.backend = options.reference_backend;
  LM_ASSIGN_OR_RETURN(reference,
                      load_side(has_other_file ? options.reference : file, std::move(load)));
  LM_ASSIGN_OR_RETURN(compared, load_side(std::move(file), options.load));
  return Comparison(std::move(compared), std::move(reference), run_options(options.run),
                    has_other_file)
      .run(options.bisect);
}

}  // namespace lightmetal
