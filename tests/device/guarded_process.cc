// Linked into tests of the device, so that they run as in the sandbox: kernels confined, and the
// host's memory guarded from them where the machine can do it. Before any other thread is there.
#include <cstdio>
#include <cstdlib>

#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {
namespace {

bool begin() {
  if (!confine_kernels().ok()) std::abort();
  const absl::Status guarded = guard_host_memory();
  if (!guarded.ok()) std::printf("not guarded: %s\n", std::string(guarded.message()).c_str());
  return true;
}

[[maybe_unused]] const bool begun = begin();

}  // namespace
}  // namespace lightmetal::device::cpu
