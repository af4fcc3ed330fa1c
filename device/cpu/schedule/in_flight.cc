#include "device/cpu/schedule/in_flight.h"

#include <algorithm>
#include <utility>

#include "device/cpu/machine/core_state.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::NocBarrier;
using Effect = InFlight::Effect;
using Item = InFlight::Item;

bool is_read(const Item& item) {
  return item.effect == Effect::kCopy && item.transfer.kind == TransferKind::kRead;
}

// The memory at the far end, from the kernel's core.
const Place* far_end(const Item& item) {
  return is_read(item) ? item.transfer.source.place : item.transfer.target.place;
}

bool go_the_same_way(const Item& a, const Item& b) {
  return a.kernel == b.kernel && a.transfer.kind == b.transfer.kind && far_end(a) == far_end(b);
}

bool waits_for(NocBarrier barrier, const Item& item) {
  switch (barrier) {
    case NocBarrier::kReads:
      return is_read(item);
    case NocBarrier::kWrites:
      return !is_read(item) && item.effect != Effect::kIncrement;
    case NocBarrier::kWritesSent:
      return false;
    case NocBarrier::kAtomics:
      return item.effect == Effect::kIncrement;
    case NocBarrier::kAll:
      return true;
  }
  return true;
}

// The bytes that were taken, as a range that copy_range() takes for a source in L1.
Transfer from_taken(const Item& item, const Place& place) {
  Transfer transfer = item.transfer;
  transfer.source = {&place, 0, item.transfer.source.core};
  return transfer;
}

}  // namespace

void InFlight::let_arrive(const Item& item) {
  const MemoryRange& target = item.transfer.target;
  switch (item.effect) {
    case Effect::kStore:
      if (target.core != nullptr && target.core->initialised != nullptr)
        mark_initialised(target.core->initialised, target.address, sizeof(uint32_t));
      return store_word(target, item.value, item.mask);
    case Effect::kIncrement:
      return target.core->waiters.increment(static_cast<uint32_t>(target.address), item.value);
    case Effect::kCopy:
      break;
  }
  if (!item.is_taken) return do_transfer(item.transfer);
  const Place here = {const_cast<std::byte*>(item.bytes.data())};
  do_transfer(from_taken(item, here));
}

void InFlight::arrive(uint64_t index) {
  const auto first = std::find_if(items_.begin(), items_.end(), [&](const Item& each) {
    return go_the_same_way(each, items_[index]);
  });
  const bool is_it = first == items_.begin() + static_cast<std::ptrdiff_t>(index);
  let_arrive(*first);
  bytes_taken_ -= first->bytes.size();
  items_.erase(first);
  if (!is_it) arrive(index - 1);
}

void InFlight::arrive_all(absl::FunctionRef<bool(const Item&)> predicate) {
  while (true) {
    const auto found = std::find_if(items_.begin(), items_.end(), predicate);
    if (found == items_.end()) return;
    arrive(static_cast<uint64_t>(found - items_.begin()));
  }
}

void InFlight::finish(const KernelRun& kernel, NocBarrier barrier) {
  arrive_all([&](const Item& each) { return each.kernel == &kernel && waits_for(barrier, each); });
}

void InFlight::take_source(Item& item) {
  item.bytes.resize(item.transfer.size);
  const Place here = {item.bytes.data()};
  copy_range(item.transfer.source, {&here, 0, item.transfer.source.core}, item.transfer.size);
  item.is_taken = true;
}

// What would take too much memory arrives instead.
void InFlight::take_sources(const KernelRun& kernel) {
  constexpr uint64_t kMostBytes = uint64_t{16} << 20;
  const auto is_untaken_write = [&](const Item& each) {
    return each.kernel == &kernel && each.effect == Effect::kCopy && !is_read(each) &&
           !each.is_taken;
  };
  for (Item& item : items_) {
    if (!is_untaken_write(item) || bytes_taken_ + item.transfer.size > kMostBytes) continue;
    take_source(item);
    bytes_taken_ += item.bytes.size();
  }
  arrive_all(is_untaken_write);
}

}  // namespace lightmetal::device::cpu
