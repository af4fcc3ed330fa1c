#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "device/cpu/machine/transfer.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

struct KernelRun;

// What is under way on the NoC while a random schedule runs kernels: transfers and changes of
// words that have been started and have not arrived. Each may arrive at any time until a barrier
// of its kernel waits for it, but what goes the same way arrives in order. The same way go: reads
// of a kernel from one memory; writes and changes of words of a kernel to one memory; multicasts of
// a kernel to one memory. Nothing else has an order. Not thread-safe.
class InFlight {
 public:
  // What happens when it arrives.
  enum class Effect : uint8_t { kCopy, kStore, kIncrement };

  struct Item {
    const KernelRun* kernel = nullptr;
    Effect effect = Effect::kCopy;
    Transfer transfer{};    // of kStore and kIncrement only `kind` and `target` count
    uint32_t value = 0;     // of kStore and kIncrement
    uint32_t mask = 0;      // of kStore
    bool is_taken = false;  // the source has been read, into `bytes`
    std::vector<std::byte> bytes = {};
  };

  uint64_t size() const { return items_.size(); }

  void add(Item item) { items_.push_back(std::move(item)); }

  // Item `index` arrives, and before it whatever goes the same way and was started before it.
  // REQUIRES: index < size().
  void arrive(uint64_t index);
  // All items for which the barrier of this kernel waits arrive.
  void finish(const KernelRun& kernel, kernel_abi::NocBarrier barrier);
  // Reads the sources of this kernel's writes, which may be changed from now on.
  void take_sources(const KernelRun& kernel);

 private:
  static void take_source(Item& item);
  static void let_arrive(const Item& item);
  void arrive_all(absl::FunctionRef<bool(const Item&)> predicate);

  std::vector<Item> items_;  // in the order of their starts
  uint64_t bytes_taken_ = 0;
};

}  // namespace lightmetal::device::cpu
