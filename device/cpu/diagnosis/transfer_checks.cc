#include "device/cpu/diagnosis/transfer_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "device/cpu/diagnosis/kernel_diagnosis.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/memory/memory.h"
#include "device/cpu/schedule/random_schedule.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {
namespace {

// Takes the status over, so that nothing on the fiber's stack owns it when the kernel stops.
void fail_if(KernelRun& run, absl::Status status) {
  if (status.ok()) return;
  run.fail(std::move(status));
}

constexpr uint64_t kAlignment = 16;
constexpr uint64_t kDramReadAlignment = 32;

const char* memory_name(const MemoryRange& range) { return range.core == nullptr ? "DRAM" : "L1"; }

// The hardware's rule for where a NoC transfer begins: the addresses of source and target must
// leave the same rest when divided by 32 for a read of DRAM, and by 16 for all other transfers
// (reads and writes of L1, writes of DRAM).
absl::Status check_alignment(const Transfer& transfer) {
  const bool reads_dram = transfer.source.core == nullptr;
  const uint64_t alignment = reads_dram ? kDramReadAlignment : kAlignment;
  const uint64_t source = transfer.source.address % alignment;
  const uint64_t target = transfer.target.address % alignment;
  if (source == target) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s of %d bytes from %s 0x%x to %s 0x%x: modulo %d the addresses are %d and %d, hardware "
      "needs them equal",
      name_of(transfer.kind), transfer.size, memory_name(transfer.source), transfer.source.address,
      memory_name(transfer.target), transfer.target.address, alignment, source, target));
}

absl::Status check_initialised(const char* what, const MemoryRange& range, uint64_t size) {
  if (range.core == nullptr || range.core->initialised == nullptr) return absl::OkStatus();
  const auto found = find_uninitialised(range.core->initialised, range.address, size);
  if (!found.has_value()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("%s: reads %d bytes at 0x%x in L1 of core (%d,%d), where nothing has been "
                      "written at 0x%x",
                      what, size, range.address, range.core->core.x, range.core->core.y, *found));
}

// Fills the target of a delayed read with a word that is NaN as a float, and in each half as a
// bfloat16, and that is easy to recognise as an integer.
void poison(const MemoryRange& target, uint64_t size) {
  constexpr uint32_t kPoison = 0xffa5ffa5;
  for (uint64_t offset = 0; offset < size; offset += sizeof(kPoison)) {
    copy_device_memory(target.data() + offset, reinterpret_cast<const std::byte*>(&kPoison),
                       std::min<uint64_t>(sizeof(kPoison), size - offset));
  }
}

absl::Status check(const KernelRun& run, const Transfer& transfer) {
  const uint32_t checks = run.context().checks;
  absl::Status status;
  if ((checks & kernel_abi::kCheckAlignment) != 0) status = check_alignment(transfer);
  if (!status.ok() || (checks & kernel_abi::kCheckUninitialized) == 0) return status;
  return check_initialised(name_of(transfer.kind), transfer.source, transfer.size);
}

}  // namespace

bool start_checked(KernelRun& run, const Transfer& transfer, bool is_signal) {
  fail_if(run, check(run, transfer));
  if (!run.failure.ok()) run.stop();
  if (run.schedule != nullptr) {
    run.schedule->start(run, transfer, is_signal);
    return true;
  }
  const uint32_t checks = run.context().checks;
  if ((checks & kernel_abi::kDelayTransfers) == 0) return false;
  DelayedTransfers& delayed = run.diagnosis->transfers;
  if (is_signal && transfer.kind != TransferKind::kRead) {
    delayed.finish_before_signal(transfer.kind, transfer.target.core);
    return false;
  }
  delayed.add(transfer, stack_of_caller(run));
  if (transfer.kind == TransferKind::kRead && (checks & kernel_abi::kPoisonReads) != 0)
    poison(transfer.target, transfer.size);
  return true;
}

void before_signal(KernelRun& run, const MemoryRange& word, bool reads) {
  if (reads) fail_if(run, check_initialised("NoC increment", word, sizeof(uint32_t)));
  if (!run.failure.ok()) run.stop();
  if (word.core != nullptr && word.core->initialised != nullptr)
    mark_initialised(word.core->initialised, word.address, sizeof(uint32_t));
  if ((run.context().checks & kernel_abi::kDelayTransfers) != 0)
    run.diagnosis->transfers.finish_before_signal(TransferKind::kWrite, word.core);
}

}  // namespace lightmetal::device::cpu
