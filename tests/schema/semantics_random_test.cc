// Random changes of the commands of a legal file: verify and a replay on the null device agree
// about each file that comes of it. Nothing crashes, hangs or takes much memory.
//
// What verify accepts is replayed whole. What it refuses is replayed, unchecked, up to the command
// that it refuses, where the host API has to say no as well; beyond that command nothing is known
// of the numbers, and unchecked ones can crash the process. For the same reason refusals that are
// marked as those of files alone (schema/semantics/refusal.h) are not replayed: nothing else says
// no there.
//
// LIGHTMETAL_RANDOM_FILES=N tries so many files, from seed LIGHTMETAL_RANDOM_SEED on; each has a
// seed of its own, the one after that of the file before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "schema/command_generated.h"
#include "schema/commands/walk.h"
#include "schema/semantics/refusal.h"
#include "tests/schema/semantics_rows.h"
#include "tests/support/agreement.h"
#include "tests/support/number_in_environment.h"

namespace lightmetal::semantics_testing {
namespace {

using schema::CommandT;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937;
using lightmetal::testing::FilePointer;
using lightmetal::testing::Verdict;

constexpr uint32_t kFiles = 3000;
constexpr uint32_t kEnough = 20;  // disagreements to print

// A number in an encoded command.
struct Slot {
  size_t offset = 0;
  size_t size = 0;
  bool is_length = false;  // of a vector: it may only shrink
};

// Finds the numbers of a command: scalars, members of structs, elements and lengths of vectors.
class Slots : public schema::Visitor {
 public:
  explicit Slots(const Bytes& command) : begin_(command.data()) {
    static const schema::Plans plans([](const schema::Step&) { return true; });
    const schema::Command& root = *schema::GetSizePrefixedCommand(begin_);
    schema::walk(plans.of("Command"), reinterpret_cast<const Table&>(root), *this);
  }

  const std::vector<Slot>& all() const { return slots_; }

  void number(const schema::Step& step, const uint8_t* data) { add(data, step.size, false); }
  uint32_t begin_list(const schema::Step&, const flatbuffers::VectorOfAny& list) {
    add(&list, sizeof(flatbuffers::uoffset_t), true);
    return list.size();
  }

 private:
  void add(const void* data, size_t size, bool is_length) {
    const auto offset = static_cast<size_t>(static_cast<const std::byte*>(data) - begin_);
    slots_.push_back({offset, size, is_length});
  }

  const std::byte* const begin_;
  std::vector<Slot> slots_;
};

uint64_t random_word(Random& random) {
  return uint64_t{random()} << 33 ^ uint64_t { random() } << 11 ^ random();
}

// A number that programs get wrong: near the old one, a border, or any.
uint64_t other_number(uint64_t old, Random& random) {
  switch (random() % 8) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return old * 2;
    case 3:
      return 0;
    case 4:
      return ~uint64_t{0};
    case 5:
      return old ^ uint64_t { 1 } << random() % 64;
    case 6:
      return random() % 16;
    default:
      return random_word(random);
  }
}

void change(Bytes& command, const Slot& slot, Random& random) {
  uint64_t old = 0;
  std::memcpy(&old, &command[slot.offset], slot.size);
  uint64_t changed = other_number(old, random);
  if (slot.is_length) changed = old == 0 ? 0 : changed % old;
  std::memcpy(&command[slot.offset], &changed, slot.size);
}

// Encoded with every number, those at their defaults too.
std::vector<Bytes> encoded_commands(const schema::File& file) {
  std::vector<Bytes> all;
  for (const CommandT& command : lightmetal::testing::commands_of(file)) {
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    const lightmetal::Bytes bytes = schema::encode_command(builder, command);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

void change_some(Bytes& command, Random& random) {
  const Slots slots(command);
  for (unsigned i = 0; i < 1 + random() % 2; ++i) {
    change(command, slots.all()[random() % slots.all().size()], random);
  }
}

// A sound file with the payloads of `file` and these commands.
std::vector<uint8_t> written(const schema::File& file, const std::vector<Bytes>& commands) {
  return lightmetal::testing::written_like(file, [&](schema::Writer& writer) {
    for (const Bytes& command : commands) EXPECT_TRUE(writer.append_command(command).ok());
  });
}

// The legal file with one command changed.
FilePointer random_file(uint32_t seed) {
  static const std::vector<Bytes> legal = encoded_commands(*legal_file());
  Random random(seed);
  std::vector<Bytes> commands = legal;
  change_some(commands[random() % commands.size()], random);
  return lightmetal::testing::open_file(written(*legal_file(), commands));
}

TEST(SemanticsOfRandomFiles, AreThoseOfTheHostApi) {
  const uint32_t first = number_in_environment("LIGHTMETAL_RANDOM_SEED", std::random_device()());
  const uint32_t count = number_in_environment("LIGHTMETAL_RANDOM_FILES", kFiles);
  std::cout << count << " files from seed " << first << " on\n" << std::flush;
  uint32_t disagreements = 0;
  for (uint32_t i = 0; i < count && disagreements < kEnough; ++i) {
    const std::string found = lightmetal::testing::disagreement_about(*random_file(first + i));
    disagreements += !found.empty();
    EXPECT_EQ(found, "") << "seed " << first + i;
  }
}

// A program that names an index twice has it once, so a replay takes what no recorder writes.
TEST(SemanticsOfRandomFiles, AnIndexThatIsNamedTwiceIsRefusedOfFilesAlone) {
  bool is_there = false;
  const auto twice = lightmetal::testing::rewritten(*legal_file(), [&](CommandT& command, auto&) {
    const auto* call = command.call.AsCircularBufferCreateOnGlobal();
    if (call == nullptr || is_there) return;
    auto& indices = call->config->indices;
    indices.push_back(std::make_unique<schema::CircularBufferIndexT>(*indices.at(0)));
    is_there = true;
  });
  ASSERT_TRUE(is_there);
  const FilePointer file = lightmetal::testing::open_file(twice);
  EXPECT_THAT(lightmetal::testing::verified(*file).status.message(),
              ::testing::HasSubstr("expected each index once"));
  EXPECT_EQ(lightmetal::testing::disagreement_about(*file), "");
}

// ---- The twins: what does not agree is found ----

// Random files with a verdict that satisfies `wanted`.
std::vector<FilePointer> files_with(
    size_t count, const std::function<bool(const schema::File&, const Verdict&)>& wanted) {
  std::vector<FilePointer> found;
  for (uint32_t seed = 1; found.size() < count; ++seed) {
    FilePointer file = random_file(seed);
    if (wanted(*file, lightmetal::testing::verified(*file))) found.push_back(std::move(file));
  }
  return found;
}

TEST(SemanticsOfRandomFiles, ACheckThatForgetsRulesIsFoundOut) {
  const auto is_refused = [](const schema::File& file, const Verdict& verdict) {
    return !verdict.status.ok() && !lightmetal::testing::is_of_files_alone(file, verdict);
  };
  // Accepts the refused command as the last one.
  const auto forgets = [](const schema::File& file) {
    return Verdict{absl::OkStatus(), lightmetal::testing::verified(file).command + 1};
  };
  for (const FilePointer& file : files_with(100, is_refused)) {
    EXPECT_THAT(lightmetal::testing::disagreement_about(*file, forgets),
                ::testing::HasSubstr("verify accepts what a replay refuses"));
  }
}

TEST(SemanticsOfRandomFiles, ACheckThatInventsRulesIsFoundOut) {
  const auto is_accepted = [](const schema::File&, const Verdict& verdict) {
    return verdict.status.ok();
  };
  const auto invents = [](const schema::File& file) {
    const Verdict verdict = lightmetal::testing::verified(file);
    return Verdict{absl::InvalidArgumentError("an invented rule"), verdict.command - 1};
  };
  for (const FilePointer& file : files_with(100, is_accepted)) {
    EXPECT_EQ(lightmetal::testing::disagreement_about(*file, invents),
              "verify refuses what a replay takes: an invented rule");
  }
}

TEST(SemanticsOfRandomFiles, ACheckWithOtherWordsIsFoundOut) {
  using lightmetal::testing::disagreement;
  const absl::Status refusal =
      schema::semantics::about({"buffer", 1}, absl::InvalidArgumentError("Buffer 1 is too large"));
  EXPECT_EQ(disagreement({refusal}, absl::InternalError("command 3: Buffer 27 is too large")), "");
  EXPECT_NE(disagreement({refusal}, absl::InternalError("command 3: Buffer 27 is too small")), "");
}

}  // namespace
}  // namespace lightmetal::semantics_testing
