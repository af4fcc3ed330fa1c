// Real captured files, cut at every byte and with bytes changed at random: whatever is wrong is
// found, and what counts as good is the beginning that is.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using testing::Content;

// LIGHTMETAL_EVERY_DAMAGE in the environment: all of it, where the build does only a part.
bool does_everything() { return std::getenv("LIGHTMETAL_EVERY_DAMAGE") != nullptr; }

class RealFileTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = std::string(LIGHTMETAL_GOLDEN_DIR "/") + GetParam();
    std::ifstream stream(path, std::ios::binary);
    ASSERT_TRUE(stream.is_open()) << path;
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    content_ = testing::copy_of(testing::bytes_of_text(text));
  }

  // Good as a whole is only the whole file; good up to some byte, at most what comes before
  // `first_wrong`.
  static void expect_noticed(Content content, size_t first_wrong) {
    const auto file = File::from_bytes(std::move(content));
    if (!file.ok()) return;
    EXPECT_FALSE(verify(**file).ok()) << "byte " << first_wrong;
    VerifyReport report;
    const absl::Status beginning = verify(**file, &report, {.allow_incomplete = true});
    EXPECT_LE(report.bytes, first_wrong) << beginning;
  }

  Content content_;
};

TEST_P(RealFileTest, TheWholeFileIsGood) { EXPECT_TRUE(testing::open_and_verify(content_).ok()); }

TEST_P(RealFileTest, EveryCutIsNoticed) {
  const size_t step = does_everything() ? 1 : LIGHTMETAL_CUT_STEP;
  for (size_t size = 0; size < content_.size(); size += step) {
    expect_noticed(testing::copy_of(Bytes(content_).first(size)), size);
  }
}

TEST_P(RealFileTest, ChangedBytesAreNoticed) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const int flips = does_everything() ? 20'000 : LIGHTMETAL_FLIPS;
  for (int i = 0; i < flips; ++i) {
    const size_t position = random() % content_.size();
    Content changed = content_;
    changed[position] ^= static_cast<std::byte>(1 + random() % 255);
    expect_noticed(std::move(changed), position);
  }
}

INSTANTIATE_TEST_SUITE_P(GoldenFiles, RealFileTest,
                         ::testing::Values("1.0/loopback.lmb", "1.0/trace_two_programs.lmb",
                                           "1.0/vecadd_multi_core.lmb", "1.1/compressed.lmb",
                                           "1.1/signed.lmb"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace lightmetal::schema
