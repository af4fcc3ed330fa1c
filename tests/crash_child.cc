// What the tests of captures that end badly capture: a program whose output is always the same, and
// that then ends as its first argument says. It knows nothing of captures.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

extern char** environ;

// Stands before the system's: a signal that comes while a capture writes, every time.
volatile std::sig_atomic_t g_interrupts_writes = 0;
extern "C" ssize_t writev(int file, const iovec* parts, int count) {
  if (g_interrupts_writes != 0) std::raise(SIGALRM);
  return syscall(SYS_writev, file, parts, count);
}

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

void exit_from_signal() {
  std::signal(SIGALRM, [](int) { std::exit(12); });
  g_interrupts_writes = 1;
  page_on(device());
  std::exit(12);
}

void limit_file_size_and_work() {
  const rlimit limit = {.rlim_cur = kBytes, .rlim_max = RLIM_INFINITY};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(13);
  work(3);
}

void raise_and_work() {
  std::raise(SIGTERM);
  work(3);
}

void raise_twice() {
  std::raise(SIGTERM);
  std::raise(SIGTERM);
}

void say(const char* line) {
  if (write(STDOUT_FILENO, line, std::strlen(line)) < 0) std::_Exit(10);
}

void say_other(int) { say("another signal\n"); }

// Gets another signal and, the first time, itself once more.
void on_signal_raise(int signal) {
  static int calls = 0;
  say("begins\n");
  std::raise(SIGUSR1);
  if (++calls == 1) std::raise(signal);
  say("ends\n");
}

void handle(int signal, void (*handler)(int), unsigned flags, int masked = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(flags);
  sigemptyset(&action.sa_mask);
  if (masked != 0) sigaddset(&action.sa_mask, masked);
  sigaction(signal, &action, nullptr);
}

// What the program does with signals, before its first captured call.
void handle_signals(const std::string& ending) {
  handle(SIGUSR1, say_other, 0);
  if (ending == "own handler") handle(SIGTERM, on_signal, 0);
  if (ending == "handler that returns") handle(SIGTERM, say_other, 0);
  if (ending == "handler for one signal") handle(SIGTERM, say_other, SA_RESETHAND);
  if (ending == "handler, interrupted") handle(SIGTERM, on_signal_raise, SA_NODEFER);
  if (ending == "handler, not interrupted") handle(SIGTERM, on_signal_raise, 0, SIGUSR1);
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
      {"handler that returns", raise_and_work},
      {"handler for one signal", raise_twice},
      {"handler, interrupted", raise_and_work},
      {"handler, not interrupted", raise_and_work},
      {"exit from a signal", exit_from_signal},
      {"file size limit", limit_file_size_and_work},
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
  handle_signals(ending);
  work(argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 40);
  endings().at(ending)();
  return 0;
}
