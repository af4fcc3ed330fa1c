#include "device/cpu/compiler/prelude.h"

#include <filesystem>
#include <system_error>

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

// The digest of a precompiled header lies beside it: clang would not see each damage.
std::string digest_file(const std::string& compiled) { return absl::StrCat(compiled, ".digest"); }

bool is_whole(const std::string& compiled) {
  const auto content = read_file(compiled);
  const auto digest = read_file(digest_file(compiled));
  return content.ok() && digest.ok() && hex(*content) == *digest;
}

absl::Status write_unless_present(const std::string& path, const std::string& content) {
  const auto present = read_file(path);
  if (present.ok() && *present == content) return absl::OkStatus();
  return write_file(path, content);
}

// The times of the files that clang has read are not looked at: a toolbox that somebody has deleted
// and another process has unpacked again is the same.
std::vector<std::string> precompile_command(const std::string& header,
                                            const std::vector<std::string>& flags,
                                            const Tools& tools, const Toolbox& toolbox,
                                            const std::string& output) {
  std::vector<std::string> command = {tools.clang};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-I", toolbox.headers, "-Xclang", "-fno-pch-timestamp", "-x",
                                 "c++-header", header, "-o", output});
  return command;
}

absl::Status precompile(const std::string& header, const std::vector<std::string>& flags,
                        const Tools& tools, const Toolbox& toolbox, const std::string& scratch,
                        const std::string& path) {
  const std::string output = absl::StrCat(scratch, "/prelude.pch");
  LM_RETURN_IF_ERROR(
      run_tool(precompile_command(header, flags, tools, toolbox, output), scratch, "<prelude>"));
  LM_ASSIGN_OR_RETURN(content, read_file(output));
  LM_RETURN_IF_ERROR(write_file(path, content));
  return write_file(digest_file(path), hex(content));
}

}  // namespace

absl::StatusOr<std::string> compiled_prelude(const std::string& text,
                                             const std::vector<std::string>& flags,
                                             const Tools& tools, const Toolbox& toolbox,
                                             const std::string& scratch) {
  static auto* const making = new Mutex;  // never destroyed: threads may compile during exit
  const std::string header = absl::StrCat(toolbox.preludes, "/", hex(text), ".h");
  const std::string all =
      absl::StrCat(absl::StrJoin(flags, " "), "\n", identity(tools.clang), "\n", header);
  const std::string compiled = absl::StrCat(toolbox.preludes, "/", hex(all), ".pch");
  MutexLock lock(making);
  LM_RETURN_IF_ERROR(write_unless_present(header, text));
  if (is_whole(compiled)) return compiled;
  LM_RETURN_IF_ERROR(precompile(header, flags, tools, toolbox, scratch, compiled));
  return compiled;
}

bool cannot_be_loaded(absl::string_view compiled_prelude, absl::string_view messages) {
  return absl::StrContains(messages, compiled_prelude) || absl::StrContains(messages, "AST file");
}

}  // namespace lightmetal::device::cpu
