#include "tests/support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace lightmetal::testing {
namespace {

// The switch of scripts/mutants reaches every process.
bool is_of_mutants(const std::string& name) { return name.starts_with("LIGHTMETAL_MUTANT"); }

std::vector<std::string> environment_of(const ProcessOptions& options) {
  std::vector<std::string> words;
  for (char** word = environ; *word; ++word) {
    const std::string name = std::string(*word).substr(0, std::string(*word).find('='));
    if (options.empty_environment && !is_of_mutants(name)) continue;
    if (!options.environment.contains(name)) words.emplace_back(*word);
  }
  for (const auto& [name, value] : options.environment) words.push_back(name + "=" + value);
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  const TemporaryFolder folder;
  std::vector<std::string> words = arguments;
  std::vector<std::string> environment = environment_of(options);
  const std::string output = folder.path("output"), errors = folder.path("errors");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  if (!options.folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  pid_t child = 0;
  const int error = posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words[0]);
  int status = 0;
  rusage used = {};
  wait4(child, &status, 0, &used);
  return {exit_code_of(status), read_file(output), read_file(errors),
          static_cast<uint64_t>(used.ru_maxrss) << 10};
}

uint64_t run_until_system_call(const std::vector<std::string>& arguments, uint64_t last,
                               const ProcessOptions& options) {
  std::vector<std::string> words = arguments, environment = environment_of(options);
  const std::vector<char*> pointed = pointers(words), variables = pointers(environment);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) dup2(nothing, descriptor);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execve(pointed[0], pointed.data(), variables.data());
    _exit(127);
  }
  close(nothing);
  int status = 0;
  waitpid(child, &status, 0);
  if (child < 0 || !WIFSTOPPED(status)) throw std::runtime_error("cannot trace " + words[0]);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  constexpr int kSystemCall = SIGTRAP | 0x80;
  uint64_t stops = 0;  // as each system call begins and as it ends
  while (stops / 2 < last || stops % 2 == 1) {
    const int signal =
        WSTOPSIG(status) == kSystemCall || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return stops / 2;
    if (WSTOPSIG(status) == kSystemCall) ++stops;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return stops / 2;
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_file(entry.path() / "cmdline").find(text) != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

void capture_once(const std::string& program, const std::string& file) {
  static const TemporaryFolder folder;
  const std::string captured = folder.path(std::filesystem::path(program).filename());
  if (!std::filesystem::exists(captured)) {
    const ProcessResult result = run_process({program, "--capture", captured});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  }
  std::filesystem::copy_file(captured, file, std::filesystem::copy_options::overwrite_existing);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "lightmetal-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace lightmetal::testing
