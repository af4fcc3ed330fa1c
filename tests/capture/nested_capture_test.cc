// Programs that capture themselves while LIGHTMETAL_CAPTURE captures them: see
// nested_capture_child.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "schema/verify/verify.h"
#include "tests/capture/crash_kit.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

using testing::Environment;
using testing::expect_replays;
using ::testing::HasSubstr;
using testing::names_of;
using testing::opened;
using testing::ProcessResult;
using testing::read_file;
using testing::TemporaryFolder;

namespace fs = std::filesystem;

class NestedCapture : public ::testing::Test {
 protected:
  // `file` empty: not captured by the environment. `own` empty: it does not capture itself.
  static ProcessResult run(const std::string& what, const std::string& file, const std::string& own,
                           Environment environment = {}, const std::string& folder = "") {
    if (!file.empty()) environment["LIGHTMETAL_CAPTURE"] = file;
    if (!own.empty()) environment["OWN_CAPTURES"] = own;
    environment.try_emplace("LIGHTMETAL_CAPTURE_ORIGIN", "0");  // equal captures are equal files
    testing::leave_endings_alone(environment);
    return testing::run_process({LIGHTMETAL_NESTED_CAPTURE_CHILD, what},
                                {.folder = folder, .environment = std::move(environment)});
  }

  std::string made(const std::string& name) const {
    fs::create_directory(folder_.path(name));
    return folder_.path(name);
  }

  static std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path("environments.lmb");
  const std::string own_ = made("own");
};

// The errors without the name of the file and without numbers, such as those of processes.
std::string without_names(std::string errors, const std::string& file) {
  for (size_t at = errors.find(file); at != errors.npos; at = errors.find(file)) {
    errors.erase(at, file.size());
  }
  std::erase_if(errors, [](unsigned char c) { return std::isdigit(c) != 0; });
  return errors;
}

// A program, by the name that the child has for it.
class NestedCaptureOf : public NestedCapture, public ::testing::WithParamInterface<const char*> {};

// Neither the program nor one of the captures can tell that the other one is there.
TEST_P(NestedCaptureOf, AProgramIsTheSameAsEachCaptureAlone) {
  const std::string alone = made("alone"), without = folder_.path("without.lmb");
  const ProcessResult both = run(GetParam(), file_, own_);
  const ProcessResult only_own = run(GetParam(), "", alone);
  const ProcessResult only_environments = run(GetParam(), without, "");
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.output, only_own.output);
  EXPECT_EQ(both.output, only_environments.output);
  EXPECT_EQ(without_names(both.errors, file_),
            only_own.errors.empty() ? without_names(only_environments.errors, without)
                                    : without_names(only_own.errors, alone));

  ASSERT_FALSE(files_in(alone).empty());
  EXPECT_EQ(files_in(own_).size(), files_in(alone).size());
  for (const std::string& name : files_in(alone)) {
    EXPECT_TRUE(read_file(own_ + "/" + name) == read_file(alone + "/" + name)) << name;
    expect_replays(own_ + "/" + name, /*incomplete=*/false);
  }
  EXPECT_EQ(names_of(*opened(file_)), names_of(*opened(without)));
  EXPECT_TRUE(read_file(file_) == read_file(without));
  expect_replays(file_, /*incomplete=*/false);
}

INSTANTIATE_TEST_SUITE_P(, NestedCaptureOf,
                         ::testing::Values("one after the other", "traces", "sub-devices",
                                           "failing call", "forked", "at once"));

// What was written and not launched with stands in the environment's file where the program's
// capture begins, and otherwise where the next launch does.
TEST_F(NestedCapture, WordsWrittenThroughReferencesAreInBothFiles) {
  const ProcessResult both = run("references", file_, own_);
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.output, run("references", "", "").output);
  expect_replays(file_, /*incomplete=*/false);
  expect_replays(own_ + "/own.lmb", /*incomplete=*/false);
}

TEST_F(NestedCapture, ThreadsWorkInBothWhoeverBeginsAndEndsThem) {
  const ProcessResult both = run("two threads", file_, own_);
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.errors, "");
  expect_replays(file_, /*incomplete=*/false);
  ASSERT_EQ(files_in(own_).size(), 3u);
  for (const std::string& name : files_in(own_)) {
    expect_replays(own_ + "/" + name, /*incomplete=*/false);
  }
}

// Intents are written for whom has asked for them; a failed call names no intent in the other file.
TEST_F(NestedCapture, IntentsAreOfTheCaptureThatHasAskedForThem) {
  const std::string alone = made("alone"), without = folder_.path("without.lmb");
  const Environment intents = {{"LIGHTMETAL_CAPTURE_INTENTS", "1"}};
  ASSERT_EQ(run("failing call", file_, own_, intents).exit_code, 0);
  ASSERT_EQ(run("failing call", "", alone).exit_code, 0);
  ASSERT_EQ(run("failing call", without, "", intents).exit_code, 0);
  EXPECT_TRUE(read_file(own_ + "/own.lmb") == read_file(alone + "/own.lmb"));
  EXPECT_TRUE(read_file(file_) == read_file(without));
  expect_replays(file_, /*incomplete=*/false);

  const Environment own_intents = {{"OWN_INTENTS", "1"}};
  ASSERT_EQ(run("failing call", file_, own_, own_intents).exit_code, 0);
  ASSERT_EQ(run("failing call", "", alone, own_intents).exit_code, 0);
  ASSERT_EQ(run("failing call", without, "").exit_code, 0);
  EXPECT_TRUE(read_file(own_ + "/own.lmb") == read_file(alone + "/own.lmb"));
  EXPECT_TRUE(read_file(file_) == read_file(without));
}

TEST_F(NestedCapture, AnErrorOfTheProgramsLeavesTheEnvironmentsWhole) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"what the snapshot lacks", "CreateSemaphore"}, {"no room", "temporary file"}};
  for (const auto& [what, why] : rows) {
    const ProcessResult both = run(what, file_, own_);
    EXPECT_EQ(both.exit_code, 0) << both.errors;
    EXPECT_THAT(both.errors, HasSubstr("LightMetalEndCapture: the capture is incomplete"));
    EXPECT_THAT(both.errors, HasSubstr(why));
    const std::string without = folder_.path("without.lmb");
    EXPECT_EQ(run(what, without, "").output, both.output);
    EXPECT_TRUE(read_file(file_) == read_file(without)) << what;
    expect_replays(file_, /*incomplete=*/false);
  }
}

TEST_F(NestedCapture, AnErrorOfTheEnvironmentsLeavesTheProgramsWhole) {
  const std::string alone = made("alone");
  ASSERT_EQ(run("one after the other", "", alone).exit_code, 0);
  ASSERT_FALSE(files_in(alone).empty());
  for (const std::string file : {"/dev/full", "/no/such/folder/x.lmb"}) {
    const ProcessResult both = run("one after the other", file, own_);
    EXPECT_EQ(both.exit_code, 0);
    EXPECT_THAT(both.errors, HasSubstr("the capture to " + file));
    for (const std::string& name : files_in(alone)) {
      EXPECT_TRUE(read_file(own_ + "/" + name) == read_file(alone + "/" + name)) << file << name;
    }
  }
}

// Also one that does not exist yet, and one that is called otherwise.
TEST_F(NestedCapture, TheEnvironmentsFileIsRefusedToTheProgram) {
  const std::string file = own_ + "/own.lmb";
  fs::create_directory_symlink(own_, folder_.path("link"));
  for (const char* what : {"at once", "failing call"}) {
    const ProcessResult both = run(what, file, folder_.path("link"));
    EXPECT_NE(both.exit_code, 0);
    EXPECT_THAT(both.errors, HasSubstr("LIGHTMETAL_CAPTURE captures this process to " +
                                       folder_.path("link") + "/own.lmb already"));
  }
}

// The system knows no folder of a file that does not exist yet.
TEST_F(NestedCapture, TheEnvironmentsFileIsRefusedToTheProgramByItsNameAlone) {
  for (const std::string& file : {own_ + "/own.lmb", std::string("own.lmb")}) {
    const ProcessResult both = run("at once", file, ".", {}, own_);
    EXPECT_NE(both.exit_code, 0) << file;
    EXPECT_THAT(both.errors,
                HasSubstr("LIGHTMETAL_CAPTURE captures this process to own.lmb already"));
    fs::remove(own_ + "/own.lmb");
  }
}

class NestedRing : public NestedCapture {
 protected:
  const Environment ring_ = {{"LIGHTMETAL_CAPTURE_RING", "128K"}};
  const Environment rings_ = {{"LIGHTMETAL_CAPTURE_RING", "128K"}, {"OWN_RING", "1"}};
  const std::string owns_ = own_ + "/own.lmb";
};

TEST_F(NestedRing, OfTheEnvironmentGoesOnAroundACapture) {
  const std::string alone = made("alone");
  const ProcessResult both = run("much", file_, own_, ring_);
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.errors, "");
  EXPECT_EQ(both.output, run("much", "", alone).output);
  EXPECT_TRUE(read_file(owns_) == read_file(alone + "/own.lmb"));
  EXPECT_LE(fs::file_size(file_), 192u * 1024);
  expect_replays(file_, /*incomplete=*/false);
  expect_replays(owns_, /*incomplete=*/false);
}

TEST_F(NestedRing, OfTheProgramGoesOnInsideACapture) {
  const std::string without = folder_.path("without.lmb");
  const ProcessResult both = run("much", file_, own_, {{"OWN_RING", "1"}});
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.output, run("much", without, "").output);
  EXPECT_TRUE(read_file(file_) == read_file(without));
  expect_replays(file_, /*incomplete=*/false);
  expect_replays(owns_, /*incomplete=*/false);
}

TEST_F(NestedRing, TwoGoOnAtTheSameTime) {
  const ProcessResult both = run("much", file_, own_, rings_);
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.errors, "");
  for (const std::string& file : {file_, owns_}) {
    EXPECT_LE(fs::file_size(file), 192u * 1024);
    expect_replays(file, /*incomplete=*/false);
  }
}

TEST_F(NestedRing, TwoAreWrittenWhenASignalComes) {
  Environment environment = rings_;
  environment["OWN_SIGNAL"] = std::to_string(SIGTERM);
  EXPECT_EQ(run("much", file_, own_, environment).exit_code, 128 + SIGTERM);
  for (const std::string& file : {file_, owns_}) {
    EXPECT_GE(fs::file_size(file), 64u * 1024);
    expect_replays(file, /*incomplete=*/true);
  }
}

// Tests that capture themselves, and would pass alone.
class NestedTests : public NestedCapture, public ::testing::WithParamInterface<const char*> {
 protected:
  ProcessResult run_tests(Environment environment) const {
    environment["LIGHTMETAL_CAPTURE"] = file_;
    environment["LIGHTMETAL_CAPTURE_ORIGIN"] = "0";
    // Three kinds of tests stand aside. No flight recorder may run for the first. The second
    // compares with wrong goldens, as its replay would. The third is on a device that no runner
    // has.
    return testing::run_process(
        {std::string(LIGHTMETAL_BIN_FOLDER "/") + GetParam(), "--gtest_brief=1",
         "--gtest_filter=-*NoneRunsOutsideACapture*:*OneWrongBit*:SnapshotOfAWatchedDevice.*"},
        {.environment = std::move(environment)});
  }
};

TEST_P(NestedTests, PassInsideACapture) {
  const ProcessResult result = run_tests({});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  expect_replays(file_, /*incomplete=*/false);
}

TEST_P(NestedTests, PassInsideAFlightRecorder) {
  const ProcessResult result = run_tests({{"LIGHTMETAL_CAPTURE_RING", "64M"}});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  expect_replays(file_, /*incomplete=*/false);
}

INSTANTIATE_TEST_SUITE_P(, NestedTests,
                         ::testing::Values("snapshot_test", "queue_order_test",
                                           "captured_replay_test", "mesh_capture_test",
                                           "flight_recorder_test"));

}  // namespace
}  // namespace lightmetal
