// lightmetal_runner run: how goldens are compared, and what is written of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

constexpr size_t kElements = 1024;

class GoldenReportTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments,
                              std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    environment["PATH"] = "";
    return run_process(arguments, {.environment = environment, .empty_environment = true});
  }

  static void expect_failure(const std::vector<std::string>& arguments, const std::string& message,
                             const std::map<std::string, std::string>& environment = {}) {
    const ProcessResult result = runner(arguments, environment);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }

  // A file whose golden has `expected` in every element, and which reads `found` in the one at
  // `index`. Its read is command 3, of buffer 1.
  template <class T>
  std::string file_that_reads(T expected, T found, size_t index = 1023) {
    const std::string path = folder_.path("captured.lmb");
    capture(path, std::vector<T>(kElements, expected));
    std::vector<T> input(kElements, expected);
    input[index] = found;
    const auto bytes = testing::rewritten(
        **schema::File::open(path), [&](schema::CommandT& command, schema::Writer& writer) {
          if (auto* write = command.call.AsEnqueueWriteBuffer())
            *write->data = *writer.append_blob(std::as_bytes(std::span(input)));
        });
    write_file(folder_.path("file.lmb"), std::string(bytes.begin(), bytes.end()));
    return folder_.path("file.lmb");
  }

  template <class T>
  void capture(const std::string& path, std::vector<T> data) const {
    tm::LightMetalBeginCapture(
        {.path = path, .read_goldens = true, .golden_policy = policy_of_capture_});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      const size_t size = data.size() * sizeof(T);
      auto buffer = tm::CreateBuffer(
          tm::InterleavedBufferConfig{.device = device, .size = size, .page_size = size});
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
      tm::EnqueueReadBuffer(device->command_queue(), buffer, data, true);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }

  // A file that reads a buffer so often, each time something else than its golden.
  std::string reads_that_differ(int count) const {
    const std::string path = folder_.path("reads.lmb");
    tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      auto buffer = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
      std::vector<uint32_t> data(16, 7);
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
      for (int i = 0; i < count; ++i)
        tm::EnqueueReadBuffer(device->command_queue(), buffer, data, true);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    const auto bytes = testing::with_changed_input(**schema::File::open(path));
    write_file(path, std::string(bytes.begin(), bytes.end()));
    return path;
  }

  int exit_code(const std::string& file, const std::string& policy) {
    return runner({"run", file, "--golden", policy}).exit_code;
  }

  TemporaryFolder folder_;
  std::optional<ComparePolicy> policy_of_capture_;
};

float after(float value, int steps) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) + steps);
}

TEST_F(GoldenReportTest, APolicyDecidesOfTheExitCode) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  for (const std::string policy :
       {"atol:0.5", "rtol:0.0625", "atol:0.25,rtol:0.03125", "ulp:524288"}) {
    EXPECT_EQ(exit_code(file, policy), 0) << policy;
  }
  for (const std::string policy :
       {"exact", "atol:0.49", "rtol:0.06", "atol:0.2,rtol:0.03", "ulp:524287", "pcc:0.1"}) {
    EXPECT_EQ(exit_code(file, policy), 1) << policy;
  }
  EXPECT_EQ(runner({file}).exit_code, 1);
}

TEST_F(GoldenReportTest, APolicyHoldsForBFloat16) {
  const std::string file = file_that_reads(bfloat16(8.0f), bfloat16(8.5f));
  for (const std::string policy : {"atol:0.5", "rtol:0.0625", "ulp:8"})
    EXPECT_EQ(exit_code(file, policy), 0) << policy;
  for (const std::string policy : {"exact", "atol:0.49", "rtol:0.06", "ulp:7"})
    EXPECT_EQ(exit_code(file, policy), 1) << policy;
}

TEST_F(GoldenReportTest, IntegersStayExactAndRefuseAPolicyOfTheirOwn) {
  const auto check = [this](auto expected, auto found, const std::string& type) {
    const std::string file = file_that_reads(expected, found);
    EXPECT_EQ(exit_code(file, "ulp:4294967295"), 1) << type;
    EXPECT_EQ(exit_code(file, "command:3=exact"), 1) << type;
    for (const std::string name : {"command:3", "buffer:1"}) {
      expect_failure(
          {"run", file, "--golden", name + "=ulp:2"},
          "elements of " + type + " are compared exactly: ulp:2 is for Float32 and BFloat16");
    }
  };
  check(uint8_t{7}, uint8_t{8}, "UInt8");
  check(uint16_t{7}, uint16_t{8}, "UInt16");
  check(int32_t{7}, int32_t{8}, "Int32");
  check(uint32_t{7}, uint32_t{8}, "UInt32");
}

TEST_F(GoldenReportTest, ANanIsNoNumberWhateverThePolicy) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string number = file_that_reads(1.0f, nan);
  EXPECT_EQ(exit_code(number, "atol:1e300"), 1);
  const std::string nans = file_that_reads(nan, after(nan, 1));
  EXPECT_EQ(exit_code(nans, "ulp:0"), 0);
  EXPECT_EQ(exit_code(nans, "exact"), 1);
}

TEST_F(GoldenReportTest, ACommandsPolicyGoesBeforeItsBuffersAndThatBeforeTheOthers) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  EXPECT_EQ(runner({"run", file, "--golden", "buffer:1=atol:1"}).exit_code, 0);
  EXPECT_EQ(runner({"run", file, "--golden=atol:1", "--golden=buffer:1=exact"}).exit_code, 1);
  EXPECT_EQ(runner({"run", file, "--golden=buffer:1=exact", "--golden=command:3=atol:1"}).exit_code,
            0);
}

TEST_F(GoldenReportTest, TenDifferencesAreShownAndTheOthersAreCounted) {
  for (const int count : {10, 12}) {
    const std::string file = reads_that_differ(count);
    const ProcessResult result = runner({"run", file});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.output, HasSubstr(absl::StrCat(count, " of ", count, " goldens DIFFER")));
    const std::vector<std::string> parts = absl::StrSplit(result.errors, "expected 7, found 6");
    EXPECT_EQ(parts.size(), 11u) << "ten are shown";
    const bool has_more = absl::StrContains(result.errors, file + ": 2 more outputs differ\n");
    EXPECT_EQ(has_more, count == 12);
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), has_more ? 11 : 10);
  }
}

TEST_F(GoldenReportTest, WrongPoliciesAreOneClearLine) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  const auto refused = [&](std::vector<std::string> policies, const std::string& message) {
    policies.insert(policies.begin(), {"run", file});
    expect_failure(policies, message);
  };
  refused({"--golden=close"}, "--golden: \"close\" is no policy of comparison: exact, ulp:N, ");
  refused({"--golden=ulp:x"}, "--golden: ulp takes a whole number from 0 to 4294967295");
  refused({"--golden=kernel:1=exact"}, "--golden is POLICY, command:NUMBER=POLICY or ");
  refused({"--golden=command:=exact"}, "not command:=exact");
  refused({"--golden=command:+3=exact"}, "not command:+3=exact");
  refused({"--golden=ulp:1", "--golden=ulp:2"}, "--golden gives all goldens two policies");
  refused({"--golden=command:3=ulp:1", "--golden=command:3=ulp:2"}, "gives command:3 two policies");
  refused({"--golden=command:2=ulp:1", "--golden=atol:1"},
          "--golden names command 2, of which no golden was compared");
  refused({"--golden=buffer:9=ulp:1", "--golden=atol:1"},
          "--golden names buffer 9, of which no golden was compared");
  refused({"--report=xml=a"}, "--report is json=FILE or junit=FILE, not xml=a");
}

TEST_F(GoldenReportTest, AGoldenOfAnotherSizeIsRefused) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  const auto bytes = testing::rewritten(
      **schema::File::open(file), [](schema::CommandT& command, schema::Writer& writer) {
        if (auto* read = command.call.AsEnqueueReadBuffer())
          *read->golden = *writer.append_blob(std::vector<std::byte>(kElements * 4 - 4));
      });
  write_file(folder_.path("wrong.lmb"), std::string(bytes.begin(), bytes.end()));
  expect_failure({"run", folder_.path("wrong.lmb"), "--golden", "pcc:0"}, "4092");
}

// ---- Reports ----

TEST_F(GoldenReportTest, TheJsonReportIsAsItsSchemaSays) {
  const std::string file = file_that_reads(8.0f, 8.5f, 600), report = folder_.path("report.json");
  const auto write_report = [&](const std::string& policy, int code) {
    EXPECT_EQ(runner({"run", file, "--golden", policy, "--report", "json=" + report}).exit_code,
              code);
    const ProcessResult valid = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/golden-report.schema.json", report});
    EXPECT_EQ(valid.exit_code, 0) << valid.errors << read_file(report);
    return read_file(report);
  };
  EXPECT_THAT(
      write_report("atol:0.25", 1),
      AllOf(HasSubstr("\"failed\":1"),
            HasSubstr("\"command\":3,\"call\":\"EnqueueReadBuffer\",\"source\":\"buffer 1 "),
            HasSubstr("\"buffer\":1,\"element_type\":\"Float32\",\"policy\":\"atol:0.25,"
                      "rtol:0\",\"passed\":false,\"elements\":1024,\"different\":1,\"max_"
                      "absolute_error\":0.5,\"max_relative_error\":0.0625,\"max_ulp_"
                      "error\":524288,\"pcc\":0,\"error_histogram\":[1023,0,0,0,0,0,0,0,0,0,"
                      "0,0,0,0,0,0,0,0,0,0,1],"),
            HasSubstr("\"first\":[{\"index\":600,\"expected\":\"8\",\"found\":\"8.5\","
                      "\"tile\":0,\"row\":21,\"column\":8}]")));
  EXPECT_THAT(write_report("atol:0.5", 0),
              AllOf(HasSubstr("\"failed\":0"), HasSubstr("\"passed\":true"),
                    HasSubstr("\"max_absolute_error\":0.5"), HasSubstr("\"first\":[]")));
}

TEST_F(GoldenReportTest, TheJunitReportHasATestForEachGolden) {
  const std::string file = file_that_reads(8.0f, 8.5f), report = folder_.path("report.xml");
  EXPECT_EQ(runner({"run", file, "--report", "junit=" + report}).exit_code, 1);
  EXPECT_THAT(read_file(report),
              AllOf(HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\""),
                    HasSubstr("name=\"command 3: EnqueueReadBuffer of buffer 1 "),
                    HasSubstr("<failure message=\"EnqueueReadBuffer of buffer 1 ")));
  EXPECT_EQ(runner({"run", file, "--golden=atol:1", "--report", "junit=" + report}).exit_code, 0);
  EXPECT_THAT(read_file(report), HasSubstr("tests=\"1\" failures=\"0\""));
  const ProcessResult parsed =
      run_process({"/usr/bin/env", "python3", "-c",
                   "import sys, xml.dom.minidom as xml; xml.parse(sys.argv[1])", report});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.errors;
}

TEST_F(GoldenReportTest, AReportReplacesNothingThatIsRead) {
  const std::string file = file_that_reads(8.0f, 8.5f), before = read_file(file);
  EXPECT_EQ(runner({"run", file, "--report", "json=" + file}).exit_code, 2);
  EXPECT_EQ(read_file(file), before);
  expect_failure({"run", file, "--report", "json=" + folder_.path("no/where.json")}, "no/where");
}

TEST_F(GoldenReportTest, OutputsThatCannotBeAreRefusedThoughAllGoldensMatch) {
  const std::string file = file_that_reads(8.0f, 8.0f), report = folder_.path("report");
  expect_failure({"run", file, "--save-actual", file + "/actual"},
                 "cannot make the folder " + file + "/actual: ");
  for (const std::string& other : {report, folder_.path("./report")}) {
    expect_failure({"run", file, "--report=json=" + report, "--report=junit=" + other},
                   "two outputs go to " + other);
    EXPECT_FALSE(std::filesystem::exists(report));
  }
  write_file(report, "before");
  expect_failure({"run", file, "--trace-out", report, "--report=json=" + report}, report);
  EXPECT_EQ(read_file(report), "before");
}

TEST_F(GoldenReportTest, TheSandboxTakesNoReport) {
  const std::string file = file_that_reads(8.0f, 8.5f), report = folder_.path("report.json");
  expect_failure({"run", file, "--sandbox=best-effort", "--report", "json=" + report},
                 "--report, --save-actual, --update-golden and --trace-out write files, which the "
                 "sandbox does "
                 "not "
                 "allow");
  EXPECT_FALSE(std::filesystem::exists(report));
}

// ---- What was read ----

TEST_F(GoldenReportTest, WhatDiffersIsSavedForNumPy) {
  const std::string file = file_that_reads(8.0f, 8.5f), saved = folder_.path("actual");
  EXPECT_EQ(runner({"run", file, "--save-actual", saved, "--golden=atol:1"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(saved));
  EXPECT_EQ(runner({"run", file, "--save-actual", saved}).exit_code, 1);
  const std::string npy = read_file(saved + "/command-3.npy");
  ASSERT_EQ(npy.size(), 128 + kElements * 4);
  EXPECT_EQ(npy.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_THAT(npy.substr(10, 118),
              HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (1024,), }"));
  EXPECT_EQ(npy[127], '\n');
  float last = 0;
  std::memcpy(&last, npy.data() + npy.size() - 4, 4);
  EXPECT_EQ(last, 8.5f);
}

TEST_F(GoldenReportTest, WhatDiffersOfATypeThatNumPyHasNotIsSavedAsItIs) {
  const std::string file = file_that_reads(bfloat16(8.0f), bfloat16(8.5f));
  EXPECT_EQ(runner({"run", file, "--save-actual", folder_.path("actual")}).exit_code, 1);
  EXPECT_EQ(read_file(folder_.path("actual/command-3.bin")).size(), kElements * 2);
}

// ---- New goldens ----

TEST_F(GoldenReportTest, UpdatedGoldensPass) {
  const std::string file = file_that_reads(8.0f, 8.5f), updated = folder_.path("updated.lmb");
  const std::string before = read_file(file);
  const ProcessResult result = runner({"run", file, "--update-golden", "-o", updated});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("[1023] expected 8, found 8.5"));
  EXPECT_THAT(result.output, HasSubstr(updated + ": " + file + " with 1 new golden"));
  EXPECT_EQ(runner({updated}).exit_code, 0);
  EXPECT_EQ(runner({"verify", updated}).exit_code, 0);
  EXPECT_EQ(runner({file}).exit_code, 1);
  EXPECT_EQ(read_file(file), before);
  EXPECT_LT(read_file(updated).size(), before.size()) << "the old golden is there";
}

TEST_F(GoldenReportTest, WhatPassesIsNotUpdated) {
  const std::string file = file_that_reads(8.0f, 8.5f), updated = folder_.path("updated.lmb");
  const ProcessResult result =
      runner({"run", file, "--golden=atol:1", "--update-golden", "-o", updated});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("with 0 new goldens"));
  EXPECT_EQ(read_file(updated), read_file(file));
}

TEST_F(GoldenReportTest, AGoldenOfTwoReadsStaysForTheOneThatPasses) {
  const std::string path = folder_.path("two.lmb"), updated = folder_.path("updated.lmb");
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    const tm::InterleavedBufferConfig config{.device = device, .size = 64, .page_size = 64};
    for (int i = 0; i < 2; ++i) {
      auto buffer = tm::CreateBuffer(config);
      std::vector<uint32_t> data(16, 7);
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
      tm::EnqueueReadBuffer(device->command_queue(), buffer, data, true);
    }
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const auto bytes = testing::with_changed_input(**schema::File::open(path));
  write_file(path, std::string(bytes.begin(), bytes.end()));
  const ProcessResult result = runner({"run", path, "--update-golden", "-o", updated});
  EXPECT_THAT(result.output, HasSubstr("with 1 new golden"));
  EXPECT_EQ(runner({updated}).exit_code, 0);
}

TEST_F(GoldenReportTest, AnUpdateDropsASignatureAndSaysSo) {
  const std::string file = file_that_reads(8.0f, 8.5f), key = folder_.path("key");
  EXPECT_EQ(runner({"keygen", "-o", key}).exit_code, 0);
  EXPECT_EQ(runner({"sign", file, "--key", key + ".key"}).exit_code, 0);
  const std::string updated = folder_.path("updated.lmb");
  EXPECT_THAT(runner({"run", file, "--update-golden", "-o", updated}).output,
              HasSubstr("its signature is gone: sign it anew"));
  EXPECT_EQ(runner({"verify", updated, "--require-signature", key + ".pub"}).exit_code, 2);
}

TEST_F(GoldenReportTest, AnUpdateThatCannotBeIsOneClearLine) {
  const std::string file = file_that_reads(8.0f, 8.5f), updated = folder_.path("updated.lmb");
  expect_failure({"run", file, "--update-golden"}, "--update-golden needs -o OUT");
  expect_failure({"run", file, "-o", updated}, "--output is NAME=FILE");
  expect_failure({"run", file, "--update-golden", "-o", file}, "is an input");
  const std::string cut = folder_.path("cut.lmb"), whole = read_file(file);
  write_file(cut, whole.substr(0, whole.size() - 8));
  expect_failure({"run", cut, "--allow-incomplete", "--update-golden", "-o", updated},
                 "which --allow-incomplete is not");
  expect_failure({"run", cut, "--update-golden", "-o", updated}, "is incomplete");
  EXPECT_FALSE(std::filesystem::exists(updated));
}

// The options of `run`, as its help has them.
std::set<std::string> options_of_run(const std::string& help) {
  std::set<std::string> options;
  for (const absl::string_view line : absl::StrSplit(help, '\n')) {
    const size_t begin = line.find("--");
    if (begin > 6 || begin == line.npos) continue;
    options.emplace(line.substr(begin + 2, line.find_first_of(" [", begin) - begin - 2));
  }
  return options;
}

// The options in the first column of the table of docs/runner.md that begins with this row.
std::set<std::string> options_of_table(const std::string& head) {
  const std::string document = read_file(LIGHTMETAL_SOURCE_FOLDER "/docs/runner.md");
  const size_t begin = document.find(head), end = document.find("\n\n", begin);
  std::set<std::string> options;
  for (const absl::string_view row : absl::StrSplit(document.substr(begin, end - begin), '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(row, '|');
    for (const absl::string_view part : absl::StrSplit(cells[1], "`--"))
      if (part != cells[1].substr(0, part.size()))
        options.emplace(part.substr(0, part.find_first_of(" `=")));
  }
  return options;
}

class UpdateWithOptions : public GoldenReportTest {
 protected:
  // A value for each option of `run`; empty for one without.
  std::map<std::string, std::string> values() const {
    const std::string file = folder_.path("reads.lmb");
    return {{"help", ""},
            {"color", "never"},
            {"log-level", "error"},
            {"device", "cpu"},
            {"loop", "2"},
            {"warmup", "1"},
            {"no-check", ""},
            {"quiet", ""},
            {"allow-incomplete", ""},
            {"until", "3"},
            {"sync", ""},
            {"continue-on-error", ""},
            {"from", "4"},
            {"checkpoint", folder_.path("checkpoint.lmb")},
            {"compare-with", file},
            {"bisect", ""},
            {"replace-kernel", "a.cpp=b.cpp"},
            {"golden", "exact"},
            {"report", "json=" + folder_.path("report.json")},
            {"save-actual", folder_.path("actual")},
            {"require-goldens", ""},
            {"update-golden", ""},
            {"output", folder_.path("other.lmb")},
            {"input", "x=" + file},
            {"entry", "x"},
            {"schedule", "fixed"},
            {"schedules", "1"},
            {"races", "1"},
            {"require-signature", folder_.path("no.pub")},
            {"trust", ""},
            {"sandbox", "best-effort"},
            {"remap", "/a=/b"},
            {"references", "digest"},
            {"allow-references", ""},
            {"memory-limit", "1G"},
            {"watchdog", "60"},
            {"trace-out", folder_.path("trace.json")},
            {"jobs", "1"},
            {"timeout", "60"},
            {"shard", "1/1"},
            {"junit", folder_.path("junit.xml")}};
  }

  ProcessResult update_with(const std::string& file, const std::string& option,
                            const std::string& value) const {
    const std::string given =
        value.empty() ? "--" + option : absl::StrCat("--", option, "=", value);
    return runner({"run", file, "--update-golden", "-o", updated_, given});
  }

  const std::string updated_ = folder_.path("updated.lmb");
};

// With each option, and with its variable, all goldens are new or nothing is written.
TEST_F(UpdateWithOptions, RenewsAllGoldensOrNone) {
  const std::string file = reads_that_differ(2);
  const auto values = this->values();
  const auto options = options_of_run(runner({"run", "--help"}).output);
  EXPECT_GT(options.size(), 20u);
  for (const std::string& option : options) {
    SCOPED_TRACE(option);
    ASSERT_TRUE(values.contains(option)) << "give it a value here";
    std::filesystem::remove(updated_);
    const ProcessResult result = update_with(file, option, values.at(option));
    if (!std::filesystem::exists(updated_)) {
      EXPECT_EQ(result.exit_code, option == "help" ? 0 : 2);
      continue;
    }
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(runner({updated_}).output, HasSubstr("2 goldens matched"));
  }
}

TEST_F(UpdateWithOptions, RefusesThoseOfTheTableInTheDocuments) {
  const std::string file = reads_that_differ(2);
  const auto values = this->values();
  const std::set<std::string> options = options_of_table("| `--update-golden` is refused with |");
  EXPECT_GE(options.size(), 13u);
  for (const std::string& option : options) {
    if (option == "update-golden") continue;  // the head
    SCOPED_TRACE(option);
    const ProcessResult result = update_with(file, option, values.at(option));
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr("--" + option));
    EXPECT_FALSE(std::filesystem::exists(updated_));
    std::string variable = "LIGHTMETAL_RUNNER_" + absl::AsciiStrToUpper(option);
    std::ranges::replace(variable, '-', '_');
    const std::string value = values.at(option).empty() ? "1" : values.at(option);
    EXPECT_EQ(
        runner({"run", file, "--update-golden", "-o", updated_}, {{variable, value}}).exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(updated_)) << variable;
  }
  // The twin: what changes nothing is taken.
  for (const std::string idle : {"--loop=1", "--warmup=0", "--no-check=false"})
    EXPECT_EQ(runner({"run", file, "--update-golden", "-o", updated_, idle}).exit_code, 0) << idle;
}

// ---- No goldens ----

TEST_F(GoldenReportTest, WhereNothingIsComparedItIsSaid) {
  const std::string file = file_that_reads(8.0f, 8.0f), none = folder_.path("none.lmb"),
                    report = folder_.path("report.xml");
  ASSERT_EQ(runner({"redact", file, "--payloads", "-o", none}).exit_code, 0);
  const ProcessResult plain = runner({"run", none, "--report", "junit=" + report});
  EXPECT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_THAT(plain.output, HasSubstr("compared 0 values"));
  EXPECT_THAT(read_file(report), HasSubstr("<skipped message=\"compared 0 values\"/>"));
  EXPECT_THAT(runner({"run", file, "--no-check"}).output, HasSubstr("compared 0 values"));
  EXPECT_THAT(runner({"run", file}).output, Not(HasSubstr("compared 0 values")));
}

TEST_F(GoldenReportTest, RequiredGoldensFailARunThatComparesNone) {
  const std::string file = file_that_reads(8.0f, 8.0f), none = folder_.path("none.lmb");
  ASSERT_EQ(runner({"redact", file, "--payloads", "-o", none}).exit_code, 0);
  EXPECT_EQ(runner({"run", file, "--require-goldens"}).exit_code, 0);
  expect_failure({"run", none, "--require-goldens"},
                 "compared 0 values, and --require-goldens demands some");
  expect_failure({"run", file, "--until", "2", "--require-goldens"}, "compared 0 values");
  expect_failure({"run", none}, "compared 0 values", {{"LIGHTMETAL_RUNNER_REQUIRE_GOLDENS", "1"}});
  for (const std::string other : {"--no-check", "--races=1", "--compare-with=cpu"})
    expect_failure({"run", file, "--require-goldens", other}, "--require-goldens");
}

TEST_F(GoldenReportTest, OfManyFilesThoseThatCompareNothingAreSkipped) {
  const std::string file = file_that_reads(8.0f, 8.0f), none = folder_.path("none.lmb"),
                    report = folder_.path("report.xml");
  ASSERT_EQ(runner({"redact", file, "--payloads", "-o", none}).exit_code, 0);
  const ProcessResult suite = runner({"run", file, none, "--junit", report});
  EXPECT_EQ(suite.exit_code, 0) << suite.errors;
  EXPECT_THAT(suite.output, HasSubstr("2 passed"));
  EXPECT_THAT(suite.output, HasSubstr(", 1 compared 0 values"));
  EXPECT_THAT(read_file(report), AllOf(HasSubstr("errors=\"0\" skipped=\"1\""),
                                       HasSubstr("<skipped message=\"compared 0 values\"/>")));
  EXPECT_EQ(runner({"run", file, none, "--require-goldens"}).exit_code, 2);
}

// ---- Policies for nothing ----

TEST_F(GoldenReportTest, APolicyForACommandThatComparesNothingLeavesNoLineOfTheRun) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  for (const std::string policy : {"command:1=ulp:1", "command:99=exact", "buffer:7=exact"}) {
    const ProcessResult result = runner({"run", file, "--golden", policy});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "") << policy;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("of which no golden was compared"));
  }
}

// ---- What the program said at capture ----

TEST_F(GoldenReportTest, ThePolicyOfTheCaptureHoldsUnlessTheReplaySaysOtherwise) {
  policy_of_capture_ = *ComparePolicy::parse("atol:1");
  const std::string file = file_that_reads(8.0f, 8.5f);
  EXPECT_EQ(runner({file}).exit_code, 0);
  EXPECT_EQ(exit_code(file, "exact"), 1);
  EXPECT_EQ(exit_code(file, "command:3=exact"), 1);
  EXPECT_THAT(runner({"info", file}).output, HasSubstr("atol:1,rtol:0"));
}

TEST_F(GoldenReportTest, AComparisonHasAPolicyOfItsOwn) {
  const std::string path = folder_.path("compared.lmb");
  tm::LightMetalBeginCapture({.path = path, .golden_policy = *ComparePolicy::parse("ulp:1")});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
    std::vector<float> data(16, 8.0f), golden(16, 8.5f);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
    tm::LightMetalCompareToGolden(device->command_queue(), buffer, golden,
                                  ComparePolicy::parse("atol:0.5").value());
    EXPECT_THAT(testing::thrown_by([&] {
                  tm::LightMetalCompareToCapture(device->command_queue(), buffer, nullptr,
                                                 ComparePolicy::parse("atol:0.5").value());
                }),
                HasSubstr("elements of Bytes are compared exactly"));
    std::vector<uint32_t> words(16, 8);
    EXPECT_THAT(testing::thrown_by([&] {
                  tm::LightMetalCompareToGolden(device->command_queue(), buffer, words,
                                                ComparePolicy::parse("ulp:1").value());
                }),
                HasSubstr("elements of UInt32 are compared exactly"));
    tm::LightMetalCompareToCapture(device->command_queue(), buffer, nullptr,
                                   ComparePolicy::parse("atol:0.5,as:float32").value());
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  EXPECT_EQ(runner({path}).exit_code, 0) << runner({path}).errors;
  EXPECT_EQ(exit_code(path, "atol:0.49"), 1);
}

TEST_F(GoldenReportTest, ValuesPackedInWordsAreComparedAsWhatTheyAre) {
  const auto packed = [](float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value) >> 16;
    return bits << 16 | bits;
  };
  const std::string file = file_that_reads(packed(8.0f), packed(8.5f));
  for (const std::string name : {"", "command:3=", "buffer:1="}) {
    EXPECT_EQ(exit_code(file, name + "atol:0.5,as:bfloat16"), 0) << name;
    EXPECT_EQ(exit_code(file, name + "atol:0.49,as:bfloat16"), 1) << name;
  }
  EXPECT_THAT(runner({"run", file, "--golden=ulp:7,as:bfloat16"}).errors,
              HasSubstr("2 of 2048 BFloat16 elements differ"));
}

TEST_F(GoldenReportTest, AFileWhosePolicyIsNoneIsRefused) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  schema::SessionInfo session = (*schema::File::open(file))->session();
  session.options.emplace_back("golden", "close");
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  ASSERT_TRUE(writer.begin(session).ok() && writer.finish(absl::OkStatus()).ok());
  const std::vector<char> bytes = sink->take_as<char>();
  write_file(file, std::string(bytes.begin(), bytes.end()));
  expect_failure({file}, "its option golden: \"close\" is no policy of comparison");
  expect_failure({"verify", file}, "its option golden");
}

// ---- Variables ----

TEST_F(GoldenReportTest, ALinkInTheFolderOfWhatWasReadIsNotFollowed) {
  const std::string file = file_that_reads(8.0f, 8.5f), victim = folder_.path("victim");
  write_file(victim, "mine");
  std::filesystem::create_directory(folder_.path("actual"));
  std::filesystem::create_symlink(victim, folder_.path("actual/command-3.npy"));
  const ProcessResult result = runner({"run", file, "--save-actual", folder_.path("actual")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("actual/command-3.npy is a link"));
  EXPECT_EQ(read_file(victim), "mine");
}

TEST_F(GoldenReportTest, VariablesStandForTheOptions) {
  const std::string file = file_that_reads(8.0f, 8.5f), report = folder_.path("report.json");
  EXPECT_EQ(runner({file}, {{"LIGHTMETAL_RUNNER_GOLDEN", "atol:1"}}).exit_code, 0);
  EXPECT_EQ(
      runner({"run", file, "--golden=exact"}, {{"LIGHTMETAL_RUNNER_GOLDEN", "atol:1"}}).exit_code,
      1);
  expect_failure({file}, "LIGHTMETAL_RUNNER_GOLDEN: ", {{"LIGHTMETAL_RUNNER_GOLDEN", "close"}});
  EXPECT_THAT(runner({file}, {{"LIGHTMETAL_RUNNER_GOLDEN", "command:9=exact"}}).errors,
              HasSubstr("LIGHTMETAL_RUNNER_GOLDEN names command 9, of which"));
  expect_failure({file}, "LIGHTMETAL_RUNNER_REPORT is json=FILE or junit=FILE, not x",
                 {{"LIGHTMETAL_RUNNER_REPORT", "x"}});
  EXPECT_EQ(runner({file}, {{"LIGHTMETAL_RUNNER_REPORT", "json=" + report},
                            {"LIGHTMETAL_RUNNER_SAVE_ACTUAL", folder_.path("actual")}})
                .exit_code,
            1);
  EXPECT_THAT(read_file(report), HasSubstr("\"failed\":1"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("actual/command-3.npy")));
}

TEST_F(GoldenReportTest, AnOptionThatNamesAFileWinsOverItsVariable) {
  const std::string file = file_that_reads(8.0f, 8.5f);
  const ProcessResult result =
      runner({"run", file, "--report", "json=" + folder_.path("option.json"), "--save-actual",
              folder_.path("option")},
             {{"LIGHTMETAL_RUNNER_REPORT", "json=" + folder_.path("variable.json")},
              {"LIGHTMETAL_RUNNER_SAVE_ACTUAL", folder_.path("variable")}});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_TRUE(std::filesystem::exists(folder_.path("option.json")));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("option/command-3.npy")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("variable.json")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("variable")));
}

// ---- Several runs ----

TEST_F(GoldenReportTest, OfSeveralRunsTheOneIsReportedThatIsShown) {
  const std::string file = file_that_reads(8.0f, 8.5f), report = folder_.path("report.xml");
  for (const std::string policy : {"exact", "atol:1"}) {
    runner({"run", file, "--loop=3", "--golden", policy, "--report", "junit=" + report});
    EXPECT_THAT(read_file(report), HasSubstr("tests=\"1\" ")) << policy;
  }
}

// Linux's numbers of system calls that succeed once.
enum class Once : uint32_t { kMakesFolder = 83, kRemovesFolder = 84 };

// Makes the system call at argument 1 with the path that begins at argument 2, and writes its
// result to the page at argument 0.
constexpr char kCallsOnce[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  volatile uint32_t path[32];
  for (uint32_t i = 0; i < 32; ++i) path[i] = get_arg_val<uint32_t>(2 + i);
  long result;
  asm volatile("syscall" : "=a"(result)
               : "a"(static_cast<long>(get_arg_val<uint32_t>(1))), "D"(path), "S"(0700L)
               : "rcx", "r11", "memory");
  const InterleavedAddrGen<true> dram = {.bank_base_address = get_arg_val<uint32_t>(0),
                                         .page_size = 64};
  const uint32_t l1 = get_write_ptr(0);
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t i = 0; i < 16; ++i) words[i] = static_cast<uint32_t>(result);
  noc_async_write(l1, get_noc_addr(0, dram), 64);
  noc_async_write_barrier();
})";

std::vector<uint32_t> arguments_of(uint32_t address, Once call, const std::string& path) {
  std::vector<uint32_t> arguments(34);
  arguments[0] = address;
  arguments[1] = static_cast<uint32_t>(call);
  EXPECT_LT(path.size(), 128u);
  std::memcpy(&arguments[2], path.data(), std::min<size_t>(path.size(), 127));
  return arguments;
}

// Captures a program that reads the result of the call.
void capture_call(const std::string& file, Once call, const std::string& path) {
  tm::LightMetalBeginCapture({.path = file, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
    tm::Program program = tm::CreateProgram();
    constexpr tm::CoreCoord kCore = {0, 0};
    tm::CreateCircularBuffer(
        program, kCore,
        tm::CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    const auto kernel =
        tm::CreateKernelFromString(program, kCallsOnce, kCore, tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program, kernel, kCore, arguments_of(buffer->address(), call, path));
    tm::EnqueueProgram(device->command_queue(), program, false);
    std::vector<uint32_t> words;
    tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// The first run makes or removes the folder, and the second one finds that done.
TEST_F(GoldenReportTest, OfSeveralRunsTheOneThatDiffersIsShownWhicheverItIs) {
  const std::string made = folder_.path("made"), report = folder_.path("report.xml");
  for (const Once call : {Once::kMakesFolder, Once::kRemovesFolder}) {
    const std::string file = folder_.path("file.lmb");
    std::filesystem::create_directory(made);
    capture_call(file, call, made);
    if (!std::filesystem::remove(made)) std::filesystem::create_directory(made);
    const ProcessResult result = runner({"run", file, "--loop=2", "--report", "junit=" + report});
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("1 of 1 golden DIFFER"));
    EXPECT_THAT(read_file(report), HasSubstr("failures=\"1\" "));
    EXPECT_EQ(std::filesystem::exists(made), call == Once::kMakesFolder) << "the calls were made";
    std::filesystem::remove(made);
  }
}

}  // namespace
}  // namespace lightmetal
