// Random changes of every command of a legal file: verify refuses the file, or a replay on the null
// device ends. Nothing crashes, hangs or takes much memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "schema/command_generated.h"
#include "schema/walk.h"
#include "tests/semantics_rows.h"

namespace lightmetal::semantics_testing {
namespace {

using schema::CommandT;
using Bytes = std::vector<std::byte>;
using Random = std::minstd_rand;

constexpr int kRounds = 3000;
constexpr uint64_t kMemoryLimit = uint64_t{256} << 20;

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

TEST(SemanticsOfRandomFiles, AreRefusedOrEnd) {
  const uint32_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  Random random(seed);
  const std::vector<Bytes> legal = encoded_commands(*legal_file());
  int replayed = 0;
  std::map<std::string, int> failed;  // what verify left to the replay, by its text
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Bytes> commands = legal;
    const size_t number = static_cast<size_t>(round) % commands.size();
    change_some(commands[number], random);
    const auto replay = Replay::load_bytes(written(*legal_file(), commands),
                                           {.backend = "null", .memory_limit = kMemoryLimit});
    if (!replay.ok()) continue;
    const auto result = (*replay)->run();
    ++replayed;
    if (result.ok()) continue;
    EXPECT_THAT(std::string(result.status().message()),
                ::testing::Not(::testing::HasSubstr("bad_alloc")));
    ++failed[std::string(result.status().message())];
  }
  std::cout << replayed << " of " << kRounds << " files were replayed\n";
  for (const auto& [text, count] : failed) std::cout << count << " failed: " << text << "\n";
  EXPECT_GT(replayed, 0);
}

}  // namespace
}  // namespace lightmetal::semantics_testing
