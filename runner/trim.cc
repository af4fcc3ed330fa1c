#include <lightmetal/slice.hpp>
#include <lightmetal/trim.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/memory_limit.h"
#include "runner/not_written.h"
#include "runner/progress.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "schema/commands/calls.h"
#include "schema/file/reader.h"
#include "schema/storage/output_file.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

TrimOptions trim_options(const cxxopts::ParseResult& arguments) {
  const CommandRange range = arguments.count("calls") == 0
                                 ? CommandRange{}
                                 : command_range(arguments["calls"].as<std::string>());
  TrimOptions options;
  options.first = range.first;
  options.last = range.last;
  options.output = output_of(arguments, "trim needs -o OUT, the file to write");
  options.load.backend = device_option(arguments);
  options.check_goldens = !is_set(arguments, "no-check");
  options.load.memory_limit = memory_limit(arguments);
  options.load.allow_incomplete = is_set(arguments, "allow-incomplete");
  options.add_goldens = is_set(arguments, "add-goldens");
  return options;
}

// Returns what the message says of the goldens that were added.
std::string text_of_goldens(const TrimOptions& options, uint64_t added) {
  if (!options.add_goldens) return "";
  return absl::StrCat(", with ", added, added == 1 ? " golden" : " goldens", " added");
}

// OUT replaces no key, and what the environment has written is none.
absl::Status check_keys(const cxxopts::ParseResult& arguments, const std::string& output) {
  const std::vector<std::string> keys = key_files(arguments);
  LM_RETURN_IF_ERROR(schema::check_no_input(output, keys));
  return replay::check_environment_spares(keys, "this process", "which trim reads");
}

// The first scope of that name, as bench has it: "prefill/layer 3". NotFound when there is none, or
// when it does not end.
absl::StatusOr<CommandRange> range_of_scope(const schema::File& file, const TrimOptions& trim,
                                            const std::string& name) {
  // A file that is sound has few scopes open at a time, and short names.
  LM_RETURN_IF_ERROR(schema::verify(
      file, nullptr,
      {.allow_incomplete = trim.load.allow_incomplete, .memory_limit = trim.load.memory_limit}));
  std::vector<std::pair<std::string, uint64_t>> open;  // with their first commands
  std::optional<CommandRange> found;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) {
    if (const auto* begin = view.command->call_as_ScopeBegin()) {
      const std::string inside = open.empty() ? "" : absl::StrCat(open.back().first, "/");
      open.emplace_back(absl::StrCat(inside, begin->name()->str()), view.number);
    } else if (view.command->call_type() == schema::Call::ScopeEnd && !open.empty()) {
      if (open.back().first == name && (!found || open.back().second < found->first)) {
        found = {open.back().second, view.number};
      }
      open.pop_back();
    }
    return absl::OkStatus();
  }));
  if (found.has_value()) return *found;
  return absl::NotFoundError(absl::StrCat(file.name(), " has no scope ", name, " that ends"));
}

int trim_file(const cxxopts::ParseResult& arguments, const TrustPolicy& policy,
              Watchdog& watchdog) {
  const std::string path = file_of(arguments);
  TrimOptions options = trim_options(arguments);
  const absl::Status apart = check_keys(arguments, options.output);
  if (!apart.ok()) return fail(apart);
  auto file = open_to_execute(path, policy, options.load.backend, reference_options(arguments));
  if (!file.ok()) return fail(file.status());
  if (arguments.count("scope") != 0) {
    const auto range = range_of_scope(**file, options, arguments["scope"].as<std::string>());
    if (!range.ok()) return fail(range.status());
    options.first = range->first;
    options.last = range->last;
  }
  std::optional<Progress> progress(std::in_place);
  options.on_progress = [&](uint64_t command, uint64_t commands) {
    watchdog.at(command);
    progress->update(0, 1, command, commands);
  };
  const auto result = lightmetal::trim(*std::move(file), options);
  progress.reset();
  if (!result.ok()) return fail(result.status());
  if (!result->replay.matches()) return not_written(path, options.output, result->replay);
  say(absl::StrCat(options.output, ": commands ", options.first, " to ",
                   result->replay.commands - 1, " of ", path,
                   text_of_goldens(options, result->added_goldens)));
  return finish_output();
}

// ---- By outputs ----

// Takes "buffer:ID" or "command:N". Throws for anything else.
void add_output(const std::string& text, SliceOptions& options) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::optional<uint64_t> number = digits_of(parts.second);
  const bool is_command = parts.first == "command";
  if (!number.has_value() || parts.second.empty() || (!is_command && parts.first != "buffer")) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--outputs is buffer:ID or command:N, not ", text));
  }
  (is_command ? options.commands : options.buffers).push_back(*number);
}

SliceOptions slice_options(const cxxopts::ParseResult& arguments) {
  if (is_set(arguments, "no-check")) {
    throw cxxopts::exceptions::parsing("--no-check is not for --outputs, which goldens decide of");
  }
  if (is_set(arguments, "add-goldens")) {
    throw cxxopts::exceptions::parsing("--add-goldens is not for --outputs, which have goldens");
  }
  SliceOptions options;
  for (const std::string& text : arguments["outputs"].as<std::vector<std::string>>())
    add_output(text, options);
  options.output = output_of(arguments, "trim needs -o OUT, the file to write");
  options.load.backend = device_option(arguments);
  options.load.references = reference_options(arguments);
  options.load.memory_limit = memory_limit(arguments);
  options.load.allow_incomplete = is_set(arguments, "allow-incomplete");
  return options;
}

absl::StatusOr<SliceResult> slice_file(const cxxopts::ParseResult& arguments,
                                       const TrustPolicy& policy, SliceOptions& options,
                                       Watchdog& watchdog) {
  LM_RETURN_IF_ERROR(check_keys(arguments, options.output));
  LM_ASSIGN_OR_RETURN(file, open_to_execute(file_of(arguments), policy, options.load.backend,
                                            options.load.references));
  // The new file names the same other files as this one, which was trusted with them.
  options.load.references.allow = true;
  Progress progress;
  options.on_progress = [&](uint64_t command, uint64_t commands) {
    watchdog.at(command);
    progress.update(0, 1, command, commands);
  };
  return slice(std::move(file), options);
}

int trim_to_outputs(const cxxopts::ParseResult& arguments, const TrustPolicy& policy,
                    Watchdog& watchdog) {
  const std::string path = file_of(arguments);
  SliceOptions options = slice_options(arguments);
  const auto result = slice_file(arguments, policy, options, watchdog);
  if (!result.ok()) return fail(result.status());
  if (!result->replay.matches()) return not_written(path, options.output, result->replay);
  say(absl::StrCat(options.output, ": the ", result->commands, " commands of ", path,
                   " that the outputs need",
                   result->by_arguments ? "" : ", all up to the last: no arguments tell less"));
  return finish_output();
}

}  // namespace

int trim(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "trim",
      "Writes a file of some commands, which begins with what lives when they begin. To find that "
      "out it replays the file up to the last of them. With --outputs: a file of what these "
      "need.\n",
      "lightmetal_runner trim model.lmb --calls 100-120 -o part.lmb\n"
      "lightmetal_runner trim model.lmb --calls 117 --add-goldens -o launch.lmb\n"
      "lightmetal_runner trim model.lmb --scope prefill -o prefill.lmb\n"
      "lightmetal_runner trim model.lmb --outputs buffer:9 -o part.lmb");
  add_device_option(options);
  options.add_options()("calls", "Which commands, counted from 0: 7, 10-20, 10- or -20",
                        cxxopts::value<std::string>(), "RANGE")(
      "scope", "The commands of the first scope of this name", cxxopts::value<std::string>(),
      "NAME")("outputs", "Keep what a read needs, or all reads of a buffer; may be repeated",
              cxxopts::value<std::vector<std::string>>(), "buffer:ID|command:N")(
      "o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "add-goldens", "End OUT with a golden of each buffer that the commands wrote")(
      "no-check", "Do not compare with the goldens; what is read now becomes the golden of a read")(
      "allow-incomplete", "Trim the whole records of a file whose capture was cut short");
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const bool by_outputs = arguments->count("outputs") != 0;
  if (by_outputs + arguments->count("calls") + arguments->count("scope") != 1) {
    return fail(
        "trim needs one of --calls RANGE, the commands to keep, --scope NAME, whose commands to "
        "keep, and --outputs, what to compute");
  }
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  Watchdog watchdog(*arguments);
  return watchdog.guard(file_of(*arguments), [&] {
    return by_outputs ? trim_to_outputs(*arguments, *policy, watchdog)
                      : trim_file(*arguments, *policy, watchdog);
  });
}

}  // namespace lightmetal::runner
