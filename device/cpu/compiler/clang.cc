#include "device/cpu/compiler/clang.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "device/cpu/compiler/config.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/process.h"
#include "device/cpu/compiler/wrapper.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__)
constexpr char kArchitecture[] = "-march=x86-64-v2";
#else
constexpr char kArchitecture[] = "-fPIC";  // the architecture's own baseline
#endif

// -fms-extensions: kernels cast pointers to uint32_t, which clang refuses otherwise where pointers
// are longer. Frame pointers, frames that fit the stack and touch each page of it, and calls that
// leave a frame: by these kernels find their context, and the device finds where a kernel was.
// -fno-finite-loops: clang must not take a loop that never ends for one that cannot be reached.
// Nothing that depends on where or when a kernel is compiled may get into the object.
constexpr const char* kCompileFlags[] = {"-x",
                                         "c++",
                                         "-std=gnu++20",
                                         "-O2",
                                         "-g1",
                                         "-gdwarf-5",
                                         "-fPIC",
                                         kArchitecture,
                                         "-fms-extensions",
                                         "-fno-strict-aliasing",
                                         "-fno-finite-loops",
                                         "-fno-exceptions",
                                         "-fno-rtti",
                                         "-fno-threadsafe-statics",
                                         "-fno-c++-static-destructors",
                                         "-fno-stack-protector",
                                         "-fstack-clash-protection",
                                         "-fno-asynchronous-unwind-tables",
                                         "-fno-omit-frame-pointer",
                                         "-fno-optimize-sibling-calls",
                                         "-fno-math-errno",
                                         "-ffp-contract=off",
                                         "-fcf-protection=none",
                                         "-fvisibility=hidden",
                                         "-fvisibility-inlines-hidden",
                                         "-ffunction-sections",
                                         "-fdata-sections",
                                         "-Qn",
                                         "-ffile-compilation-dir=.",
                                         "-fno-color-diagnostics",
                                         "-ferror-limit=10",
                                         "-fno-crash-diagnostics",
                                         "-Wno-everything",
                                         "-Wframe-larger-than=131072",
                                         "-Werror=frame-larger-than"};

// These flags stand behind kCompileFlags, and of two that contradict each other the later one wins.
std::vector<std::string> setting_flags(const CompileSettings& settings) {
  std::vector<std::string> flags;
  if (settings.debug) flags = {"-O0", "-g"};
  if (settings.check_uninitialized) flags.push_back("-DLIGHTMETAL_CHECK_UNINITIALIZED");
  return flags;
}

constexpr const char* kLinkFlags[] = {"-shared",
                                      "--no-undefined",
                                      "--gc-sections",
                                      "--hash-style=gnu",
                                      "--build-id=none",
                                      "-z",
                                      "max-page-size=4096",
                                      "-z",
                                      "noexecstack",
                                      "-z",
                                      "relro",
                                      "-z",
                                      "now",
                                      "-soname",
                                      "lightmetal_kernel"};

struct Tools {
  std::string clang;
  std::string linker;
};

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

// Finds clang, and as linker the first of: lld of the same LLVM, any lld, the system's linker.
absl::StatusOr<Tools> find_tools(const std::string& scratch) {
  LM_ASSIGN_OR_RETURN(clang, find_clang(scratch));
  std::error_code error;
  const auto beside = std::filesystem::canonical(clang, error).parent_path().string();
  for (const std::string& name :
       {absl::StrCat(beside, "/ld.lld"), absl::StrCat("ld.lld-", kLlvmMajor), std::string("ld.lld"),
        std::string("ld")}) {
    const std::string linker = find_program(name);
    if (!linker.empty()) return Tools{clang, linker};
  }
  return absl::FailedPreconditionError("linking a kernel needs ld.lld or ld in PATH");
}

// The file that a tool is to write: the word behind -o.
std::string output_of(const std::vector<std::string>& command) {
  const auto option = std::ranges::find(command, "-o");
  return option == command.end() ? "" : *std::next(option);
}

// Whether a tool has succeeded. Where nobody knows its exit status, the output tells: both tools
// write it at the end, and write none when something is wrong.
bool has_succeeded(int status, const std::vector<std::string>& command) {
  std::error_code none;
  return status == 0 ||
         (status == kUnknownStatus && std::filesystem::exists(output_of(command), none));
}

// Runs clang or the linker once; what it prints becomes the error.
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

// Where headers lie below $TT_METAL_HOME, as in upstream's tree and in the ttnn Python package,
// which has a `tt_metal` of its own below `ttnn`.
constexpr const char* kTrees[] = {"", "ttnn"};
constexpr const char* kHeaderFolders[] = {"",
                                          "cpp",
                                          "tt_metal",
                                          "tt_metal/include",
                                          "tt_metal/api",
                                          "tt_metal/hw/inc",
                                          "tt_metal/hostdevcommon/api"};

// Since 2026 this folder is the kernel API itself. Ours stands for all of it: a header of
// upstream's would bring others, and what ours declares once more.
bool is_kernel_api(const std::filesystem::path& folder) {
  std::error_code error;
  return folder.filename() == "inc" && std::filesystem::is_directory(folder / "api", error);
}

std::vector<std::string> home_folders() {
  namespace fs = std::filesystem;
  const char* home = std::getenv("TT_METAL_HOME");
  if (home == nullptr || *home == 0) return {};
  std::vector<std::string> folders;
  for (const char* tree : kTrees) {
    for (const char* name : kHeaderFolders) {
      std::error_code error;
      const fs::path folder = (fs::path(home) / tree / name).lexically_normal();
      if (fs::is_directory(folder, error) && !is_kernel_api(folder))
        folders.push_back(folder.string());
    }
  }
  // The package's kernels also name headers from the folder around it: "ttnn/cpp/...".
  const fs::path own = (fs::path(home) / "").lexically_normal().parent_path();
  if (own.filename() == "ttnn" && own.has_parent_path())
    folders.push_back(own.parent_path().string());
  return folders;
}

// The order of folders. An #include with quotes is looked for beside the kernel first; then, like
// every other, in our headers, which nothing of the program's tree may hide, in the folders that
// the kernel's configuration names, in the program's tree, and in the system's folders.
std::vector<std::string> include_flags(const KernelSource& source, const std::string& headers) {
  std::vector<std::string> flags;
  // So that a path in a kernel's text, as ASSERT has it, does not say where the folder lies.
  const auto add = [&flags](const char* kind, const std::string& folder) {
    flags.insert(flags.end(), {kind, folder});
    if (!may_be_left_out_of_names(folder)) return;
    flags.push_back(absl::StrCat("-fmacro-prefix-map=", folder, "/="));
  };
  if (!source.directory.empty()) {
    add("-iquote", std::filesystem::absolute(source.directory).string());
  }
  flags.insert(flags.end(), {"-I", headers});
  for (const std::string& folder : source.include_paths) add("-I", folder);
  for (const std::string& folder : home_folders()) add("-I", folder);
  return flags;
}

std::vector<std::string> compile_command(const KernelSource& source,
                                         const CompileSettings& settings, const Tools& tools,
                                         const Toolbox& toolbox, const std::string& scratch) {
  std::vector<std::string> command = {tools.clang};
  command.insert(command.end(), std::begin(kCompileFlags), std::end(kCompileFlags));
  const std::vector<std::string> chosen = setting_flags(settings);
  command.insert(command.end(), chosen.begin(), chosen.end());
  const std::vector<std::string> includes = include_flags(source, toolbox.headers);
  command.insert(command.end(), includes.begin(), includes.end());
  command.insert(command.end(), {absl::StrCat("-fpass-plugin=", toolbox.pass),
                                 absl::StrCat("-ffile-prefix-map=", scratch, "/="),
                                 absl::StrCat("-ffile-prefix-map=", toolbox.headers, "/="), "-MMD",
                                 "-MT", "kernel", "-MF", absl::StrCat(scratch, "/includes"), "-c",
                                 absl::StrCat(scratch, "/", kWrapperName), "-o",
                                 absl::StrCat(scratch, "/kernel.o")});
  return command;
}

std::vector<std::string> link_command(const Tools& tools, const std::string& scratch) {
  std::vector<std::string> command = {tools.linker};
  command.insert(command.end(), std::begin(kLinkFlags), std::end(kLinkFlags));
  command.insert(command.end(),
                 {absl::StrCat(scratch, "/kernel.o"), "-o", absl::StrCat(scratch, "/kernel.so")});
  return command;
}

// Compiles the wrapped kernel. GCC takes `#pragma GCC unroll 0` for 1, which says not to unroll.
// Clang refuses 0, so a kernel with this pragma is preprocessed and compiled once more, with 1.
absl::Status compile(const KernelSource& source, const CompileSettings& settings,
                     const Tools& tools, const Toolbox& toolbox, const std::string& scratch) {
  std::vector<std::string> command = compile_command(source, settings, tools, toolbox, scratch);
  const absl::Status first = run_tool(command, scratch, source.name);
  if (!absl::StrContains(first.message(), "invalid value '0'; must be positive")) return first;
  command.back() = absl::StrCat(scratch, "/expanded");
  command.push_back("-E");
  LM_RETURN_IF_ERROR(run_tool(command, scratch, source.name));
  LM_ASSIGN_OR_RETURN(expanded, read_file(command[command.size() - 2]));
  absl::StrReplaceAll({{"#pragma GCC unroll 0", "#pragma GCC unroll 1"}}, &expanded);
  LM_RETURN_IF_ERROR(write_file(absl::StrCat(scratch, "/", kWrapperName), expanded));
  command = compile_command(source, settings, tools, toolbox, scratch);
  command.insert(command.end(), {"-MF", absl::StrCat(scratch, "/no_includes")});
  return run_tool(command, scratch, source.name);
}

// Undoes what make's syntax does to a path.
std::string unescaped(absl::string_view word) {
  return absl::StrReplaceAll(word, {{"\\ ", " "}, {"\\#", "#"}, {"$$", "$"}});
}

// The words of a make rule: separated by white space that no backslash stands before.
std::vector<std::string> rule_words(absl::string_view rule) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(unescaped(word));
    word.clear();
  };
  for (size_t i = 0; i < rule.size(); ++i) {
    const bool escaped = i > 0 && rule[i - 1] == '\\';
    if (rule[i] == '\\' && i + 1 < rule.size() && rule[i + 1] == '\n') continue;
    if (rule[i] == '\n' || (rule[i] == ' ' && !escaped)) {
      end_word();
    } else {
      word += rule[i];
    }
  }
  end_word();
  return words;
}

// The user's files that clang has read, with their digests. The wrapper and our headers are not the
// user's: the key of a kernel has them already.
absl::StatusOr<std::vector<IncludedFile>> included_files(const std::string& scratch,
                                                         const std::string& headers) {
  LM_ASSIGN_OR_RETURN(rule, read_file(absl::StrCat(scratch, "/includes")));
  std::vector<IncludedFile> files;
  for (const std::string& path : rule_words(rule)) {
    if (path == "kernel:" || absl::StrContains(path, scratch)) continue;
    if (absl::StartsWith(path, absl::StrCat(headers, "/"))) continue;
    LM_ASSIGN_OR_RETURN(content, read_file(path));
    files.push_back({std::filesystem::absolute(path).string(),
                     digest_of(bytes_of(content.data(), content.size()))});
  }
  return files;
}

absl::StatusOr<ClangOutput> collect(const std::string& scratch, const std::string& headers) {
  LM_ASSIGN_OR_RETURN(object, read_file(absl::StrCat(scratch, "/kernel.so")));
  LM_ASSIGN_OR_RETURN(included, included_files(scratch, headers));
  const auto* begin = reinterpret_cast<const std::byte*>(object.data());
  return ClangOutput{{begin, begin + object.size()}, std::move(included)};
}

}  // namespace

std::string clang_settings(const KernelSource& source, const CompileSettings& settings) {
  return absl::StrCat(kLlvmVersion, "\n", absl::StrJoin(kCompileFlags, " "), "\n",
                      absl::StrJoin(setting_flags(settings), " "), "\n",
                      absl::StrJoin(kLinkFlags, " "), "\n",
                      absl::StrJoin(include_flags(source, "<headers>"), " "));
}

absl::StatusOr<ClangOutput> run_clang(const KernelSource& source, const CompileSettings& settings,
                                      const std::string& wrapped) {
  TemporaryFolder folder;
  LM_RETURN_IF_ERROR(folder.create());
  const std::string& scratch = folder.path();
  LM_ASSIGN_OR_RETURN(tools, find_tools(scratch));
  LM_ASSIGN_OR_RETURN(toolbox, unpack_toolbox());
  LM_RETURN_IF_ERROR(write_file(absl::StrCat(scratch, "/", kWrapperName), wrapped));
  LM_RETURN_IF_ERROR(compile(source, settings, tools, toolbox, scratch));
  LM_RETURN_IF_ERROR(run_tool(link_command(tools, scratch), scratch, source.name));
  return collect(scratch, toolbox.headers);
}

}  // namespace lightmetal::device::cpu
