// Uses of L1 and transfers that are under way: at the edges of both ranges.
#include "device/cpu/diagnosis/delayed_transfers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

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

}  // namespace
}  // namespace lightmetal::device::cpu
