// lightmetal_runner bench, scopes, and the timelines that both are measured by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <lightmetal/scope.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/timeline.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;
using Json = nlohmann::json;

constexpr size_t kPage = 2048;

// Writes a page, in a scope launches two programs, the second of them twice in a scope inside, and
// reads the page.
void run_program(bool with_scopes = true) {
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::CommandQueue& queue = device->command_queue();
    auto buffer = tm::CreateBuffer({.device = device, .size = kPage, .page_size = kPage});
    std::vector<uint32_t> data(kPage / 4, 7);
    tm::EnqueueWriteBuffer(queue, buffer, data, false);
    tm::Program first = tm::CreateProgram(), second = tm::CreateProgram();
    tm::CreateKernelFromString(first, "void kernel_main() {}\n", tm::CoreCoord(0, 0),
                               tm::DataMovementConfig{});
    tm::CreateKernelFromString(second, "void kernel_main() {}\n", tm::CoreRange({0, 0}, {1, 0}),
                               tm::DataMovementConfig{});
    if (with_scopes) tm::LightMetalScopeBegin("outer");
    tm::EnqueueProgram(queue, first, false);
    for (int i = 0; i < 2; ++i) {
      if (with_scopes) tm::LightMetalScopeBegin("inner");
      tm::EnqueueProgram(queue, second, false);
      if (with_scopes) tm::LightMetalScopeEnd();
    }
    if (with_scopes) tm::LightMetalScopeEnd();
    tm::EnqueueReadBuffer(queue, buffer, data, true);
  }
  tm::CloseDevice(device);
}

class BenchTest : public ::testing::Test {
 protected:
  std::string captured(const CaptureOptions& options, bool with_scopes = true) {
    CaptureOptions to_file = options;
    to_file.path = folder_.path("captured.lmb");
    tm::LightMetalBeginCapture(to_file);
    run_program(with_scopes);
    tm::LightMetalEndCapture();
    return to_file.path;
  }
  std::string captured() { return captured({.read_goldens = true, .record_origin = true}); }

  static ProcessResult runner(std::vector<std::string> arguments,
                              std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    environment["PATH"] = "";
    return run_process(arguments, {.environment = environment, .empty_environment = true});
  }
  static void expect_failure(const std::vector<std::string>& arguments,
                             const std::string& message) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
  static ProcessResult python(const std::string& code, const std::string& file) {
    return run_process({"/usr/bin/env", "python3", "-c", code, file});
  }

  TemporaryFolder folder_;
};

// ---- Scopes ----

TEST_F(BenchTest, ScopesAreRecordedWithTheTimeTheyTook) {
  const auto file = schema::File::open(captured());
  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<std::string> names;
  for (const schema::CommandT& command : testing::commands_of(**file)) {
    if (const auto* begin = command.call.AsScopeBegin()) names.push_back(begin->name);
    if (const auto* end = command.call.AsScopeEnd()) {
      names.push_back("end");
      EXPECT_GT(end->nanoseconds, 0u);
    }
  }
  EXPECT_THAT(names, ElementsAre("outer", "inner", "end", "inner", "end", "end"));
}

TEST_F(BenchTest, WithoutAnOriginEqualProgramsWithScopesAreEqualFiles) {
  const CaptureOptions options{.read_goldens = true, .record_origin = false};
  const std::string first = read_file(captured(options));
  EXPECT_TRUE(read_file(captured(options)) == first);
}

TEST_F(BenchTest, ACaptureThatBeginsInsideOfScopesBeginsWithThem) {
  const std::string path = folder_.path("inside.lmb");
  {
    const Scope outer("outer");
    const Scope inner("inner");
    tm::LightMetalBeginCapture({.path = path});
  }
  tm::LightMetalEndCapture();
  EXPECT_THAT(testing::names_of(**schema::File::open(path)),
              ElementsAre("ScopeBegin", "ScopeBegin", "ScopeEnd", "ScopeEnd"));
  EXPECT_EQ(runner({path}).exit_code, 0);
}

TEST_F(BenchTest, OnlyAnOpenScopeEnds) {
  EXPECT_THAT(testing::thrown_by([] { tm::LightMetalScopeEnd(); }),
              HasSubstr("Cannot end a scope: none is open"));
  EXPECT_THAT(testing::thrown_by([] { tm::LightMetalScopeBegin(std::string(1025, 'n')); }),
              HasSubstr("a name of 1025 bytes"));
}

TEST_F(BenchTest, ARunThatEndsInsideOfScopesLeavesNoneOpen) {
  const std::string path = folder_.path("open.lmb");
  tm::LightMetalBeginCapture({.path = path});
  tm::LightMetalScopeBegin("outer");
  tm::LightMetalEndCapture();
  tm::LightMetalScopeEnd();
  auto replay = Replay::load_file(path);
  ASSERT_TRUE(replay.ok()) << replay.status();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE((*replay)->run().ok());
  replay->reset();
  EXPECT_THAT(testing::thrown_by([] { tm::LightMetalScopeEnd(); }), HasSubstr("none is open"));
}

// ---- bench ----

TEST_F(BenchTest, ItTellsTimesOfTheWholeOfScopesAndOfPrograms) {
  const ProcessResult result = runner({"bench", captured(), "--loop", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (const std::string line :
       {"load +1 ", "run +4 .* 4096 B", "scope outer +4 ", "scope outer/inner +8 ",
        "program kernel_0 on 1 core +4 ", "program kernel_0 on 2 cores +8 "}) {
    EXPECT_THAT(result.output, ContainsRegex(line));
  }
}

// Launches a program once and one that is like it twice, and then moves a page before, in and after
// a scope: four pages together, which are 10 KiB.
std::string captured_likes(const std::string& path) {
  tm::LightMetalBeginCapture({.path = path});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::CommandQueue& queue = device->command_queue();
    tm::Program programs[2] = {tm::CreateProgram(), tm::CreateProgram()};
    for (const int number : {0, 1, 1}) {
      tm::Program& program = programs[number];
      if (program.num_kernels() == 0)
        tm::CreateKernelFromString(program, "void kernel_main() {}\n", tm::CoreCoord(0, 0),
                                   tm::DataMovementConfig{});
      tm::EnqueueProgram(queue, program, false);
    }
    auto buffer = tm::CreateBuffer({.device = device, .size = 2560, .page_size = 2560});
    std::vector<uint32_t> data(2560 / 4, 7);
    tm::EnqueueWriteBuffer(queue, buffer, data, false);
    tm::EnqueueReadBuffer(queue, buffer, data, true);
    tm::LightMetalScopeBegin("inside");
    tm::EnqueueWriteBuffer(queue, buffer, data, false);
    tm::LightMetalScopeEnd();
    tm::EnqueueReadBuffer(queue, buffer, data, true);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  return path;
}

// Ten runs are made again for the times of scopes and programs, though there are more.
TEST_F(BenchTest, ProgramsThatAreAlikeAreToldApartAndAScopeHasItsOwnBytes) {
  const std::string file = captured_likes(folder_.path("likes.lmb"));
  const ProcessResult result = runner({"bench", file, "--loop", "12"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const size_t commands = testing::names_of(**schema::File::open(file)).size();
  EXPECT_THAT(result.output, HasSubstr(absl::StrCat(": ", commands, " commands on 1 device\n")));
  for (const std::string line : {"run +12 .* 10 KiB\n", "scope inside +10 .* 2560 B\n",
                                 "program kernel_0 on 1 core +10 ", "1 core, #2 +20 "}) {
    EXPECT_THAT(result.output, ContainsRegex(line));
  }
}

TEST_F(BenchTest, ItsJsonIsAsItsSchemaSaysAndInOrder) {
  const ProcessResult result = runner({"bench", captured(), "--loop", "3", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string json = folder_.path("bench.json");
  write_file(json, result.output);
  const ProcessResult valid = run_process(
      {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
       LIGHTMETAL_SOURCE_FOLDER "/docs/bench.schema.json", json});
  EXPECT_EQ(valid.exit_code, 0) << valid.errors << result.output;
  const ProcessResult ordered = python(
      "import json, sys\n"
      "by = {}\n"
      "for b in json.load(open(sys.argv[1]))['benchmarks']:\n"
      "  if b['run_type'] == 'aggregate':\n"
      "    by.setdefault(b['run_name'], []).append(b['real_time'])\n"
      "assert len(by) == 6, by\n"
      "for name, times in by.items():\n"
      "  assert times == sorted(times) and times[0] > 0, (name, times)\n"
      "assert by['scope outer/inner'][0] < by['scope outer'][3], by\n",
      json);
  EXPECT_EQ(ordered.exit_code, 0) << ordered.errors;
}

TEST_F(BenchTest, ScopesAreComparedWithTheCapture) {
  const std::string file = captured();
  EXPECT_THAT(
      runner({"bench", file, "--loop", "3", "--compare", "capture"}).output,
      AllOf(HasSubstr("ratio\n"), ContainsRegex("scope outer/inner .* [0-9]+\\.[0-9]{3}\n")));
  EXPECT_THAT(runner({"bench", file, "--loop", "3"}).output, Not(HasSubstr("ratio")));
  expect_failure({"bench", captured({.record_origin = false}), "--compare", "capture"},
                 "does not say how long scopes took at capture");
  expect_failure(
      {"bench", captured({.record_origin = true}, /*with_scopes=*/false), "--compare", "capture"},
      "it has no scopes, or no origin");
}

// The result, with all times multiplied.
constexpr char kScaled[] =
    "import json, sys\n"
    "result = json.load(open(sys.argv[1]))\n"
    "for b in result['benchmarks']: b['real_time'] *= FACTOR\n"
    "print(json.dumps(result))\n";

TEST_F(BenchTest, AnEarlierResultIsComparedByScopeAndProgram) {
  const std::string file = captured(), before = folder_.path("before.json");
  write_file(before, runner({"bench", file, "--loop", "3", "--format", "json"}).output);
  const auto scaled = [&](const std::string& factor) {
    const std::string path = folder_.path("scaled.json");
    write_file(path, python(absl::StrReplaceAll(kScaled, {{"FACTOR", factor}}), before).output);
    return path;
  };
  const ProcessResult same = runner({"bench", file, "--loop", "3", "--compare", before});
  EXPECT_EQ(same.exit_code, 0) << same.errors;
  for (const std::string line : {"run +3 ", "scope outer +3 ", "program kernel_0 on 2 cores +6 "})
    EXPECT_THAT(same.output, ContainsRegex(line + ".* [0-9]+\\.[0-9]{3}\n"));
  const auto compared = [&](const std::string& result) {
    return runner({"bench", file, "--loop", "3", "--compare", result, "--max-regression", "900"});
  };
  // Far from the limit on both sides: on a busy machine a run of microseconds takes milliseconds.
  const ProcessResult faster = compared(scaled("1e5"));
  EXPECT_EQ(faster.exit_code, 0) << faster.errors;
  const ProcessResult slower = compared(scaled("1e-5"));
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_THAT(slower.errors, ContainsRegex("scope outer/inner takes [0-9.]+ times as long as in "));
  EXPECT_THAT(slower.errors, HasSubstr("--max-regression allows 10.000"));
  EXPECT_THAT(slower.errors, Not(HasSubstr(": load takes")));
}

// The result in another unit, with its iterations or its aggregates alone.
std::string in_unit(const Json& result, const std::string& unit, double nanoseconds,
                    const std::string& type) {
  Json kept = Json::array();
  for (Json each : result["benchmarks"]) {
    if (each["run_type"] != type) continue;
    each["real_time"] = each["real_time"].get<double>() / nanoseconds;
    each["time_unit"] = unit;
    kept.push_back(each);
  }
  return Json({{"benchmarks", kept}}).dump();
}

// A member of what is said of each median, by the name of what was measured.
std::map<std::string, double> of_medians(const Json& result, const char* member) {
  std::map<std::string, double> found;
  for (const Json& each : result["benchmarks"]) {
    if (each.value("aggregate_name", "") == "median")
      found[each["run_name"]] = each[member].get<double>();
  }
  return found;
}

TEST_F(BenchTest, TheTimesOfAResultAreReadInTheirUnit) {
  const std::string file = captured(), other = folder_.path("other.json");
  const auto bench = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"bench", file, "--format", "json"});
    return Json::parse(runner(options).output);
  };
  const Json before = bench({"--loop", "3"});
  const auto medians = of_medians(before, "real_time");
  ASSERT_EQ(medians.size(), 6u);
  for (const auto& [unit, nanoseconds, type] :
       {std::tuple("s", 1e9, "iteration"), {"ms", 1e6, "aggregate"}, {"us", 1e3, "iteration"}}) {
    write_file(other, in_unit(before, unit, nanoseconds, type));
    const auto references = of_medians(bench({"--loop=1", "--compare", other}), "reference");
    ASSERT_EQ(references.size(), medians.size()) << unit;
    for (const auto& [name, median] : medians)
      EXPECT_NEAR(references.at(name) / median, 1, 1e-6) << name << " in " << unit;
  }
}

TEST_F(BenchTest, AResultOfSomethingElseIsRefused) {
  const std::string file = captured(), result = folder_.path("result.json");
  const auto refused = [&](const std::string& text, const std::string& message) {
    write_file(result, text);
    expect_failure({"bench", file, "--loop", "1", "--compare", result}, message);
  };
  const std::string entry = R"({"name":"run","run_name":"run","real_time":1,"time_unit":"ns"})";
  refused(R"({"benchmarks":[)" + entry + "]}", "has nothing in common with what " + file);
  refused("", "is no result of bench --format json: ");
  refused("{}", "is no result of bench --format json: it has no times");
  refused(R"({"benchmarks":[{"name":"run","real_time":-1,"time_unit":"ns"}]})", "has no time");
  refused(R"({"benchmarks":[{"name":"run","real_time":1,"time_unit":"h"}]})", "has no time");
  refused(R"({"benchmarks":[)" + entry, "is no result");
  for (const char* infinite : {"1e999", "-1e999", "1e309"}) {
    refused(absl::StrCat(R"({"benchmarks":[{"name":"run","real_time":)", infinite,
                         R"(,"time_unit":"ns"}]})"),
            "expected a number that a double can hold");
  }
  refused(R"({"iterations":1e999,"benchmarks":[)" + entry + "]}",
          "a number that a double can hold");
}

TEST_F(BenchTest, WrongOptionsAreOneClearLine) {
  const std::string file = captured();
  expect_failure({"bench", file, "--loop", "0"}, "--loop");
  expect_failure({"bench", file, "--min-time", "soon"}, "--min-time is a number of seconds");
  expect_failure({"bench", file, "--loop", "1", "--min-time", "1"}, "both say how long to run");
  expect_failure({"bench", file, "--compare", "nothing"}, "cannot open nothing");
  expect_failure({"bench", file, "--max-regression", "5"}, "--max-regression needs --compare");
  expect_failure({"bench", file, "--compare", "capture", "--max-regression", "x"},
                 "--max-regression is a percentage");
  for (const std::string number : {"-1", "nan", "1000001"}) {
    expect_failure({"bench", file, "--min-time=" + number}, "--min-time is a number of seconds");
    expect_failure({"bench", file, "--compare=capture", "--max-regression=" + number},
                   "--max-regression is a percentage");
  }
  expect_failure({"bench", file, "--min-time=0"}, "--min-time is a number of seconds");
  expect_failure({"bench", folder_.path("none.lmb")}, "none.lmb");
}

TEST_F(BenchTest, ATimeIsMetWithThreeRunsAtLeast) {
  EXPECT_THAT(runner({"bench", captured(), "--min-time", "0.0001"}).output,
              ContainsRegex("run +3 "));
}

// ---- trim by scope ----

TEST_F(BenchTest, AFileIsTrimmedToAScope) {
  const std::string file = captured(), part = folder_.path("part.lmb");
  const ProcessResult trimmed = runner({"trim", file, "--scope", "outer/inner", "-o", part});
  EXPECT_EQ(trimmed.exit_code, 0) << trimmed.errors;
  const std::vector<std::string> all = testing::names_of(**schema::File::open(file));
  const auto outer = std::find(all.begin(), all.end(), "ScopeBegin") - all.begin();
  const auto first = std::find(all.begin() + outer + 1, all.end(), "ScopeBegin") - all.begin();
  EXPECT_THAT(trimmed.output, HasSubstr(absl::StrCat(": commands ", first, " to ")))
      << "the first scope of that name is meant";
  std::vector<std::string> names = testing::names_of(**schema::File::open(part));
  names.erase(names.begin(), std::find(names.begin(), names.end(), "ScopeBegin") + 1);
  EXPECT_THAT(names, AllOf(::testing::Contains("ScopeBegin"), ::testing::Contains("EnqueueProgram"),
                           ::testing::Contains("ScopeEnd")))
      << "the outer scope is open, and the inner one begins, launches and ends";
  EXPECT_EQ(std::count(names.begin(), names.end(), "EnqueueProgram"), 1);
  EXPECT_EQ(runner({part}).exit_code, 0);
  expect_failure({"trim", file, "--scope", "inner", "-o", part}, "has no scope inner that ends");
  expect_failure({"trim", file, "--scope", "outer", "--calls", "1-", "-o", part},
                 "trim needs one of --calls");
}

// ---- Timelines ----

constexpr char kCountEvents[] =
    "import collections, json, sys\n"
    "trace = json.load(open(sys.argv[1]))\n"
    "count = collections.Counter()\n"
    "for e in trace['traceEvents']:\n"
    "  assert e['ph'] in 'XM', e\n"
    "  if e['ph'] == 'X':\n"
    "    assert e['ts'] >= 0 and e['dur'] >= 0, e\n"
    "    count[e['name'] if not e['name'].startswith('program') else 'core'] += 1\n"
    "  elif e['name'] == 'thread_name': count[e['args']['name'].split()[0]] += 1\n"
    "print(dict(sorted(count.items())))\n";

TEST_F(BenchTest, ATimelineHasTransfersLaunchesCoresAndScopes) {
  const std::string trace = folder_.path("trace.json");
  const ProcessResult run = runner({captured()}, {{"LIGHTMETAL_TIMELINE", trace}});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const ProcessResult counted = python(kCountEvents, trace);
  EXPECT_EQ(counted.exit_code, 0) << counted.errors;
  // Five times a core ran, and two cores have tracks.
  EXPECT_THAT(counted.output,
              AllOf(HasSubstr("'kernel_0': 3"), HasSubstr("'core': 7"), HasSubstr("'inner': 2"),
                    HasSubstr("'outer': 1"), HasSubstr("'read': 1"), HasSubstr("'write': 1"),
                    HasSubstr("'scopes': 1")));
}

TEST_F(BenchTest, ARunWritesItsTimelineAlsoInTheChildOfAWatchdog) {
  const std::string file = captured(), trace = folder_.path("trace.json");
  for (const std::vector<std::string>& more : {{}, std::vector<std::string>{"--watchdog", "60"}}) {
    std::vector<std::string> arguments = {"run", file, "--trace-out", trace};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(runner(arguments).exit_code, 0);
    EXPECT_THAT(python(kCountEvents, trace).output, HasSubstr("'kernel_0': 3"));
    std::filesystem::remove(trace);
  }
  const ProcessResult twice =
      runner({"run", file, "--trace-out", trace}, {{"LIGHTMETAL_TIMELINE", trace}});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.errors, HasSubstr("both write the timeline: unset one\n"));
  const std::string before = read_file(file);
  expect_failure({"run", file, "--trace-out", file}, "is an input");
  EXPECT_TRUE(read_file(file) == before);
  expect_failure({"run", file, "--trace-out", trace, "--sandbox=best-effort"},
                 "--trace-out write files, which the sandbox does not allow");
}

TEST_F(BenchTest, ATimelineThatCannotBeWrittenIsOneLineAndChangesNothing) {
  const ProcessResult run =
      runner({captured()}, {{"LIGHTMETAL_TIMELINE", folder_.path("no/where.json")}});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.errors,
              AllOf(HasSubstr("lightmetal: no timeline: "), HasSubstr("no/where.json")));
}

using ChipAndBytes = std::pair<int, uint64_t>;

// Returns the transfers of a timeline to which a write of 64 bytes to chip 0, and then `next`, are
// added.
std::vector<ChipAndBytes> transfers_with(const timeline::Span& next) {
  timeline::start();
  timeline::add({.kind = timeline::Kind::kWrite, .begin = 0, .end = 1000, .bytes = 64});
  timeline::add(next);
  std::vector<ChipAndBytes> transfers;
  for (const timeline::Span& span : timeline::take().spans)
    transfers.emplace_back(span.chip, span.bytes);
  return transfers;
}

TEST(TimelineTest, TransfersToOneChipRightAfterEachOtherAreOne) {
  using timeline::Kind;
  constexpr int64_t kSecond = 1'000'000'000;
  EXPECT_THAT(transfers_with({.kind = Kind::kWrite, .begin = 1500, .end = 2000, .bytes = 32}),
              ElementsAre(ChipAndBytes(0, 96)));
  EXPECT_THAT(
      transfers_with({.kind = Kind::kWrite, .chip = 1, .begin = 1500, .end = 2000, .bytes = 32}),
      ElementsAre(ChipAndBytes(0, 64), ChipAndBytes(1, 32)));
  EXPECT_THAT(transfers_with({.kind = Kind::kRead, .begin = 1500, .end = 2000, .bytes = 32}),
              ElementsAre(ChipAndBytes(0, 64), ChipAndBytes(0, 32)));
  EXPECT_THAT(
      transfers_with({.kind = Kind::kWrite, .begin = kSecond, .end = 2 * kSecond, .bytes = 32}),
      ElementsAre(ChipAndBytes(0, 64), ChipAndBytes(0, 32)));
}

TEST(TimelineTest, ATransferIsOfOneThreadAndEndsWithItsLastPart) {
  const auto add_write = [](int64_t begin, int64_t end) {
    timeline::add({.kind = timeline::Kind::kWrite, .begin = begin, .end = end, .bytes = 8});
  };
  timeline::start();
  add_write(0, 1000);
  add_write(1500, 2000);
  std::thread(add_write, 2100, 2200).join();
  const std::vector<timeline::Span> spans = timeline::take().spans;
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 0);
  EXPECT_EQ(spans[0].end, 2000);
  EXPECT_EQ(spans[1].begin, 2100);
  EXPECT_NE(spans[0].thread, spans[1].thread);
}

TEST(TimelineTest, BeginsEmptyAndEndsWhenItIsTaken) {
  const timeline::Span launch = {.kind = timeline::Kind::kLaunch, .begin = 0, .end = 1000};
  timeline::start();
  timeline::add(launch);
  timeline::start();
  timeline::add(launch);
  EXPECT_EQ(timeline::take().spans.size(), 1u);
  timeline::add(launch);
  EXPECT_TRUE(timeline::take().spans.empty());
}

}  // namespace
}  // namespace lightmetal
