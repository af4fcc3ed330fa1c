#include "device/cpu/compiler/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lightmetal::device::cpu {
namespace {

// Variables such as CPATH or CCC_OVERRIDE_OPTIONS would change what clang does.
std::vector<std::string> clean_environment() {
  std::vector<std::string> result = {"LC_ALL=C"};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "TMPDIR", "HOME"}) {
    if (const char* value = std::getenv(name)) result.push_back(absl::StrCat(name, "=", value));
  }
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return kUnknownStatus;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether the child has ended within `limit`, or nobody can tell. Either way the child must still
// be waited for.
bool ends_within(pid_t child, absl::Duration limit) {
  if (limit == absl::InfiniteDuration()) return true;
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) return true;
  const auto close_descriptor = absl::MakeCleanup([descriptor] { close(descriptor); });
  const auto begin = std::chrono::steady_clock::now();
  const auto left_of = [&] {
    return limit - absl::FromChrono(std::chrono::steady_clock::now() - begin);
  };
  for (absl::Duration left = limit; left > absl::ZeroDuration(); left = left_of()) {
    pollfd wait{descriptor, POLLIN, 0};
    constexpr int64_t kMost = 1'000'000;  // milliseconds in one call of poll()
    const int64_t milliseconds = std::min(absl::ToInt64Milliseconds(left) + 1, kMost);
    if (poll(&wait, 1, static_cast<int>(milliseconds)) > 0) return true;
  }
  return false;
}

// The child starts with no signal blocked, whatever the calling thread blocks.
void set_signals(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) return "";
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (absl::string_view folder :
       absl::StrSplit(path != nullptr ? path : "", ':', absl::SkipEmpty())) {
    std::string candidate = absl::StrCat(folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

absl::StatusOr<int> run_program(const std::vector<std::string>& command, const std::string& output,
                                absl::Duration limit) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  const auto destroy = absl::MakeCleanup([&] {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  });
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  set_signals(attributes);
  const std::vector<std::string> environment = clean_environment();
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), &actions, &attributes,
                                pointers(command).data(), pointers(environment).data());
  if (error != 0)
    return absl::UnavailableError(absl::StrCat("cannot run ", command[0], ": ", strerror(error)));
  const bool in_time = ends_within(child, limit);
  if (!in_time) kill(child, SIGKILL);
  const int status = wait_for(child);
  if (!in_time) {
    return absl::DeadlineExceededError(
        absl::StrCat(command[0], " did not end within ", absl::FormatDuration(limit)));
  }
  return status;
}

}  // namespace lightmetal::device::cpu
