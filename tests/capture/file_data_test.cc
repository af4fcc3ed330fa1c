// Declarations of memory that holds a file's bytes, against a list of them: each pair of ranges.
#include "capture/file_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/digest.h"
#include "tests/support/process.h"

namespace lightmetal::capture {
namespace {

constexpr size_t kBytes = 5;

struct Range {
  size_t begin = 0;
  size_t end = 0;

  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  bool holds(const Range& other) const { return begin <= other.begin && other.end <= end; }
};

std::vector<Range> all_ranges() {
  std::vector<Range> ranges;
  for (size_t begin = 0; begin < kBytes; ++begin) {
    for (size_t end = begin + 1; end <= kBytes; ++end) ranges.push_back({begin, end});
  }
  return ranges;
}

class FileDataTest : public ::testing::Test {
 protected:
  FileDataTest() : path_(folder_.path("data")) {
    std::iota(memory_.begin(), memory_.end(), uint8_t{1});
    // The file begins with a byte that the memory does not have.
    testing::write_file(path_, std::string(1, '\0') + std::string(memory_.begin(), memory_.end()));
  }
  ~FileDataTest() override { undeclare({0, kBytes}); }

  Bytes bytes(const Range& range) const {
    return bytes_of(memory_.data() + range.begin, range.end - range.begin);
  }

  void declare(const Range& range) {
    const absl::Status status = declare_file_data(bytes(range), path_, 1 + range.begin);
    ASSERT_TRUE(status.ok()) << status;
    forget(range);
    declared_.push_back(range);
  }
  void undeclare(const Range& range) {
    undeclare_file_data(bytes(range));
    forget(range);
  }
  void forget(const Range& range) {
    std::erase_if(declared_, [&](const Range& each) { return each.overlaps(range); });
  }

  void expect_places_of_declared() const {
    for (const Range& range : all_ranges()) {
      const auto found = find_file_data(bytes(range), digest_of(bytes(range)));
      const bool is_declared = std::any_of(declared_.begin(), declared_.end(),
                                           [&](const Range& each) { return each.holds(range); });
      ASSERT_EQ(found.has_value(), is_declared) << range.begin << " to " << range.end;
      if (found.has_value()) EXPECT_EQ(found->offset, 1 + range.begin);
    }
  }

  const testing::TemporaryFolder folder_;
  const std::string path_;
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(kBytes);
  std::vector<Range> declared_;
};

TEST_F(FileDataTest, ARangeIsForgottenWhereAnotherOverlapsIt) {
  for (const bool declares : {true, false}) {
    for (const Range& first : all_ranges()) {
      for (const Range& second : all_ranges()) {
        undeclare({0, kBytes});
        declare(first);
        declares ? declare(second) : undeclare(second);
        SCOPED_TRACE(::testing::Message() << first.begin << " to " << first.end << ", then "
                                          << second.begin << " to " << second.end);
        expect_places_of_declared();
      }
    }
  }
}

TEST_F(FileDataTest, NoDescriptorStaysOpen) {
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return std::distance(std::filesystem::begin(entries), std::filesystem::end(entries));
  };
  const Bytes all = bytes({0, kBytes});
  const auto before = open_descriptors();
  declare({0, kBytes});
  EXPECT_TRUE(find_file_data(all, digest_of(all)).has_value());
  EXPECT_FALSE(declare_file_data(all, path_, 2).ok());
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(FileDataTest, ARangeEndsWhereItsFileDoesAtTheLatest) {
  EXPECT_TRUE(declare_file_data(bytes({0, kBytes}), path_, 1).ok());
  EXPECT_EQ(declare_file_data(bytes({0, kBytes}), path_, 2).code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace lightmetal::capture
