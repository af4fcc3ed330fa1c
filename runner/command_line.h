#pragma once

#include <cstdint>
#include <cxxopts.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runner/verbs.h"

// What the verbs share: messages, options, and their values. Wrong arguments are thrown as cxxopts'
// exceptions, which main() prints.
namespace lightmetal::runner {

// Makes text safe for a terminal, because part of it may come from a file: control characters
// become escapes, and lines behind the first are indented, so that none looks like the runner's.
std::string printable(absl::string_view text);

// Prints one line (more where the message has more) on standard error, made printable. Returns
// kFailure.
int fail(absl::string_view message);
inline int fail(const absl::Status& status) { return fail(status.message()); }

// The same for what is no error, a message with "warning: " in it, unless --log-level says no.
void warn(absl::string_view message);

// How a part of a line is shown where there are colors.
enum class Ink { kPlain, kGood, kWarning, kBad };
struct Part {
  std::string text;
  Ink ink = Ink::kPlain;
};

// Prints one line (more where the message has more) on standard output, made printable, too.
void say(absl::string_view message);
void say(absl::Span<const Part> parts);

// Lines have no colors from here on: those of a process whose lines another one reads.
void show_no_colors();

// Writes `text` to standard output as it is: the form that a program reads, or a text whose parts
// are printable. Returns false if this write or an earlier one failed.
bool print_as_is(absl::string_view text);

// Flushes standard output. Returns kSuccess, or kFailure if any write of this process failed. The
// first call that returns kFailure prints a message.
int finish_output();

// The options of a verb, and the examples that its help ends with, one to a line.
struct VerbOptions : cxxopts::Options {
  VerbOptions(const std::string& verb, const std::string& summary, std::string the_examples);
  const std::string examples;
};

// The options of a verb that takes one FILE: `--help` and the positional argument are there
// already.
VerbOptions options_for(const std::string& verb, const std::string& summary,
                        const std::string& examples);

// What a verb is called with: what the command line says, and for options that it does not have,
// what their variables say: LIGHTMETAL_RUNNER_MEMORY_LIMIT is that of --memory-limit.
struct Arguments : cxxopts::ParseResult {
  std::set<std::string> from_environment = {};  // options that have their value from there
};

// True for an option that the command line has.
bool is_given(const Arguments& arguments, const std::string& option);

// The parsed arguments; none when help was asked for and given. Throws when an option is unknown,
// or one that takes one value is given twice, or with an empty one.
std::optional<Arguments> parse(VerbOptions& options, int argc, const char* const* argv);

// The message of an error, and which variable gave the option that it speaks of, if one did.
std::string with_variable(const std::string& message, int argc, const char* const* argv);

// Each FILE. Throws when there is none, or an empty name.
std::vector<std::string> files_of(const cxxopts::ParseResult& arguments);

// The FILE, whose loss is reported from now on (lost_file.h). Throws when there is none, or more
// than one.
std::string file_of(const cxxopts::ParseResult& arguments);

// True for a flag that is given, unless as --NAME=false.
bool is_set(const cxxopts::ParseResult& arguments, const std::string& name);

// The value of -o. Throws when it is missing, which `what` says.
std::string output_of(const cxxopts::ParseResult& arguments, const std::string& what);

// The number that a text of digits alone stands for; none for any other text.
std::optional<uint64_t> digits_of(absl::string_view text);

// The value of `option`, which must be a number from `least` on. Throws otherwise.
uint64_t count_option(const cxxopts::ParseResult& arguments, const std::string& option,
                      uint64_t least);

// A range of commands by their numbers, counted from 0; both ends are included.
struct CommandRange {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
};

// The value of --calls: "7", "10-20", "10-" or "-20". Throws for anything else.
CommandRange command_range(const std::string& text);

// The value of `option`, which must be one of `first` and `second`. Throws otherwise.
std::string choice(const cxxopts::ParseResult& arguments, const std::string& option,
                   const std::string& first, const std::string& second);

}  // namespace lightmetal::runner
