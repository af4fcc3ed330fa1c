#include "runner/disassembly.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace lightmetal::runner {
namespace {

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit value{most, most};
  ::setrlimit(resource, &value);
}

// In the child.
[[noreturn]] void run_objdump(const char* object, int output) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  limit(RLIMIT_CPU, 30);
  limit(RLIMIT_FSIZE, rlim_t{256} << 20);
  limit(RLIMIT_AS, rlim_t{4} << 30);
  limit(RLIMIT_CORE, 0);
  ::execlp("objdump", "objdump", "-d", "-r", "-C", "--", object, static_cast<char*>(nullptr));
  ::_exit(127);
}

bool ended_well(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool disassemble(const std::string& object, const std::string& output) {
  struct stat info {};
  if (::stat(object.c_str(), &info) != 0) return false;
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          info.st_mode & 0777);
  if (file < 0) return false;
  const pid_t child = ::fork();
  if (child == 0) run_objdump(object.c_str(), file);
  const bool done = child > 0 && ended_well(child);
  ::close(file);
  if (!done) ::unlink(output.c_str());
  return done;
}

}  // namespace lightmetal::runner
