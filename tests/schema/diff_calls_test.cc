// Differences between two files, command by command, and words of them that are addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/commands/walk.h"
#include "schema/diff/diff.h"
#include "schema/diff/leaves.h"
#include "schema/diff/moved_places.h"
#include "schema/diff/relocate.h"
#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

// ---- Values ----

// Finds a byte of each value of a command; those of a union's member say which one it is, and are
// left out.
class ValueBytes : public Visitor {
 public:
  explicit ValueBytes(const Content& command) : begin_(command.data()) {
    const Command& root = *GetSizePrefixedCommand(begin_);
    walk(samples::plans().of(EnumNameCall(root.call_type())),
         *static_cast<const flatbuffers::Table*>(root.call()), *this);
  }

  const std::vector<size_t>& offsets() const { return offsets_; }

  void number(const Step& step, const uint8_t* data) {
    if (step.type != reflection::BaseType::UType) add(data);
  }
  void text(const Step&, const flatbuffers::String& text) { add(text.Data()); }

 private:
  void add(const uint8_t* data) {
    offsets_.push_back(static_cast<size_t>(reinterpret_cast<const std::byte*>(data) - begin_));
  }

  const std::byte* const begin_;
  std::vector<size_t> offsets_;
};

size_t differing(const std::vector<Leaf>& a, const std::vector<Leaf>& b) {
  EXPECT_EQ(a.size(), b.size());
  size_t count = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    EXPECT_EQ(a[i].path, b[i].path);
    count += a[i].value != b[i].value;
  }
  return count;
}

bool same_key(const CommandKey& a, const CommandKey& b) {
  const auto equal = [](const IdReference& x, const IdReference& y) { return x.id == y.id; };
  return a.content == b.content &&
         std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end(), equal);
}

class EveryCommandsValues : public ::testing::TestWithParam<CommandT> {};

INSTANTIATE_TEST_SUITE_P(Samples, EveryCommandsValues, ::testing::ValuesIn(samples::all()),
                         [](const auto& info) { return EnumNameCall(info.param.call.type); });

TEST_P(EveryCommandsValues, AreComparedEachOnItsOwn) {
  const Content bytes = encoded(GetParam());
  const Command& command = *GetSizePrefixedCommand(bytes.data());
  EXPECT_TRUE(same_key(key_of(command), key_of(command)));
  const ValueBytes values(bytes);
  for (const size_t offset : values.offsets()) {
    Content changed = bytes;
    changed[offset] ^= std::byte{1};
    const Command& other = *GetSizePrefixedCommand(changed.data());
    EXPECT_EQ(differing(leaves_of(command), leaves_of(other)), 1u) << offset;
    EXPECT_FALSE(same_key(key_of(command), key_of(other))) << offset;
  }
}

// ---- Differences ----

Diff diff_of(const File& a, const File& b) {
  auto found = diff(a, b);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? *std::move(found) : Diff();
}

SetRuntimeArgsT arguments(std::vector<uint32_t> args) {
  SetRuntimeArgsT set;
  set.kernel = 1;
  set.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 0)),
               CoreRange(CoreCoord(2, 0), CoreCoord(3, 1))};
  set.args = std::move(args);
  return set;
}

FilePointer with_call(auto call) {
  Calls calls;
  calls.buffer(1, 32, 16, 16).program(1).compute_kernel(1, 1);
  return calls.add(std::move(call)).file();
}

TEST(DiffTest, OfManyValuesTheFirstAreListedAndAllCounted) {
  for (const size_t count : {20, 21, 25}) {
    const std::vector<uint32_t> ones(count, 1), twos(count, 2);
    const Diff found = diff_of(*with_call(arguments(ones)), *with_call(arguments(twos)));
    ASSERT_EQ(found.changed.size(), 1u);
    const ChangedCommand& changed = found.changed[0];
    EXPECT_EQ(changed.where, "kernel 1 cores (0,0)-(0,0) ...");
    EXPECT_EQ(changed.differing, count);
    EXPECT_EQ(changed.fields.size(), 20u);
    EXPECT_EQ(changed.fields[19].field, "args[19]");
  }
}

TEST(DiffTest, AnArgumentOfOneOfManyCoresIsNamedWithItsCore) {
  const auto file_with = [](uint32_t word) {
    SetRuntimeArgsPerCoreT set;
    set.kernel = 1;
    set.cores = {{3, 4}, {5, 6}};
    for (int i = 0; i < 2; ++i) set.args.push_back(std::make_unique<WordsT>());
    set.args[0]->words = set.args[1]->words = {7, 8};
    set.args[1]->words[1] = word;
    return with_call(std::move(set));
  };
  const Diff found = diff_of(*file_with(1), *file_with(2));
  ASSERT_EQ(found.changed.size(), 1u);
  ASSERT_EQ(found.changed[0].fields.size(), 1u);
  EXPECT_EQ(found.changed[0].fields[0].field, "args[1].words[1] of core (5,6)");
  EXPECT_EQ(found.changed[0].fields[0].a, "1");
  EXPECT_EQ(found.changed[0].fields[0].b, "2");
}

TEST(DiffTest, WhatOnlyOneFileSaysIsOneDifference) {
  EnqueueReadBufferT read;
  read.device = read.buffer = 1;
  const auto without = with_call(read);
  read.golden = samples::blob();
  const auto with = with_call(std::move(read));
  for (const bool turned : {false, true}) {
    const Diff found = turned ? diff_of(*with, *without) : diff_of(*without, *with);
    ASSERT_EQ(found.changed.size(), 1u);
    EXPECT_EQ(found.changed[0].differing, 1u);
    const FieldChange& change = found.changed[0].fields.at(0);
    EXPECT_EQ(change.field, "golden");
    EXPECT_THAT(turned ? change.a : change.b, StartsWith("16B:"));
    EXPECT_EQ(turned ? change.b : change.a, "absent");
    EXPECT_FALSE(change.payload.has_value());
  }
}

TEST(DiffTest, ALoneCommandIsSaidToStandBeforeTheNextOfTheOtherFile) {
  const auto whole = Calls().event(1).program(1).buffer(1, 32, 16, 16).finish(0).file();
  const auto part = Calls().program(1).finish(0).file();
  const auto places = [](const std::vector<LoneCommand>& lone) {
    std::vector<std::pair<uint64_t, uint64_t>> numbers;
    for (const LoneCommand& command : lone) numbers.emplace_back(command.number, command.before);
    return numbers;
  };
  const Diff less = diff_of(*whole, *part), more = diff_of(*part, *whole);
  EXPECT_EQ(less.commands_a, 5u);
  EXPECT_EQ(less.commands_b, 3u);
  EXPECT_THAT(less.changed, IsEmpty());
  EXPECT_THAT(less.inserted, IsEmpty());
  EXPECT_THAT(places(less.removed), ElementsAre(Pair(1, 1), Pair(3, 2)));
  EXPECT_THAT(more.removed, IsEmpty());
  EXPECT_EQ(places(more.inserted), places(less.removed));
  EXPECT_THAT(less.removed[1].text, StartsWith("BufferCreate id=1 "));
}

FilePointer of_session(std::vector<std::pair<std::string, std::string>> options,
                       const absl::Status& status) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  SessionInfo session;
  session.options = std::move(options);
  EXPECT_TRUE(writer.begin(session).ok() && writer.finish(status).ok());
  return opened(sink->take());
}

TEST(DiffTest, SessionsDifferInTheirOptionsAndInWhetherTheyAreWhole) {
  const auto a = of_session({{"x", "1"}, {"same", "s"}, {"a", "2"}}, absl::OkStatus());
  const auto b = of_session({{"same", "s"}, {"x", "3"}, {"b", "4"}}, absl::AbortedError("cut"));
  std::vector<std::string> changes;
  for (const FieldChange& change : diff_of(*a, *b).session)
    changes.push_back(absl::StrCat(change.field, " ", change.a, ":", change.b));
  EXPECT_THAT(changes, ElementsAre("option a 2:", "option b :4", "option x 1:3",
                                   HasSubstr("state complete:incomplete: ")));
  EXPECT_TRUE(diff_of(*b, *b).same());
}

// ---- Addresses ----

// Adds the commands of two captures of one program.
MovedPlaces places_in(const Calls& a, const Calls& b) {
  MovedPlaces places;
  for (uint64_t number = 0; number < a.commands().size(); ++number) {
    const Content in_a = encoded(a.commands()[number]), in_b = encoded(b.commands()[number]);
    places.add(number, *GetSizePrefixedCommand(in_a.data()), *GetSizePrefixedCommand(in_b.data()));
  }
  return places;
}

// Returns "BUFFER+OFFSET on DEVICE", or an empty string.
std::string found_in(const MovedPlaces& places, uint64_t in_a, uint64_t in_b) {
  const auto found = places.find(in_a, in_b);
  if (!found.has_value()) return "";
  return absl::StrCat(found->buffer, "+", found->offset, " on ", found->device);
}

BufferCreateT buffer_on(uint64_t device, uint64_t id, uint64_t address) {
  BufferCreateT buffer;
  buffer.id = id;
  buffer.device = device;
  buffer.allocated_address = address;
  buffer.size = buffer.page_size = 2048;
  return buffer;
}

GlobalSemaphoreCreateT semaphore_at(uint64_t address) {
  GlobalSemaphoreCreateT semaphore;
  semaphore.id = semaphore.device = 1;
  semaphore.buffer_type = BufferType::L1;
  semaphore.cores = {CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))};
  semaphore.allocated_address = address;
  return semaphore;
}

// Two buffers, each of one page, that touch, a view of the first, one that is gone, a semaphore,
// and one on another device.
Calls with_objects(uint64_t moved) {
  Calls calls;
  calls.device(2, 1).buffer(1, 4096 + moved, 2048, 2048).buffer(2, 6144 + moved, 2048, 2048);
  calls.view(3, BufferType::Dram, 4160 + moved, 64, 64).buffer(4, 16384 + moved, 2048, 2048);
  calls.free(4).add(semaphore_at(0x20000 + moved)).add(buffer_on(2, 5, 65536 + moved));
  return calls.add(buffer_on(1, 6, 65600 + moved));
}

TEST(MovedPlacesTest, AWordIsInTheNearestObjectBeforeItThatHasMovedAsFar) {
  const MovedPlaces places = places_in(with_objects(0), with_objects(1024));
  const std::pair<uint64_t, const char*> rows[] = {
      {4095, ""},          {4096, "1+0 on 1"},    {4160, "1+64 on 1"}, {6143, "1+2047 on 1"},
      {6144, "2+0 on 1"},  {8192, "2+2048 on 1"}, {8193, ""},          {16384, ""},
      {65536, "5+0 on 2"}, {0x20000, "0+0 on 1"}, {65600, ""}};
  for (const auto& [word, found] : rows) {
    EXPECT_EQ(found_in(places, word, word + 1024), found) << word;
    EXPECT_EQ(found_in(places, word, word + 1020), "") << word;
    EXPECT_EQ(found_in(places, word, word), "") << word;
  }
}

// Writes the words to buffer 2 after the calls.
FilePointer with_upload(Calls calls, const std::vector<uint32_t>& words) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  EXPECT_TRUE(writer.begin(session_for_tests()).ok());
  EXPECT_TRUE(writer.append_blob(samples::payload_bytes()).ok());
  WriteToBufferT write;
  write.buffer = 2;
  write.data = std::make_unique<BlobRef>(
      *writer.append_blob(bytes_of(words.data(), words.size() * sizeof(uint32_t))));
  calls.add(std::move(write));
  for (const CommandT& command : calls.commands())
    EXPECT_TRUE(writer.append_command(encoded(command)).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return opened(sink->take());
}

std::vector<std::string> names_of(const File& file) {
  std::vector<std::string> names;
  EXPECT_TRUE(file.for_each_command([&](const CommandView& view) {
                    names.emplace_back(EnumNameCall(view.command->call_type()));
                    return absl::OkStatus();
                  })
                  .ok());
  return names;
}

FilePointer relocated(const File& a, const Addresses& addresses) {
  auto sink = std::make_shared<MemorySink>();
  EXPECT_TRUE(write_relocated(a, addresses, sink).ok());
  const auto file = opened(sink->take());
  EXPECT_EQ(verify(*file), absl::OkStatus());
  return file;
}

Addresses addresses_in(const File& a, const File& b) {
  auto found = find_addresses(a, b);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? *std::move(found) : Addresses();
}

// Buffers 1 and 2 move, and are marked; 3 is in one place. The address of 1 is in the data.
TEST(RelocateTest, ABufferThatStaysLosesItsMarkAndOneThatMovesKeepsTheOneThatItHas) {
  const auto file_at = [](uint32_t moved) {
    BufferMovableT first, second;
    first.buffer = 1;
    second.buffer = 2;
    Calls calls;
    calls.buffer(1, 4096 + moved, 16, 16).buffer(2, 8192 + moved, 16, 16).buffer(3, 32, 16, 16);
    return with_upload(calls.add(first).add(second), {1, 4096 + moved, 2, 3});
  };
  const auto a = file_at(0);
  const Addresses addresses = addresses_in(*a, *file_at(64));
  EXPECT_THAT(addresses.ambiguous, IsEmpty());
  EXPECT_THAT(addresses.movable, ElementsAre(Pair(2, 2)));
  EXPECT_THAT(addresses.staying, ElementsAre(Pair(1, HasSubstr("byte 4 of data"))));
  EXPECT_EQ(addresses.unmoved, 1u);
  EXPECT_THAT(names_of(*relocated(*a, addresses)),
              ElementsAre("CreateDevice", "BufferCreate", "BufferCreate", "BufferCreate",
                          "BufferMovable", "WriteToBuffer"));
}

// A kernel that gets the address of a buffer by a call of this kind.
template <class Call>
FilePointer with_address(uint32_t address) {
  Calls calls;
  calls.buffer(1, address, 16, 16).program(1).compute_kernel(1, 1);
  SetCommonRuntimeArgsT common;
  common.kernel = 1;
  common.args = {0};
  calls.add(arguments({0})).add(std::move(common));
  Call call;
  call.kernel = 1;
  if constexpr (requires { call.core; }) call.core = std::make_unique<CoreCoord>(2, 1);
  if constexpr (requires { call.cores; }) call.cores = {CoreCoord(2, 1)};
  if constexpr (std::is_same_v<decltype(call.args), std::vector<uint32_t>>) {
    call.args = {address};
  } else {
    call.args.emplace_back(std::make_unique<WordsT>())->words = {address};
  }
  return calls.add(std::move(call)).file();
}

// Relocates each of two captures, after which only the address of the buffer differs.
template <class Call>
void expect_becomes(const char* name) {
  const auto a = with_address<Call>(4096), b = with_address<Call>(8192);
  const Addresses in_a = addresses_in(*a, *b), in_b = addresses_in(*b, *a);
  EXPECT_EQ(in_a.words, 1u);
  const auto of_a = relocated(*a, in_a), of_b = relocated(*b, in_b);
  EXPECT_EQ(names_of(*of_a).back(), name);
  const Diff left = diff_of(*of_a, *of_b);
  ASSERT_EQ(left.changed.size(), 1u) << name;
  EXPECT_EQ(left.changed[0].name, "BufferCreate");
}

TEST(RelocateTest, AnArgumentOfEachFormBecomesTheBuffer) {
  expect_becomes<SetRuntimeArgsPerCoreT>("SetRuntimeArgsSymbolicPerCore");
  expect_becomes<WriteRuntimeArgsT>("SetRuntimeArgsSymbolic");
  expect_becomes<SetCommonRuntimeArgsT>("SetCommonRuntimeArgsSymbolic");
  expect_becomes<WriteCommonRuntimeArgsT>("SetCommonRuntimeArgsSymbolic");
}

ScopeEndT end_of_scope(uint64_t nanoseconds) {
  ScopeEndT end;
  end.nanoseconds = nanoseconds;
  return end;
}

// A view is where the first buffer is, in it, or in no buffer; the first times differ.
FilePointer with_view(uint64_t buffer, uint64_t view, uint64_t nanoseconds) {
  ScopeBeginT scope;
  scope.name = "s";
  Calls calls;
  calls.add(std::move(scope)).buffer(1, buffer, 64, 64);
  return calls.view(2, BufferType::Dram, view, 16, 16).add(end_of_scope(nanoseconds)).file();
}

TEST(RelocateTest, AViewMovesWithItsBufferAndATimeIsNoAddress) {
  const auto a = with_view(4096, 4128, 5);
  const Addresses moved = addresses_in(*a, *with_view(8192, 8224, 7));
  EXPECT_THAT(moved.ambiguous, IsEmpty());
  EXPECT_THAT(moved.movable, ElementsAre(Pair(1, 2)));
  EXPECT_EQ(moved.unmoved, 0u);
  EXPECT_THAT(addresses_in(*a, *with_view(8192, 4128, 5)).ambiguous, IsEmpty());
  EXPECT_THAT(
      addresses_in(*a, *with_view(8192, 8192, 5)).ambiguous,
      ElementsAre(HasSubstr("command 3 BufferCreate: address is 4128 in the first, and 8192 "
                            "in the second")));
}

TEST(RelocateTest, TheFirstHundredAmbiguitiesAreListedAndAllCounted) {
  for (const size_t count : {100, 101}) {
    const auto file_at = [count](uint32_t address) {
      Calls calls;
      calls.buffer(1, address, 16, 16).program(1).compute_kernel(1, 1);
      return calls.add(arguments(std::vector<uint32_t>(count, address / 16))).file();
    };
    const Addresses addresses = addresses_in(*file_at(4096), *file_at(8192));
    EXPECT_EQ(addresses.ambiguities, count);
    EXPECT_EQ(addresses.ambiguous.size(), 100u);
    EXPECT_EQ(addresses.words, 0u);
  }
}

}  // namespace
}  // namespace lightmetal::schema::testing
