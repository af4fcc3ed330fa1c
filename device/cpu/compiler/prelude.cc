#include "device/cpu/compiler/prelude.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "base/status.h"

namespace lightmetal::device::cpu {
namespace {

namespace fs = std::filesystem;

// What tells one clang from another: no clang loads what another has compiled.
std::string identity(const std::string& clang) {
  std::error_code error;
  return absl::StrCat(clang, " ", fs::file_size(clang, error), " ",
                      fs::last_write_time(clang, error).time_since_epoch().count());
}

std::string hex(absl::string_view content) {
  return digest_of(bytes_of(content.data(), content.size())).hex();
}

// The digest of what was compiled lies beside it: neither clang nor a linker would see each damage.
std::string digest_file(const std::string& compiled) { return absl::StrCat(compiled, ".digest"); }

bool is_whole_identifier(const std::string& compiled) {
  const auto content = read_file(compiled);
  const auto digest = read_file(digest_file(compiled));
  return content.ok() && digest.ok() && hex(*content) == *digest;
}

absl::Status write_unless_present(const std::string& path, const std::string& content) {
  const auto present = read_file(path);
  if (present.ok() && *present == content) return absl::OkStatus();
  return write_file(path, content);
}

// The file beside the toolbox that clang has made by such a command, which lacks the output's name.
// It is made unless it is there and whole.
absl::StatusOr<std::string> made_once(std::vector<std::string> command, absl::string_view ending,
                                      const Toolbox& toolbox, const std::string& scratch) {
  const std::string all = absl::StrCat(absl::StrJoin(command, " "), "\n", identity(command[0]));
  const std::string path = absl::StrCat(toolbox.preludes, "/", hex(all), ending);
  if (is_checked(path, [&] { return is_whole_identifier(path); })) return path;
  const std::string output = absl::StrCat(scratch, "/made_once", ending);
  command.insert(command.end(), {"-o", output});
  LM_RETURN_IF_ERROR(run_tool(command, scratch, "<prelude>"));
  LM_ASSIGN_OR_RETURN(content, read_file(output));
  LM_RETURN_IF_ERROR(write_file(path, content));
  LM_RETURN_IF_ERROR(write_file(digest_file(path), hex(content)));
  return path;
}

std::vector<std::string> clang_command(const std::vector<std::string>& flags, const Tools& tools,
                                       const Toolbox& toolbox) {
  std::vector<std::string> command = {tools.clang};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-I", toolbox.headers});
  return command;
}

// One thread at a time makes a file. Never destroyed: threads may compile during exit.
Mutex& making() {
  static auto* const mutex = new Mutex;
  return *mutex;
}

}  // namespace

absl::StatusOr<std::string> compiled_prelude(const std::string& text,
                                             const std::vector<std::string>& flags,
                                             const Tools& tools, const Toolbox& toolbox,
                                             const std::string& scratch) {
  const std::string header = absl::StrCat(toolbox.preludes, "/", hex(text), ".h");
  std::vector<std::string> command = clang_command(flags, tools, toolbox);
  // The times of the files that clang has read are not looked at: a toolbox that somebody has
  // deleted and another process has unpacked again is the same.
  command.insert(command.end(), {"-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp",
                                 "-x", "c++-header", header});
  MutexLock lock(&making());
  LM_RETURN_IF_ERROR(write_unless_present(header, text));
  return made_once(std::move(command), ".pch", toolbox, scratch);
}

absl::StatusOr<std::string> compiled_runtime(const std::vector<std::string>& flags,
                                             const Tools& tools, const Toolbox& toolbox,
                                             const std::string& scratch) {
  std::vector<std::string> command = clang_command(flags, tools, toolbox);
  // A line of it is never what a person wants to see, but the line of the call.
  command.insert(command.end(), {"-g0", absl::StrCat("-fpass-plugin=", toolbox.pass), "-c",
                                 absl::StrCat(toolbox.headers, "/lightmetal/runtime.h")});
  MutexLock lock(&making());
  return made_once(std::move(command), ".o", toolbox, scratch);
}

bool cannot_be_loaded(absl::string_view compiled_prelude, absl::string_view messages) {
  return absl::StrContains(messages, compiled_prelude) || absl::StrContains(messages, "AST file");
}

}  // namespace lightmetal::device::cpu
