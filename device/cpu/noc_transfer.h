#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/memory.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

struct CoreState;
struct KernelRun;

// A range of memory that a NoC address leads to.
struct MemoryRange {
  const Place* place;
  uint64_t address;  // in `core`'s L1 or the bank
  CoreState* core;   // null: DRAM

  std::byte* data(uint64_t offset = 0) const { return place->at(address + offset); }
  // How many of `size` bytes lie in one piece from `offset` on.
  uint64_t piece(uint64_t offset, uint64_t size) const {
    return place->piece(address + offset, size - offset);
  }
};

enum class TransferKind : uint8_t { kRead, kWrite, kMulticast };
const char* name_of(TransferKind kind);  // "NoC read"

// One copy, between ranges that are known to be memory; of a multicast, one to each core.
struct Transfer {
  TransferKind kind;
  MemoryRange source;
  MemoryRange target;
  uint64_t size;
};

// Copies now.
void do_transfer(const Transfer& transfer);

// Sets the noc_ services. A transfer has happened when the call returns, unless missing barriers
// are looked for (diagnosis/delayed_transfers.h). A word of L1 is written at once and after all
// that the kernel wrote before, so it can announce data; it reaches waiting kernels
// (word_waiters.h).
void fill_noc_services(kernel_abi::Services& services);

// Fails the launch unless a word of the kernel's own L1 is there.
void require_word(KernelRun& run, uint32_t l1_address);

}  // namespace lightmetal::device::cpu
