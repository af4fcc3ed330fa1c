// The fuzzers' targets over seeds that are changed at random, in every build; scripts/fuzz looks
// longer and further.
#include <algorithm>
#include <iostream>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "schema/file/compressed_blob.h"
#include "schema/file/frame.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::fuzz {
namespace {

constexpr int kRounds = 2000;
constexpr int kRoundsForEachSeed = 2;

std::minstd_rand& random_bytes() {
  static std::minstd_rand random;
  return random;
}

// Changes, adds or removes a few bytes.
size_t mutate_bytes(uint8_t* data, size_t size, size_t capacity) {
  std::minstd_rand& random = random_bytes();
  if (size == 0 || random() % 16 == 0) return std::min<size_t>(capacity, random() % 64);
  if (random() % 8 == 0) return 1 + random() % size;
  for (unsigned i = 0; i < 1 + random() % 4; ++i) {
    data[random() % size] = static_cast<uint8_t>(random() % 4 == 0 ? 255 : random());
  }
  return size;
}

const std::vector<Seed>& replayable() {
  static const auto& seeds = *new std::vector<Seed>(replayable_seeds());
  return seeds;
}

const schema::testing::Content& content_of(const std::string& name) {
  const auto seed = std::find_if(replayable().begin(), replayable().end(),
                                 [&](const Seed& one) { return one.name == name; });
  return seed->content;
}

uint64_t frames_of_type(Bytes file, schema::FrameType type) {
  const std::vector<Frame> frames = parse(file);
  return static_cast<uint64_t>(std::count_if(
      frames.begin(), frames.end(),
      [type](const Frame& frame) { return frame.type == static_cast<uint16_t>(type); }));
}

TEST(FuzzSeedsTest, EveryOneReplays) {
  EXPECT_GT(replayable().size(), 5u);
  for (const Seed& seed : replayable()) {
    EXPECT_EQ(verify(seed.content), Reached::Sound) << seed.name;
    EXPECT_EQ(replay(seed.content), Reached::Replayed) << seed.name;
  }
}

TEST(FuzzSeedsTest, HavePayloadsInEveryFormIntentsAndASignature) {
  using schema::FrameType;
  EXPECT_GT(frames_of_type(content_of("every_call"), FrameType::Blob), 0u);
  EXPECT_GT(frames_of_type(content_of("compressed"), FrameType::CompressedBlob), 0u);
  EXPECT_GT(frames_of_type(content_of("external"), FrameType::ExternalBlob), 0u);
  EXPECT_GT(frames_of_type(content_of("intents"), FrameType::Intent), 0u);
  EXPECT_EQ(frames_of_type(content_of("signed"), FrameType::Signature), 1u);
}

TEST(FuzzFramesTest, AFileIsAssembledAsItWas) {
  for (const Seed& seed : replayable()) {
    EXPECT_TRUE(assemble(parse(seed.content), /*closed=*/true) == seed.content) << seed.name;
  }
}

size_t change_a_bit(uint8_t* data, size_t size, size_t) {
  data[random_bytes()() % size] ^= 1;
  return size;
}

bool is_readable(const Frame& frame) {
  if (frame.type == static_cast<uint16_t>(schema::FrameType::Blob)) return true;
  const auto blob = schema::CompressedBlob::parse(frame.payload);
  return blob.ok() && blob->for_each_chunk([](Bytes) { return absl::OkStatus(); }).ok();
}

class ChangedPayloadTest
    : public ::testing::TestWithParam<std::pair<const char*, schema::FrameType>> {};

TEST_P(ChangedPayloadTest, IsNamedAnewAndStillFound) {
  const std::vector<Frame> before = parse(content_of(GetParam().first));
  int changed = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::vector<Frame> frames = before;
    mutate(frames, seed, change_a_bit);
    const auto [now, then] =
        std::mismatch(frames.begin(), frames.end(), before.begin(), before.end(),
                      [](const Frame& a, const Frame& b) { return a.payload == b.payload; });
    if (now == frames.end() || now->type != static_cast<uint16_t>(GetParam().second)) continue;
    if (frames.size() != before.size() || then->type != now->type || !is_readable(*now)) continue;
    // Two payloads that changed their places may stand behind what names them.
    if (std::ranges::count(before, now->payload, &Frame::payload) != 0) continue;
    ++changed;
    EXPECT_EQ(schema::testing::open_and_verify(assemble(frames, /*closed=*/true)),
              absl::OkStatus());
  }
  EXPECT_GT(changed, 0);
}

INSTANTIATE_TEST_SUITE_P(, ChangedPayloadTest,
                         ::testing::Values(std::pair("every_call", schema::FrameType::Blob),
                                           std::pair("chunks", schema::FrameType::CompressedBlob)),
                         [](const auto& info) { return std::string(info.param.first); });

// What a target makes of changed seeds, and how many of them at least get how far: some are whole
// and sound all the same.
struct Target {
  Reached (*run)(Bytes);
  const char* name;
  std::map<Reached, int> least;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

class FuzzTest : public ::testing::TestWithParam<Target> {};

// Some of the samples are hostile as they are.
TEST_P(FuzzTest, SamplesDoNoHarm) {
  EXPECT_FALSE(sample_seeds().empty());
  for (const Seed& seed : sample_seeds()) {
    SCOPED_TRACE(seed.name);
    EXPECT_NE(GetParam().run(seed.content), Reached::Nothing);
  }
}

TEST_P(FuzzTest, ChangedSeedsDoNoHarm) {
  const uint32_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::minstd_rand random(seed);
  random_bytes().seed(seed);
  std::vector<Seed> seeds = sample_seeds();
  seeds.resize(1);  // all samples in one file
  seeds.insert(seeds.end(), replayable().begin(), replayable().end());
  std::map<Reached, int> reached;
  std::vector<Frame> frames;
  for (int round = 0; round < kRounds; ++round) {
    if (round % kRoundsForEachSeed == 0) frames = parse(seeds[random() % seeds.size()].content);
    mutate(frames, static_cast<uint32_t>(random()), mutate_bytes);
    ++reached[GetParam().run(
        assemble(frames, round % 2 == 0, random() % 8 == 0 ? mutate_bytes : nullptr))];
  }
  for (const auto& [depth, count] : GetParam().least) {
    std::cout << reached[depth] << " of " << kRounds << " got to " << static_cast<int>(depth)
              << "\n";
    EXPECT_GE(reached[depth], count);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, FuzzTest,
    ::testing::Values(Target{read, "Read", {{Reached::Opened, kRounds / 2}}},
                      Target{verify, "Verify", {{Reached::Sound, kRounds / 20}}},
                      Target{redact, "Redact", {{Reached::Sound, kRounds / 20}}},
                      Target{replay, "Replay", {{Reached::Replayed, kRounds / 20}}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lightmetal::fuzz
