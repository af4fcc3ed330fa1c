#include <set>

#include "schema/commands/calls.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/commands/walk.h"
#include "tests/schema/schema_testing.h"

// Facts about every command, shown on its sample.

namespace lightmetal::schema {
namespace {

using testing::Content;
using testing::encoded;
using testing::IsError;

class EveryCommand : public ::testing::TestWithParam<CommandT> {};

std::string test_name(const ::testing::TestParamInfo<CommandT>& info) {
  return EnumNameCall(info.param.call.type);
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryCommand, ::testing::ValuesIn(samples::all()), test_name);

TEST_P(EveryCommand, ComesBackFromAFileAsItWas) {
  const auto file = testing::opened(testing::written({GetParam()}));
  const auto view = file->command(0);
  ASSERT_TRUE(view.ok()) << view.status();
  CommandT found;
  view->command->UnPackTo(&found);
  EXPECT_EQ(found, GetParam());
  EXPECT_EQ(name_of(*view->command), EnumNameCall(GetParam().call.type));
}

TEST_P(EveryCommand, IsRefusedWhenItIsCutShort) {
  const Content whole = encoded(GetParam());
  ASSERT_TRUE(decode_command(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_command(Bytes(whole).first(size)).ok()) << size;
  }
}

// Crafted bytes have right checksums, so that only the checks of the command itself stand in their
// way.
TEST_P(EveryCommand, DoesNoHarmWithAnyByteChanged) {
  struct Nothing final : ReferenceVisitor {
    void on_blob(const BlobReference& blob) override { sum += blob.name.size(); }
    void on_id(const IdReference& reference) override { sum += reference.id; }
    uint64_t sum = 0;
  } nothing;
  const Content whole = encoded(GetParam());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      Content changed = whole;
      changed[i] ^= static_cast<std::byte>(change);
      const auto command = decode_command(changed);
      if (!command.ok()) continue;
      visit_references(**command, nothing);
      CommandT copy;
      (*command)->UnPackTo(&copy);
    }
  }
}

TEST_P(EveryCommand, ReachesTheVisitorOfItsType) {
  const Content bytes = encoded(GetParam());
  const auto command = decode_command(bytes);
  ASSERT_TRUE(command.ok());
  const Call called = visit_call(**command, []<class Table>(const Table&) {
    return static_cast<Call>(CallTraits<Table>::enum_value);
  });
  EXPECT_EQ(called, GetParam().call.type);
}

// The samples are only worth something when they have all that the command can have.
TEST_P(EveryCommand, HasASampleWithEveryField) {
  struct Full : Visitor {
    void absent(const Step& step, const Table&) { ADD_FAILURE() << step.name << " is not there"; }
    void text(const Step& step, const flatbuffers::String& text) {
      EXPECT_NE(text.size(), 0) << step.name;
    }
    uint32_t begin_list(const Step& step, const flatbuffers::VectorOfAny& list) {
      EXPECT_NE(list.size(), 0) << step.name;
      return list.size();
    }
    void number(const Step& step, const uint8_t* data) {
      EXPECT_NE(flatbuffers::GetAnyValueI(step.type, data), step.field->default_integer())
          << step.name;
    }
  } full;
  const Content bytes = encoded(GetParam());
  walk(samples::plans().of("Command"),
       reinterpret_cast<const flatbuffers::Table&>(**decode_command(bytes)), full);
}

TEST_P(EveryCommand, HasASampleWithEveryReference) {
  struct Count final : ReferenceVisitor {
    void on_blob(const BlobReference& blob) override { EXPECT_EQ(blob.name, *samples::blob()); }
    void on_id(const IdReference& reference) override {
      EXPECT_NE(reference.id, 0) << reference.field;
      ++ids;
    }
    void on_bad_value(absl::string_view field, const std::string& what) override {
      ADD_FAILURE() << field << " " << what;
    }
    int ids = 0;
  } count;
  const Content bytes = encoded(GetParam());
  visit_references(**decode_command(bytes), count);
  // What failed may not have come as far as an object; scopes and entries are the program's.
  const std::set<Call> without = {Call::CallFailed, Call::ScopeBegin, Call::ScopeEnd,
                                  Call::EntryBegin, Call::EntryEnd};
  EXPECT_EQ(count.ids == 0, without.contains(GetParam().call.type));
}

TEST(CommandTest, ACallOfUnknownNumberIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const auto event = CreateEventCreate(builder, 1);
  FinishSizePrefixedCommandBuffer(builder,
                                  CreateCommand(builder, static_cast<Call>(250), event.Union()));
  const Bytes bytes = bytes_of(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_THAT(decode_command(bytes).status(),
              IsError(absl::StatusCode::kUnimplemented, "the call has number 250"));
}

TEST(CommandTest, ACommandWithoutACallIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const flatbuffers::uoffset_t start = builder.StartTable();
  builder.AddElement<uint8_t>(Command::VT_CALL_TYPE, static_cast<uint8_t>(Call::EventCreate), 0);
  const flatbuffers::Offset<Command> command(builder.EndTable(start));
  FinishSizePrefixedCommandBuffer(builder, command);
  const Bytes bytes = bytes_of(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_THAT(decode_command(bytes).status(),
              IsError(absl::StatusCode::kDataLoss, "no valid FlatBuffer"));
}

TEST(CommandTest, ARequiredFieldMayNotBeMissing) {
  flatbuffers::FlatBufferBuilder builder;
  const flatbuffers::uoffset_t start = builder.StartTable();
  builder.AddElement<uint64_t>(WriteToBuffer::VT_BUFFER, 1, 0);
  finish_command(builder, flatbuffers::Offset<WriteToBuffer>(builder.EndTable(start)));
  const Bytes bytes = bytes_of(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_THAT(decode_command(bytes).status(),
              IsError(absl::StatusCode::kDataLoss, "no valid FlatBuffer"));
}

TEST(CommandTest, AnotherFlatBufferIsNoCommand) {
  flatbuffers::FlatBufferBuilder builder;
  builder.FinishSizePrefixed(CreateSession(builder), SessionIdentifier());
  const Bytes bytes = bytes_of(builder.GetBufferPointer(), builder.GetSize());
  EXPECT_FALSE(decode_command(bytes).ok());
}

// Lists of tables inside lists of tables, all the same one: a few kilobytes that would take hours
// to look through.
TEST(CommandTest, ABufferThatNamesOneTableManyTimesIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const CoreCoord coord(0, 0);
  const auto core = CreateTraceCore(builder, &coord);
  const auto cores = builder.CreateVector(std::vector(1000, core));
  const auto launch = CreateTraceLaunch(builder, 0, cores);
  const auto launches = builder.CreateVector(std::vector(1000, launch));
  const auto content = CreateTraceContent(builder, launches);
  const Bytes bytes = finish_command(builder, CreateLoadTrace(builder, 1, 1, 0, content));
  EXPECT_FALSE(decode_command(bytes).ok());
}

// ---- A few bytes that stand for many ----

Content load_trace(const std::vector<flatbuffers::Offset<TraceLaunch>>& launches,
                   flatbuffers::FlatBufferBuilder& builder) {
  const auto content = CreateTraceContent(builder, builder.CreateVector(launches));
  return testing::copy_of(finish_command(builder, CreateLoadTrace(builder, 1, 1, 0, content)));
}

constexpr const char* kSharing = "the command names the same bytes more than once";

TEST(CommandTest, PartsThatSeveralTablesNameAreRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const auto args = builder.CreateVector(std::vector<uint32_t>(100));
  const Content bytes = load_trace(
      {CreateTraceLaunch(builder, 0, 0, args), CreateTraceLaunch(builder, 0, 0, args)}, builder);
  EXPECT_THAT(decode_command(bytes).status(), IsError(absl::StatusCode::kDataLoss, kSharing));
}

TEST(CommandTest, PartsThatLieInDifferentPlacesMayBeEqual) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<TraceLaunch>> launches;
  for (int i = 0; i < 100; ++i) {
    const auto args = builder.CreateVector(std::vector<uint32_t>(100));
    launches.push_back(CreateTraceLaunch(builder, 0, 0, args));
  }
  EXPECT_EQ(decode_command(load_trace(launches, builder)).status(), absl::OkStatus());
}

TEST(CommandTest, TextThatSeveralPartsNameIsRefused) {
  flatbuffers::FlatBufferBuilder builder;
  const auto value = builder.CreateString(std::string(1000, 'v'));
  const auto first = CreateDefine(builder, builder.CreateString("first"), value);
  const auto second = CreateDefine(builder, builder.CreateString("second"), value);
  const auto defines = builder.CreateVector({first, second});
  const auto config = CreateDataMovementConfig(builder);
  KernelCreateBuilder call(builder);
  call.add_defines(defines);
  call.add_config_type(KernelConfig::DataMovementConfig);
  call.add_config(config.Union());
  const Content bytes = testing::copy_of(finish_command(builder, call.Finish()));
  EXPECT_THAT(decode_command(bytes).status(), IsError(absl::StatusCode::kDataLoss, kSharing));
}

}  // namespace
}  // namespace lightmetal::schema
