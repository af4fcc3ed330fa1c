#include "device/cpu/compiler/tools.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "device/cpu/compiler/config.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/process.h"

namespace lightmetal::device::cpu {
namespace {

// How long clang may take. Without a limit, a kernel can keep the compiler busy for ever, with
// constants that it computes or with what it includes.
absl::StatusOr<absl::Duration> time_limit() {
  double seconds = 600;
  const char* text = std::getenv("LIGHTMETAL_CLANG_SECONDS");
  if (text == nullptr || *text == '\0') return absl::Seconds(seconds);
  if (absl::SimpleAtod(text, &seconds) && seconds >= 0.01 && seconds <= 1e6) {
    return absl::Seconds(seconds);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("LIGHTMETAL_CLANG_SECONDS=", text, " is not a number from 0.01 to 1e+06"));
}

// Runs a program as run_program() does, but not longer than that.
absl::StatusOr<int> run_in_time(const std::vector<std::string>& command,
                                const std::string& output) {
  LM_ASSIGN_OR_RETURN(limit, time_limit());
  auto ended = run_program(command, output, limit);
  if (!absl::IsDeadlineExceeded(ended.status())) return ended;
  return absl::DeadlineExceededError(
      absl::StrCat(ended.status().message(), ", the limit (LIGHTMETAL_CLANG_SECONDS)"));
}

// Whether a clang has the LLVM version for which the pass was built.
absl::StatusOr<bool> has_right_version(const std::string& program, const std::string& scratch) {
  const std::string output = absl::StrCat(scratch, "/version");
  LM_ASSIGN_OR_RETURN(status, run_in_time({program, "--version"}, output));
  if (status != 0 && status != kUnknownStatus) return false;
  LM_ASSIGN_OR_RETURN(text, read_file(output));
  return absl::StrContains(text, absl::StrCat("clang version ", kLlvmMajor, "."));
}

// Another LLVM could not load the pass, and what it makes would lie in the cache as of the build's.
absl::StatusOr<std::string> chosen_clang(const std::string& chosen, const std::string& scratch) {
  const std::string program = find_program(chosen);
  if (program.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("LIGHTMETAL_CLANG names no program: ", chosen));
  }
  LM_ASSIGN_OR_RETURN(right, has_right_version(program, scratch));
  if (right) return program;
  return absl::FailedPreconditionError(absl::StrCat("compiling a kernel needs clang ", kLlvmMajor,
                                                    ", and LIGHTMETAL_CLANG=", chosen, " is not"));
}

// Where clang is not chosen, its path or name says the version, but for the last.
absl::StatusOr<std::string> find_clang(const std::string& scratch) {
  if (const char* chosen = std::getenv("LIGHTMETAL_CLANG"); chosen != nullptr && *chosen != 0)
    return chosen_clang(chosen, scratch);
  for (const std::string& name :
       {absl::StrCat(kLlvmTools, "/clang"), absl::StrCat("clang-", kLlvmMajor)}) {
    const std::string program = find_program(name);
    if (!program.empty()) return program;
  }
  if (const std::string program = find_program("clang"); !program.empty()) {
    LM_ASSIGN_OR_RETURN(right, has_right_version(program, scratch));
    if (right) return program;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("compiling a kernel needs clang ", kLlvmMajor, ": there is neither ", kLlvmTools,
                   "/clang nor a clang-", kLlvmMajor,
                   " or clang of that version in PATH, and LIGHTMETAL_CLANG is not set"));
}

// The file that a tool is to write: the word behind the last -o, which is the one that counts.
std::string output_of(const std::vector<std::string>& command) {
  const auto option = std::ranges::find(command.rbegin(), command.rend(), "-o");
  return option == command.rend() ? "" : *std::prev(option);
}

// Whether a tool has succeeded. Where nobody knows its exit status, the output tells: both tools
// write it at the end, and write none when something is wrong.
bool has_succeeded(int status, const std::vector<std::string>& command) {
  std::error_code none;
  return status == 0 ||
         (status == kUnknownStatus && std::filesystem::exists(output_of(command), none));
}

}  // namespace

absl::StatusOr<Tools> find_tools(const std::string& scratch) {
  LM_ASSIGN_OR_RETURN(clang, find_clang(scratch));
  for (const std::string& name :
       {std::string("ld"), absl::StrCat("ld.lld-", kLlvmMajor), std::string("ld.lld")}) {
    const std::string linker = find_program(name);
    if (!linker.empty()) return Tools{clang, linker};
  }
  return absl::FailedPreconditionError("linking a kernel needs ld or ld.lld in PATH");
}

absl::Status run_tool(const std::vector<std::string>& command, const std::string& scratch,
                      const std::string& kernel) {
  const std::string output = absl::StrCat(scratch, "/messages");
  std::error_code none;
  std::filesystem::remove(output_of(command), none);  // of an earlier run
  auto ended = run_in_time(command, output);
  if (absl::IsDeadlineExceeded(ended.status())) {
    return absl::DeadlineExceededError(
        absl::StrCat("kernel ", kernel, ": ", ended.status().message()));
  }
  LM_ASSIGN_OR_RETURN(status, std::move(ended));
  if (has_succeeded(status, command)) return absl::OkStatus();
  std::string messages = read_file(output).value_or("");
  absl::StrReplaceAll({{absl::StrCat(scratch, "/"), ""}}, &messages);
  if (messages.empty())
    messages = absl::StrCat(command[0], " failed with status ", status, " and no message");
  return absl::InvalidArgumentError(
      absl::StrCat("kernel ", kernel, " does not compile:\n", absl::StripSuffix(messages, "\n")));
}

}  // namespace lightmetal::device::cpu
