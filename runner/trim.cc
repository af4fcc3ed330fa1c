#include <lightmetal/trim.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/environment_outputs.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/memory_limit.h"
#include "runner/progress.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

TrimOptions trim_options(const cxxopts::ParseResult& arguments) {
  const CommandRange range = command_range(arguments["calls"].as<std::string>());
  TrimOptions options;
  options.first = range.first;
  options.last = range.last;
  options.output = output_of(arguments, "trim needs -o OUT, the file to write");
  options.backend = device_option(arguments);
  options.check_goldens = !is_set(arguments, "no-check");
  options.memory_limit = memory_limit(arguments);
  options.allow_incomplete = is_set(arguments, "allow-incomplete");
  return options;
}

int trim_file(const cxxopts::ParseResult& arguments, const TrustPolicy& policy,
              Watchdog& watchdog) {
  const std::string path = file_of(arguments);
  TrimOptions options = trim_options(arguments);
  const std::vector<std::string> keys = key_files(arguments);
  absl::Status apart = schema::check_no_input(options.output, keys);
  apart.Update(replay::check_environment_spares(keys, "this process", "which trim reads"));
  if (!apart.ok()) return fail(apart);
  auto file = open_to_execute(path, policy, options.backend, reference_options(arguments));
  if (!file.ok()) return fail(file.status());
  std::optional<Progress> progress(std::in_place);
  options.on_progress = [&](uint64_t command, uint64_t commands) {
    watchdog.at(command);
    progress->update(0, 1, command, commands);
  };
  const auto result = lightmetal::trim(*std::move(file), options);
  progress.reset();
  if (!result.ok()) return fail(result.status());
  for (const GoldenResult& mismatch : result->mismatches) {
    fail(absl::StrCat(path, ": command ", mismatch.command, ": ", mismatch.text()));
  }
  if (!result->matches()) {
    fail(absl::StrCat(options.output, " is not written: ", path, " does not replay as recorded"));
    return kDifference;
  }
  say(absl::StrCat(options.output, ": commands ", options.first, " to ", result->commands - 1,
                   " of ", path));
  return finish_output();
}

}  // namespace

int trim(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "trim",
      "Writes a file of some commands, which begins with what lives when they begin. To find that "
      "out it replays the file up to the last of them.\n",
      "lightmetal_runner trim model.lmb --calls 100-120 -o part.lmb");
  add_device_option(options);
  options.add_options()("calls", "Which commands, counted from 0: 7, 10-20, 10- or -20",
                        cxxopts::value<std::string>(), "RANGE")(
      "o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "no-check", "Do not compare with the goldens; what is read now becomes the golden of a read")(
      "allow-incomplete", "Trim the whole records of a file whose capture was cut short");
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("calls") == 0) return fail("trim needs --calls RANGE, the commands to keep");
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  Watchdog watchdog(*arguments);
  return watchdog.guard(file_of(*arguments),
                        [&] { return trim_file(*arguments, *policy, watchdog); });
}

}  // namespace lightmetal::runner
