#include "device/cpu/diagnosis/alignment.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace lightmetal::device::cpu {
namespace {

constexpr uint64_t kAlignment = 16;
constexpr uint64_t kDramReadAlignment = 32;

const char* memory_name(const MemoryRange& range) { return range.core == nullptr ? "DRAM" : "L1"; }

}  // namespace

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

}  // namespace lightmetal::device::cpu
