#include "schema/verify/bind.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/memory_limit.h"
#include "runner/new_file.h"
#include "runner/output_text.h"
#include "runner/reference_options.h"
#include "runner/verbs.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

constexpr std::pair<const char*, host::BindingRole> kRoles[] = {
    {"input", host::BindingRole::kInput},
    {"output", host::BindingRole::kOutput},
    {"in-out", host::BindingRole::kInOut},
    {"constant", host::BindingRole::kConstant}};

std::vector<std::string> values_of(const cxxopts::ParseResult& arguments,
                                   const std::string& option) {
  if (arguments.count(option) == 0) return {};
  return arguments[option].as<std::vector<std::string>>();
}

// Takes "NAME=BUFFER" and "NAME=BUFFER:TYPE:SHAPE[:ORDER]". Throws for anything else.
schema::NewBinding binding_of(const char* option, host::BindingRole role, const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::pair<std::string, std::string> what =
      absl::StrSplit(parts.second, absl::MaxSplits(':', 1));
  const std::optional<uint64_t> buffer = digits_of(what.first);
  if (parts.first.empty() || what.first.empty() || !buffer.has_value()) {
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--", option, " is NAME=BUFFER or NAME=BUFFER:TYPE:SHAPE[:ORDER], not ", text));
  }
  schema::NewBinding binding{.name = parts.first, .role = role, .buffer = *buffer};
  if (what.first == parts.second) return binding;
  auto tensor = TensorDesc::parse(what.second);
  if (!tensor.ok()) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--", option, " ", text, ": ", tensor.status().message()));
  }
  binding.tensor = *std::move(tensor);
  return binding;
}

// Takes "NAME=FIRST-LAST" and "NAME=NUMBER". Throws for anything else.
schema::NewEntry entry_of(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::vector<std::string> ends = absl::StrSplit(parts.second, '-');
  const auto first = digits_of(ends.front()), last = digits_of(ends.back());
  if (parts.first.empty() || ends.size() > 2 || ends.front().empty() || ends.back().empty() ||
      !first.has_value() || !last.has_value()) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--entry is NAME=FIRST-LAST, such as decode=10-20, not ", text));
  }
  return {parts.first, *first, *last};
}

schema::BindOptions options_of(const cxxopts::ParseResult& arguments) {
  schema::BindOptions options;
  for (const auto& [option, role] : kRoles) {
    for (const std::string& text : values_of(arguments, option))
      options.bindings.push_back(binding_of(option, role, text));
  }
  for (const std::string& text : values_of(arguments, "entry"))
    options.entries.push_back(entry_of(text));
  if (options.bindings.empty() && options.entries.empty()) {
    throw cxxopts::exceptions::parsing(
        "bind needs what gets a name: --input, --output, --in-out, --constant or --entry");
  }
  options.replace = is_set(arguments, "replace");
  options.memory_limit = memory_limit(arguments);
  return options;
}

absl::StatusOr<schema::BindReport> bind_into(const schema::File& file, const std::string& output,
                                             const schema::BindOptions& options) {
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, file.paths()));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(report, schema::bind(file, std::move(sink), options));
  LM_RETURN_IF_ERROR(finish_verified(target, output, options.memory_limit));
  return report;
}

}  // namespace

int bind(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "bind",
      "Writes a file anew with names for buffers and for commands, by which \"run\" runs "
      "it with values. It\nneeds no device.\n",
      "lightmetal_runner bind model.lmb -o named.lmb --input x=1 --output "
      "y=3:float32:2x64:tile\n"
      "lightmetal_runner bind model.lmb -o named.lmb --entry decode=10-20");
  constexpr char kBuffer[] = "NAME=BUFFER";
  const auto texts = [] { return cxxopts::value<std::vector<std::string>>(); };
  options.add_options()("o,output-file", "The file to write", cxxopts::value<std::string>(), "OUT");
  options.add_options()(
      "input",
      "Name a buffer, by its id, that is given values; BUFFER:TYPE:SHAPE[:ORDER] says "
      "what it holds",
      texts(), kBuffer)("output", "Name one whose values are asked for", texts(), kBuffer)(
      "in-out", "Name one that is both and keeps its values", texts(), kBuffer)(
      "constant", "Name one that is written once", texts(), kBuffer)(
      "entry", "Name commands that are run, by their numbers", texts(), "NAME=FIRST-LAST")(
      "replace", "Take away what has these names in the file");
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("output-file") == 0) return fail("bind needs -o OUT, the file to write");
  const std::string output = (*arguments)["output-file"].as<std::string>();
  const schema::BindOptions names = options_of(*arguments);
  const auto file =
      schema::File::open(file_of(*arguments), {.references = reference_options(*arguments)});
  if (!file.ok()) return fail(file.status());
  const auto report = bind_into(**file, output, names);
  if (!report.ok()) return fail(report.status());
  say(absl::StrCat(output, ": ", (*file)->name(), " with ",
                   counted(names.bindings.size(), "named tensor"), " and ", names.entries.size(),
                   names.entries.size() == 1 ? " entry" : " entries",
                   report->replaced == 0 ? "" : absl::StrCat(", ", report->replaced, " replaced"),
                   report->signatures_dropped == 0 ? "" : "; its signature is gone: sign it anew"));
  return finish_output();
}

}  // namespace lightmetal::runner
