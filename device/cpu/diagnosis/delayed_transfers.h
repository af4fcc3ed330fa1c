#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu/kernels/kernel_stack.h"
#include "device/cpu/machine/transfer.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// The NoC transfers that one kernel has started and not waited for, in their order. A transfer is
// done when a barrier asks for it. Hardware keeps one promise without a barrier: what goes the same
// way to the same core arrives in order. So before a signal (a word that is written, a semaphore
// that is changed), those transfers are done that went the same way to the signal's core.
class DelayedTransfers {
 public:
  struct Unfinished {
    Transfer transfer;
    KernelStack started_at;
  };

  void add(const Transfer& transfer, const KernelStack& started_at) {
    unfinished_.push_back({transfer, started_at});
  }
  // Does the transfers for which `barrier` waits.
  void finish(kernel_abi::NocBarrier barrier);
  // Does the transfers of this kind to `target` (null: to DRAM), before a signal goes there.
  void finish_before_signal(TransferKind kind, const CoreState* target);
  // Forgets all transfers without doing them.
  void clear() { unfinished_.clear(); }

  // The first transfer that was started, the first read into a range of a core's own L1, and the
  // first write from such a range; null when there is none. Valid until the next change.
  const Unfinished* first() const { return unfinished_.empty() ? nullptr : &unfinished_.front(); }
  const Unfinished* read_into(const CoreState& core, uint64_t address, uint64_t size) const;
  const Unfinished* write_from(const CoreState& core, uint64_t address, uint64_t size) const;

 private:
  template <typename Predicate>
  void finish_if(Predicate predicate);

  std::vector<Unfinished> unfinished_;
};

}  // namespace lightmetal::device::cpu
