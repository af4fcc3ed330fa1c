// lightmetal_runner check: whether files would run here, and every reason why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/output_variable.h"
#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CheckTest : public InspectionTest {
 protected:
  // The kinds of the reasons. The exit code, and both forms, say the same.
  std::vector<std::string> kinds(const std::string& file, std::vector<std::string> options = {},
                                 const std::map<std::string, std::string>& environment = {}) {
    options.insert(options.begin(), {"check", file});
    const ProcessResult text = runner(options, environment);
    options.push_back("--format=json");
    const ProcessResult json = runner(options, environment);
    EXPECT_EQ(text.errors + json.errors, "");
    expect_valid(json.output, "check.schema.json");
    const JsonText report(json.output);
    const auto reasons = report.root()["reasons"].AsVector();
    std::vector<std::string> kinds;
    for (size_t i = 0; i < reasons.size(); ++i) {
      kinds.push_back(reasons[i].AsMap()["kind"].AsString().str());
      EXPECT_THAT(text.output, HasSubstr("\n  " + kinds.back() + ": "));
    }
    EXPECT_EQ(report.root()["would_run"].AsBool(), kinds.empty());
    EXPECT_EQ(text.exit_code, kinds.empty() ? 0 : 2);
    EXPECT_EQ(json.exit_code, text.exit_code);
    EXPECT_THAT(text.output, HasSubstr(kinds.empty() ? ": would run" : ": would not run"));
    said_ = text.output;
    return kinds;
  }

  // The file with its first device as `change` leaves it.
  template <class Change>
  std::string with_device(const std::string& file, Change change) {
    const auto bytes =
        rewritten(**schema::File::open(file), [&](schema::CommandT& command, schema::Writer&) {
          if (auto* device = command.call.AsCreateDevice()) change(*device);
        });
    return written("device.lmb", bytes);
  }

  std::string said_;  // what the last check said
};

TEST_F(CheckTest, RealFilesWouldRun) {
  for (const std::string& file : {matmul(), transformer(), two_devices()}) {
    EXPECT_THAT(kinds(file), IsEmpty()) << said_;
    EXPECT_THAT(kinds(file, {"--device", "cpu"}), IsEmpty()) << said_;
  }
}

TEST_F(CheckTest, AKernelForAnotherTargetIsAReason) {
  EXPECT_THAT(kinds(matmul(), {"--device", "null"}), ElementsAre("kernel"));
  EXPECT_THAT(said_, HasSubstr("the device \"null\" runs null-any-1"));
  const auto bytes =
      rewritten(**schema::File::open(matmul()), [](schema::CommandT& command, schema::Writer&) {
        if (auto* binary = command.call.AsKernelBinary()) binary->target = "cpu-riscv64-3";
      });
  const std::string file = written("foreign.lmb", bytes);
  EXPECT_EQ(runner({"verify", file}).exit_code, 0);
  EXPECT_THAT(kinds(file), ElementsAre("kernel"));
  EXPECT_THAT(said_,
              HasSubstr("the file has kernel objects for cpu-riscv64-3; the device \"cpu\""));
  EXPECT_EQ(runner({"run", file}).exit_code, 2);
}

TEST_F(CheckTest, AnUnknownBackendIsAReason) {
  EXPECT_THAT(kinds(two_devices(), {"--device", "abacus"}), ElementsAre("backend"));
  EXPECT_THAT(said_, HasSubstr("no device is called \"abacus\""));
  const std::string file =
      with_device(two_devices(), [](schema::CreateDeviceT& device) { device.backend = "abacus"; });
  EXPECT_EQ(runner({"verify", file}).exit_code, 0);
  EXPECT_THAT(kinds(file), ElementsAre("backend"));
  EXPECT_THAT(kinds(file, {"--device", "cpu"}), IsEmpty()) << said_;
}

TEST_F(CheckTest, AProfileThatTheDeviceCannotHaveIsAReason) {
  const std::string file = with_device(two_devices(), [](schema::CreateDeviceT& device) {
    device.backend = "abacus";
    device.profile->dram_banks = 100;
    device.profile->dram_cores.clear();
  });
  EXPECT_THAT(kinds(file, {"--device", "cpu"}), ElementsAre("device"));
  EXPECT_THAT(said_,
              HasSubstr("device 1 cannot be opened: the device profile's dram_banks is 100"));
}

TEST_F(CheckTest, EveryReasonIsGivenAtOnce) {
  const auto bytes = rewritten(**schema::File::open(two_devices()),
                               [](schema::CommandT& command, schema::Writer&) {
                                 if (auto* device = command.call.AsCreateDevice())
                                   device->backend = "abacus";
                                 if (auto* buffer = command.call.AsBufferCreate())
                                   buffer->size = UINT64_MAX - 7;
                               });
  const std::string file = written("worst.lmb", bytes);
  chmod(file.c_str(), 0666);
  EXPECT_THAT(kinds(file, {}, {{"LIGHTMETAL_CAPTURE", file}}),
              UnorderedElementsAre("trust", "environment", "file", "backend"));
  EXPECT_THAT(kinds(file, {"--trust"}), UnorderedElementsAre("file", "backend"));
}

TEST_F(CheckTest, NoVariableHasItWriteAFile) {
  const std::string file = two_devices(), before = read_file(file), other = folder_.path("other");
  for (const Output output : kOutputs) {
    const std::string variable = variable_of(output);
    EXPECT_THAT(kinds(file, {}, {{variable, file}, {"TT_METAL_DPRINT_CORES", "all"}}),
                ElementsAre("environment"));
    EXPECT_EQ(read_file(file), before) << variable;
    EXPECT_THAT(kinds(file, {}, {{variable, other}, {"TT_METAL_DPRINT_CORES", "all"}}), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(other)) << variable;
  }
}

TEST_F(CheckTest, ForeignFilesWouldRunWhereSomethingVouchesForThem) {
  const std::string file = two_devices();
  chmod(file.c_str(), 0666);
  EXPECT_THAT(kinds(file), ElementsAre("trust"));
  EXPECT_THAT(kinds(file, {"--trust"}), IsEmpty());
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  EXPECT_THAT(kinds(file, {"--require-signature", folder_.path("mine.pub")}),
              ElementsAre("signature"));
  ASSERT_EQ(runner({"sign", file, "--key", folder_.path("mine.key")}).exit_code, 0);
  EXPECT_THAT(kinds(file, {"--require-signature", folder_.path("mine.pub")}), IsEmpty());
}

TEST_F(CheckTest, TheSandboxIsTried) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "a sanitized runner cannot enter the sandbox";
  const std::string file = two_devices();
  const bool has_sandbox = runner({"run", file, "--sandbox"}).exit_code == 0;
  EXPECT_EQ(kinds(file, {"--sandbox"}),
            has_sandbox ? std::vector<std::string>() : std::vector<std::string>{"sandbox"});
  EXPECT_THAT(kinds(file, {"--sandbox=best-effort"}), IsEmpty()) << said_;
  chmod(file.c_str(), 0666);
  const bool runs = kinds(file, {"--sandbox"}).empty();
  EXPECT_EQ(runs, has_sandbox) << said_;
}

TEST_F(CheckTest, AMissingReferencedFileIsAReason) {
  const std::string file = folder_.path("external.lmb");
  write_file(file, read_file(golden("1.1/external.lmb")));
  EXPECT_THAT(kinds(file), ElementsAre("reference"));
  EXPECT_THAT(said_, HasSubstr("/tmp/golden/external.bin"));
  EXPECT_THAT(kinds(file, {"--remap", "/tmp/golden=" + golden("1.1")}), IsEmpty()) << said_;
}

TEST_F(CheckTest, AnIncompleteFileIsAReasonUnlessAllowed) {
  const std::string file = folder_.path("killed.lmb");
  write_file(file, read_file(killed()));
  EXPECT_THAT(kinds(file), ElementsAre("incomplete"));
  EXPECT_THAT(kinds(file, {"--allow-incomplete"}), IsEmpty()) << said_;
}

// A file of a machine that computes bfloat16 otherwise than this one.
std::vector<uint8_t> file_of_another_processor() {
  schema::SessionInfo session;
  session.origin.emplace().machine = this_machine();
  std::vector<std::string>& features = session.origin->machine.processor_features;
  features.empty() ? features.push_back("amx_bf16") : features.clear();
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  EXPECT_TRUE(writer.begin(session).ok() && writer.finish(absl::OkStatus()).ok());
  return sink->take_as<uint8_t>();
}

TEST_F(CheckTest, AnotherProcessorIsANoteAndAWarningOfARunThatIsNotQuiet) {
  const std::string file = written("elsewhere.lmb", file_of_another_processor());
  EXPECT_THAT(kinds(file), IsEmpty());
  EXPECT_THAT(said_, HasSubstr("\n  note: products of bfloat16"));
  const JsonText json(runner({"check", file, "--format=json"}).output);
  const auto notes = json.root()["notes"].AsVector();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].AsMap()["kind"].AsString().str(), "processor");
  const ProcessResult loud = runner({"run", file}), quiet = runner({"run", file, "--quiet"});
  EXPECT_EQ(loud.exit_code, 0) << loud.errors;
  EXPECT_THAT(loud.errors, HasSubstr(file + ": warning: products of bfloat16"));
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.errors, "");
}

TEST_F(CheckTest, WhatVerifyRefusesIsAReason) {
  EXPECT_THAT(kinds(hostile()), ElementsAre("file"));
  EXPECT_THAT(said_, HasSubstr("command 2 (BufferCreate"));
  EXPECT_THAT(kinds(two_devices(), {"--memory-limit", "1M"}), ElementsAre("memory"));
  EXPECT_THAT(kinds(folder_.path("missing.lmb")), ElementsAre("file"));
}

TEST_F(CheckTest, ALaterFormatIsAReason) {
  const auto file = *schema::File::open(two_devices());
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink, {});
  schema::SessionInfo session = file->session();
  session.version_major = 2;
  ASSERT_TRUE(writer.begin(session).ok());
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  EXPECT_THAT(kinds(written("later.lmb", sink->take_as<uint8_t>())), ElementsAre("version"));
  EXPECT_THAT(said_, HasSubstr("has format 2."));
}

}  // namespace
}  // namespace lightmetal::testing
