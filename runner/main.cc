#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/nearest.h"
#include "runner/verbs.h"
#include "schema/file/frame.h"

namespace lightmetal::runner {
namespace {

struct Verb {
  std::string_view name;
  int (*function)(int argc, const char* const* argv);
};

constexpr Verb kVerbs[] = {
    {"run", run},           {"bench", bench},     {"info", info},       {"dump", dump},
    {"report", report},     {"convert", convert}, {"extract", extract}, {"diff", diff},
    {"verify", verify},     {"check", check},     {"repair", repair},   {"trim", trim},
    {"reduce", reduce},     {"set", set},         {"bind", bind},       {"optimize", optimize},
    {"relocate", relocate}, {"redact", redact},   {"sign", sign},       {"keygen", keygen}};

constexpr char kHelp[] =
    R"(Replays a program that was captured with Light Metal: no source, no compiler needed.

Usage:
  lightmetal_runner [run] FILE [OPTIONS]   replay it and compare what it reads with what was recorded
  lightmetal_runner run FILE... [OPTIONS]  replay many (files, folders or patterns), each in a process
                                           of its own; under mpirun, its ranks share them
  lightmetal_runner run FILE --input x=IN --output y=OUT
                                           run an entry of it with values for its inputs
  lightmetal_runner bench FILE             how long it takes, whole, by scope and by program
  lightmetal_runner info FILE              what the file holds
  lightmetal_runner dump FILE              its commands, one to a line
  lightmetal_runner report FILE -o OUT     write a page to look at: times, memory, dataflow, goldens
  lightmetal_runner convert FILE --to jsonl -o OUT
                                           write it as text that can be edited, and back (--from)
  lightmetal_runner extract FILE -o DIR    write its kernels and payloads as files
  lightmetal_runner diff A B               what differs between two files, by what they mean
  lightmetal_runner verify FILE            check every byte, without a device
  lightmetal_runner check FILE             whether it would run here, without running it
  lightmetal_runner repair FILE -o OUT     write the whole records of a damaged file anew
  lightmetal_runner trim FILE --calls A-B -o OUT
                                           write these commands and what they need as a file
  lightmetal_runner reduce FILE --keep-failing CMD -o OUT
                                           write a small file for which CMD still fails
  lightmetal_runner set FILE -o OUT        write it anew with other arguments, data or kernels
  lightmetal_runner bind FILE -o OUT       write it with names for buffers and commands, to run it by
  lightmetal_runner relocate --detect A B -o OUT
                                           write A with addresses by buffers, which may then lie elsewhere
  lightmetal_runner optimize FILE -o OUT   write it anew without what its reads do not need
  lightmetal_runner redact FILE -o OUT     write it anew without what it says of people and machines
  lightmetal_runner keygen -o NAME         make a key to sign files with
  lightmetal_runner sign FILE --key KEY    sign it: who has the public key can tell that it is yours
  lightmetal_runner VERB --help            the options of a verb
  lightmetal_runner --version

Exit codes: 0 all well, 1 the replay read something other than was recorded, or two files differ, 2 anything
else; of many files, that of the worst.
)";

int print_help() {
  print_as_is(kHelp);
  return finish_output();
}

int print_version() {
  say(absl::StrCat("lightmetal_runner ", LIGHTMETAL_VERSION, ", file format ",
                   schema::kVersionMajor, ".", schema::kVersionMinor));
  return finish_output();
}

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  return names;
}

// A word that looks like no path and names no file is a misspelt verb.
bool may_be_verb(std::string_view word) {
  return word.find_first_of("./-=*?[") == word.npos && !std::filesystem::exists(word);
}

// Calls the verb; without one, `run` is meant.
int call_verb(int argc, const char* const* argv) {
  if (const Verb* verb = find_verb(argv[1])) return verb->function(argc - 1, argv + 1);
  if (may_be_verb(argv[1])) {
    return fail(absl::StrCat(argv[1], " is neither a verb nor a file; --help lists the verbs",
                             suggestion(argv[1], verb_names())));
  }
  return run(argc, argv);
}

int dispatch(int argc, const char* const* argv) {
  if (argc < 2) {
    std::fputs(kHelp, stderr);
    return kFailure;
  }
  const std::string_view first = argv[1];
  if (first == "--help" || first == "-h" || first == "help") return print_help();
  if (first == "--version") return print_version();
  return call_verb(argc, argv);
}

}  // namespace
}  // namespace lightmetal::runner

int main(int argc, char** argv) {
  namespace runner = lightmetal::runner;
  try {
    const int code = runner::dispatch(argc, argv);
    return std::max(code, runner::finish_output());
  } catch (const std::exception& error) {
    return runner::fail(runner::with_variable(error.what(), argc, argv));
  }
}
