#pragma once

#include <cstdint>

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/transfer.h"
#include "device/cpu/schedule/in_flight.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// One of the orders in which the hardware may run the kernels of a launch and carry their
// transfers, chosen by a seed. One worker runs all kernels, so the same seed and the same launches
// give the same order. For each launch it is drawn anew how often kernels let others come first,
// how often their ranks change, and how long transfers are under way: so there are orders in which
// a kernel stays behind for long, and orders in which all kernels take small steps. Not
// thread-safe.
class RandomSchedule {
 public:
  explicit RandomSchedule(uint64_t seed) : state_(seed) {}

  // ---- Called on the fibers of kernels ----

  // A point where the kernel may be held up while others go on.
  void let_others_run(KernelRun& run) {
    if (chance(calls_per_switch_)) run.let_others_run();
  }

  // Start a transfer, and changes of a word, which arrive later. `is_signal`: the transfer writes
  // one aligned word of L1, whose value is read now.
  void start(KernelRun& run, const Transfer& transfer, bool is_signal);
  void store(KernelRun& run, const MemoryRange& word, uint32_t value, uint32_t mask);
  void increment(KernelRun& run, const MemoryRange& word, uint32_t amount);
  // What the barrier waits for arrives.
  void finish(KernelRun& run, kernel_abi::NocBarrier barrier);

  // ---- Called by the worker ----

  void begin_launch();
  // A rank for a kernel that begins, or whose rank changes after a run.
  uint32_t draw_priority() { return 1 + below(1u << 16); }
  uint32_t priority_after(const KernelRun& run);
  // Lets some of what is under way arrive, or nothing.
  void let_some_arrive();
  // Lets something arrive. False when nothing is under way.
  bool let_one_arrive();
  void let_all_arrive();

 private:
  uint32_t below(uint64_t count);
  bool chance(uint32_t one_in) { return below(one_in) == 0; }
  void add(KernelRun& run, InFlight::Item item);

  uint64_t state_;
  InFlight in_flight_;
  uint32_t calls_per_switch_ = 1;   // of which one lets others come first
  uint32_t runs_per_change_ = 1;    // of which one changes the kernel's rank
  uint32_t steps_per_arrival_ = 1;  // of the worker
  bool polls_come_last_ = false;    // kernels that poll mostly come behind all others
};

}  // namespace lightmetal::device::cpu
