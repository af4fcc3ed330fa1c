// Runs programs in processes of their own, with a limit of time, and reduces a program that fails.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <stdexcept>

#include "tests/random_programs/check.h"
#include "tests/random_programs/generator.h"
#include "tests/random_programs/model.h"

namespace random_programs {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kMark = '\x01';  // a child prints it when a program is done

// A child of this process that runs `task` and then ends. The parent can read what the child
// prints. The destructor kills a child that nobody has joined.
class Child {
 public:
  explicit Child(const std::function<void()>& task) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("there is no pipe");
    std::fflush(nullptr);
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("there is no process");
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      task();
      std::fflush(nullptr);
      _exit(0);
    }
    close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    close(output_);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns what the child prints next, or an empty text at the child's end. Throws
  // std::runtime_error when nothing has come by `deadline`.
  std::string read(steady_clock::time_point deadline) {
    pollfd ready{output_, POLLIN, 0};
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
      const int count = poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
      if (count > 0) break;
      if (count == 0) throw std::runtime_error("it hangs");
    }
    char buffer[4096];
    const ssize_t size = ::read(output_, buffer, sizeof(buffer));
    return {buffer, static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }

  // Waits for the child's end and returns whether it ended well.
  bool join() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t process_ = 0;
  int output_ = -1;
};

// Runs programs one after the other in a child, and returns how many were sound. What the first one
// that is not sound has said is added to `said`.
uint32_t count_sound(uint32_t count, seconds limit,
                     const std::function<RandomProgram(uint32_t)>& program, std::string& said) {
  Child child([&] {
    for (uint32_t i = 0; i < count; ++i) {
      check(program(i));
      std::fputc(kMark, stderr);
    }
  });
  uint32_t sound = 0;
  try {
    auto deadline = steady_clock::now() + limit;
    for (std::string text = child.read(deadline); !text.empty(); text = child.read(deadline)) {
      for (const char c : text) {
        if (c == kMark) {
          ++sound;
          said.clear();
          deadline = steady_clock::now() + limit;
        } else {
          said += c;
        }
      }
    }
  } catch (const std::exception& error) {
    said += "FOUND: " + std::string(error.what()) + "\n";
    return sound;
  }
  if (!child.join() && sound == count) said += "FOUND: the process does not end well\n";
  return sound;
}

// Returns the program without the `count` steps from `begin` on.
RandomProgram without(const RandomProgram& program, size_t begin, size_t count) {
  const Steps& steps = program.steps;
  Steps rest(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(begin));
  const size_t end = std::min(begin + count, steps.size());
  rest.insert(rest.end(), steps.begin() + static_cast<ptrdiff_t>(end), steps.end());
  return valid_program({program.surface, std::move(rest)});
}

}  // namespace

void check_seeds(uint32_t first, uint32_t count, seconds limit,
                 const std::function<void(const Finding&)>& report) {
  for (uint32_t done = 0; done < count;) {
    std::string said;
    const uint32_t next = first + done;
    // A process does not run too many programs, because it keeps what closed devices leave.
    const uint32_t batch = std::min<uint32_t>(count - done, 50);
    const uint32_t sound = count_sound(
        batch, limit, [&](uint32_t i) { return random_program(next + i); }, said);
    done += sound;
    if (sound == batch) continue;
    report({next + sound, said});
    ++done;
  }
}

std::optional<std::string> fault_of(const RandomProgram& program, seconds limit) {
  std::string said;
  if (count_sound(
          1, limit, [&](uint32_t) { return program; }, said) == 1)
    return std::nullopt;
  return said;
}

std::string kind_of(const std::string& said) {
  std::string kind = said.substr(std::min(said.find("FOUND"), said.size()));
  kind = kind.substr(0, kind.find('\n'));
  std::erase_if(kind, [](unsigned char c) { return std::isdigit(c) != 0; });
  return kind;
}

RandomProgram reduced(RandomProgram program, const std::string& said, seconds limit, int tries,
                      steady_clock::time_point deadline) {
  const auto fails = [&](const RandomProgram& candidate) {
    for (int i = 0; i < tries; ++i) {
      const auto fault = fault_of(candidate, limit);
      if (fault && kind_of(*fault) == kind_of(said)) return true;
    }
    return false;
  };
  for (size_t size = (program.steps.size() + 1) / 2; size > 0;) {
    bool smaller = false;
    for (size_t begin = 0; begin < program.steps.size() && steady_clock::now() < deadline;) {
      RandomProgram candidate = without(program, begin, size);
      if (candidate.steps.size() < program.steps.size() && fails(candidate)) {
        program = std::move(candidate);
        smaller = true;
      } else {
        begin += size;
      }
    }
    if (steady_clock::now() >= deadline) break;
    if (size > 1) {
      size = (size + 1) / 2;
    } else if (!smaller) {
      break;
    }
  }
  return program;
}

}  // namespace random_programs
