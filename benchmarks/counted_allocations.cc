#include "benchmarks/counted_allocations.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT
void* __libc_calloc(size_t count, size_t size);        // NOLINT
void* __libc_realloc(void* memory, size_t size);       // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {
constinit std::atomic<uint64_t> g_allocations{0};
}  // namespace

extern "C" {
void* malloc(size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == nullptr ? 12 : 0;
}
}

namespace lightmetal::bench {

double allocations_each(const std::function<void()>& work) {
  constexpr int kWarmUp = 50, kRounds = 5, kTimes = 20;
  for (int i = 0; i < kWarmUp; ++i) work();
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t before = g_allocations.load(std::memory_order_relaxed);
    for (int i = 0; i < kTimes; ++i) work();
    least = std::min(least, g_allocations.load(std::memory_order_relaxed) - before);
  }
  return static_cast<double>(least) / kTimes;
}

}  // namespace lightmetal::bench
