#include "runner/disassembly.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace lightmetal::runner {
namespace {

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit value{most, most};
  ::setrlimit(resource, &value);
}

// In the child.
[[noreturn]] void run_objdump(const char* object, int output, uint64_t most_bytes,
                              double most_seconds) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(most_seconds)));
  limit(RLIMIT_FSIZE, std::min(most_bytes, uint64_t{256} << 20));
  limit(RLIMIT_AS, rlim_t{4} << 30);
  limit(RLIMIT_CORE, 0);
  ::execlp("objdump", "objdump", "-d", "-r", "-C", "--", object, static_cast<char*>(nullptr));
  ::_exit(127);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Waits for the child, and takes the processor time that it had from `seconds_left`.
bool ended_well(pid_t child, double& seconds_left) {
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return false;
  }
  seconds_left -= seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

uint64_t size_of(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

}  // namespace

uint64_t Disassembler::disassemble(const std::string& object, const std::string& output,
                                   uint64_t most_bytes) {
  struct stat info {};
  if (seconds_left_ <= 0 || ::stat(object.c_str(), &info) != 0) return 0;
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          info.st_mode & 0777);
  if (file < 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) run_objdump(object.c_str(), file, most_bytes, seconds_left_);
  const bool done = child > 0 && ended_well(child, seconds_left_);
  const uint64_t size = done ? size_of(file) : 0;
  ::close(file);
  if (!done) ::unlink(output.c_str());
  return size;
}

}  // namespace lightmetal::runner
