#include "flatbuffers/flexbuffers.h"
#include "flatbuffers/idl.h"
#include "schema/commands/decode.h"
#include "schema/show/dump.h"
#include "schema/show/info.h"
#include "schema/show/json.h"
#include "schema/show/statistics.h"
#include "tests/schema/schema_testing.h"

namespace lightmetal::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A JSON text, parsed by a parser that is not ours.
class Json {
 public:
  explicit Json(const std::string& text) {
    flatbuffers::IDLOptions options;
    options.strict_json = true;
    flatbuffers::Parser parser(options);
    flexbuffers::Builder builder;
    EXPECT_TRUE(parser.ParseFlexBuffer(text.c_str(), nullptr, &builder)) << parser.error_ << text;
    bytes_ = builder.GetBuffer();
  }

  flexbuffers::Map root() const { return flexbuffers::GetRoot(bytes_).AsMap(); }

 private:
  std::vector<uint8_t> bytes_;
};

std::vector<std::string> dumped(const File& file, const DumpOptions& options) {
  std::vector<std::string> lines;
  const absl::Status status = dump(file, options, [&](absl::string_view line) {
    lines.emplace_back(line);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return lines;
}

std::string text_of(const CommandT& command) {
  const auto lines = dumped(*testing::opened(testing::written({command})), {});
  return lines.size() == 1 ? lines[0] : "";
}

std::string json_of(const CommandT& command) {
  const auto lines =
      dumped(*testing::opened(testing::written({command})), {.format = DumpFormat::JsonLines});
  return lines.size() == 1 ? lines[0] : "";
}

class EveryCommandsDump : public ::testing::TestWithParam<CommandT> {};

INSTANTIATE_TEST_SUITE_P(Samples, EveryCommandsDump, ::testing::ValuesIn(samples::all()),
                         [](const auto& info) { return EnumNameCall(info.param.call.type); });

TEST_P(EveryCommandsDump, IsOneLineOfTextWithItsNameAndIds) {
  const std::string text = text_of(GetParam());
  EXPECT_THAT(text, HasSubstr(absl::StrCat("0  ", EnumNameCall(GetParam().call.type), "  ")));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  const testing::Content bytes = testing::encoded(GetParam());
  visit_ids(*GetSizePrefixedCommand(bytes.data()), [&](const IdReference& reference) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat(reference.field, "=", reference.id)));
  });
}

TEST_P(EveryCommandsDump, IsOneLineOfJsonWithEveryField) {
  const std::string line = json_of(GetParam());
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const Json json(line);
  EXPECT_EQ(json.root()["command"].AsInt64(), 0);
  EXPECT_GT(json.root()["offset"].AsInt64(), 0);
  EXPECT_EQ(json.root()["name"].AsString().str(), EnumNameCall(GetParam().call.type));
  const flexbuffers::Map fields = json.root()["fields"].AsMap();
  const testing::Content bytes = testing::encoded(GetParam());
  visit_ids(*GetSizePrefixedCommand(bytes.data()), [&](const IdReference& reference) {
    if (!reference.direct) return;
    EXPECT_EQ(fields[std::string(reference.field)].AsUInt64(), reference.id) << reference.field;
  });
}

CommandT twenty_args() {
  SetRuntimeArgsT call;
  call.cores = {{CoreCoord(0, 0), CoreCoord(7, 3)}, {CoreCoord(2, 5), CoreCoord(2, 5)}};
  for (uint32_t i = 0; i < 20; ++i) call.args.push_back(100 + i);
  CommandT command;
  command.call.Set(std::move(call));
  return command;
}

TEST(DumpTest, TextIsMadeForReading) {
  const CommandT write = samples::command_of(samples::Of<EnqueueWriteBuffer>());
  EXPECT_EQ(
      text_of(write),
      absl::StrCat("     0  EnqueueWriteBuffer  device=", write.call.AsEnqueueWriteBuffer()->device,
                   " cq=1 buffer=", write.call.AsEnqueueWriteBuffer()->buffer,
                   " data=16B:", digest_of(samples::payload_bytes()).hex().substr(0, 12),
                   " element_type=BFloat16 blocking=true"));
  const std::string args = text_of(twenty_args());
  EXPECT_THAT(args, HasSubstr("cores=[(0,0)-(7,3) (2,5)-(2,5)]"));
  EXPECT_THAT(args,
              HasSubstr("args=[100 101 102 103 104 105 106 107 108 109 110 111 ... 20 in all]"));
  EXPECT_THAT(text_of(samples::command_of(samples::Of<KernelCreate>())),
              HasSubstr("source_name=\"source_name \\\"in quotes\\\"\\t\""));
}

TEST(DumpTest, JsonHasEveryFieldAndThePlaceOfPayloads) {
  const auto file =
      testing::opened(testing::written({samples::command_of(samples::Of<EnqueueWriteBuffer>())}));
  const Json json(dumped(*file, {.format = DumpFormat::JsonLines}).at(0));
  const flexbuffers::Map data = json.root()["fields"].AsMap()["data"].AsMap();
  EXPECT_EQ(data["size"].AsUInt64(), 16);
  EXPECT_EQ(data["digest"].AsString().str(), digest_of(samples::payload_bytes()).hex());
  const Payload payload = *file->blob(*samples::blob());
  EXPECT_EQ(data["offset"].AsInt64(), payload.data() - file->bytes().data());
}

// Reading goldens is an option, so a file may have none.
TEST(DumpTest, WhatIsAbsentIsNullInJsonAndMissingInText) {
  CommandT command = samples::command_of(samples::Of<EnqueueReadBuffer>());
  command.call.AsEnqueueReadBuffer()->golden = nullptr;
  EXPECT_TRUE(Json(json_of(command)).root()["fields"].AsMap()["golden"].IsNull());
  EXPECT_THAT(text_of(command), Not(HasSubstr("golden")));
}

TEST(DumpTest, ListsAreWholeInJson) {
  const Json json(json_of(twenty_args()));
  const flexbuffers::Vector args = json.root()["fields"].AsMap()["args"].AsVector();
  ASSERT_EQ(args.size(), 20);
  EXPECT_EQ(args[19].AsInt64(), 119);
}

TEST(DumpTest, ARangeOfCommandsIsDumped) {
  const auto file = testing::opened(testing::written(samples::all()));
  const auto lines = dumped(*file, {.first = 8, .last = 10});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("8  BufferCreate"), HasSubstr("9  BufferSetPageSize")));
}

TEST(DumpTest, TheErrorOfTheOutputEndsTheDump) {
  const auto file = testing::opened(testing::written(samples::all()));
  int lines = 0;
  const absl::Status status = dump(*file, {}, [&](absl::string_view) {
    ++lines;
    return absl::UnavailableError("the pipe is closed");
  });
  EXPECT_EQ(status.message(), "the pipe is closed");
  EXPECT_EQ(lines, 1);
}

// ---- Statistics and info ----

TEST(StatisticsTest, CommandsPayloadsDevicesAndKernelsAreCounted) {
  const std::vector<CommandT> commands = testing::legal_sequence();
  const auto file = testing::opened(testing::written(commands));
  const auto statistics = statistics_of(*file);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(statistics->num_commands, commands.size());
  EXPECT_EQ(statistics->commands.size(), kNumCalls);
  EXPECT_EQ(statistics->commands[0].name, "CreateDevice");
  EXPECT_EQ(statistics->commands[0].count, 1);
  EXPECT_EQ(statistics->num_payloads, 1);
  EXPECT_EQ(statistics->unique_payload_bytes, 16);
  EXPECT_GT(statistics->payload_bytes, 16);
  EXPECT_EQ(statistics->payload_bytes % 16, 0);
  ASSERT_EQ(statistics->devices.size(), 1);
  EXPECT_EQ(statistics->devices[0].backend, "backend \"in quotes\"\t");
  EXPECT_EQ(statistics->devices[0].profile->arch()->str(), "arch \"in quotes\"\t");
  ASSERT_EQ(statistics->kernels.size(), 1);
  EXPECT_EQ(statistics->kernels[0].processor, "Compute");
  ASSERT_EQ(statistics->kernels[0].objects.size(), 1);
  EXPECT_EQ(statistics->kernels[0].objects[0].target, "target \"in quotes\"\t");
  EXPECT_EQ(statistics->kernels[0].objects[0].size, 16);
}

TEST(InfoTest, TextSaysWhatTheFileIs) {
  const auto text = info_text(*testing::opened(testing::written(testing::legal_sequence())));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr(absl::StrCat("format     ", kVersionMajor, ".", kVersionMinor,
                                            ", written by test")));
  EXPECT_THAT(*text, HasSubstr("option     reads=golden"));
  EXPECT_THAT(*text, HasSubstr("state      complete"));
  EXPECT_THAT(*text, HasSubstr("recorded on backend \\\"in quotes\\\"\\t\n"));
  EXPECT_THAT(*text, HasSubstr("arch=\"arch \\\"in quotes\\\"\\t\" grid=("));
  EXPECT_THAT(*text, HasSubstr("16 bytes for target \\\"in quotes\\\"\\t\n"));
  EXPECT_THAT(*text, HasSubstr("1   EnqueueProgram"));
}

// redact takes the names of kernels away, not where they are from.
TEST(InfoTest, OnlyAKernelFromAStringIsSaidToBeFromOne) {
  std::vector<CommandT> commands = testing::legal_sequence();
  const auto text_with = [&](KernelSourceKind kind) {
    for (CommandT& command : commands) {
      KernelCreateT* kernel = command.call.AsKernelCreate();
      if (kernel == nullptr) continue;
      kernel->source_kind = kind;
      kernel->source_name.clear();
    }
    return info_text(*testing::opened(testing::written(commands))).value();
  };
  EXPECT_THAT(text_with(KernelSourceKind::String), HasSubstr("(from a string) on Compute"));
  EXPECT_THAT(text_with(KernelSourceKind::File),
              HasSubstr("(from a file without a name here) on Compute"));
}

TEST(InfoTest, JsonSaysTheSame) {
  const auto text = info_json(*testing::opened(testing::written(testing::legal_sequence())));
  ASSERT_TRUE(text.ok()) << text.status();
  const Json json(*text);
  EXPECT_EQ(json.root()["producer"].AsString().str(), "test");
  EXPECT_TRUE(json.root()["complete"].AsBool());
  EXPECT_EQ(json.root()["num_commands"].AsUInt64(), kNumCalls);
  EXPECT_EQ(json.root()["commands"].AsMap()["EnqueueProgram"].AsInt64(), 1);
  const auto device = json.root()["devices"].AsVector()[0].AsMap();
  const CommandT sample = samples::command_of(samples::Of<CreateDevice>());
  EXPECT_EQ(device["profile"].AsMap()["l1_size"].AsUInt64(),
            sample.call.AsCreateDevice()->profile->l1_size);
  const auto kernel = json.root()["kernels"].AsVector()[0].AsMap();
  EXPECT_EQ(kernel["name"].AsString().str(), "source_name \"in quotes\"\t");
  EXPECT_EQ(kernel["objects"].AsVector()[0].AsMap()["size"].AsInt64(), 16);
}

TEST(InfoTest, AnIncompleteFileSaysHowFarItGoes) {
  testing::Content content = testing::written(testing::legal_sequence());
  content.resize(content.size() - 1);
  const auto file = testing::opened(content);
  EXPECT_THAT(*info_text(*file),
              HasSubstr("state      INCOMPLETE: it was not closed; whole frames"));
  EXPECT_FALSE(Json(*info_json(*file)).root()["complete"].AsBool());
}

// ---- JSON ----

std::string quoted(absl::string_view text) { return JsonWriter().value(text).take(); }

TEST(JsonWriterTest, StringsAreEscaped) {
  EXPECT_EQ(quoted("a\"b\\c\n\t"), R"("a\"b\\c\n\t")");
  EXPECT_EQ(quoted(absl::string_view("\0\x1F\x7F", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(quoted("\u00e9\u20ac\U0001F600"), "\"\u00e9\u20ac\U0001F600\"");
}

TEST(JsonWriterTest, WhatIsNoUtf8IsReplaced) {
  const std::string replacement = "\"\uFFFD\"";
  for (const absl::string_view bad : {"\xFF", "\x80", "\xC3", "\xF5"}) {
    EXPECT_EQ(quoted(bad), replacement);
  }
  EXPECT_EQ(quoted("\xC0\xAF"), "\"\uFFFD\uFFFD\"");            // overlong
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
}

TEST(JsonWriterTest, ValuesAreSeparated) {
  JsonWriter json;
  json.begin_object().member("a", 1).key("b").begin_array();
  json.value(true).null().value(1.5).begin_object().end_object().end_array();
  json.member("c", ~uint64_t{0}).end_object();
  EXPECT_EQ(json.take(), R"({"a":1,"b":[true,null,1.5,{}],"c":18446744073709551615})");
}

TEST(JsonWriterTest, NumbersThatJsonDoesNotHaveAreNull) {
  EXPECT_EQ(JsonWriter().value(0.0 / 0.0).take(), "null");
}

}  // namespace
}  // namespace lightmetal::schema
