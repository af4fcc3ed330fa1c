#include "schema/verify/repair.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/verbs.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

void print(const std::string& path, const schema::RepairReport& report) {
  say(absl::StrCat(path, ": ", report.commands, " commands and ", report.blobs, " payloads; ",
                   report.reason.empty()
                       ? "the file was whole"
                       : absl::StrCat(report.bytes_dropped, " bytes dropped: ", report.reason)));
  if (report.signatures_dropped != 0) {
    say(absl::StrCat(path, ": not signed: the ", report.signatures_dropped,
                     " signatures of the old file do not hold for it"));
  }
}

absl::StatusOr<schema::RepairReport> repair_into(const schema::File& file,
                                                 const std::string& output) {
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, file.paths()));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(report, schema::repair(file, std::move(sink)));
  LM_RETURN_IF_ERROR(target.finish());
  return report;
}

}  // namespace

int repair(int argc, const char* const* argv) {
  VerbOptions options =
      options_for("repair", "Writes the whole records of a damaged or unfinished file anew.\n",
                  "lightmetal_runner repair damaged.lmb -o whole.lmb");
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const std::string output = output_of(*arguments, "repair needs -o OUT, the file to write");
  const std::string path = file_of(*arguments);
  const auto file = schema::File::open(path);
  if (!file.ok()) return fail(file.status());
  const auto report = repair_into(**file, output);
  if (!report.ok()) return fail(report.status());
  print(output, *report);
  return finish_output();
}

}  // namespace lightmetal::runner
