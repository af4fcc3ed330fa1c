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

#include "flatbuffers/reflection.h"
#include "schema/decode.h"
#include "schema/reflection.h"
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
  uint8_t* data = nullptr;
  size_t size = 0;
  bool is_length = false;  // of a vector: it may only shrink
};

// Finds the numbers of a command: scalars, members of structs, elements and lengths of vectors.
class Slots {
 public:
  explicit Slots(flatbuffers::Table& command) {
    add_table(command, *schema::command_schema().root_table());
  }

  const std::vector<Slot>& all() const { return slots_; }

 private:
  using Type = reflection::BaseType;

  const reflection::Object& object_at(int32_t index) const {
    return *schema::command_schema().objects()->Get(static_cast<uint32_t>(index));
  }

  void add_scalar(uint8_t* data, Type type) {
    slots_.push_back({data, flatbuffers::GetTypeSize(type), false});
  }

  void add_struct(uint8_t* data, const reflection::Object& object) {
    for (const reflection::Field* field : *object.fields()) {
      uint8_t* const member = data + field->offset();
      if (field->type()->base_type() == Type::Obj) {
        add_struct(member, object_at(field->type()->index()));
      } else {
        add_scalar(member, field->type()->base_type());
      }
    }
  }

  void add_table(flatbuffers::Table& table, const reflection::Object& object) {
    for (const reflection::Field* field : *object.fields()) {
      uint8_t* const data = table.GetAddressOf(field->offset());
      if (data != nullptr) add_field(table, object, *field, data);
    }
  }

  void add_field(flatbuffers::Table& table, const reflection::Object& object,
                 const reflection::Field& field, uint8_t* data) {
    const Type type = field.type()->base_type();
    if (flatbuffers::IsScalar(type)) return add_scalar(data, type);
    uint8_t* const target = data + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(data);
    if (type == Type::Vector) return add_vector(target, *field.type());
    if (type == Type::Obj) {
      const reflection::Object& member = object_at(field.type()->index());
      if (member.is_struct()) return add_struct(data, member);
      return add_table(*reinterpret_cast<flatbuffers::Table*>(target), member);
    }
    if (type == Type::Union) {
      const reflection::Object& member =
          flatbuffers::GetUnionType(schema::command_schema(), object, field, table);
      add_table(*reinterpret_cast<flatbuffers::Table*>(target), member);
    }
  }

  void add_vector(uint8_t* data, const reflection::Type& type) {
    const auto size = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(data);
    slots_.push_back({data, sizeof(flatbuffers::uoffset_t), true});
    uint8_t* element = data + sizeof(flatbuffers::uoffset_t);
    for (flatbuffers::uoffset_t i = 0; i < size; ++i) {
      if (flatbuffers::IsScalar(type.element())) {
        add_scalar(element, type.element());
        element += flatbuffers::GetTypeSize(type.element());
        continue;
      }
      if (type.element() != Type::Obj) return;
      const reflection::Object& object = object_at(type.index());
      if (object.is_struct()) {
        add_struct(element, object);
        element += object.bytesize();
        continue;
      }
      uint8_t* const table = element + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(element);
      add_table(*reinterpret_cast<flatbuffers::Table*>(table), object);
      element += sizeof(flatbuffers::uoffset_t);
    }
  }

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

void change(const Slot& slot, Random& random) {
  uint64_t old = 0;
  std::memcpy(&old, slot.data, slot.size);
  uint64_t changed = other_number(old, random);
  if (slot.is_length) changed = old == 0 ? 0 : changed % old;
  std::memcpy(slot.data, &changed, slot.size);
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
  auto* const data = reinterpret_cast<uint8_t*>(command.data());
  auto* const root = flatbuffers::GetAnyRoot(data + sizeof(flatbuffers::uoffset_t));
  const Slots slots(*root);
  for (unsigned i = 0; i < 1 + random() % 2; ++i) {
    change(slots.all()[random() % slots.all().size()], random);
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
