// The effect of each call, as schema/command.fbs says it.
#include "schema/commands/effect.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "schema/commands/reflection.h"
#include "tests/support/process.h"

namespace lightmetal::schema {
namespace {

TEST(Effect, IsThatOfTheAttribute) {
  EXPECT_EQ(effect_of(Call::BufferCreate), Effect::kMake);
  EXPECT_EQ(effect_of(Call::CreateSemaphore), Effect::kMake);
  EXPECT_EQ(effect_of(Call::EventDestroy), Effect::kEnd);
  EXPECT_EQ(effect_of(Call::BufferDeallocate), Effect::kEnd);
  EXPECT_EQ(effect_of(Call::GlobalCircularBufferCreate), Effect::kDivide);
  EXPECT_EQ(effect_of(Call::SetRuntimeArgs), Effect::kSet);
  EXPECT_EQ(effect_of(Call::UpdateCircularBufferPageSize), Effect::kSet);
  EXPECT_EQ(effect_of(Call::ConfigureDeviceWithProgram), Effect::kPrepare);
  EXPECT_EQ(effect_of(Call::EnqueueWriteSubBuffer), Effect::kWrite);
  EXPECT_EQ(effect_of(Call::WriteToDeviceL1), Effect::kWrite);
  EXPECT_EQ(effect_of(Call::ReadFromDeviceL1), Effect::kRead);
  EXPECT_EQ(effect_of(Call::LaunchProgram), Effect::kLaunch);
  EXPECT_EQ(effect_of(Call::EnqueueRecordEvent), Effect::kWait);
  EXPECT_EQ(effect_of(Call::ScopeBegin), Effect::kMark);
}

TEST(Effect, AgreesWithTheOtherAttributes) {
  const auto& calls = *command_schema().enums()->LookupByKey("lightmetal.schema.Call");
  const auto has = [](const reflection::Object& table, const char* name, absl::string_view value) {
    for (const reflection::Field* field : *table.fields()) {
      const reflection::KeyValue* found = attribute(*field, name);
      if (found != nullptr && (value.empty() || value == found->value()->c_str())) return true;
    }
    return false;
  };
  for (const Call call : EnumValuesCall()) {
    if (call == Call::NONE) continue;
    const reflection::Object& table = *union_member(calls, static_cast<int64_t>(call));
    const Effect effect = effect_of(call);
    const std::string name = EnumNameCall(call);
    if (has(table, "creates", "")) {
      EXPECT_TRUE(effect == Effect::kMake || effect == Effect::kDivide) << name;
    }
    if (has(table, "destroys", "")) {
      EXPECT_EQ(effect, Effect::kEnd) << name;
    }
    EXPECT_EQ(has(table, "payload", "Golden"), effect == Effect::kRead) << name;
    if (has(table, "payload", "Upload")) {
      EXPECT_EQ(effect, Effect::kWrite) << name;
    }
    if (effect == Effect::kLaunch) {
      EXPECT_NE(has(table, "uses", "Program"), has(table, "uses", "Trace")) << name;
    }
  }
}

// Runs the generator on the descriptions of this tree, after one replacement in them.
testing::ProcessResult generate_with(const std::string& from, const std::string& to) {
  const testing::TemporaryFolder folder;
  for (const char* name :
       {"types.fbs", "command.fbs", "session.fbs", "external_blob.fbs", "file.fbs"}) {
    std::ifstream file(std::string(LIGHTMETAL_SOURCE_FOLDER "/schema/") + name);
    std::string description{std::istreambuf_iterator<char>(file), {}};
    if (const size_t place = description.find(from); place != std::string::npos)
      description.replace(place, from.size(), to);
    std::ofstream(folder.path(name)) << description;
  }
  const auto flatc = testing::run_process(
      {LIGHTMETAL_FLATC, "-b", "--schema", "-o", folder.path(), folder.path("file.fbs")});
  EXPECT_EQ(flatc.exit_code, 0) << flatc.output << flatc.errors;
  return testing::run_process({LIGHTMETAL_SCHEMA_GENERATOR, folder.path("file.bfbs"), "--overloads",
                               "check(CALL)", folder.path("overloads.inc")});
}

TEST(Effect, ATableWithoutTheAttributeIsRefused) {
  EXPECT_EQ(generate_with("", "").exit_code, 0);
  const auto result = generate_with("table ClearBuffer (effect: \"write\")", "table ClearBuffer");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(
      result.errors,
      "schema_generator: schema/command.fbs: table ClearBuffer: expected the attribute effect "
      "(schema/types.fbs), found none\n");
}

}  // namespace
}  // namespace lightmetal::schema
