#include "replay/optimize.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/memory_limit.h"
#include "runner/not_written.h"
#include "runner/output_text.h"
#include "runner/progress.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "schema/file/compressed_blob.h"
#include "schema/show/json.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

using replay::OptimizeOptions;
using replay::OptimizeResult;

int compression_level(const cxxopts::ParseResult& arguments) {
  if (arguments.count("compress") == 0) return 0;
  const std::string text = arguments["compress"].as<std::string>();
  const std::optional<uint64_t> level = digits_of(text);
  if (level && *level >= 1 && *level <= schema::kMaxCompressionLevel)
    return static_cast<int>(*level);
  throw cxxopts::exceptions::parsing(absl::StrCat("--compress is a level from 1 to ",
                                                  schema::kMaxCompressionLevel, ", not ", text));
}

OptimizeOptions optimize_options(const cxxopts::ParseResult& arguments) {
  OptimizeOptions options;
  options.output = output_of(arguments, "optimize needs -o OUT, the file to write");
  options.compression_level = compression_level(arguments);
  options.load.backend = device_option(arguments);
  options.load.references = reference_options(arguments);
  options.load.memory_limit = memory_limit(arguments);
  return options;
}

void print_text(const std::string& path, const std::string& output, const OptimizeResult& result) {
  if (result.is_same) {
    say(absl::StrCat(output, ": nothing can be removed from ", path, ": it is the same file"));
    return;
  }
  const schema::Removal& removal = result.removal;
  say(absl::StrCat(output, ": ", path, " in ", result.bytes_after, " bytes instead of ",
                   result.bytes_before,
                   result.by_arguments ? "" : "; no arguments tell what reads need",
                   removal.signatures == 0 ? "" : "; its signature is gone: sign it anew"));
  const auto line = [](uint64_t count, const char* what, uint64_t bytes) {
    if (count == 0) return;
    say(absl::StrCat("  removed: ", counted(count, what), ", ", counted(bytes, "byte")));
  };
  line(removal.num_commands, "command", removal.command_bytes);
  for (const auto& [call, count] : removal.commands) say(absl::StrCat("    ", count, " ", call));
  line(removal.payloads, "payload", removal.payload_bytes);
  if (removal.is_empty()) say("  nothing can be removed; payloads are compressed");
}

std::string json_of(const std::string& path, const std::string& output,
                    const OptimizeResult& result) {
  const schema::Removal& removal = result.removal;
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("file", path).member("output", output);
  json.member("same", result.is_same).member("by_arguments", result.by_arguments);
  json.member("bytes_before", result.bytes_before).member("bytes_after", result.bytes_after);
  json.member("commands", result.commands);
  json.member("commands_removed", removal.num_commands);
  json.member("command_bytes_removed", removal.command_bytes);
  json.key("removed").begin_array();
  for (const auto& [call, count] : removal.commands) {
    json.begin_object().member("call", call).member("count", count).end_object();
  }
  json.end_array().member("payloads_removed", removal.payloads);
  json.member("payload_bytes_removed", removal.payload_bytes);
  json.member("signatures_dropped", removal.signatures).end_object();
  return json.take() + "\n";
}

absl::StatusOr<OptimizeResult> optimize_file(const cxxopts::ParseResult& arguments,
                                             const TrustPolicy& policy, OptimizeOptions& options,
                                             Watchdog& watchdog) {
  const std::vector<std::string> keys = key_files(arguments);
  LM_RETURN_IF_ERROR(schema::check_no_input(options.output, keys));
  LM_RETURN_IF_ERROR(
      replay::check_environment_spares(keys, "this process", "which optimize reads"));
  LM_ASSIGN_OR_RETURN(file, open_to_execute(file_of(arguments), policy, options.load.backend,
                                            options.load.references));
  // The new file names the same other files as this one, which was trusted with them.
  options.load.references.allow = true;
  Progress progress;
  options.on_progress = [&](uint64_t command, uint64_t commands) {
    watchdog.at(command);
    progress.update(0, 1, command, commands);
  };
  return replay::optimize(std::move(file), options);
}

int execute(const cxxopts::ParseResult& arguments, const TrustPolicy& policy, Watchdog& watchdog) {
  const std::string path = file_of(arguments);
  const bool is_json = choice(arguments, "format", "text", "json") == "json";
  OptimizeOptions options = optimize_options(arguments);
  const auto result = optimize_file(arguments, policy, options, watchdog);
  if (!result.ok()) return fail(result.status());
  if (!result->replay.matches()) return not_written(path, options.output, result->replay);
  if (is_json) {
    print_as_is(json_of(path, options.output, *result));
  } else {
    print_text(path, options.output, *result);
  }
  return finish_output();
}

}  // namespace

int optimize(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "optimize",
      "Writes a file anew without what none of its reads needs, as small as it can be. To see that "
      "nothing is missing, it replays the new file.\n",
      "lightmetal_runner optimize model.lmb -o small.lmb --compress 9");
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "compress", "Compress payloads that are not, from 1 (fast) to 19 (small)",
      cxxopts::value<std::string>(), "LEVEL")(
      "format", "text or json", cxxopts::value<std::string>()->default_value("text"), "FORMAT");
  add_device_option(options);
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  Watchdog watchdog(*arguments);
  return watchdog.guard(file_of(*arguments),
                        [&] { return execute(*arguments, *policy, watchdog); });
}

}  // namespace lightmetal::runner
