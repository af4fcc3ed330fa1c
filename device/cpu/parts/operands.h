#pragma once

#include <cstdint>
#include <initializer_list>

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/compute_parts.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// Operands of tile operations, on their way from the unpacking part to the part that computes.
namespace lightmetal::device::cpu {

// Keeps what an operation reads. Ranges that leave L1 are kept as far as they are in L1: the part
// that computes reports them.
class OperandKeeper {
 public:
  OperandKeeper(KernelRun& run, UnpackedOperation& operation) : run_(run), operation_(operation) {}

  // `count` tiles of a circular buffer, `step` tiles apart; at most as many as DST has.
  void tiles(uint32_t cb, uint32_t first, uint32_t count = 1, uint32_t step = 1);
  // Any number of tiles in a row.
  void run_of_tiles(uint32_t cb, uint32_t first, uint32_t count);
  // Rows of `count` tiles of the given shape, at tile `first` or at the read pointer.
  void rows(uint32_t cb, uint32_t first, uint32_t count, kernel_abi::RowShape shape);

 private:
  const kernel_abi::CircularBuffer* keep_buffer(uint32_t cb);
  void keep_range(uint64_t address, uint64_t size);

  KernelRun& run_;
  UnpackedOperation& operation_;
};

// Waits until the part `to` has room for one more operation, and returns the empty operation.
// end_operation() hands it over.
UnpackedOperation& begin_operation(KernelRun& run, kernel_abi::Part to, const char* name);
void end_operation(KernelRun& run, kernel_abi::Part to);

// Waits for an operation for the part of `run`. Fails the launch if the operation is another one
// than `name`: then the parts are out of step.
UnpackedOperation& take_operation(KernelRun& run, const char* name);

// Says that the operation that `run` is about to compute writes this range of L1.
void expect_result(KernelRun& run, uint64_t address, uint64_t size);

// While it lives, the services of the run's context find the operation's circular buffers and
// bytes. They also find what is in L1 at the places of the expected results, because an operation
// may add to it. At the scope's end the results are in L1, and the operation is done.
class OperandScope {
 public:
  OperandScope(KernelRun& run, const UnpackedOperation& operation);
  ~OperandScope();
  OperandScope(const OperandScope&) = delete;
  OperandScope& operator=(const OperandScope&) = delete;

 private:
  static constexpr uint32_t kMostBuffers = 2;

  KernelRun& run_;
  const UnpackedOperation& operation_;
  const uint64_t l1_base_;
  kernel_abi::CircularBuffer saved_[kMostBuffers];
};

}  // namespace lightmetal::device::cpu
