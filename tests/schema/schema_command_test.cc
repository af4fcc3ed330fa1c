#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "schema/commands/calls.h"
#include "schema/commands/decode.h"
#include "schema/commands/kernel_name.h"
#include "schema/commands/references.h"
#include "schema/commands/walk.h"
#include "schema/lines/frames.h"
#include "schema/lines/print_fields.h"
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

// ---- Fields as lines have them ----

struct WrongFields {
  const char* command;
  const char* fields;
  const char* message;
};

const WrongFields kWrongFields[] = {
    {"FinishQueue", "5", "is 5; expected an object with fields"},
    {"EnqueueWriteBuffer", R"({"device":1})", "has no field data"},
    {"EnqueueWriteBuffer", R"({"data":{"digest":"00000000000000000000000000000000"}})",
     "its field data has no field size"},
    {"EnqueueWriteBuffer", R"({"data":{"digest":"0000000000000000000000000000000g","size":1}})",
     "its field data.digest is no digest of 32 hexadecimal digits"},
    {"EnqueueWriteBuffer", R"({"data":{"digest":5,"size":1}})",
     "its field data.digest is 5; expected a digest of 32 hexadecimal digits"},
    {"EnqueueReadBuffer", R"({"blocking":1})", "its field blocking is 1; expected true or false"},
    {"BufferCreate", R"({"buffer_type":"Dramm"})",
     "its field buffer_type is \"Dramm\", which is no BufferType"},
    {"SetRuntimeArgs", R"({"args":5})", "its field args is 5; expected a list"},
    {"SetRuntimeArgs", R"({"args":[1,"x"]})",
     "its field args[1] is \"x\"; expected 0 to 4294967295"},
    {"SetRuntimeArgs", R"({"cores":[{"start":{"x":0,"y":0},"end":{"x":0}}]})",
     "its field cores[0].end has no field y"},
    {"SetRuntimeArgs", R"({"cores":[{"start":{"x":0,"y":0},"end":{"x":0,"y":0}}],"args":[-1]})",
     "its field args[0] is -1; expected 0 to 4294967295"},
    {"SetRuntimeArgsPerCore", R"({"args":[{"words":[1]},{"words":[2,-1]}]})",
     "its field args[1].words[1] is -1; expected 0 to 4294967295"},
    {"KernelCreate",
     R"({"config_type":2,"config":{},"defines":[{"key":"k","value":"v"},{"key":"k","value":5}]})",
     "its field defines[1].value is 5; expected a text, or {\"base64\": TEXT}"},
    {"KernelCreate", R"({"config":{}})", "its field config needs a field config_type beside it"},
    {"KernelCreate", R"({"config_type":"NONE","config":{}})",
     "its field config is there although config_type is \"NONE\""},
    {"CreateDevice", R"({"profile":{"arch":"a"}})", "its field profile has no field grid"},
    {"CreateDevice", R"({"profile":{"grid":{"x":1,"y":1,"z":1}}})",
     "its field profile.grid has a field z, which CoreCoord does not have"},
};

absl::StatusOr<Bytes> payload_of(flatbuffers::FlatBufferBuilder& builder,
                                 const std::string& command, const Json& fields) {
  builder.Clear();
  return encode_table(builder, FrameType::Command, command, fields);
}

TEST(EncodedFields, ThatAreWrongAreNamedByTheirPath) {
  for (const WrongFields& wrong : kWrongFields) {
    flatbuffers::FlatBufferBuilder builder;
    const auto made = payload_of(builder, wrong.command, Json::parse(wrong.fields));
    EXPECT_EQ(std::string(made.status().message()),
              absl::StrCat("is ", wrong.command, ": ", wrong.message));
  }
}

// The greatest number of a field that is one number of any value; 0 for other fields.
uint64_t greatest_of(const Step& step) {
  using reflection::BaseType;
  const bool is_any = step.kind == Step::Kind::Number && !step.is_list && step.values == nullptr &&
                      step.type != BaseType::Bool;
  return is_any ? ~uint64_t{0} >> (64 - 8 * step.size) : 0;
}

// The command with `value` in one of its fields, as it comes back from bytes; else the error.
absl::StatusOr<Json> returned(const TableText& command, const std::string& field,
                              const Json& value) {
  Json fields = Json::parse(command.fields);
  fields[field] = value;
  flatbuffers::FlatBufferBuilder builder;
  const auto payload = payload_of(builder, command.name, fields);
  if (!payload.ok()) return payload.status();
  const auto text = text_of_table(FrameType::Command, *payload);
  if (!text.ok()) return text.status();
  return Json::parse(text->fields)[field];
}

TEST(EncodedFields, HoldTheGreatestNumberOfTheirTypeAndNoneBeyond) {
  int fields = 0;
  for (const CommandT& sample : samples::all()) {
    flatbuffers::FlatBufferBuilder builder;
    const auto command = text_of_table(FrameType::Command, encode_command(builder, sample));
    ASSERT_TRUE(command.ok()) << command.status();
    for (const Step& step : line_plans().of(command->name).steps) {
      const uint64_t greatest = greatest_of(step);
      if (greatest == 0) continue;
      ++fields;
      const std::string field(step.name);
      const auto back = returned(*command, field, greatest);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(*back, Json(greatest)) << command->name << "." << field;
      EXPECT_FALSE(returned(*command, field, -1).ok()) << command->name << "." << field;
      if (greatest == UINT64_MAX) continue;
      EXPECT_FALSE(returned(*command, field, greatest + 1).ok()) << command->name << "." << field;
    }
  }
  EXPECT_GT(fields, 100);
}

TEST(EncodedFields, ThatAreSignedHoldNegativeNumbers) {
  const auto time_of = [](const std::string& number) -> std::string {
    flatbuffers::FlatBufferBuilder builder;
    const auto payload = encode_table(builder, FrameType::Session, "",
                                      Json::parse("{\"origin\":{\"time\":" + number + "}}"));
    if (!payload.ok()) return std::string(payload.status().message());
    const auto text = text_of_table(FrameType::Session, *payload);
    return text.ok() ? Json::parse(text->fields)["origin"]["time"].dump() : "";
  };
  for (const char* number : {"-9223372036854775808", "-1", "0", "9223372036854775807"}) {
    EXPECT_EQ(time_of(number), number);
  }
  EXPECT_EQ(time_of("9223372036854775808"),
            "is Session: its field origin.time is 9223372036854775808; expected "
            "-9223372036854775808 to 9223372036854775807");
}

// ---- The names that people give kernels ----

TEST(KernelName, IsAnIdOrWholeLastComponentsOfThePathOfItsSource) {
  const auto names = [](const std::string& said, const std::string& source) {
    KernelCreateT kernel;
    kernel.id = 7;
    kernel.source_name = source;
    kernel.config.Set(ComputeConfigT());
    CommandT command;
    command.call.Set(std::move(kernel));
    const Content bytes = encoded(command);
    return names_kernel(said, *GetSizePrefixedCommand(bytes.data())->call_as_KernelCreate());
  };
  for (const char* said : {"7", "read.cpp", "in/read.cpp", "/k/in/read.cpp"}) {
    EXPECT_TRUE(names(said, "/k/in/read.cpp")) << said;
  }
  for (const char* said : {"", "8", "77", "ead.cpp", "n/read.cpp", "read", "in", "/read.cpp"}) {
    EXPECT_FALSE(names(said, "/k/in/read.cpp")) << said;
  }
  EXPECT_TRUE(names("7", "")) << "its source is a string";
  EXPECT_FALSE(names("", "")) << "its source is a string";
}

TEST(KernelName, OfADeviceTraceIsThatOfTheFileWithoutItsEnding) {
  const auto names = [](const std::string& said, const char* name) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(CreateTraceKernelDirect(builder, name, "target", samples::blob().get()));
    return names_kernel(said, *flatbuffers::GetRoot<TraceKernel>(builder.GetBufferPointer()));
  };
  for (const char* said : {"read", "read.cpp", "/k/in/read.cpp"}) {
    EXPECT_TRUE(names(said, "read")) << said;
  }
  for (const char* said : {"", "rea", "ead.cpp", "read.h.cpp", "read/", "k/write.cpp"}) {
    EXPECT_FALSE(names(said, "read")) << said;
  }
  EXPECT_FALSE(names(".cpp", ""));
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
