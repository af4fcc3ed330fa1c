// Pages of memory that were written, of ranges that touch, overlap or contain each other.
#include "device/cpu/memory/written_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

namespace lightmetal::device::cpu {
namespace {

using Pages = std::vector<std::pair<size_t, size_t>>;  // from, to

class WrittenPagesTest : public ::testing::Test {
 protected:
  static constexpr size_t kPages = 16;

  WrittenPagesTest() {
    void* const memory =
        mmap(nullptr, kPages * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = static_cast<std::byte*>(memory);
    for (const size_t page : {1, 2, 9, 15}) memory_[page * page_ + 7] = std::byte{1};
  }
  ~WrittenPagesTest() override { munmap(memory_, kPages * page_); }

  HostRange bytes(size_t begin, size_t end) const { return {memory_ + begin, memory_ + end}; }
  HostRange pages(size_t begin, size_t end) const { return bytes(begin * page_, end * page_); }

  Pages written(std::vector<HostRange> ranges) const {
    Pages found;
    for (const HostRange& range : written_pages(std::move(ranges)))
      found.emplace_back((range.begin - memory_) / page_, (range.end - memory_) / page_);
    return found;
  }

  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::byte* memory_ = nullptr;
};

const Pages kAll = {{1, 3}, {9, 10}, {15, 16}};

TEST_F(WrittenPagesTest, RangesMayTouchOverlapAndLieInEachOther) {
  EXPECT_EQ(written({pages(0, kPages)}), kAll);
  EXPECT_EQ(written({pages(0, 8), pages(8, kPages)}), kAll);
  EXPECT_EQ(written({pages(4, kPages), pages(0, 10)}), kAll);
  EXPECT_EQ(written({pages(0, kPages), pages(1, 2), pages(4, 5)}), kAll);
}

TEST_F(WrittenPagesTest, AnyByteOfAPageStandsForAllOfIt) {
  EXPECT_EQ(written({bytes(2 * page_, 2 * page_ + 1)}), (Pages{{2, 3}}));
  EXPECT_EQ(written({bytes(3 * page_ - 1, 3 * page_)}), (Pages{{2, 3}}));
  EXPECT_EQ(written({bytes(2 * page_ - 1, 2 * page_ + 1)}), (Pages{{1, 3}}));
  EXPECT_EQ(written({bytes(9 * page_ + 1, 9 * page_ + 2), bytes(9 * page_ + 3, 10 * page_)}),
            (Pages{{9, 10}}));
}

TEST_F(WrittenPagesTest, WhatWasNotWrittenAndEmptyRangesAreLeftOut) {
  EXPECT_EQ(written({}), Pages());
  EXPECT_EQ(written({pages(3, 9), pages(10, 15)}), Pages());
  EXPECT_EQ(written({bytes(page_ + 7, page_ + 7), pages(9, 9)}), Pages());
}

}  // namespace
}  // namespace lightmetal::device::cpu
