#include "device/cpu/diagnosis/delayed_transfers.h"

#include <algorithm>

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::NocBarrier;
using Unfinished = DelayedTransfers::Unfinished;

// Whether a barrier waits for transfers of this kind. No transfer is atomic: increments are done at
// once (noc_transfer.cc).
bool waits_for(NocBarrier barrier, TransferKind kind) {
  switch (barrier) {
    case NocBarrier::kReads:
      return kind == TransferKind::kRead;
    case NocBarrier::kWrites:
    case NocBarrier::kWritesSent:
      return kind != TransferKind::kRead;
    case NocBarrier::kAtomics:
      return false;
    case NocBarrier::kAll:
      return true;
  }
  return true;
}

bool overlaps(const MemoryRange& range, uint64_t range_size, const CoreState& core,
              uint64_t address, uint64_t size) {
  return range.core == &core && range.address < address + size &&
         address < range.address + range_size;
}

template <typename Predicate>
const Unfinished* find(const std::vector<Unfinished>& all, Predicate predicate) {
  const auto found = std::find_if(all.begin(), all.end(), predicate);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

// Does the transfers that `predicate` names, in the order in which they were started: remove_if
// asks about each once and from the first to the last, and the others keep their order.
template <typename Predicate>
void DelayedTransfers::finish_if(Predicate predicate) {
  const auto ends = [&](const Unfinished& each) {
    const bool now = predicate(each.transfer);
    if (now) do_transfer(each.transfer);
    return now;
  };
  unfinished_.erase(std::remove_if(unfinished_.begin(), unfinished_.end(), ends),
                    unfinished_.end());
}

void DelayedTransfers::finish(NocBarrier barrier) {
  finish_if([&](const Transfer& transfer) { return waits_for(barrier, transfer.kind); });
}

void DelayedTransfers::finish_before_signal(TransferKind kind, const CoreState* target) {
  finish_if([&](const Transfer& transfer) {
    return transfer.kind == kind && transfer.target.core == target;
  });
}

const Unfinished* DelayedTransfers::read_into(const CoreState& core, uint64_t address,
                                              uint64_t size) const {
  return find(unfinished_, [&](const Unfinished& each) {
    return each.transfer.kind == TransferKind::kRead &&
           overlaps(each.transfer.target, each.transfer.size, core, address, size);
  });
}

const Unfinished* DelayedTransfers::write_from(const CoreState& core, uint64_t address,
                                               uint64_t size) const {
  return find(unfinished_, [&](const Unfinished& each) {
    return each.transfer.kind != TransferKind::kRead &&
           overlaps(each.transfer.source, each.transfer.size, core, address, size);
  });
}

}  // namespace lightmetal::device::cpu
