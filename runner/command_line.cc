#include "runner/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "runner/lost_file.h"
#include "runner/nearest.h"

namespace lightmetal::runner {
namespace {

// Those whose values are a list.
std::set<std::string> repeatable_options(const cxxopts::Options& options) {
  std::set<std::string> names = {"file"};
  for (const cxxopts::HelpOptionDetails& option : options.group_help("").options) {
    if (option.is_container) names.insert(option.l.begin(), option.l.end());
  }
  return names;
}

void check_given_once(const cxxopts::Options& options, const cxxopts::ParseResult& arguments) {
  const std::set<std::string> repeatable = repeatable_options(options);
  std::set<std::string> given;
  for (const cxxopts::KeyValue& argument : arguments.arguments()) {
    const std::string& option = argument.key();
    if (!given.insert(option).second && !repeatable.contains(option)) {
      throw cxxopts::exceptions::parsing(absl::StrCat("--", option, " is given more than once"));
    }
    if (option != "file" && argument.value().empty()) {
      throw cxxopts::exceptions::parsing(absl::StrCat("--", option, " is given an empty value"));
    }
  }
}

std::vector<std::string> names_of(const cxxopts::Options& options) {
  std::vector<std::string> names;
  for (const cxxopts::HelpOptionDetails& option : options.group_help("").options) {
    names.insert(names.end(), option.l.begin(), option.l.end());
  }
  return names;
}

// cxxopts says which option it does not know in its message alone.
std::string name_in(absl::string_view message) {
  absl::ConsumePrefix(&message, absl::StrCat("Option ", cxxopts::LQUOTE));
  absl::ConsumeSuffix(&message, absl::StrCat(cxxopts::RQUOTE, " does not exist"));
  return std::string(message);
}

cxxopts::ParseResult parse_known(cxxopts::Options& options, int argc, const char* const* argv) {
  try {
    return options.parse(argc, argv);
  } catch (const cxxopts::exceptions::no_such_option& error) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat(error.what(), suggestion(name_in(error.what()), names_of(options), "--")));
  }
}

}  // namespace

std::string printable(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text), {{"\n", "\n  "}});
}

void say(absl::string_view message) {
  const std::string line = absl::StrCat(printable(message), "\n");
  std::fputs(line.c_str(), stdout);
}

int fail(absl::string_view message) {
  const std::string line =
      absl::StrCat("lightmetal_runner: ", printable(absl::StripSuffix(message, "\n")), "\n");
  std::fputs(line.c_str(), stderr);
  return kFailure;
}

int finish_output() {
  if (std::fflush(stdout) == 0) return kSuccess;
  return fail(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
}

VerbOptions::VerbOptions(const std::string& verb, const std::string& summary,
                         std::string the_examples)
    : cxxopts::Options(absl::StrCat("lightmetal_runner ", verb), summary),
      examples(std::move(the_examples)) {}

VerbOptions options_for(const std::string& verb, const std::string& summary,
                        const std::string& examples) {
  VerbOptions options(verb, summary, examples);
  options.positional_help("FILE").set_width(100);
  options.add_options()("h,help", "Show this text");
  options.add_options("hidden")("file", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("file");
  return options;
}

std::optional<cxxopts::ParseResult> parse(VerbOptions& options, int argc, const char* const* argv) {
  cxxopts::ParseResult arguments = parse_known(options, argc, argv);
  if (arguments.count("help") != 0) {
    const std::string help = absl::StrCat(options.help({""}), "\nExamples:\n  ",
                                          absl::StrReplaceAll(options.examples, {{"\n", "\n  "}}));
    std::fputs(absl::StrCat(help, "\n").c_str(), stdout);
    return std::nullopt;
  }
  check_given_once(options, arguments);
  return arguments;
}

std::vector<std::string> files_of(const cxxopts::ParseResult& arguments) {
  const size_t count = arguments.count("file");
  if (count == 0) throw cxxopts::exceptions::parsing("no FILE is given; --help says how");
  const auto& files = arguments["file"].as<std::vector<std::string>>();
  if (std::ranges::count(files, "") != 0) {
    throw cxxopts::exceptions::parsing("FILE is an empty name");
  }
  return files;
}

std::string file_of(const cxxopts::ParseResult& arguments) {
  const std::vector<std::string> files = files_of(arguments);
  if (files.size() > 1) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat("one FILE is expected, and there is also ", files[1]));
  }
  report_loss_of(printable(files.front()));
  return files.front();
}

bool is_set(const cxxopts::ParseResult& arguments, const std::string& name) {
  return arguments.count(name) != 0 && arguments[name].as<bool>();
}

std::string output_of(const cxxopts::ParseResult& arguments, const std::string& what) {
  if (arguments.count("output") == 0) throw cxxopts::exceptions::parsing(what);
  return arguments["output"].as<std::string>();
}

// SimpleAtoi alone would take signs and spaces, too.
std::optional<uint64_t> digits_of(absl::string_view text) {
  uint64_t number = 0;
  const bool digits = std::ranges::all_of(text, absl::ascii_isdigit);
  return digits && absl::SimpleAtoi(text, &number) ? std::optional(number) : std::nullopt;
}

uint64_t count_option(const cxxopts::ParseResult& arguments, const std::string& option,
                      uint64_t least) {
  constexpr uint64_t kMost = 1'000'000'000;
  const std::string text = arguments[option].as<std::string>();
  const std::optional<uint64_t> count = digits_of(text);
  if (count.has_value() && *count >= least && *count <= kMost) return *count;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--", option, " is a number from ", least, " to ", kMost, ", not ", text));
}

std::string choice(const cxxopts::ParseResult& arguments, const std::string& option,
                   const std::string& first, const std::string& second) {
  const std::string value = arguments[option].as<std::string>();
  if (value == first || value == second) return value;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--", option, " is ", first, " or ", second, ", not ", value));
}

namespace {

uint64_t number_of(const std::string& text, const std::string& range) {
  const std::optional<uint64_t> number = digits_of(text);
  if (number.has_value()) return *number;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--calls is a number or a range such as 10-20, 10- or -20, not ", range));
}

}  // namespace

CommandRange command_range(const std::string& text) {
  const std::pair<std::string, std::string> ends = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const bool single = text.find('-') == std::string::npos;
  CommandRange range;
  if (!ends.first.empty() || single) range.first = number_of(ends.first, text);
  if (single) range.last = range.first;
  if (!ends.second.empty()) range.last = number_of(ends.second, text);
  if (range.last >= range.first) return range;
  throw cxxopts::exceptions::parsing(absl::StrCat("--calls ", text, " ends before it begins"));
}

}  // namespace lightmetal::runner
