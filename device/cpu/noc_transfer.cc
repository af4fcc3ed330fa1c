#include "device/cpu/noc_transfer.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/core_state.h"
#include "device/cpu/machine.h"
#include "device/cpu/memory.h"
#include "device/cpu/worker.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

// A range of memory that a NoC address leads to.
struct Range {
  std::byte* memory;
  uint64_t address;  // in `core`'s L1 or the bank
  CoreState* core;   // null: DRAM

  std::byte* data() const { return memory + address; }
};

KernelRun& begin_transfer(Context* context) {
  KernelRun& run = *static_cast<KernelRun*>(context->fiber);
  run.worker->note_activity();
  return run;
}

std::string place_name(const NocTarget& target, const Endpoint& endpoint) {
  if (endpoint.core == nullptr) return absl::StrCat("DRAM bank ", target.noc.x);
  return absl::StrFormat("L1 of core (%d,%d)", endpoint.core->core.x, endpoint.core->core.y);
}

// To be followed by run.stop(), when `why` is gone.
void fail_transfer(KernelRun& run, const char* what, const std::string& why) {
  run.worker->fail(absl::OutOfRangeError(absl::StrCat(name_of(run), ": ", what, ": ", why)));
}

Range resolve(KernelRun& run, const char* what, const NocTarget& target, uint64_t size) {
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

Range own_l1(KernelRun& run, const char* what, uint32_t address, uint64_t size) {
  const uint64_t l1_size = run.worker->machine().profile().l1_size;
  if (address > l1_size || size > l1_size - address) {
    fail_transfer(
        run, what,
        absl::StrFormat("the core's own L1 holds %d bytes; %d bytes at 0x%x end outside it",
                        l1_size, size, address));
    run.stop();
  }
  return {run.core->l1, address, run.core};
}

bool is_word(const Range& target, uint64_t size) {
  return target.core != nullptr && size == 4 && target.address % 4 == 0;
}

void write(const Range& target, const std::byte* source, uint64_t size) {
  const auto address = static_cast<uint32_t>(target.address);
  if (is_word(target, size)) {
    uint32_t value = 0;
    copy_device_memory(reinterpret_cast<std::byte*>(&value), source, 4);
    return target.core->waiters.store(address, value, ~uint32_t{0});
  }
  copy_device_memory(target.data(), source, size);
  if (target.core != nullptr) target.core->waiters.written(address, size);
}

void noc_read(Context* context, uint64_t source, uint32_t l1_target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  const Range from = resolve(run, "NoC read", noc_target(source), size);
  write(own_l1(run, "NoC read", l1_target, size), from.data(), size);
}

void noc_write(Context* context, uint32_t l1_source, uint64_t target, uint32_t size) {
  KernelRun& run = begin_transfer(context);
  const Range from = own_l1(run, "NoC write", l1_source, size);
  write(resolve(run, "NoC write", noc_target(target), size), from.data(), size);
}

// A worker of a multicast's rectangle.
Range resolve_worker(KernelRun& run, Core noc, uint64_t local, uint32_t size) {
  const Range target =
      resolve(run, "NoC multicast", {.noc = noc, .start = {}, .local = local}, size);
  if (target.core != nullptr) return target;
  fail_transfer(run, "NoC multicast",
                absl::StrFormat("(%d,%d) in the rectangle is not a worker", noc.x, noc.y));
  run.stop();
}

// `num_targets` only tells hardware how many acknowledgements to count.
void noc_multicast(Context* context, uint32_t l1_source, uint64_t target_rectangle, uint32_t size,
                   uint32_t /*num_targets*/, uint32_t include_self) {
  KernelRun& run = begin_transfer(context);
  const Range from = own_l1(run, "NoC multicast", l1_source, size);
  const auto [a, b, local] = noc_target(target_rectangle);
  for (uint32_t y = std::min(a.y, b.y); y <= std::max(a.y, b.y); ++y) {
    for (uint32_t x = std::min(a.x, b.x); x <= std::max(a.x, b.x); ++x) {
      const Range target = resolve_worker(run, {x, y}, local, size);
      if (target.core != run.core || include_self != 0) write(target, from.data(), size);
    }
  }
}

Range resolve_word(KernelRun& run, const char* what, uint64_t target) {
  const Range word = resolve(run, what, noc_target(target), 4);
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
  const Range word = resolve_word(run, "NoC write of a word", target);
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
  const Range word = resolve_word(run, "NoC increment", target);
  if (word.core == nullptr) {
    fail_transfer(run, "NoC increment", "DRAM has no atomic increment");
    run.stop();
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

void require_word(KernelRun& run, uint32_t l1_address) {
  const uint64_t l1_size = run.worker->machine().profile().l1_size;
  if (l1_address % 4 == 0 && l1_address <= l1_size - 4) return;
  run.worker->fail(absl::OutOfRangeError(
      absl::StrFormat("%s: no semaphore can be at L1 0x%x", name_of(run), l1_address)));
  run.stop();
}

}  // namespace lightmetal::device::cpu
