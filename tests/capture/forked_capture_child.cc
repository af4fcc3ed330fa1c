// What the tests of forked programs capture: programs, by name, that fork.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

// Writes a buffer of a device and reads it back, so that the file has a golden.
int use(int chip) {
  IDevice* device = CreateDevice(chip);
  std::vector<uint32_t> written(16, static_cast<uint32_t>(chip) + 7), back;
  {
    auto buffer =
        CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
    EnqueueWriteBuffer(device->command_queue(), buffer, written, false);
    EnqueueReadBuffer(device->command_queue(), buffer, back, true);
  }
  CloseDevice(device);
  return back == written ? 0 : 1;
}

// Runs `action` in a child, and returns what the child ended with.
template <class Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) std::exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int open_while_forking() {
  IDevice* device = CreateDevice(0);
  auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
  const int status = in_child([] { return use(1); });
  std::vector<uint32_t> back;
  EnqueueReadBuffer(device->command_queue(), buffer, back, true);
  buffer.reset();
  CloseDevice(device);
  return status;
}

int replaced_child(const char* self) {
  const pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "use", nullptr);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int used_and_replaced(const char* self) {
  return in_child([self] {
    if (use(0) != 0) return 1;
    execl(self, self, "use", nullptr);
    return 1;
  });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  const auto use_first = [] { return use(0); };
  const auto use_and_fork = [&] { return use(0) != 0 ? 1 : in_child(use_first); };
  if (what == "use") return use(0);
  if (what == "child") return in_child(use_first);
  if (what == "child that ends by _exit") return in_child([]() -> int { _exit(use(0)); });
  if (what == "grandchild") return in_child([&] { return in_child(use_first); });
  if (what == "all three") return use(0) != 0 ? 1 : in_child(use_and_fork);
  if (what == "both") return in_child(use_first) != 0 ? 1 : use(0);
  if (what == "used before") return use_and_fork();
  if (what == "open meanwhile") return open_while_forking();
  if (what == "idle child") return use(0) != 0 ? 1 : in_child([] { return 0; });
  if (what == "vfork and exec") return replaced_child(argv[0]);
  if (what == "used, then exec") return used_and_replaced(argv[0]);
  return 1;
}
