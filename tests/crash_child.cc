// What the tests of captures that end badly capture: a program whose output is always the same, and
// that then ends as its first argument says. It knows nothing of captures.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

extern char** environ;

namespace {

using namespace tt::tt_metal;

constexpr uint32_t kBytes = 4096;

std::shared_ptr<Buffer> page_on(IDevice* device) {
  return CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = kBytes, .page_size = kBytes, .buffer_type = BufferType::DRAM});
}

IDevice* device() {
  static IDevice* const opened = CreateDevice(0);
  return opened;
}

// Writes and reads back, again and again; a wrong byte ends the program with 3.
void work(uint32_t rounds) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < rounds; ++i) {
    auto buffer = page_on(device());
    const std::vector<uint32_t> written(kBytes / sizeof(uint32_t), i * 2654435761u + 1);
    std::vector<uint32_t> read;
    EnqueueWriteBuffer(device()->command_queue(), buffer, written, false);
    EnqueueReadBuffer(device()->command_queue(), buffer, read, true);
    if (read != written) std::_Exit(3);
    sum += read[i % read.size()];
  }
  std::printf("sum %u\n", sum);
  std::fflush(stdout);
}

// Never comes back.
void spin() {
  Program program = CreateProgram();
  CreateKernelFromString(program, "void kernel_main() { for (volatile int i = 0;;) i = 1; }",
                         CoreCoord(0, 0), DataMovementConfig{});
  EnqueueProgram(device()->command_queue(), program, /*blocking=*/true);
}

void fail() {
  try {
    page_on(device())->set_page_size(kBytes + 1);
  } catch (const std::runtime_error&) {
    std::printf("caught\n");
  }
}

void use_in_child(const std::function<void()>& end) {
  const pid_t child = fork();
  if (child == 0) {
    { Program in_child; }
    end();
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::_Exit(4);
}

char* self() {
  static std::string path(4096, '\0');
  path.resize(static_cast<size_t>(readlink("/proc/self/exe", path.data(), path.size())));
  return path.data();
}

std::vector<char*> arguments(const char* what) {
  return {self(), const_cast<char*>(what), nullptr};
}

void exec_with(const char* what) {
  execv(self(), arguments(what).data());
  std::_Exit(5);
}

void wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::_Exit(6);
}

void spawn() {
  pid_t child = 0;
  if (posix_spawn(&child, self(), nullptr, nullptr, arguments("nothing").data(), environ) != 0) {
    std::_Exit(7);
  }
  wait_for(child);
}

void fork_and_exec() {
  const pid_t child = fork();
  if (child == 0) exec_with("nothing");
  wait_for(child);
}

void vfork_and_exec() {
  const std::vector<char*> words = arguments("nothing");
  const char* path = self();
  const pid_t child = vfork();
  if (child == 0) {
    execv(path, words.data());
    _exit(5);
  }
  wait_for(child);
}

void by_system() {
  if (std::system((std::string(self()) + " nothing").c_str()) != 0) std::_Exit(8);
}

void raise_while_busy(int signal) {
  std::raise(signal);
  std::_Exit(9);  // It was handled.
}

void on_signal(int) {
  constexpr char kText[] = "the program's own handler\n";
  if (write(STDOUT_FILENO, kText, sizeof(kText) - 1) < 0) std::_Exit(10);
  std::_Exit(11);
}

// Where nothing is mapped.
volatile uintptr_t g_nowhere = 16;

const std::map<std::string, std::function<void()>>& endings() {
  static const std::map<std::string, std::function<void()>> all = {
      {"nothing", [] {}},
      {"exit", [] { std::exit(12); }},
      {"_exit", [] { _exit(12); }},
      {"quick_exit", [] { std::quick_exit(12); }},
      {"terminate", [] { std::terminate(); }},
      {"uncaught", [] { throw std::runtime_error("nobody catches this"); }},
      {"abort", [] { std::abort(); }},
      {"SIGTERM", [] { raise_while_busy(SIGTERM); }},
      {"SIGSEGV", [] { raise_while_busy(SIGSEGV); }},
      {"SIGBUS", [] { raise_while_busy(SIGBUS); }},
      {"SIGFPE", [] { raise_while_busy(SIGFPE); }},
      {"SIGILL", [] { raise_while_busy(SIGILL); }},
      {"fault", [] { *reinterpret_cast<volatile int*>(g_nowhere) = 1; }},
      {"kill", [] { std::raise(SIGKILL); }},
      {"own handler", [] { std::raise(SIGTERM); }},
      {"spin", spin},
      {"fail", fail},
      {"fork", [] { use_in_child([] { std::exit(0); }); }},
      {"fork, _exit", [] { use_in_child([] { _exit(0); }); }},
      {"fork, exec", fork_and_exec},
      {"vfork, exec", vfork_and_exec},
      {"spawn", spawn},
      {"system", by_system},
      {"exec", [] { exec_with("nothing"); }},
      {"exec twice", [] { exec_with("exec"); }},
  };
  return all;
}

}  // namespace

// crash_child ENDING [ROUNDS]
int main(int argc, char** argv) {
  const std::string ending = argv[1];
  if (ending == "own handler") std::signal(SIGTERM, on_signal);
  work(argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 40);
  endings().at(ending)();
  return 0;
}
