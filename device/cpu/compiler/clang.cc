#include "device/cpu/compiler/clang.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "device/cpu/compiler/config.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/prelude.h"
#include "device/cpu/compiler/tools.h"
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
// -g1 stands behind -gdwarf-5, which by itself asks for descriptions of all variables and types.
// Nothing that depends on where or when a kernel is compiled may get into the object.
constexpr const char* kCompileFlags[] = {"-x",
                                         "c++",
                                         "-std=gnu++20",
                                         "-O2",
                                         "-gdwarf-5",
                                         "-g1",
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
                                      "separate-code",
                                      "-z",
                                      "noexecstack",
                                      "-z",
                                      "relro",
                                      "-z",
                                      "now",
                                      "-soname",
                                      "lightmetal_kernel"};

// Where headers lie below $TT_METAL_HOME, as in upstream's tree, in the ttnn Python package, which
// has a `tt_metal` of its own below `ttnn`, and in the folder around the package.
constexpr const char* kTrees[] = {"", "ttnn", "ttnn/ttnn"};
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

// What decides, beside their texts, what clang makes of a kernel and of its prelude.
std::vector<std::string> language_flags(const CompileSettings& settings, const Toolbox& toolbox) {
  std::vector<std::string> flags(std::begin(kCompileFlags), std::end(kCompileFlags));
  const std::vector<std::string> chosen = setting_flags(settings);
  flags.insert(flags.end(), chosen.begin(), chosen.end());
  flags.insert(flags.end(), {absl::StrCat("-ffile-prefix-map=", toolbox.headers, "/="),
                             absl::StrCat("-ffile-prefix-map=", toolbox.preludes, "/=")});
  return flags;
}

// `prelude` is a file of compiled_prelude(), or empty when the text has all.
std::vector<std::string> compile_command(const KernelSource& source,
                                         const CompileSettings& settings, const Tools& tools,
                                         const Toolbox& toolbox, const std::string& prelude,
                                         const std::string& scratch) {
  std::vector<std::string> command = {tools.clang};
  const auto append = [&command](const std::vector<std::string>& flags) {
    command.insert(command.end(), flags.begin(), flags.end());
  };
  append(language_flags(settings, toolbox));
  if (!prelude.empty()) append({"-include-pch", prelude});
  append(include_flags(source, toolbox.headers));
  append({absl::StrCat("-fpass-plugin=", toolbox.pass),
          absl::StrCat("-ffile-prefix-map=", scratch, "/="), "-MMD", "-MT", "kernel", "-MF",
          absl::StrCat(scratch, "/includes"), "-c", absl::StrCat(scratch, "/", kWrapperName), "-o",
          absl::StrCat(scratch, "/kernel.o")});
  return command;
}

absl::Status link(const KernelSource& source, const CompileSettings& settings, const Tools& tools,
                  const Toolbox& toolbox, const std::string& scratch) {
  LM_ASSIGN_OR_RETURN(runtime,
                      compiled_runtime(language_flags(settings, toolbox), tools, toolbox, scratch));
  std::vector<std::string> command = {tools.linker};
  command.insert(command.end(), std::begin(kLinkFlags), std::end(kLinkFlags));
  command.insert(command.end(), {absl::StrCat(scratch, "/kernel.o"), runtime, "-o",
                                 absl::StrCat(scratch, "/kernel.so")});
  return run_tool(command, scratch, source.name);
}

// Runs clang on the body of a kernel, which lies in `scratch`, behind its prelude.
absl::Status compile_behind(const std::string& prelude, const KernelSource& source,
                            const CompileSettings& settings, const Tools& tools,
                            const Toolbox& toolbox, const std::string& scratch) {
  const auto flags = language_flags(settings, toolbox);
  for (bool again = false;; again = true) {
    LM_ASSIGN_OR_RETURN(compiled, compiled_prelude(prelude, flags, tools, toolbox, scratch));
    const auto command = compile_command(source, settings, tools, toolbox, compiled, scratch);
    absl::Status status = run_tool(command, scratch, source.name);
    if (status.ok() || again || !cannot_be_loaded(compiled, status.message())) return status;
    std::error_code error;
    std::filesystem::remove(compiled, error);
  }
}

// GCC takes `#pragma GCC unroll 0` for 1, which says not to unroll; clang refuses 0. So a kernel
// with this pragma is preprocessed, with its prelude, and compiled with 1.
absl::Status compile_without_zeros(const KernelSource& source, const CompileSettings& settings,
                                   const Tools& tools, const Toolbox& toolbox,
                                   const WrappedKernel& wrapped, const std::string& scratch) {
  const std::string text = absl::StrCat(scratch, "/", kWrapperName);
  const std::string output = absl::StrCat(scratch, "/expanded");
  const auto command = compile_command(source, settings, tools, toolbox, "", scratch);
  const auto run = [&](const std::vector<std::string>& further_flags) {
    std::vector<std::string> longer = command;
    longer.insert(longer.end(), further_flags.begin(), further_flags.end());
    return run_tool(longer, scratch, source.name);
  };
  LM_RETURN_IF_ERROR(write_file(text, wrapped.prelude + wrapped.body));
  LM_RETURN_IF_ERROR(run({"-E", "-o", output}));
  LM_ASSIGN_OR_RETURN(expanded, read_file(output));
  absl::StrReplaceAll({{"#pragma GCC unroll 0", "#pragma GCC unroll 1"}}, &expanded);
  LM_RETURN_IF_ERROR(write_file(text, expanded));
  return run({"-MF", absl::StrCat(scratch, "/no_includes")});
}

absl::Status compile(const KernelSource& source, const CompileSettings& settings,
                     const Tools& tools, const Toolbox& toolbox, const WrappedKernel& wrapped,
                     const std::string& scratch) {
  LM_RETURN_IF_ERROR(write_file(absl::StrCat(scratch, "/", kWrapperName), wrapped.body));
  const absl::Status status =
      compile_behind(wrapped.prelude, source, settings, tools, toolbox, scratch);
  if (!absl::StrContains(status.message(), "invalid value '0'; must be positive")) return status;
  return compile_without_zeros(source, settings, tools, toolbox, wrapped, scratch);
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
                                                         const Toolbox& toolbox) {
  LM_ASSIGN_OR_RETURN(rule, read_file(absl::StrCat(scratch, "/includes")));
  std::vector<IncludedFile> files;
  for (const std::string& path : rule_words(rule)) {
    if (path == "kernel:" || absl::StrContains(path, scratch)) continue;
    if (absl::StartsWith(path, absl::StrCat(toolbox.headers, "/"))) continue;
    if (absl::StartsWith(path, absl::StrCat(toolbox.preludes, "/"))) continue;
    LM_ASSIGN_OR_RETURN(content, read_file(path));
    files.push_back({std::filesystem::absolute(path).string(),
                     digest_of(bytes_of(content.data(), content.size()))});
  }
  return files;
}

absl::StatusOr<ClangOutput> collect(const std::string& scratch, const Toolbox& toolbox) {
  LM_ASSIGN_OR_RETURN(object, read_file(absl::StrCat(scratch, "/kernel.so")));
  LM_ASSIGN_OR_RETURN(included, included_files(scratch, toolbox));
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
                                      const WrappedKernel& wrapped) {
  TemporaryFolder folder;
  LM_RETURN_IF_ERROR(folder.create());
  const std::string& scratch = folder.path();
  LM_ASSIGN_OR_RETURN(tools, find_tools(scratch));
  LM_ASSIGN_OR_RETURN(toolbox, unpack_toolbox());
  LM_RETURN_IF_ERROR(compile(source, settings, tools, toolbox, wrapped, scratch));
  LM_RETURN_IF_ERROR(link(source, settings, tools, toolbox, scratch));
  return collect(scratch, toolbox);
}

}  // namespace lightmetal::device::cpu
