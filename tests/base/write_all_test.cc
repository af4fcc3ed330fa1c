#include "base/write_all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <vector>

namespace lightmetal {
namespace {

Bytes bytes_in(const std::string& text) { return bytes_of(text.data(), text.size()); }

// Writes as much as the next of `answers` says; a negative one is an error of that number.
class Writes {
 public:
  explicit Writes(std::vector<int> answers) : answers_(std::move(answers)) {}

  ssize_t operator()(const iovec* parts, int count) {
    const int answer = answers_.at(calls++);
    if (answer < 0) {
      errno = -answer;
      return -1;
    }
    size_t left = static_cast<size_t>(answer);
    for (int i = 0; i < count; ++i) {
      const size_t taken = std::min(left, parts[i].iov_len);
      written.append(static_cast<const char*>(parts[i].iov_base), taken);
      left -= taken;
    }
    return answer;
  }

  size_t calls = 0;
  std::string written;

 private:
  const std::vector<int> answers_;
};

TEST(WriteAllTest, GoesOnAfterWritesOfAPartAndAfterSignals) {
  const std::string first = "some", second = " text";
  Writes writes({3, -EINTR, 2, 4});
  uint64_t done = 0;
  EXPECT_TRUE(write_all({bytes_in(first), Bytes(), bytes_in(second)}, done, std::ref(writes)));
  EXPECT_EQ(writes.written, "some text");
  EXPECT_EQ(done, 9);
}

TEST(WriteAllTest, AWriteOfNothingIsAnError) {
  const std::string text = "some text";
  Writes writes({4, 0});
  uint64_t done = 0;
  EXPECT_FALSE(write_all({bytes_in(text)}, done, std::ref(writes)));
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(done, 4);
  EXPECT_EQ(writes.calls, 2);
}

TEST(WriteAllTest, AnErrorSaysWhatWasWrittenBefore) {
  const std::string text = "some text";
  Writes writes({4, -ENOSPC});
  uint64_t done = 10;
  EXPECT_FALSE(write_all({bytes_in(text)}, done, std::ref(writes)));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(done, 14);
}

TEST(WriteAllTest, MorePartsThanACallTakesAreWrittenInSeveralCalls) {
  const std::string text = "x";
  const std::vector<Bytes> parts(IOV_MAX + 10, bytes_in(text));
  std::vector<int> counts;
  uint64_t done = 0;
  EXPECT_TRUE(write_all(parts, done, [&](const iovec*, int count) {
    counts.push_back(count);
    return static_cast<ssize_t>(count);
  }));
  EXPECT_EQ(counts, (std::vector<int>{IOV_MAX, 10}));
  EXPECT_EQ(done, parts.size());
}

TEST(WriteAllTest, NothingToWriteWritesNothing) {
  Writes writes({});
  uint64_t done = 0;
  EXPECT_TRUE(write_all({Bytes()}, done, std::ref(writes)));
  EXPECT_EQ(writes.calls, 0);
}

}  // namespace
}  // namespace lightmetal
