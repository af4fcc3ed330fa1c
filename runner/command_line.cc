#include "runner/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "runner/lost_file.h"
#include "runner/mpi_job.h"
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

// ---- Variables ----

// Those of the first three have rules of their own (report.h), and a file to write is named where
// it is asked for.
constexpr absl::string_view kWithoutVariable[] = {"golden", "report", "save-actual", "output",
                                                  "help"};

std::string variable_of(absl::string_view option) {
  return absl::StrCat("LIGHTMETAL_RUNNER_",
                      absl::StrReplaceAll(absl::AsciiStrToUpper(option), {{"-", "_"}}));
}

// The value of the option's variable; empty where there is none.
std::string value_of_variable(absl::string_view option) {
  if (std::ranges::count(kWithoutVariable, option) != 0) return "";
  const char* const value = std::getenv(variable_of(option).c_str());
  return value == nullptr ? "" : value;
}

bool is_in(absl::string_view option, int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [&](absl::string_view argument) {
    return absl::ConsumePrefix(&argument, "--") && absl::ConsumePrefix(&argument, option) &&
           (argument.empty() || argument.front() == '=');
  });
}

// The argument that a variable stands for; empty for a flag that is off.
std::string argument_of(const std::string& option, const std::string& value, bool is_flag) {
  if (!is_flag) return absl::StrCat("--", option, "=", value);
  if (value == "0") return "";
  if (value == "1") return absl::StrCat("--", option);
  throw cxxopts::exceptions::parsing(absl::StrCat(variable_of(option), " is 1 or 0, as --", option,
                                                  " takes no value, not ", value));
}

// The arguments with those of the variables before them.
std::vector<std::string> arguments_of_variables(const cxxopts::Options& options, int argc,
                                                const char* const* argv,
                                                std::set<std::string>& from_environment) {
  std::vector<std::string> arguments;
  for (const cxxopts::HelpOptionDetails& option : options.group_help("").options) {
    for (const std::string& name : option.l) {
      const std::string value = value_of_variable(name);
      if (value.empty() || is_in(name, argc, argv)) continue;
      const std::string argument = argument_of(name, value, option.is_boolean);
      if (argument.empty()) continue;
      arguments.push_back(argument);
      from_environment.insert(name);
    }
  }
  return arguments;
}

cxxopts::ParseResult parse_known(cxxopts::Options& options, int argc, const char* const* argv) {
  try {
    return options.parse(argc, argv);
  } catch (const cxxopts::exceptions::no_such_option& error) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat(error.what(), suggestion(name_in(error.what()), names_of(options), "--")));
  }
}

// ---- Manners ----

enum class Color { kAuto, kAlways, kNever };

// What --color and --log-level say, for all that this process prints.
struct Manners {
  Color color = Color::kAuto;
  bool warnings = true;
};
Manners g_manners;

bool has_colors(int stream) {
  if (g_manners.color != Color::kAuto) return g_manners.color == Color::kAlways;
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
  // mpirun gives its ranks a terminal, wherever its own output goes.
  return (no == nullptr || *no == '\0') && !is_dumb && ::isatty(stream) == 1 &&
         !mpi_job().has_value();
}

// Spaces that fill a column stay as they are.
std::string in_ink(Ink ink, const std::string& text, int stream) {
  static constexpr const char* kCodes[] = {"", "32", "33", "31"};
  if (ink == Ink::kPlain || text.empty() || !has_colors(stream)) return text;
  return absl::StrCat("\033[", kCodes[static_cast<size_t>(ink)], "m", text, "\033[0m");
}

void print_error(absl::string_view message, Ink ink) {
  const std::string line =
      absl::StrCat("lightmetal_runner: ", printable(absl::StripSuffix(message, "\n")));
  std::fputs(absl::StrCat(in_ink(ink, line, STDERR_FILENO), "\n").c_str(), stderr);
}

// What became of standard output. A stream drops the text that it could not write, and the next
// flush succeeds: the error has to be kept from the write that had it.
struct StandardOutput {
  int error = 0;  // errno of the first write that failed
  bool is_reported = false;
};
StandardOutput g_output;

void note_output_error(int error = errno) {
  if (g_output.error == 0) g_output.error = error;
}

// The place of a value among those that an option may have. Throws for any other.
size_t place_among(const cxxopts::ParseResult& arguments, const std::string& option,
                   absl::Span<const char* const> values) {
  const std::string text = arguments[option].as<std::string>();
  const auto found = std::ranges::find(values, text);
  if (found != values.end()) return static_cast<size_t>(found - values.begin());
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--", option, " is one of ", absl::StrJoin(values, ", "), ", not ", text));
}

// The logger of the host API reads its variable when its first line is logged.
void set_manners(const cxxopts::ParseResult& arguments) {
  static constexpr const char* kColors[] = {"auto", "always", "never"};
  static constexpr const char* kLevels[] = {"trace", "debug", "info", "warning", "error", "fatal"};
  constexpr size_t kWarning = 3;
  if (arguments.count("color") != 0)
    g_manners.color = static_cast<Color>(place_among(arguments, "color", kColors));
  if (arguments.count("log-level") == 0) return;
  const size_t level = place_among(arguments, "log-level", kLevels);
  g_manners.warnings = level <= kWarning;
  ::setenv("TT_LOGGER_LEVEL", kLevels[level], 1);
}

}  // namespace

std::string printable(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text), {{"\n", "\n  "}});
}

void say(absl::string_view message) { say({{.text = std::string(message)}}); }

void say(absl::Span<const Part> parts) {
  std::string line;
  for (const Part& part : parts)
    absl::StrAppend(&line, in_ink(part.ink, printable(part.text), STDOUT_FILENO));
  print_as_is(absl::StrCat(line, "\n"));
}

int fail(absl::string_view message) {
  print_error(message, Ink::kBad);
  return kFailure;
}

void warn(absl::string_view message) {
  if (g_manners.warnings) print_error(message, Ink::kWarning);
}

void show_no_colors() { g_manners.color = Color::kNever; }

bool print_as_is(absl::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_output_error();
  return g_output.error == 0;
}

int finish_output() {
  if (std::fflush(stdout) != 0) note_output_error();
  if (std::ferror(stdout) != 0) note_output_error(EIO);  // a line of the log
  if (g_output.error == 0) return kSuccess;
  if (std::exchange(g_output.is_reported, true)) return kFailure;
  return fail(absl::StrCat("cannot write to standard output: ", std::strerror(g_output.error)));
}

VerbOptions::VerbOptions(const std::string& verb, const std::string& summary,
                         std::string the_examples)
    : cxxopts::Options(absl::StrCat("lightmetal_runner ", verb), summary),
      examples(std::move(the_examples)) {}

VerbOptions options_for(const std::string& verb, const std::string& summary,
                        const std::string& examples) {
  VerbOptions options(verb, summary, examples);
  options.positional_help("FILE").set_width(100);
  options.add_options()("h,help", "Show this text")(
      "color",
      "Color results and errors: auto (default: on a terminal, unless NO_COLOR is set), "
      "always or never",
      cxxopts::value<std::string>(), "WHEN")(
      "log-level",
      "Show log lines from this level on: trace, debug, info (default), warning, error or fatal; "
      "beyond warning, no warnings of the runner either",
      cxxopts::value<std::string>(), "LEVEL");
  options.add_options("hidden")("file", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("file");
  return options;
}

bool is_given(const Arguments& arguments, const std::string& option) {
  return arguments.count(option) != 0 && !arguments.from_environment.contains(option);
}

std::string with_variable(const std::string& message, int argc, const char* const* argv) {
  for (size_t at = message.find("--"); at != message.npos; at = message.find("--", at + 2)) {
    const size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    const std::string option = message.substr(at + 2, end - at - 2);
    if (option.empty() || value_of_variable(option).empty() || is_in(option, argc, argv)) continue;
    return absl::StrCat(message, " (", variable_of(option), " says so)");
  }
  return message;
}

std::optional<Arguments> parse(VerbOptions& options, int argc, const char* const* argv) {
  std::set<std::string> from_environment;
  const std::vector<std::string> added =
      arguments_of_variables(options, argc, argv, from_environment);
  std::vector<const char*> all = {argv[0]};
  for (const std::string& argument : added) all.push_back(argument.c_str());
  all.insert(all.end(), argv + 1, argv + argc);
  Arguments arguments{parse_known(options, static_cast<int>(all.size()), all.data()),
                      std::move(from_environment)};
  if (arguments.count("help") != 0) {
    const std::string help = absl::StrCat(options.help({""}), "\nExamples:\n  ",
                                          absl::StrReplaceAll(options.examples, {{"\n", "\n  "}}));
    print_as_is(absl::StrCat(help, "\n"));
    return std::nullopt;
  }
  check_given_once(options, arguments);
  set_manners(arguments);
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
