#include "schema/show/dump.h"

#include <cstdint>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/incomplete.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

absl::Status print(absl::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  return std::ferror(stdout) == 0 ? absl::OkStatus()
                                  : absl::UnavailableError("cannot write to standard output");
}

}  // namespace

int dump(int argc, const char* const* argv) {
  VerbOptions options =
      options_for("dump", "Shows the commands of a file, one to a line. It needs no device.\n",
                  "lightmetal_runner dump model.lmb --calls 10-20\nlightmetal_runner dump "
                  "model.lmb --format jsonl");
  options.add_options()("format", "text or jsonl (one JSON object to a line)",
                        cxxopts::value<std::string>()->default_value("text"),
                        "FORMAT")("calls", "Which commands, counted from 0: 7, 10-20, 10- or -20",
                                  cxxopts::value<std::string>(), "RANGE");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  schema::DumpOptions dump_options;
  if (choice(*arguments, "format", "text", "jsonl") == "jsonl") {
    dump_options.format = schema::DumpFormat::JsonLines;
  }
  if (arguments->count("calls") != 0) {
    const CommandRange range = command_range((*arguments)["calls"].as<std::string>());
    dump_options.first = range.first;
    if (range.last != UINT64_MAX) dump_options.last = range.last + 1;
  }
  const auto file = schema::File::open(file_of(*arguments));
  if (!file.ok()) return fail(file.status());
  if (dump_options.first != 0 && dump_options.first >= (*file)->num_commands()) {
    return fail(absl::StrCat((*file)->name(), " has ", (*file)->num_commands(),
                             " commands, counted from 0: there is no command ",
                             dump_options.first));
  }
  const absl::Status status = schema::dump(**file, dump_options, print);
  // The output first, so that the warning stands behind it.
  const int written = finish_output();
  warn_if_incomplete(**file);
  return status.ok() ? written : fail(status);
}

}  // namespace lightmetal::runner
