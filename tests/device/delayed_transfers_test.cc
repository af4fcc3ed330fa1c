// Uses of L1 and transfers that are under way: at the edges of both ranges.
#include "device/cpu/diagnosis/delayed_transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "device/cpu/schedule/in_flight.h"

namespace lightmetal::device::cpu {
namespace {

class DelayedTransfersTest : public ::testing::Test {
 protected:
  // Only their addresses are looked at.
  CoreState& core() { return *reinterpret_cast<CoreState*>(cores_[0].data()); }
  CoreState& other() { return *reinterpret_cast<CoreState*>(cores_[1].data()); }

  void add(TransferKind kind, const MemoryRange& source, const MemoryRange& target, uint64_t size) {
    transfers_.add({kind, source, target, size}, {});
  }
  MemoryRange in_l1(uint64_t address) { return {nullptr, address, &core()}; }
  static MemoryRange in_dram(uint64_t address) { return {nullptr, address, nullptr}; }

  alignas(CoreState) std::array<std::array<std::byte, alignof(CoreState)>, 2> cores_{};
  DelayedTransfers transfers_;
};

struct Use {
  uint64_t address, size;
  bool meets;  // a transfer of 32 bytes at 64
};

constexpr Use kUses[] = {{0, 64, false},  {0, 65, true},  {63, 1, false}, {64, 1, true},
                         {95, 1, true},   {96, 8, false}, {70, 4, true},  {0, 256, true},
                         {32, 32, false}, {32, 33, true}, {95, 64, true}};

TEST_F(DelayedTransfersTest, ARangeBesideATransferDoesNotMeetIt) {
  for (const TransferKind write : {TransferKind::kWrite, TransferKind::kMulticast}) {
    transfers_.clear();
    add(TransferKind::kRead, in_dram(64), in_l1(64), 32);
    add(write, in_l1(64), in_dram(64), 32);
    for (const Use& use : kUses) {
      const auto* read = transfers_.read_into(core(), use.address, use.size);
      const auto* written = transfers_.write_from(core(), use.address, use.size);
      EXPECT_EQ(read != nullptr, use.meets) << use.address << " " << use.size;
      EXPECT_EQ(written != nullptr, use.meets) << use.address << " " << use.size;
      EXPECT_EQ(transfers_.read_into(other(), use.address, use.size), nullptr);
      EXPECT_EQ(transfers_.write_from(other(), use.address, use.size), nullptr);
    }
  }
}

TEST_F(DelayedTransfersTest, TheFirstThatAUseMeetsIsNamed) {
  for (const uint64_t source : {0, 1, 2}) add(TransferKind::kRead, in_dram(source), in_l1(64), 32);
  EXPECT_EQ(transfers_.first()->transfer.source.address, 0u);
  EXPECT_EQ(transfers_.read_into(core(), 64, 4)->transfer.source.address, 0u);
  transfers_.clear();
  EXPECT_EQ(transfers_.first(), nullptr);
}

// ---- What is under way with a random schedule ----

// Writes of one byte each from L1 to two memories that are no L1.
class InFlightTest : public ::testing::Test {
 protected:
  // Only their addresses are looked at.
  const KernelRun* kernel(size_t number) const {
    return reinterpret_cast<const KernelRun*>(kernels_[number].data());
  }
  void add(size_t kernel_number, char* source, const Place& memory, uint64_t address,
           TransferKind kind = TransferKind::kWrite) {
    in_flight_.add({.kernel = kernel(kernel_number),
                    .transfer = {.kind = kind,
                                 .source = {&l1_, static_cast<uint64_t>(source - sent_), core()},
                                 .target = {&memory, address, nullptr},
                                 .size = 1}});
  }
  CoreState* core() { return reinterpret_cast<CoreState*>(&core_); }

  alignas(64) const std::array<std::array<char, 64>, 2> kernels_{};
  alignas(CoreState) char core_ = 0;
  char sent_[9] = "abcdefgh";
  char first_[9] = "........", second_[9] = "........";
  const Place l1_{reinterpret_cast<std::byte*>(sent_)};
  const Place one_{reinterpret_cast<std::byte*>(first_)};
  const Place other_{reinterpret_cast<std::byte*>(second_)};
  InFlight in_flight_;
};

TEST_F(InFlightTest, WhatArrivesBringsAlongWhatWentTheSameWayBefore) {
  add(0, sent_, one_, 0);
  add(1, sent_ + 1, one_, 1);
  add(0, sent_ + 2, other_, 2);
  add(0, sent_ + 3, one_, 3, TransferKind::kMulticast);
  add(0, sent_ + 4, one_, 0);
  add(0, sent_ + 5, one_, 5);
  in_flight_.arrive(4);
  EXPECT_STREQ(first_, "e.......");
  EXPECT_STREQ(second_, "........");
  EXPECT_EQ(in_flight_.size(), 4u);
  in_flight_.arrive(1);
  EXPECT_STREQ(second_, "..c.....");
  in_flight_.arrive(1);
  EXPECT_STREQ(first_, "e..d....");
}

TEST_F(InFlightTest, ABarrierWaitsForWhatItsOwnKernelHasStarted) {
  using kernel_abi::NocBarrier;
  add(0, sent_, one_, 0);
  add(1, sent_ + 1, one_, 1);
  add(0, sent_ + 2, other_, 2, TransferKind::kMulticast);
  for (const NocBarrier other : {NocBarrier::kReads, NocBarrier::kAtomics, NocBarrier::kWritesSent})
    in_flight_.finish(*kernel(0), other);
  EXPECT_EQ(in_flight_.size(), 3u);
  in_flight_.finish(*kernel(0), NocBarrier::kWrites);
  EXPECT_STREQ(first_, "a.......");
  EXPECT_STREQ(second_, "..c.....");
  in_flight_.finish(*kernel(1), NocBarrier::kAll);
  EXPECT_STREQ(first_, "ab......");
}

TEST_F(InFlightTest, SourcesThatWereTakenMayBeChanged) {
  add(0, sent_, one_, 0);
  add(1, sent_ + 1, one_, 1);
  in_flight_.take_sources(*kernel(0));
  EXPECT_STREQ(first_, "........");
  add(0, sent_ + 2, one_, 2);
  std::fill_n(sent_, 8, 'X');
  while (in_flight_.size() != 0) in_flight_.arrive(0);
  EXPECT_STREQ(first_, "aXX.....");
}

}  // namespace
}  // namespace lightmetal::device::cpu
