#include "device/cpu/noc_transfer.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/core_state.h"
#include "device/cpu/diagnosis/failure.h"
#include "device/cpu/diagnosis/initialised_memory.h"
#include "device/cpu/diagnosis/transfer_checks.h"
#include "device/cpu/kernel_run.h"
#include "device/cpu/machine.h"
#include "device/cpu/memory.h"
#include "device/cpu/worker.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

KernelRun& begin_transfer(Context* context) {
  KernelRun& run = *static_cast<KernelRun*>(context->fiber);
  require_stack(run);
  run.worker->note_activity();
  return run;
}

std::string place_name(const NocTarget& target, const Endpoint& endpoint) {
  if (endpoint.core == nullptr) return absl::StrCat("DRAM bank ", target.noc.x);
  return absl::StrFormat("L1 of %s (%d,%d)", kind_name(endpoint.core->kind), endpoint.core->core.x,
                         endpoint.core->core.y);
}

// To be followed by run.stop(), when `why` is gone.
void fail_transfer(KernelRun& run, const char* what, const std::string& why) {
  run.fail(absl::OutOfRangeError(absl::StrCat(what, ": ", why)));
}

MemoryRange resolve(KernelRun& run, const char* what, const NocTarget& target, uint64_t size) {
  const std::optional<Endpoint> endpoint = run.worker->machine().endpoint(target.noc);
  if (!endpoint.has_value()) {
    fail_transfer(
        run, what,
        absl::StrFormat("nothing is at NoC coordinate (%d,%d)", target.noc.x, target.noc.y));
    run.stop();
  }
  if (target.local > endpoint->size || size > endpoint->size - target.local) {
    fail_transfer(
        run, what,
        absl::StrFormat("%s holds %d bytes; %d bytes at 0x%x end outside it",
                        place_name(target, *endpoint), endpoint->size, size, target.local));
    run.stop();
  }
  return {endpoint->memory, target.local, endpoint->core};
}

MemoryRange own_l1(KernelRun& run, const char* what, uint32_t address, uint64_t size) {
  const uint64_t l1_size = run.core->l1_size;
  if (address > l1_size || size > l1_size - address) {
    fail_transfer(
        run, what,
        absl::StrFormat("the core's own L1 holds %d bytes; %d bytes at 0x%x end outside it",
                        l1_size, size, address));
    run.stop();
  }
  return {run.core->l1, address, run.core};
}

bool is_word(const MemoryRange& target, uint64_t size) {
  return target.core != nullptr && size == 4 && target.address % 4 == 0;
}

// Does it now, or at its barrier when these are checked.
void start(KernelRun& run, const Transfer& transfer) {
  if (run.context().checks != 0) [[unlikely]] {
    if (start_checked(run, transfer, is_word(transfer.target, transfer.size))) return;
  }
  do_transfer(transfer);
}

void noc_read(Context* context, uint64_t source, uint32_t l1_target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange from = resolve(run, "NoC read", noc_target(source), size);
  start(run, {TransferKind::kRead, from, own_l1(run, "NoC read", l1_target, size), size});
}

void noc_write(Context* context, uint32_t l1_source, uint64_t target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange from = own_l1(run, "NoC write", l1_source, size);
  start(run,
        {TransferKind::kWrite, from, resolve(run, "NoC write", noc_target(target), size), size});
}

// A worker of a multicast's rectangle.
MemoryRange resolve_worker(KernelRun& run, Core noc, uint64_t local, uint32_t size) {
  const MemoryRange target =
      resolve(run, "NoC multicast", {.noc = noc, .start = {}, .local = local}, size);
  if (target.core != nullptr && target.core->kind == CoreKind::kWorker) return target;
  fail_transfer(run, "NoC multicast",
                absl::StrFormat("(%d,%d) in the rectangle is not a worker", noc.x, noc.y));
  run.stop();
}

// `num_targets` only tells hardware how many acknowledgements to count.
void noc_multicast(Context* context, uint32_t l1_source, uint64_t target_rectangle, uint32_t size,
                   uint32_t /*num_targets*/, uint32_t include_self) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange from = own_l1(run, "NoC multicast", l1_source, size);
  const auto [a, b, local] = noc_target(target_rectangle);
  for (uint32_t y = std::min(a.y, b.y); y <= std::max(a.y, b.y); ++y) {
    for (uint32_t x = std::min(a.x, b.x); x <= std::max(a.x, b.x); ++x) {
      const MemoryRange target = resolve_worker(run, {x, y}, local, size);
      if (target.core != run.core || include_self != 0)
        start(run, {TransferKind::kMulticast, from, target, size});
    }
  }
}

MemoryRange resolve_word(KernelRun& run, const char* what, uint64_t target) {
  const MemoryRange word = resolve(run, what, noc_target(target), 4);
  if (word.address % 4 == 0) return word;
  fail_transfer(run, what, absl::StrFormat("address 0x%x is not a multiple of 4", word.address));
  run.stop();
}

uint32_t mask_of_bytes(uint32_t byte_enable) {
  uint32_t mask = 0;
  for (uint32_t byte = 0; byte < 4; ++byte) {
    if ((byte_enable >> byte & 1) != 0) mask |= uint32_t{0xff} << byte * 8;
  }
  return mask;
}

void noc_write_word(Context* context, uint64_t target, uint32_t value, uint32_t byte_enable) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange word = resolve_word(run, "NoC write of a word", target);
  if (context->checks != 0) [[unlikely]]
    before_signal(run, word, /*reads=*/false);
  if (word.core != nullptr) {
    return word.core->waiters.store(static_cast<uint32_t>(word.address), value,
                                    mask_of_bytes(byte_enable));
  }
  for (uint32_t byte = 0; byte < 4; ++byte) {
    if ((byte_enable >> byte & 1) == 0) continue;
    const auto part = static_cast<std::byte>(value >> byte * 8);
    copy_device_memory(word.data() + byte, &part, 1);
  }
}

void noc_increment(Context* context, uint64_t target, uint32_t increment) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange word = resolve_word(run, "NoC increment", target);
  if (word.core == nullptr) {
    fail_transfer(run, "NoC increment", "DRAM has no atomic increment");
    run.stop();
  }
  if (context->checks != 0) [[unlikely]]
    before_signal(run, word, /*reads=*/true);
  word.core->waiters.increment(static_cast<uint32_t>(word.address), increment);
}

}  // namespace

const char* name_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::kRead:
      return "NoC read";
    case TransferKind::kWrite:
      return "NoC write";
    case TransferKind::kMulticast:
      return "NoC multicast";
  }
  return "NoC transfer";
}

// Pages of an interleaved buffer lie in all banks in turn, so what a kernel wants of this bank next
// lies behind, and the processor does not see it coming. A hint: no address is wrong.
// Inlined by force: GCC takes a function that only prefetches for one that does nothing.
template <int kForWriting>
__attribute__((always_inline)) inline void prefetch_behind(const MemoryRange& range,
                                                           uint64_t size) {
  constexpr uint64_t kLine = 64, kMost = 4096;  // longer streams the processor sees by itself
  constexpr int kIntoSecondLevel = 2;
  if (range.core != nullptr || size > kMost) return;
  const std::byte* next = range.data() + size;
  for (uint64_t i = 0; i < size; i += kLine)
    __builtin_prefetch(next + i, kForWriting, kIntoSecondLevel);
}

void do_transfer(const Transfer& transfer) {
  const auto& [kind, source, target, size] = transfer;
  const auto address = static_cast<uint32_t>(target.address);
  if (target.core != nullptr && target.core->initialised != nullptr) [[unlikely]]
    mark_initialised(target.core->initialised, address, size);
  if (is_word(target, size)) {
    uint32_t value = 0;
    copy_device_memory(reinterpret_cast<std::byte*>(&value), source.data(), 4);
    return target.core->waiters.store(address, value, ~uint32_t{0});
  }
  prefetch_behind</*kForWriting=*/0>(source, size);
  prefetch_behind</*kForWriting=*/1>(target, size);
  copy_device_memory(target.data(), source.data(), size);
  if (kind == TransferKind::kRead) return target.core->waiters.written_by_own_worker(address, size);
  if (target.core != nullptr) target.core->waiters.written(address, size);
}

void fill_noc_services(kernel_abi::Services& services) {
  services.noc_read = noc_read;
  services.noc_write = noc_write;
  services.noc_multicast = noc_multicast;
  services.noc_write_word = noc_write_word;
  services.noc_increment = noc_increment;
}

void require_word(KernelRun& run, uint32_t l1_address) {
  const uint64_t l1_size = run.core->l1_size;
  if (l1_address % 4 == 0 && l1_address <= l1_size - 4) return;
  run.fail(absl::OutOfRangeError(absl::StrFormat("no semaphore can be at L1 0x%x", l1_address)));
  run.stop();
}

}  // namespace lightmetal::device::cpu
