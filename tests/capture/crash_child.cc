// What the tests of captures that end badly capture: a program whose output is always the same, and
// that then ends as its first argument says. It knows nothing of captures.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

extern char** environ;

// Stands before the system's: a signal that comes while a capture writes, every time.
volatile std::sig_atomic_t g_interrupts_writes = 0;
extern "C" ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  if (g_interrupts_writes != 0) std::raise(SIGALRM);
  return syscall(SYS_pwritev, file, parts, count, offset, 0);
}

namespace {

using namespace tt::tt_metal;

constexpr uint32_t kBytes = 4096;

constexpr uint32_t kLargeBytes = 1 << 18;  // which a capture writes rather than stores

std::shared_ptr<Buffer> buffer_on(IDevice* device, uint32_t bytes) {
  return CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = bytes, .page_size = kBytes, .buffer_type = BufferType::DRAM});
}

std::shared_ptr<Buffer> page_on(IDevice* device) { return buffer_on(device, kBytes); }

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

// Writes so much that the capture's file goes on to new pieces, by large records and small ones.
void work_a_lot() {
  auto buffer = buffer_on(device(), kLargeBytes);
  for (uint32_t i = 0; i < 20; ++i) {
    std::vector<uint32_t> large(kLargeBytes / sizeof(uint32_t), i);
    EnqueueWriteBuffer(device()->command_queue(), buffer, large, true);
    work(3);
  }
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
  auto buffer = buffer_on(device(), kLargeBytes);
  std::vector<uint32_t> large(kLargeBytes / sizeof(uint32_t), 7);
  EnqueueWriteBuffer(device()->command_queue(), buffer, large, false);
  std::exit(12);
}

void limit_file_size_and_work() {
  const rlimit limit = {.rlim_cur = kBytes, .rlim_max = RLIM_INFINITY};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(13);
  work_a_lot();
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
  if (ending == "own bus error, handled") handle(SIGBUS, on_signal, 0);
  if (ending == "own handler") handle(SIGTERM, on_signal, 0);
  if (ending == "handler that returns") handle(SIGTERM, say_other, 0);
  if (ending == "handler for one signal") handle(SIGTERM, say_other, SA_RESETHAND);
  if (ending == "handler, interrupted") handle(SIGTERM, on_signal_raise, SA_NODEFER);
  if (ending == "handler, not interrupted") handle(SIGTERM, on_signal_raise, 0, SIGUSR1);
}

// What a capture may look at again after a while, such as handlers of signals.
void pause_a_little() { usleep(50'000); }

int own_file() {
  const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  if (file < 0) std::_Exit(14);
  return file;
}

bool is_empty(int file) {
  struct stat info {};
  return fstat(file, &info) == 0 && info.st_size == 0;
}

// As a daemon does, and then opens files of its own.
void close_all_and_open_many() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  close_range(3, ~0U, 0);
  std::vector<int> files;
  for (int i = 0; i < 600; ++i) files.push_back(own_file());
  work_a_lot();
  for (const int file : files) {
    if (!is_empty(file)) std::_Exit(15);
  }
}

const char* capture_path() { return std::getenv("LIGHTMETAL_CAPTURE"); }

// Gives the number of the capture's descriptor to a file of its own.
void duplicate_onto_capture() {
  const int own = own_file();
  for (int file = 3; file < 2000; ++file) {
    std::string target(4096, 0);
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = readlink(link.c_str(), target.data(), target.size());
    target.resize(size < 0 ? 0 : static_cast<size_t>(size));
    if (capture_path() != nullptr && target == capture_path()) dup2(own, file);
  }
  work_a_lot();
  if (!is_empty(own)) std::_Exit(15);
}

void truncate_capture() {
  if (capture_path() != nullptr && truncate(capture_path(), 0) != 0) std::_Exit(16);
}

void truncate_and_work() {
  truncate_capture();
  work(40);
}

void end_by_handler(int) { std::_Exit(17); }

void handle_and_truncate() {
  std::signal(SIGBUS, end_by_handler);
  pause_a_little();
  truncate_and_work();
}

void block_and_truncate() {
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pause_a_little();
  truncate_and_work();
}

// A bus error of the program's own.
void use_truncated_file() {
  const int file = own_file();
  if (ftruncate(file, kBytes) != 0) std::_Exit(14);
  auto* data = static_cast<volatile int*>(mmap(nullptr, kBytes, PROT_WRITE, MAP_SHARED, file, 0));
  if (ftruncate(file, 0) != 0) std::_Exit(14);
  *data = 1;
}

void move_capture_and_close_all() {
  const std::string path = capture_path() == nullptr ? "" : capture_path();
  if (!path.empty() && std::rename(path.c_str(), (path + ".moved").c_str()) != 0) std::_Exit(18);
  close_all_and_open_many();
}

// Uses up the stack.
[[gnu::noinline]] int recurse(int depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + page[0];
}

void overflow_stack() { std::_Exit(recurse(1)); }

// In a thread of its own, which has made calls.
void overflow_other_stack() {
  std::thread([] {
    work(3);
    overflow_stack();
  }).join();
}

// Says what the call throws in a forked child; a child where it does not throw ends badly.
void expect_error_in_child(const std::function<void()>& call) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // it may wait for ever
    try {
      call();
    } catch (const std::runtime_error& error) {
      say(error.what());
      _exit(0);
    }
    _exit(19);
  }
  wait_for(child);
}

// A child that goes on with the device of its parent, as after daemon().
void use_device_in_child() {
  expect_error_in_child([] { work(1); });
}

// By the calls beside the queues, each in a child of its own.
void use_device_directly_in_child() {
  const auto buffer = page_on(device());
  std::vector<uint32_t> words(kBytes / sizeof(uint32_t), 7);
  Program program = CreateProgram();
  CreateSemaphore(program, CoreCoord(0, 0), 0);
  const std::vector<std::function<void()>> calls = {
      [&] { detail::LaunchProgram(device(), program); },
      [&] { detail::CompileProgram(device(), program); },
      [&] { detail::WaitProgramDone(device(), program); },
      [&] { detail::WriteToDeviceL1(device(), CoreCoord(0, 0), 200'000, words); },
      [&] { detail::ReadFromDeviceL1(device(), CoreCoord(0, 0), 200'000, kBytes, words); },
      [&] { detail::WriteToDeviceDRAMChannel(device(), 0, 200'000, words); },
      [&] { detail::ReadFromDeviceDRAMChannel(device(), 0, 200'000, kBytes, words); },
      [&] { detail::WriteToBuffer(buffer, words); },
      [&] { detail::ReadFromBuffer(buffer, words); },
      [&] { EnqueueProgram(device()->command_queue(), program, false); },
      [&] { Finish(device()->command_queue()); },
      [&] { Synchronize(device()); },
      [&] { page_on(device()); }};
  for (const auto& call : calls) {
    expect_error_in_child(call);
    say("\n");
  }
}

// A child that waits for what only its parent's threads could do.
void await_event_in_child(const std::function<void(const std::shared_ptr<Event>&)>& await) {
  IDevice* device = CreateDevice(1, /*num_hw_cqs=*/2);
  const auto never = std::make_shared<Event>(), behind = std::make_shared<Event>();
  EnqueueWaitForEvent(device->command_queue(0), never);
  EnqueueRecordEvent(device->command_queue(0), behind);
  expect_error_in_child([&] { await(behind); });
  EnqueueRecordEvent(device->command_queue(1), never);
  CloseDevice(device);
}

// A child with a device of its own, as the error above says.
void open_device_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    IDevice* own = CreateDevice(0);
    std::vector<uint32_t> written(kBytes / sizeof(uint32_t), 7), read;
    {
      auto buffer = page_on(own);
      EnqueueWriteBuffer(own->command_queue(), buffer, written, false);
      EnqueueReadBuffer(own->command_queue(), buffer, read, true);
    }
    if (read != written || !CloseDevice(own)) _exit(19);
    std::exit(0);
  }
  wait_for(child);
}

// Makes and ends what there is, until the process ends.
[[noreturn]] void be_busy() {
  CommandQueue& queue = device()->command_queue();
  for (;;) {
    auto buffer = page_on(device());
    std::vector<uint32_t> words(kBytes / sizeof(uint32_t), 1);
    EnqueueWriteBuffer(queue, buffer, words, false);
    Program program = CreateProgram();
    CreateSemaphore(program, CoreCoord(0, 0), 0);
    EnqueueProgram(queue, program, false);
    auto event = std::make_shared<Event>();
    EnqueueRecordEvent(queue, event);
    EventSynchronize(event);
  }
}

// Opens a device and closes it, again and again.
[[noreturn]] void be_busy_with_meshes() {
  for (;;) distributed::MeshDevice::create_unit_mesh(1);
}

// False when the child has not ended well after 10 seconds.
bool ends_soon(pid_t child) {
  for (int waited = 0; waited < 10'000; ++waited) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

// Children that end by exit() while the other threads of their parent were at all kinds of work,
// with objects of all kinds that end only then.
void fork_while_busy() {
  static std::vector<std::shared_ptr<Buffer>> buffers;
  static std::vector<std::shared_ptr<Event>> events;
  static std::vector<Program> programs(20);
  static const auto mesh = distributed::MeshDevice::create_unit_mesh(2);
  for (int i = 0; i < 20; ++i) {
    buffers.push_back(page_on(device()));
    events.push_back(std::make_shared<Event>());
  }
  for (int i = 0; i < 4; ++i) std::thread(be_busy).detach();
  std::thread(be_busy_with_meshes).detach();
  for (int i = 0; i < LIGHTMETAL_FORKS; ++i) {
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    if (!ends_soon(child)) std::_Exit(20);
  }
  say("all have ended");
  std::_Exit(0);
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
      {"stack overflow", overflow_stack},
      {"stack overflow in a thread", overflow_other_stack},
      {"fork, use device", use_device_in_child},
      {"fork, use device directly", use_device_directly_in_child},
      {"fork, await event", [] { await_event_in_child(EventSynchronize); }},
      {"fork, query event", [] { await_event_in_child([](auto& event) { EventQuery(event); }); }},
      {"fork, own device", open_device_in_child},
      {"fork while busy", fork_while_busy},
      {"close all", close_all_and_open_many},
      {"duplicate", duplicate_onto_capture},
      {"move, close all", move_capture_and_close_all},
      {"truncate", truncate_and_work},
      {"handle, truncate", handle_and_truncate},
      {"block, truncate", block_and_truncate},
      {"own bus error", use_truncated_file},
      {"own bus error, handled", use_truncated_file},
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
