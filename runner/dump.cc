#include "schema/show/dump.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runner/buffer_dump.h"
#include "runner/command_line.h"
#include "runner/incomplete.h"
#include "runner/nearest.h"
#include "runner/reference_options.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

// finish_output() has the message of the error.
absl::Status print_line(absl::string_view line) {
  return print_as_is(absl::StrCat(line, "\n")) ? absl::OkStatus() : absl::CancelledError();
}

void add_dump_options(cxxopts::Options& options) {
  options.add_options()("format", "text or jsonl (one JSON object to a line)",
                        cxxopts::value<std::string>()->default_value("text"),
                        "FORMAT")("calls", "Which commands, counted from 0: 7, 10-20, 10- or -20",
                                  cxxopts::value<std::string>(), "RANGE")(
      "command", "Only commands of these names", cxxopts::value<std::string>(), "NAME[,NAME...]")(
      "object", "Only commands that create, use or destroy this object, such as buffer:3",
      cxxopts::value<std::string>(),
      "KIND:ID")("queue", "Only commands on this queue, of any device or of one",
                 cxxopts::value<std::string>(), "[DEVICE:]N")(
      "values", "Say what the payloads hold: first and last elements, range, mean, NaNs")(
      "type", "Take elements for this type, whatever the file says: Bytes, UInt8, ..., BFloat16",
      cxxopts::value<std::string>(), "TYPE");
}

[[noreturn]] void refuse(absl::string_view message) {
  throw cxxopts::exceptions::parsing(std::string(message));
}

void add_calls(const std::string& names, schema::CommandFilter& filter) {
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    const absl::Status added = filter.add_call(name);
    if (added.ok()) continue;
    refuse(absl::StrCat("--command: ", added.message(), suggestion(name, schema::call_names())));
  }
}

void set_object(const std::string& text, schema::CommandFilter& filter) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::optional<uint64_t> id = digits_of(parts.second);
  if (!id.has_value() || parts.second.empty()) {
    refuse(absl::StrCat("--object is KIND:ID, such as buffer:3, not ", text));
  }
  const absl::Status set = filter.set_object(parts.first, *id);
  if (!set.ok()) refuse(absl::StrCat("--object: ", set.message()));
}

void set_queue(const std::string& text, schema::CommandFilter& filter) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  const std::optional<uint64_t> queue = digits_of(parts.back());
  const std::optional<uint64_t> device = digits_of(parts.front());
  if (parts.size() > 2 || parts.front().empty() || parts.back().empty() || !queue.has_value() ||
      !device.has_value() || *queue > UINT8_MAX) {
    refuse(absl::StrCat("--queue is N or DEVICE:N, such as 0 or 1:0, not ", text));
  }
  filter.set_queue(static_cast<uint8_t>(*queue), parts.size() == 2 ? device : std::nullopt);
}

schema::DumpOptions dump_options(const cxxopts::ParseResult& arguments) {
  schema::DumpOptions options;
  if (choice(arguments, "format", "text", "jsonl") == "jsonl") {
    options.format = schema::DumpFormat::JsonLines;
  }
  const auto with = [&](const char* option, auto use) {
    if (arguments.count(option) != 0) use(arguments[option].as<std::string>());
  };
  with("calls", [&](const std::string& text) {
    const CommandRange range = command_range(text);
    options.first = range.first;
    if (range.last != UINT64_MAX) options.last = range.last + 1;
  });
  with("command", [&](const std::string& names) { add_calls(names, options.filter); });
  with("object", [&](const std::string& text) { set_object(text, options.filter); });
  with("queue", [&](const std::string& text) { set_queue(text, options.filter); });
  options.values = is_set(arguments, "values");
  if (!options.values && arguments.count("type") != 0)
    refuse("--type is for --values and --buffers-at, which show elements");
  options.element_type = element_type_option(arguments);
  return options;
}

int dump_commands(const cxxopts::ParseResult& arguments) {
  const schema::DumpOptions options = dump_options(arguments);
  const auto file =
      schema::File::open(file_of(arguments), {.references = reference_options(arguments)});
  if (!file.ok()) return fail(file.status());
  if (options.first != 0 && options.first >= (*file)->num_commands()) {
    return fail(absl::StrCat((*file)->name(), " has ", (*file)->num_commands(),
                             " commands, counted from 0: there is no command ", options.first));
  }
  const absl::Status status = schema::dump(**file, options, print_line);
  // The output first, so that the warning stands behind it.
  const int written = finish_output();
  warn_if_incomplete(**file);
  return status.ok() || written != kSuccess ? written : fail(status);
}

}  // namespace

int dump(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "dump",
      "Shows the commands of a file, one to a line, which needs no device; or replays it up to a "
      "command\nand writes what buffers hold then.\n",
      "lightmetal_runner dump model.lmb --calls 10-20\n"
      "lightmetal_runner dump model.lmb --format jsonl --command EnqueueProgram,EnqueueTrace\n"
      "lightmetal_runner dump model.lmb --object buffer:3 --values\n"
      "lightmetal_runner dump model.lmb --buffers-at 120 --buffer 3 -o buffers");
  add_dump_options(options);
  add_buffer_options(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  return dumps_buffers(*arguments) ? dump_buffers(*arguments) : dump_commands(*arguments);
}

}  // namespace lightmetal::runner
