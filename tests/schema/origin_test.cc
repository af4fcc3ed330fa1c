// What a file says of the program and the machine that made it, and what follows from it elsewhere.
#include "capture/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>

#include "base/machine.h"
#include "schema/file/writer.h"
#include "schema/show/info.h"
#include "schema/storage/memory_sink.h"
#include "tests/support/captured_file.h"

namespace lightmetal {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

schema::OriginInfo some_origin() {
  schema::OriginInfo origin;
  origin.build = "GNU 12.2.0, Release";
  origin.program = "/opt/tool";
  origin.arguments = {"tool", "--name", "it's here", "", "\033[1m"};
  origin.environment = {{"LIGHTMETAL_DEVICE", "null"}, {"SITE", "a=b"}};
  origin.time = 1767225599;
  origin.process_id = 77;
  origin.machine = {"host-3", "Linux 6.1 x86_64", "Example 9000", {"avx512_bf16"}};
  return origin;
}

testing::FilePointer file_with(const std::optional<schema::OriginInfo>& origin) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  schema::SessionInfo session;
  session.producer = "test";
  session.origin = origin;
  EXPECT_TRUE(writer.begin(session).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  auto file = schema::File::from_bytes(sink->take());
  EXPECT_TRUE(file.ok()) << file.status();
  return *file;
}

TEST(OriginTest, AFileKeepsItsOrigin) {
  EXPECT_EQ(file_with(some_origin())->session().origin, some_origin());
  EXPECT_EQ(file_with(schema::OriginInfo())->session().origin, schema::OriginInfo());
  EXPECT_EQ(file_with(std::nullopt)->session().origin, std::nullopt);
}

TEST(OriginTest, InfoShowsAllOfIt) {
  const auto text = schema::info_text(*file_with(some_origin()));
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* line :
       {"build      GNU 12.2.0, Release\n", "program    /opt/tool\n",
        "arguments  tool --name 'it'\\''s here' '' $'\\033[1m'\n",
        "variable   LIGHTMETAL_DEVICE=null\n", "variable   SITE=a=b\n",
        "begun      2025-12-31 23:59:59 UTC, process 77\n", "host       host-3\n",
        "system     Linux 6.1 x86_64\n", "processor  Example 9000\n", "features   avx512_bf16\n"}) {
    EXPECT_THAT(*text, HasSubstr(line));
  }
  const auto json = schema::info_json(*file_with(some_origin()));
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_THAT(*json, HasSubstr(R"("arguments":["tool","--name","it's here","","\u001b[1m"])"));
  EXPECT_THAT(*json, HasSubstr(R"("environment":{"LIGHTMETAL_DEVICE":"null","SITE":"a=b"})"));
  EXPECT_THAT(*json, HasSubstr(R"("time":1767225599,"process_id":77,"host":"host-3")"));
  EXPECT_THAT(*schema::info_json(*file_with(std::nullopt)), HasSubstr(R"("origin":null)"));
}

TEST(OriginTest, OfThisProcessItIsTrue) {
  setenv("LIGHTMETAL_ORIGIN_TEST", "seen", 1);
  setenv("ORIGIN_TEST_NAMED", "also=seen", 1);
  setenv("ORIGIN_TEST_SECRET", "not seen", 1);
  setenv("LIGHTMETAL_CAPTURE_ENVIRONMENT", "ORIGIN_TEST_NAMED,ORIGIN_TEST_MISSING", 1);
  const int64_t before = time(nullptr);
  const schema::OriginInfo origin = capture::origin_of_process();
  const int64_t after = time(nullptr);
  for (const char* name : {"LIGHTMETAL_ORIGIN_TEST", "ORIGIN_TEST_NAMED", "ORIGIN_TEST_SECRET",
                           "LIGHTMETAL_CAPTURE_ENVIRONMENT"}) {
    unsetenv(name);
  }
  EXPECT_EQ(origin.program, std::filesystem::canonical("/proc/self/exe"));
  ASSERT_FALSE(origin.arguments.empty());
  EXPECT_THAT(origin.arguments[0], HasSubstr("origin_test"));
  EXPECT_THAT(origin.arguments, Not(Contains("")));
  EXPECT_EQ(origin.process_id, static_cast<uint32_t>(getpid()));
  EXPECT_TRUE(before <= origin.time && origin.time <= after) << origin.time;
  EXPECT_THAT(origin.environment, AllOf(Contains(Pair("LIGHTMETAL_ORIGIN_TEST", "seen")),
                                        Contains(Pair("ORIGIN_TEST_NAMED", "also=seen")),
                                        Not(Contains(Pair("ORIGIN_TEST_SECRET", "not seen")))));
  EXPECT_TRUE(std::is_sorted(origin.environment.begin(), origin.environment.end()));
  EXPECT_THAT(origin.build, Not(IsEmpty()));
  EXPECT_THAT(origin.machine.operating_system, HasSubstr("Linux "));
  EXPECT_EQ(origin.machine, this_machine());
}

TEST(OriginTest, TheFirstProcessorSpeaksForAll) {
  Machine machine;
  read_processor(
      "processor\t: 0\nmodel name\t: Example: 9000\nflags\t\t: fpu amx_bf16 avx512_bf16x avx512f\n"
      "\nprocessor\t: 1\nmodel name\t: Other\nflags\t: avx512_bf16\n",
      machine);
  EXPECT_EQ(machine.processor, "Example: 9000");
  EXPECT_THAT(machine.processor_features, ElementsAre("amx_bf16"));
  read_processor("no such thing", machine);
  EXPECT_EQ(machine.processor, "Example: 9000");
}

// ---- Captures ----

std::optional<schema::OriginInfo> origin_captured(const CaptureOptions& options) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  tt::tt_metal::LightMetalBeginCapture(options);
  tt::tt_metal::CloseDevice(tt::tt_metal::CreateDevice(0));
  const tt::tt_metal::LightMetalBinary binary = tt::tt_metal::LightMetalEndCapture();
  unsetenv("LIGHTMETAL_DEVICE");
  return testing::open_file(binary)->session().origin;
}

class CapturedOrigin : public ::testing::Test {
 protected:
  void SetUp() override { unsetenv("LIGHTMETAL_CAPTURE_ORIGIN"); }
  void TearDown() override { unsetenv("LIGHTMETAL_CAPTURE_ORIGIN"); }
};

TEST_F(CapturedOrigin, IsRecordedUnlessSomebodySaysNo) {
  ASSERT_TRUE(origin_captured({}).has_value());
  EXPECT_EQ(origin_captured({})->process_id, static_cast<uint32_t>(getpid()));
  EXPECT_FALSE(origin_captured({.record_origin = false}).has_value());
  setenv("LIGHTMETAL_CAPTURE_ORIGIN", "0", 1);
  EXPECT_FALSE(origin_captured({}).has_value());
  EXPECT_TRUE(origin_captured({.record_origin = true}).has_value());
}

// ---- Another machine ----

struct Rule {
  const char* name;
  std::vector<std::string> recorded;
  std::vector<std::string> here;
  std::string warning;  // a part of it; empty when there is none
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

class MachineRule : public ::testing::TestWithParam<Rule> {};

TEST_P(MachineRule, WarnsOfWhatCanChangeResults) {
  schema::OriginInfo origin = some_origin();
  origin.machine.processor_features = GetParam().recorded;
  const Machine here = {"elsewhere", "Linux 9 x86_64", "Other 1", GetParam().here};
  const std::vector<std::string> warnings = schema::warnings_on(here, origin);
  if (GetParam().warning.empty()) {
    EXPECT_THAT(warnings, IsEmpty());
  } else {
    EXPECT_THAT(warnings, ElementsAre(HasSubstr(GetParam().warning)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MachineRule,
    ::testing::Values(
        Rule{"NothingWhenBothHaveNone", {}, {}, ""},
        Rule{"NothingWhenBothHaveTheSame", {"amx_bf16"}, {"amx_bf16", "avx512_bf16"}, ""},
        Rule{"AmxThere",
             {"amx_bf16"},
             {},
             "by AMX (Example 9000) and are computed by plain floats here (Other 1)"},
        Rule{"Avx512Here", {}, {"avx512_bf16"}, "by AVX512-BF16 here"},
        Rule{"OneEach", {"avx512_bf16"}, {"amx_bf16", "avx512_bf16"}, "by AMX here"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MachineRuleTest, AReplayHasTheWarnings) {
  EXPECT_THAT((*Replay::load(file_with(std::nullopt)))->warnings(), IsEmpty());
  schema::OriginInfo origin = some_origin();
  origin.machine = this_machine();
  EXPECT_THAT((*Replay::load(file_with(origin)))->warnings(), IsEmpty());
  std::vector<std::string>& features = origin.machine.processor_features;
  features.empty() ? features.push_back("amx_bf16") : features.clear();
  EXPECT_THAT((*Replay::load(file_with(origin)))->warnings(), ElementsAre(HasSubstr("bfloat16")));
}

}  // namespace
}  // namespace lightmetal
