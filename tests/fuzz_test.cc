// The fuzzers' targets over samples that are changed at random, in every build; scripts/fuzz looks
// longer and further.
#include <random>

#include "schema/lifetime.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/targets.h"
#include "tests/schema_testing.h"

namespace lightmetal::fuzz {
namespace {

constexpr int kRounds = 2000;

uint32_t random_seed() {
  const uint32_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  return seed;
}

// Changes, adds or removes a few bytes.
size_t mutate_bytes(uint8_t* data, size_t size, size_t capacity) {
  static std::minstd_rand random(7);
  if (size == 0 || random() % 16 == 0) return std::min<size_t>(capacity, random() % 64);
  if (random() % 8 == 0) return 1 + random() % size;
  for (unsigned i = 0; i < 1 + random() % 4; ++i) {
    data[random() % size] = static_cast<uint8_t>(random() % 4 == 0 ? 255 : random());
  }
  return size;
}

const schema::testing::Content& samples() {
  static const auto content = schema::testing::written(schema::testing::legal_sequence());
  return content;
}

TEST(FuzzFramesTest, ParsedFramesAssembleToTheSameCommands) {
  const auto file = schema::testing::opened(assemble(parse(samples()), /*closed=*/true));
  EXPECT_TRUE(file->closed());
  EXPECT_EQ(file->num_commands(), schema::testing::opened(samples())->num_commands());
  uint64_t blobs = 0;
  for (const schema::BlobEntry& entry : file->blobs()) {
    blobs += file->blob({{entry.digest.low, entry.digest.high}, entry.size}).ok();
  }
  EXPECT_EQ(blobs, 1u);
}

TEST(FuzzFramesTest, AChangedFileGetsPastTheChecksums) {
  std::vector<Frame> frames = parse(samples());
  frames[1].payload[0] ^= std::byte{1};  // the payload that commands name
  const auto file = schema::testing::opened(assemble(frames, /*closed=*/true));
  ASSERT_NE(file, nullptr);
  for (uint64_t number = 0; number < file->num_commands(); ++number) {
    EXPECT_TRUE(file->command(number).ok()) << number;
  }
}

class FuzzTest : public ::testing::TestWithParam<void (*)(Bytes)> {};

TEST_P(FuzzTest, ChangedSamplesDoNoHarm) {
  std::minstd_rand random(random_seed());
  std::vector<Frame> frames = parse(samples());
  for (int round = 0; round < kRounds; ++round) {
    if (round % 10 == 0) frames = parse(samples());
    mutate(frames, static_cast<uint32_t>(random()), mutate_bytes);
    GetParam()(assemble(frames, round % 2 == 0));
  }
}

std::string name_of_target(const ::testing::TestParamInfo<void (*)(Bytes)>& info) {
  return info.param == read ? "Read" : info.param == verify ? "Verify" : "Replay";
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTest, ::testing::Values(read, verify, replay),
                         name_of_target);

}  // namespace
}  // namespace lightmetal::fuzz
