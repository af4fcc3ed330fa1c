#include "device/cpu/services/noc_transfer.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/diagnosis/tolerance.h"
#include "device/cpu/diagnosis/transfer_checks.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/transfer.h"
#include "device/cpu/memory/memory.h"
#include "device/cpu/schedule/random_schedule.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

// The beginning of every service here: room for what takes locks, and a sign of life. Inlined into
// the service, as require_stack() must be.
__attribute__((always_inline)) inline KernelRun& begin_transfer(Context* context) {
  KernelRun& run = *static_cast<KernelRun*>(context->fiber);
  require_stack(run);
  run.worker->note_activity();
  return run;
}

std::string place_name(const Endpoint& endpoint) {
  if (endpoint.core == nullptr) return absl::StrCat("DRAM bank ", endpoint.bank);
  return absl::StrFormat("L1 of %s (%d,%d)", kind_name(endpoint.core->kind), endpoint.core->core.x,
                         endpoint.core->core.y);
}

// To be followed by run.stop(), which never returns, so the caller's strings must be gone by then.
// That is why failing has a function of its own everywhere here.
void fail_transfer(KernelRun& run, const char* what, const std::string& why) {
  run.fail(absl::OutOfRangeError(absl::StrCat(what, ": ", why)));
}

// Says where things are on this chip, since a program that fails here has often written down the
// coordinates of another chip, or logical ones.
std::string nothing_is_at(const Machine& machine, Core noc) {
  const DeviceProfile& profile = machine.profile();
  const Core worker = profile.first_worker, dram = noc_coordinate_of_dram_bank(profile, 0);
  return absl::StrFormat(
      "nothing is at NoC coordinate (%d,%d); the first worker is at (%d,%d), DRAM bank 0 at "
      "(%d,%d)",
      noc.x, noc.y, worker.x, worker.y, dram.x, dram.y);
}

__attribute__((noinline, cold)) void fail_to_resolve(KernelRun& run, const char* what,
                                                     const Endpoint& endpoint, NocTarget target,
                                                     uint64_t size) {
  if (endpoint.place.begin == nullptr) {
    return fail_transfer(run, what, nothing_is_at(run.worker->machine(), target.noc));
  }
  fail_transfer(run, what,
                absl::StrFormat("%s holds %d bytes; %d bytes at 0x%x end outside it",
                                place_name(endpoint), endpoint.size, size, target.local));
}

// This function, those below and do_transfer() are inlined into each service, so that no range
// passes through memory (why that matters: see Wait in waiter.h).
__attribute__((always_inline)) inline MemoryRange resolve(KernelRun& run, const char* what,
                                                          uint64_t address, uint64_t size) {
  const Endpoint& endpoint = run.worker->machine().endpoint(noc_endpoint(address));
  const uint64_t local = address & kNocLocalMask;
  const bool fits = local <= endpoint.size && size <= endpoint.size - local;
  if (endpoint.place.begin == nullptr || !fits) [[unlikely]] {
    fail_to_resolve(run, what, endpoint, noc_target(address), size);
    run.stop();
  }
  return {&endpoint.place, local, endpoint.core};
}

__attribute__((noinline, cold)) void fail_own_l1(KernelRun& run, const char* what, uint32_t address,
                                                 uint64_t size) {
  fail_transfer(run, what,
                absl::StrFormat("the core's own L1 holds %d bytes; %d bytes at 0x%x end outside it",
                                run.core->l1_size, size, address));
}

__attribute__((always_inline)) inline MemoryRange own_l1(KernelRun& run, const char* what,
                                                         uint32_t address, uint64_t size) {
  const uint64_t l1_size = run.core->l1_size;
  if (address > l1_size || size > l1_size - address) [[unlikely]] {
    fail_own_l1(run, what, address, size);
    run.stop();
  }
  return {&run.core->memory, address, run.core};
}

__attribute__((noinline, cold)) void tolerate_reserved(KernelRun& run, const CoreState& core,
                                                       uint64_t address, uint64_t size) {
  char message[160];
  absl::SNPrintF(
      message, sizeof(message),
      "NoC transfer: writes %d bytes at 0x%x in L1 of %s (%d,%d), where programs may use "
      "what lies from 0x%x on",
      size, address, kind_name(core.kind), core.core.x, core.core.y, core.unreserved_base);
  tolerate(run, kernel_abi::Misuse::kReservedMemory, kernel_abi::kMaxCircularBuffers, message);
}

// Below the L1 that programs may use, only semaphores are theirs; other writes are tolerated.
__attribute__((always_inline)) inline void look_at_target(KernelRun& run, const CoreState& core,
                                                          uint64_t address, uint64_t size) {
  if (address >= core.unreserved_base) return;
  const uint64_t offset = address - kernel_abi::kSemaphoreAddress;
  if (offset < core.semaphore_bytes && size <= core.semaphore_bytes - offset) return;
  tolerate_reserved(run, core, address, size);
}

// To be called before a kernel changes what is at a NoC address. This function and before_read()
// come first in a service, when little is known that would have to be kept while they wait: see
// resolve().
__attribute__((always_inline)) inline void before_change(KernelRun& run, uint64_t target,
                                                         uint64_t size) {
  const CoreState* core = run.worker->machine().endpoint(noc_endpoint(target)).core;
  if (core == nullptr) return;
  run.await_start();
  look_at_target(run, *core, target & kNocLocalMask, size);
}

__attribute__((always_inline)) inline void before_read(KernelRun& run, uint64_t source,
                                                       uint32_t l1_target, uint64_t size) {
  const CoreState* core = run.worker->machine().endpoint(noc_endpoint(source)).core;
  if (core != nullptr && core != run.core) run.await_start();
  look_at_target(run, *run.core, l1_target, size);
}

// Does a transfer now, or leaves it under way when missing barriers are looked for or the schedule
// is random.
__attribute__((always_inline)) inline void start(KernelRun& run, const Transfer& transfer) {
  if (run.context().checks != 0) [[unlikely]] {
    // A copy, so that `transfer` itself has no address and can stay in registers: see resolve().
    const Transfer checked = transfer;
    if (start_checked(run, checked, is_word(transfer.target, transfer.size))) return;
  }
  do_transfer(transfer);
}

void noc_read(Context* context, uint64_t source, uint32_t l1_target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  before_read(run, source, l1_target, size);
  const MemoryRange from = resolve(run, "NoC read", source, size);
  start(run, {TransferKind::kRead, from, own_l1(run, "NoC read", l1_target, size), size});
}

void noc_write(Context* context, uint32_t l1_source, uint64_t target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  before_change(run, target, size);
  const MemoryRange from = own_l1(run, "NoC write", l1_source, size);
  start(run, {TransferKind::kWrite, from, resolve(run, "NoC write", target, size), size});
}

// The L1 of one worker in the rectangle of a multicast.
MemoryRange resolve_worker(KernelRun& run, Core noc, uint64_t local, uint32_t size) {
  const MemoryRange target = resolve(run, "NoC multicast", noc_address(noc, local), size);
  if (target.core != nullptr && target.core->kind == CoreKind::kWorker) return target;
  fail_transfer(run, "NoC multicast",
                absl::StrFormat("(%d,%d) in the rectangle is not a worker", noc.x, noc.y));
  run.stop();
}

// `num_targets` tells hardware how many acknowledgements to count, and nothing here needs it.
// Copies go row by row to all workers of the rectangle, whose corners may come in any order.
void noc_multicast(Context* context, uint32_t l1_source, uint64_t target_rectangle, uint32_t size,
                   uint32_t /*num_targets*/, uint32_t include_self) {
  KernelRun& run = begin_transfer(context);
  const MemoryRange from = own_l1(run, "NoC multicast", l1_source, size);
  run.await_start();
  const auto [a, b, local] = noc_target(target_rectangle);
  for (uint32_t y = std::min(a.y, b.y); y <= std::max(a.y, b.y); ++y) {
    for (uint32_t x = std::min(a.x, b.x); x <= std::max(a.x, b.x); ++x) {
      const MemoryRange target = resolve_worker(run, {x, y}, local, size);
      if (target.core == run.core && include_self == 0) continue;
      look_at_target(run, *target.core, local, size);
      start(run, {TransferKind::kMulticast, from, target, size});
    }
  }
}

MemoryRange resolve_word(KernelRun& run, const char* what, uint64_t target) {
  const MemoryRange word = resolve(run, what, target, 4);
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
  before_change(run, target, 4);
  const MemoryRange word = resolve_word(run, "NoC write of a word", target);
  const uint32_t mask = mask_of_bytes(byte_enable);
  if (context->checks != 0) [[unlikely]] {
    before_signal(run, word, /*reads=*/false);
    if (run.schedule != nullptr) return run.schedule->store(run, word, value, mask);
  }
  store_word(word, value, mask);
}

void noc_increment(Context* context, uint64_t target, uint32_t increment) {
  KernelRun& run = begin_transfer(context);
  before_change(run, target, 4);
  const MemoryRange word = resolve_word(run, "NoC increment", target);
  if (word.core == nullptr) {
    fail_transfer(run, "NoC increment", "DRAM has no atomic increment");
    run.stop();
  }
  if (context->checks != 0) [[unlikely]] {
    before_signal(run, word, /*reads=*/true);
    if (run.schedule != nullptr) return run.schedule->increment(run, word, increment);
  }
  word.core->waiters.increment(static_cast<uint32_t>(word.address), increment);
}

}  // namespace

void fill_noc_services(kernel_abi::Services& services) {
  services.noc_read = noc_read;
  services.noc_write = noc_write;
  services.noc_multicast = noc_multicast;
  services.noc_write_word = noc_write_word;
  services.noc_increment = noc_increment;
}

}  // namespace lightmetal::device::cpu
