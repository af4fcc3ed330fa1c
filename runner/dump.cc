#include "schema/dump.h"

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runner/command_line.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

uint64_t number_of(const std::string& text, const std::string& range) {
  uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--calls is a number or a range such as 10-20, 10- or -20, not ", range));
}

// Sets the range of `options`: "7", "10-20" (both included), "10-" or "-20".
void set_range(const std::string& range, schema::DumpOptions& options) {
  const std::pair<std::string, std::string> ends = absl::StrSplit(range, absl::MaxSplits('-', 1));
  const bool single = range.find('-') == std::string::npos;
  if (!ends.first.empty() || single) options.first = number_of(ends.first, range);
  if (single) options.last = options.first;
  if (!ends.second.empty()) options.last = number_of(ends.second, range);
  if (options.last < options.first) {
    throw cxxopts::exceptions::parsing(absl::StrCat("--calls ", range, " ends before it begins"));
  }
  if (options.last != std::numeric_limits<uint64_t>::max()) ++options.last;
}

absl::Status print(absl::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  return std::ferror(stdout) == 0 ? absl::OkStatus()
                                  : absl::UnavailableError("cannot write to standard output");
}

}  // namespace

int dump(int argc, const char* const* argv) {
  cxxopts::Options options =
      options_for("dump", "Shows the commands of a file, one to a line. It needs no device.\n");
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
    set_range((*arguments)["calls"].as<std::string>(), dump_options);
  }
  const auto file = schema::File::open(file_of(*arguments));
  if (!file.ok()) return fail(file.status());
  const absl::Status status = schema::dump(**file, dump_options, print);
  const int written = finish_output();
  return status.ok() ? written : fail(status);
}

}  // namespace lightmetal::runner
