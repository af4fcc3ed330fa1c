#include "device/cpu/tiles/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace lightmetal::device::cpu {

#if defined(__x86_64__)
namespace {

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

constexpr bool has_bit(uint32_t word, uint32_t bit) { return (word >> bit & 1) != 0; }

// Whether the system saves these parts of a thread's state, as XCR0 says: what it does not save,
// another thread may change.
bool system_saves(uint64_t parts) {
  constexpr uint32_t kOsxsave = 27;
  if (!has_bit(cpuid(1, 0).ecx, kOsxsave)) return false;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t{high} << 32 | low) & parts) == parts;
}

// Linux gives the tile registers to processes that ask for them.
bool system_gives_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool find_avx512_bf16() {
  constexpr uint32_t kF = 16, kDq = 17, kBw = 30, kVl = 31, kBf16 = 5;
  constexpr uint64_t kVectorState = 0xe6;  // SSE, AVX, and the three parts of AVX-512
  const uint32_t ebx = cpuid(7, 0).ebx;
  return has_bit(ebx, kF) && has_bit(ebx, kDq) && has_bit(ebx, kBw) && has_bit(ebx, kVl) &&
         has_bit(cpuid(7, 1).eax, kBf16) && system_saves(kVectorState);
}

bool find_amx_bf16() {
  constexpr uint32_t kBf16 = 22, kTile = 24;
  constexpr uint64_t kTileState = uint64_t{3} << 17;
  const uint32_t edx = cpuid(7, 0).edx;
  return has_bit(edx, kBf16) && has_bit(edx, kTile) && system_saves(kTileState) &&
         system_gives_tiles();
}

}  // namespace

bool has_avx512_bf16() {
  static const bool has = find_avx512_bf16();
  return has;
}

bool has_amx_bf16() {
  static const bool has = find_amx_bf16();
  return has;
}

#else

bool has_avx512_bf16() { return false; }
bool has_amx_bf16() { return false; }

#endif

}  // namespace lightmetal::device::cpu
