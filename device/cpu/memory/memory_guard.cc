#include "device/cpu/memory/memory_guard.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/rseq.h>
#endif

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace lightmetal::device::cpu {
namespace memory_guard {
Keys keys;
}

namespace {

using memory_guard::keys;

#if defined(__x86_64__)
uint32_t rights_of_this_thread() {
  uint32_t rights = 0, zero = 0;
  asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(rights), "=d"(zero) : "c"(0));  // rdpkru
  return rights;
}

// Bits 2k and 2k + 1 of PKRU forbid access to and writing to memory of key k.
uint32_t may_only_write(int key) {
  constexpr uint32_t kWriteNothing = 0xaaaaaaaa;
  return kWriteNothing & ~(uint32_t{3} << (2 * key));
}

// Whether the system is Linux 6.12 or later. Before, a signal could not be delivered to a thread
// that may not write to its signal stack.
bool delivers_signals_to_guarded_code() {
  utsname system{};
  int major = 0, minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2)
    return false;
  return major > 6 || (major == 6 && minor >= 12);
}

// Gives back this thread's area for restartable sequences; false when that is not possible. The
// system writes to the area when it interrupts the thread, with the rights that the thread has at
// that moment; those of kernel code are too few, and the system would kill the thread. The C
// library does without the area.
bool give_back_restartable_sequences() {
  constexpr uint32_t kRegisteredSize = 32, kUnregister = 1, kSignature = 0x53053053;
  if (__rseq_size == 0) return true;
  char* area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  return syscall(SYS_rseq, area, kRegisteredSize, kUnregister, kSignature) == 0;
}
#endif

}  // namespace

void prepare_thread_for_guard() {
#if defined(__x86_64__)
  static thread_local const bool done = give_back_restartable_sequences();
  (void)done;
#endif
}

absl::Status guard_host_memory() {
#if defined(__x86_64__)
  if (keys.on) return absl::OkStatus();
  if (!give_back_restartable_sequences()) {
    return absl::UnavailableError(
        "the C library does not give up restartable sequences, which protection keys do not go "
        "with");
  }
  if (!delivers_signals_to_guarded_code()) {
    return absl::UnavailableError(
        "this system has no protection keys that go with signals (Linux 6.12 and later have them)");
  }
  const int key = pkey_alloc(0, 0);
  if (key < 0) return absl::ErrnoToStatus(errno, "this processor has no protection keys");
  keys = {.on = true,
          .kernel_key = key,
          .host_rights = rights_of_this_thread(),
          .kernel_rights = may_only_write(key)};
  return absl::OkStatus();
#else
  return absl::UnavailableError("processors of this kind have no protection keys");
#endif
}

int allow_kernels(void* memory, uint64_t size) {
  if (!keys.on) return mprotect(memory, size, PROT_READ | PROT_WRITE);
  return pkey_mprotect(memory, size, PROT_READ | PROT_WRITE, keys.kernel_key);
}

int refuse_kernels(void* memory, uint64_t size) {
  if (!keys.on) return mprotect(memory, size, PROT_READ | PROT_WRITE);
  return pkey_mprotect(memory, size, PROT_READ | PROT_WRITE, 0);
}

}  // namespace lightmetal::device::cpu
