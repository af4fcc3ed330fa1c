#include "schema/verify/redact.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/incomplete.h"
#include "runner/memory_limit.h"
#include "runner/reference_options.h"
#include "runner/verbs.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

void print_count(const char* what, uint64_t count) {
  if (count != 0) say(absl::StrCat("  ", count, " ", what));
}

// What stays in spite of the options is printed, too: the reader has to know.
void print(const std::string& output, const schema::RedactReport& report) {
  say(absl::StrCat(output, ": ", report.commands, " commands; taken out:"));
  if (report.origin_dropped) say("  where, when and by what it was made");
  if (report.signature_dropped) say("  its signature: sign it anew");
  print_count("names and defines of kernels", report.texts);
  print_count("kernels' debug information", report.kernels_stripped);
  print_count("kernels of an unknown form, LEFT as they are", report.kernels_as_they_are);
  print_count(
      "kernels with the path of a source in their code, LEFT as they are: compile them anew",
      report.kernels_with_paths);
  print_count("payloads, zeros in their place", report.payloads_zeroed);
  print_count("payloads that no command uses", report.payloads_unused);
  print_count("goldens", report.goldens_dropped);
  print_count("comparisons with a golden", report.commands_dropped);
  print_count("optional records", report.records_dropped);
}

schema::RedactOptions options_of(const cxxopts::ParseResult& arguments) {
  return {.payloads = is_set(arguments, "payloads"),
          .keep_origin = is_set(arguments, "keep-origin"),
          .keep_names = is_set(arguments, "keep-names"),
          .keep_debug_information = is_set(arguments, "keep-debug-information"),
          .memory_limit = memory_limit(arguments)};
}

absl::StatusOr<schema::RedactReport> redact_into(const schema::File& file,
                                                 const std::string& output,
                                                 const schema::RedactOptions& options) {
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, file.paths()));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(report, schema::redact(file, std::move(sink), options));
  LM_RETURN_IF_ERROR(target.finish());
  return report;
}

}  // namespace

int redact(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "redact", "Writes a file anew without what it says of people, machines and paths.\n",
      "lightmetal_runner redact model.lmb -o public.lmb --payloads");
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "payloads", "Also zeros in place of what is uploaded, and no goldens")(
      "keep-origin", "Keep where, when and by what it was made")(
      "keep-names", "Keep names and defines of kernels")("keep-debug-information",
                                                         "Keep the debug information of kernels");
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const std::string output = output_of(*arguments, "redact needs -o OUT, the file to write");
  const std::string path = file_of(*arguments);
  const auto file = schema::File::open(path, {.references = reference_options(*arguments)});
  if (!file.ok()) return fail(file.status());
  const auto report = redact_into(**file, output, options_of(*arguments));
  if (!report.ok()) return fail(report.status());
  print(output, *report);
  warn_if_incomplete(**file);
  return finish_output();
}

}  // namespace lightmetal::runner
