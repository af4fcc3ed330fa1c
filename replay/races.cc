#include <algorithm>
#include <lightmetal/races.hpp>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status.h"
#include "replay/compare.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/effect.h"
#include "schema/file/reader.h"
#include "schema/semantics/lifetime.h"

namespace lightmetal {
namespace {

// What a command read.
struct Output {
  ReadData read;
  std::string call;
  std::string source;
  std::vector<std::byte> data;

  explicit Output(const ReadData& from)
      : read(from),
        call(from.call),
        source(from.source),
        data(from.data.begin(), from.data.end()) {}
};

schema::ElementType element_type_of(const ReadData& read) {
  for (const schema::ElementType type : schema::EnumValuesElementType()) {
    if (read.element_type == schema::EnumNameElementType(type)) return type;
  }
  return schema::ElementType::Bytes;
}

// REQUIRES: both are of one command, so that their sizes are equal.
GoldenResult difference_of(const Output& expected, const Output& found) {
  GoldenResult result = replay::compare(element_type_of(found.read), {}, expected.data, found.data);
  result.command = found.read.command;
  result.call = found.call;
  result.source = found.source;
  result.buffer = found.read.buffer;
  return result;
}

// Returns the call and the object of a launch, or an empty string for other commands.
std::string launch_text(const schema::Command& command) {
  const auto launched = schema::launched_by(command);
  if (!launched.has_value()) return "";
  return absl::StrCat(schema::name_of(command), " of ", schema::kind_in_words(launched->kind), " ",
                      launched->id);
}

struct Launched {
  uint64_t command;
  std::string text;
};

absl::Status differ_by_themselves(const Schedule& schedule) {
  return absl::FailedPreconditionError(
      absl::StrCat("two runs with the schedule ", schedule.text(),
                   " read different things: they depend on more than the order of kernels, on a "
                   "clock or on the order of several queues"));
}

class Search {
 public:
  Search(std::shared_ptr<const schema::File> file, const LoadOptions& load,
         const RunOptions& options, const std::function<void(uint64_t)>& begins)
      : file_(std::move(file)), load_(load), options_(options), begins_(begins) {
    options_.check_goldens = false;
    options_.on_golden = {};
    options_.on_mismatch = {};
    options_.on_read = [this](const ReadData& read) { on_read_(read); };
  }

  absl::StatusOr<RaceResult> find(uint64_t schedules) {
    load_.schedule = kFixed;
    LM_ASSIGN_OR_RETURN(replay, Replay::load(file_, load_));
    LM_RETURN_IF_ERROR(note_outputs(*replay));
    RaceResult result{.outputs = expected_.size()};
    while (result.schedules < schedules && !result.race.has_value()) {
      LM_ASSIGN_OR_RETURN(race, try_schedule(*replay, ++result.schedules));
      result.race = std::move(race);
    }
    replay.reset();  // it may hold devices open that other replays open, too
    if (result.race.has_value() && result.race->failure.empty())
      LM_RETURN_IF_ERROR(find_memory(*result.race));
    return result;
  }

 private:
  static constexpr Schedule kFixed = {.kind = Schedule::Kind::Fixed};

  absl::Status run(Replay& replay) { return run(replay, options_); }

  absl::Status run(Replay& replay, const RunOptions& options) {
    if (begins_) begins_(replays_);
    ++replays_;
    return replay.run(options).status();
  }

  absl::Status note_outputs(Replay& replay) {
    on_read_ = [this](const ReadData& read) { expected_[read.command] = digest_of(read.data); };
    return run(replay);
  }

  bool is_expected(const ReadData& read) const {
    const auto found = expected_.find(read.command);
    return found != expected_.end() && found->second == digest_of(read.data);
  }

  absl::StatusOr<std::optional<Race>> try_schedule(Replay& replay, uint64_t seed) {
    Race race{.schedule = {.kind = Schedule::Kind::Random, .seed = seed}};
    std::optional<Output> first;
    on_read_ = [&](const ReadData& read) {
      const bool is_before = !first.has_value() || read.command < first->read.command;
      if (is_before && !is_expected(read)) first.emplace(read);
    };
    replay.set_schedule(race.schedule);
    const absl::Status status = run(replay);
    if (status.ok() && !first.has_value()) return std::optional<Race>();
    if (!status.ok()) race.failure = std::string(status.message());
    if (first.has_value()) {
      LM_ASSIGN_OR_RETURN(expected, expected_output(replay, first->read.command));
      race.output = difference_of(expected, *first);
    }
    return std::optional<Race>(std::move(race));
  }

  // What the fixed schedule reads there.
  absl::StatusOr<Output> expected_output(Replay& replay, uint64_t command) {
    std::optional<Output> expected;
    bool all_expected = true;
    on_read_ = [&](const ReadData& read) {
      all_expected &= is_expected(read);
      if (read.command == command) expected.emplace(read);
    };
    replay.set_schedule(kFixed);
    LM_RETURN_IF_ERROR(run(replay));
    if (!all_expected || !expected.has_value()) return differ_by_themselves(kFixed);
    return *std::move(expected);
  }

  // The launches before the first output that differs.
  absl::StatusOr<std::vector<Launched>> launches_before(uint64_t last) const {
    std::vector<Launched> launches;
    LM_RETURN_IF_ERROR(file_->for_each_command([&](const schema::CommandView& view) {
      std::string text = view.number < last ? launch_text(*view.command) : "";
      if (!text.empty()) launches.push_back({view.number, std::move(text)});
      return absl::OkStatus();
    }));
    return launches;
  }

  // Halves the launches between one behind which memory is equal and one behind which it differs.
  absl::Status find_memory(Race& race) {
    LM_ASSIGN_OR_RETURN(launches, launches_before(race.output->command));
    size_t equal = 0, differs = launches.size();  // how many launches there are up to that one
    while (equal < differs) {
      const size_t middle = (equal + differs) / 2;
      LM_ASSIGN_OR_RETURN(content, different_buffer(race.schedule, launches[middle].command));
      if (content.has_value()) {
        race.memory = {launches[middle].command, launches[middle].text, *std::move(content)};
        differs = middle;
      } else {
        equal = middle + 1;
      }
    }
    return absl::OkStatus();
  }

  // The first buffer that differs behind a command.
  absl::StatusOr<std::optional<GoldenResult>> different_buffer(const Schedule& schedule,
                                                               uint64_t command) {
    absl::flat_hash_map<uint64_t, Digest> expected;
    LM_RETURN_IF_ERROR(look_at_buffers(kFixed, command, [&](const BufferContent& buffer) {
      expected[buffer.id] = digest_of(buffer.data);
    }));
    std::optional<GoldenResult> result;
    std::vector<std::byte> found;
    LM_RETURN_IF_ERROR(look_at_buffers(schedule, command, [&](const BufferContent& buffer) {
      if (result.has_value() || expected[buffer.id] == digest_of(buffer.data)) return;
      result.emplace();
      result->buffer = buffer.id;
      found.assign(buffer.data.begin(), buffer.data.end());
    }));
    if (!result.has_value()) return result;
    LM_RETURN_IF_ERROR(look_at_buffers(kFixed, command, [&](const BufferContent& buffer) {
      if (buffer.id != result->buffer) return;
      result = replay::compare(schema::ElementType::UInt32, {}, buffer.data, found);
      result->command = command;
      result->buffer = buffer.id;
      result->source = buffer.name;
    }));
    return result;
  }

  absl::Status look_at_buffers(const Schedule& schedule, uint64_t command,
                               const std::function<void(const BufferContent&)>& look) {
    on_read_ = [](const ReadData&) {};
    LoadOptions load = load_;
    load.schedule = schedule;
    LM_ASSIGN_OR_RETURN(replay, Replay::load(file_, std::move(load)));
    RunOptions options = options_;
    options.last_command = command;
    LM_RETURN_IF_ERROR(run(*replay, options));
    return replay->for_each_buffer(look);
  }

  const std::shared_ptr<const schema::File> file_;
  LoadOptions load_;
  RunOptions options_;
  const std::function<void(uint64_t)>& begins_;
  uint64_t replays_ = 0;
  std::function<void(const ReadData&)> on_read_;
  absl::flat_hash_map<uint64_t, Digest> expected_;  // by the command that reads
};

}  // namespace

absl::StatusOr<RaceResult> find_race(const std::shared_ptr<const schema::File>& file,
                                     const LoadOptions& load, const RunOptions& run,
                                     uint64_t schedules,
                                     const std::function<void(uint64_t)>& begins) {
  return Search(file, load, run, begins).find(schedules);
}

}  // namespace lightmetal
