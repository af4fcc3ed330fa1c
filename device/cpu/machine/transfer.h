#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/memory/memory.h"

// What the NoC carries from one memory to another. These functions are inlined into each service
// that starts a transfer, so that the ranges stay in registers (why that matters: see Wait in
// waiter.h). None of them checks a range: services/noc_transfer.cc does so before.
namespace lightmetal::device::cpu {

// A range of memory that a NoC address leads to.
struct MemoryRange {
  const Place* place;
  uint64_t address;  // in the L1 of `core`, or in the bank
  CoreState* core;   // null: the range lies in a DRAM bank

  std::byte* data(uint64_t offset = 0) const { return place->at(address + offset); }
  // How many of `size` bytes lie in one piece from `offset` on.
  uint64_t piece(uint64_t offset, uint64_t size) const {
    return place->piece(address + offset, size - offset);
  }
};

enum class TransferKind : uint8_t { kRead, kWrite, kMulticast };

// "NoC read"
inline const char* name_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::kRead:
      return "NoC read";
    case TransferKind::kWrite:
      return "NoC write";
    case TransferKind::kMulticast:
      return "NoC multicast";
  }
  return "NoC transfer";
}

// One copy between ranges that are known to be memory. A multicast is one copy for each core.
struct Transfer {
  TransferKind kind;
  MemoryRange source;
  MemoryRange target;
  uint64_t size;
};

// Whether a write of `size` bytes is one aligned word of L1, which is stored in one step.
inline bool is_word(const MemoryRange& target, uint64_t size) {
  return target.core != nullptr && size == 4 && target.address % 4 == 0;
}

// Replaces the bits of `mask` of a word by those of `value`: in one step in L1, where kernels that
// wait for the word are woken, and byte by byte in DRAM. REQUIRES: the word is aligned, and `mask`
// is of whole bytes.
inline void store_word(const MemoryRange& word, uint32_t value, uint32_t mask) {
  if (word.core != nullptr) {
    return word.core->waiters.store(static_cast<uint32_t>(word.address), value, mask);
  }
  for (uint32_t byte = 0; byte < 4; ++byte) {
    if ((mask >> byte * 8 & 1) == 0) continue;
    const auto part = static_cast<std::byte>(value >> byte * 8);
    copy_device_memory(word.data(byte), &part, 1);
  }
}

// Fetches ahead, into the second level cache, the bytes that a walk through an interleaved buffer
// wants next: those at the same place of the next bank, or, within a long transfer, those that
// follow in this bank. It fetches the first half of them, after which the processor recognises the
// walk itself. Fetching is a hint, so no address is wrong. The function is inlined by force because
// GCC takes a function that only prefetches for one that does nothing.
template <int kForWriting>
__attribute__((always_inline)) inline void prefetch_after(const MemoryRange& range, uint64_t done,
                                                          uint64_t piece, uint64_t size) {
  constexpr uint64_t kLine = 64, kMostOfPage = 4096;
  constexpr int kIntoSecondLevel = 2;
  if (range.core != nullptr) return;
  const std::byte* next =
      size > kMostOfPage ? range.data(done + piece) : range.data(done) + Place::kStripe;
  for (uint64_t i = 0; i < piece / 2; i += kLine)
    __builtin_prefetch(next + i, kForWriting, kIntoSecondLevel);
}

// Copies `size` bytes. REQUIRES: at least one of the two ranges is L1, which lies in one piece.
__attribute__((always_inline)) inline void copy_range(const MemoryRange& source,
                                                      const MemoryRange& target, uint64_t size) {
  const bool reads_dram = source.core == nullptr;
  for (uint64_t done = 0; done < size;) {
    const uint64_t piece = reads_dram ? source.piece(done, size) : target.piece(done, size);
    copy_device_memory(target.data(done), source.data(done), piece);
    prefetch_after</*kForWriting=*/0>(source, done, piece, size);
    prefetch_after</*kForWriting=*/1>(target, done, piece, size);
    done += piece;
  }
}

// Does the copy and wakes kernels that wait for a word in its target. A read's target is the L1 of
// the kernel that reads, so only kernels of this thread can wait there, and no fence is needed.
__attribute__((always_inline)) inline void do_transfer(const Transfer& transfer) {
  const auto& [kind, source, target, size] = transfer;
  const auto address = static_cast<uint32_t>(target.address);
  if (target.core != nullptr && target.core->initialised != nullptr) [[unlikely]]
    mark_initialised(target.core->initialised, address, size);
  if (is_word(target, size)) {
    uint32_t value = 0;
    const Place here = {reinterpret_cast<std::byte*>(&value)};
    copy_range(source, {&here, 0, target.core}, sizeof(value));
    return target.core->waiters.store(address, value, ~uint32_t{0});
  }
  copy_range(source, target, size);
  if (kind == TransferKind::kRead) return target.core->waiters.written_by_own_worker(address, size);
  if (target.core != nullptr) target.core->waiters.written(address, size);
}

}  // namespace lightmetal::device::cpu
