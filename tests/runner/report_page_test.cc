// lightmetal_runner report: the page that shows a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "schema/file/reader.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

// What ends a script, opens an element, and would run.
constexpr char kHostile[] =
    "</script><img src=x onerror=document.documentElement.dataset.taken='yes'><!--<script>&lt;";

// Where this program lies, as a shell finds it; empty where it is not.
std::string program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    const std::string candidate = absl::StrCat(folder, "/", name);
    if (!folder.empty() && std::filesystem::exists(candidate)) return candidate;
  }
  return "";
}

class ReportPageTest : public ::testing::Test {
 protected:
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
  }

  static std::string golden_file(const std::string& name) {
    return LIGHTMETAL_SOURCE_FOLDER "/tests/golden/1.1/" + name;
  }

  // A file with `name` wherever it says a name: a path that it has, its kernels', its origin's.
  std::string file_with_name(const std::string& name) {
    const auto file = schema::File::open(golden_file("loopback.lmb"));
    EXPECT_TRUE(file.ok()) << file.status();
    const auto bytes = testing::rewritten(**file, [&](schema::CommandT& command, schema::Writer&) {
      if (auto* kernel = command.call.AsKernelCreate()) kernel->source_name = name + ".cpp";
      if (auto* device = command.call.AsCreateDevice()) device->profile->arch = name;
    });
    const std::string path = folder_.path("hostile.lmb");
    write_file(path, std::string(bytes.begin(), bytes.end()));
    return path;
  }

  // Writes the page of a file, and checks all of it that needs no browser.
  void make_page(const std::string& file, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"report", file, "-o", page_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult made = runner(arguments);
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    EXPECT_EQ(made.output,
              absl::StrCat(page_, ": ", std::filesystem::file_size(page_), " bytes, ",
                           (*schema::File::open(file))->num_commands(), " commands\n"));
    write_file(info_, runner({"info", file, "--format", "json"}).output);
    expect_right({});
  }

  void expect_right(const std::vector<std::string>& dom) const {
    std::vector<std::string> arguments = {"/usr/bin/env", "python3",
                                          LIGHTMETAL_SOURCE_FOLDER "/tests/runner/check_page.py",
                                          page_, info_};
    arguments.insert(arguments.end(), dom.begin(), dom.end());
    const ProcessResult checked = run_process(arguments);
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  }

  // Opens the page in a browser, and checks what that shows. `view` is one of the page's.
  void expect_right_in_browser(const std::string& browser, const std::string& view) const {
    const ProcessResult shown = run_process(
        {browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--user-data-dir=" + folder_.path("profile"), "--virtual-time-budget=3000", "--dump-dom",
         absl::StrCat("file://", page_, "#", view)});
    EXPECT_EQ(shown.exit_code, 0) << shown.errors;
    EXPECT_THAT(shown.errors, Not(HasSubstr("CONSOLE"))) << view;
    EXPECT_THAT(shown.output, Not(HasSubstr("data-taken")));
    write_file(folder_.path("dom.html"), shown.output);
    expect_right({folder_.path("dom.html")});
  }

  // Returns what the page holds by this name.
  nlohmann::json data(const std::string& name) const {
    const std::string page = read_file(page_), head = absl::StrCat("id=\"data-", name, "\">");
    const size_t begin = page.find(head) + head.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  TemporaryFolder folder_;
  const std::string page_ = folder_.path("page.html"), info_ = folder_.path("info.json");
};

TEST_F(ReportPageTest, EveryFileHasAPageWithInfosNumbers) {
  for (const char* name :
       {"loopback.lmb", "compressed.lmb", "ethernet.lmb", "external.lmb", "failed_call.lmb",
        "origin.lmb", "signed.lmb", "sub_devices.lmb", "trimmed.lmb"}) {
    SCOPED_TRACE(name);
    make_page(golden_file(name));
  }
}

TEST_F(ReportPageTest, AnIncompleteFileHasAPageAndAWarning) {
  const ProcessResult made = runner({"report", golden_file("killed.lmb"), "-o", page_});
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_THAT(made.errors, HasSubstr("warning: it is incomplete: "));
  make_page(golden_file("killed.lmb"));
}

TEST_F(ReportPageTest, ThePageOfAFileIsAlwaysTheSame) {
  make_page(golden_file("trimmed.lmb"));
  const std::string before = read_file(page_);
  make_page(golden_file("trimmed.lmb"));
  EXPECT_EQ(read_file(page_), before);
}

// The loopback copies buffer 1 (number 0, which it reads) by way of buffer 3 to buffer 2 (which it
// writes); the host writes the first and reads the second.
TEST_F(ReportPageTest, BuffersAndProgramsHaveTheirLivesAndFlows) {
  make_page(golden_file("loopback.lmb"));
  EXPECT_THAT(read_file(page_),
              HasSubstr("\"buffers\":[[1,1,102400,2048,102400,32,0,1,1,15,1,102400,0,0],"
                        "[2,1,102400,2048,102400,10272,0,1,2,14,0,0,1,102400],"
                        "[3,1,2048,2048,2048,1497088,2,1,3,13,0,0,0,0]],"
                        "\"programs\":[[1,0,1,9,1,[3],\"0,0,0,0;\"]],"
                        "\"edges\":[0,0,1,0,1,2,0,2,2]}"));
}

// The first of two devices is read on queue 0, the second one on queue 1.
void capture_two_queues(const std::string& path) {
  namespace tm = tt::tt_metal;
  tm::LightMetalBeginCapture(
      {.path = path, .read_goldens = true, .golden_policy = *ComparePolicy::parse("ulp:7")});
  tm::IDevice *first = tm::CreateDevice(0), *second = tm::CreateDevice(1, 2);
  for (tm::IDevice* device : {first, second}) {
    const uint64_t size = device == first ? 64 : 128;
    auto buffer = tm::CreateBuffer({.device = device, .size = size, .page_size = 64});
    std::vector<float> values(size / 4, 3.5f);
    tm::CommandQueue& queue = device->command_queue(device == first ? 0 : 1);
    tm::EnqueueWriteBuffer(queue, buffer, values, false);
    tm::EnqueueReadBuffer(queue, buffer, values, true);
    tm::DeallocateBuffer(*buffer);
    tm::Finish(queue);
  }
  tm::CloseDevice(second);
  tm::CloseDevice(first);
  tm::LightMetalEndCapture();
}

TEST_F(ReportPageTest, TransfersHaveTheirQueuesBuffersAndBytesAndGoldensTheirPolicies) {
  const std::string file = folder_.path("file.lmb");
  capture_two_queues(file);
  make_page(file);
  const nlohmann::json commands = data("commands"), buffers = data("objects")["buffers"];
  EXPECT_EQ(commands["tracks"], nlohmann::json::parse("[[1,0],[2,1]]"));
  const auto names = testing::names_of(**schema::File::open(file));
  nlohmann::json transfers, freed;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "BufferDeallocate") freed.push_back(i);
    if (names[i] == "EnqueueWriteBuffer" || names[i] == "EnqueueReadBuffer")
      transfers.push_back({commands["track"][i], commands["object"][i], commands["bytes"][i]});
  }
  EXPECT_EQ(transfers, nlohmann::json::parse("[[1,0,64],[1,0,64],[2,1,128],[2,1,128]]"));
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(freed, nlohmann::json({buffers[0][9], buffers[1][9]})) << "the first end counts";
  const nlohmann::json goldens = data("recorded-goldens")["recorded"];
  ASSERT_EQ(goldens.size(), 2u);
  EXPECT_EQ(names[goldens[1][0].get<size_t>()], "EnqueueReadBuffer");
  EXPECT_EQ(goldens[1][1], 1);
  EXPECT_EQ(commands["texts"][goldens[1][2].get<size_t>()], "Float32");
  EXPECT_EQ(goldens[1][3], 128);
  EXPECT_EQ(commands["texts"][goldens[1][4].get<size_t>()], "ulp:7");
}

TEST_F(ReportPageTest, WhatAFileSaysIsNeverHtml) {
  make_page(file_with_name(kHostile));
  EXPECT_THAT(read_file(page_), Not(HasSubstr("<img")));
  EXPECT_THAT(read_file(page_), HasSubstr("\\u003c/script\\u003e\\u003cimg src=x"));
}

TEST_F(ReportPageTest, OutReplacesNothingThatIsReadAndIsNeeded) {
  const std::string file = file_with_name("kernel"), before = read_file(file);
  expect_failure({"report", file, "-o", file}, "hostile.lmb");
  EXPECT_EQ(read_file(file), before);
  expect_failure({"report", file}, "report needs -o OUT");
  const std::string timeline = folder_.path("timeline.json");
  write_file(timeline, "{\"traceEvents\":[]}");
  expect_failure({"report", file, "-o", timeline, "--timeline", timeline}, "timeline.json");
  EXPECT_EQ(read_file(timeline), "{\"traceEvents\":[]}");
}

// ---- What runs have measured ----

TEST_F(ReportPageTest, AMeasuredTimelineIsInThePage) {
  const std::string file = folder_.path("file.lmb"), timeline = folder_.path("timeline.json");
  testing::capture_write_and_read(file);
  EXPECT_EQ(runner({"run", file}, {{"LIGHTMETAL_TIMELINE", timeline}}).exit_code, 0);
  make_page(file, {"--timeline", timeline});
  EXPECT_THAT(read_file(page_), HasSubstr("\"names\":[\"write\",\"read\"]"));
}

// Names may come after what they name; a negative duration counts as 0.
TEST_F(ReportPageTest, ATimelineHasItsTracksInOrderAndItsTimesInNanoseconds) {
  const std::string timeline = folder_.path("timeline.json");
  write_file(timeline, R"({"other":[1],"traceEvents":[
      {"name":"b","ph":"X","ts":1.5,"dur":2,"pid":2,"tid":1,"args":{"bytes":64}},
      {"name":"a","ph":"X","ts":0.25,"dur":-1,"pid":1,"tid":7,"args":{"name":3}},
      {"name":"b","ph":"X","ts":4,"dur":0.001,"pid":2,"tid":1},
      {"name":"process_name","ph":"M","pid":2,"args":{"name":"device"}},
      {"name":"thread_name","ph":"M","pid":2,"tid":1,"args":{"name":"queue"}},
      {"name":"process_name","ph":"M","pid":1,"args":{"name":"host"}},
      {"name":"c","ph":"i","ts":9,"pid":3}]})");
  make_page(golden_file("loopback.lmb"), {"--timeline", timeline});
  EXPECT_THAT(read_file(page_),
              HasSubstr(R"({"left_out":0,"tracks":[["device","queue"],["host",""]],"order":[1,0],)"
                        R"("names":["b","a"],"track":[0,1,0],"name":[0,1,0],)"
                        R"("begin":[1500,250,4000],"duration":[2000,0,1],"bytes":[64,0,0]})"));
}

TEST_F(ReportPageTest, ANameOfATimelineIsReadWithItsEscapes) {
  const std::string timeline = folder_.path("timeline.json");
  const std::string name = R"("a\"\\\/\b\f\n\r\t\u0041\u00E9\u20ac\uD83D\uDE00 \udbff\udfff")";
  write_file(timeline, R"({"traceEvents":[{"ph":"X","name":)" + name + "}]}");
  make_page(golden_file("loopback.lmb"), {"--timeline", timeline});
  EXPECT_EQ(data("timeline")["names"], nlohmann::json::parse("[" + name + "]"));
}

TEST_F(ReportPageTest, WhatTheGoldensCameToIsInThePage) {
  const std::string file = folder_.path("file.lmb"), goldens = folder_.path("goldens.json");
  testing::capture_write_and_read(file);
  EXPECT_EQ(runner({"run", file, "--report", "json=" + goldens}).exit_code, 0);
  make_page(file, {"--goldens", goldens});
  EXPECT_THAT(read_file(page_), HasSubstr("\"passed\":true"));
}

TEST_F(ReportPageTest, WhatIsNoTimelineOrReportIsRefusedWithItsPlace) {
  const std::string file = golden_file("loopback.lmb"), wrong = folder_.path("wrong.json");
  const auto refused = [&](const std::string& option, const std::string& text,
                           const std::string& message) {
    write_file(wrong, text);
    expect_failure({"report", file, "-o", page_, option, wrong}, wrong + ": " + message);
    EXPECT_FALSE(std::filesystem::exists(page_)) << "nothing is written";
  };
  for (const std::string option : {"--timeline", "--goldens"}) {
    refused(option, "", "expected an object at byte 0");
    refused(option, "{\"a\":1", "expected the end of the object at byte 6");
    refused(option, "{\"a\":1} {}", "expected nothing more at byte 8");
    refused(option, "{\"a\":+1}", "expected a number at byte 5");
    refused(option, "{\"a\":\"\\x\"}", "expected an escape at byte ");
    refused(option, "{\"a\":\"\\ud800\"}", "expected the second half of a character");
    refused(option, "{\"a\":\"\\ud800\\u0041\"}", "expected the second half of a character");
    refused(option, "{\"a\":" + std::string(100000, '['), "expected fewer values one inside");
    refused(option, std::string("{\"a\":1}\0", 8), "expected nothing more at byte 7");
  }
  refused("--timeline", "{}", "it has no traceEvents");
  refused("--timeline", "{\"traceEvents\":[{\"ts\":\"1\"}]}", "expected a number at byte 22");
  refused("--timeline", "{\"traceEvents\":[{\"ts\":-1e999}]}",
          "expected a number that a double can hold at byte 22");
  refused("--goldens", "{\"version\":1}", "it is no report of version 1 with goldens");
  refused("--goldens", "{\"version\":2,\"goldens\":[]}", "it is no report of version 1");
  refused("--goldens", "{\"version\":1,\"goldens\":[1]}", "a golden of it is no object");
}

TEST_F(ReportPageTest, HostileMeasurementsAreNeverHtml) {
  const std::string timeline = folder_.path("timeline.json"),
                    goldens = folder_.path("goldens.json");
  const std::string name = "\"" + std::string("</script><img src=x>\\u003cimg>") + "\"";
  write_file(timeline, "{\"traceEvents\":[{\"name\":" + name +
                           ",\"ph\":\"X\",\"ts\":1e308,\"dur\":-1e308,\"pid\":1e-400,\"tid\":-0,"
                           "\"args\":{\"bytes\":1e300}},{\"ph\":\"M\",\"name\":\"thread_name\","
                           "\"pid\":1,\"args\":{\"name\":" +
                           name + "}}]}");
  write_file(goldens, "{\"version\":1,\"goldens\":[{" + name + ":" + name +
                          ",\"command\":3,\"call\":\"EnqueueReadBuffer\",\"buffer\":1,"
                          "\"passed\":[],\"first\":{\"length\":1e9},"
                          "\"error_histogram\":[null,-1]}]}");
  const std::string file = folder_.path("file.lmb");
  testing::capture_write_and_read(file);
  make_page(file, {"--timeline", timeline, "--goldens", goldens});
  EXPECT_THAT(read_file(page_), Not(HasSubstr("<img")));
}

TEST_F(ReportPageTest, GoldensOfAnotherFileAreRefused) {
  const std::string file = folder_.path("file.lmb"), goldens = folder_.path("goldens.json");
  testing::capture_write_and_read(file);
  for (const std::string golden :
       {R"("command":2,"call":"EnqueueReadBuffer","buffer":1)",
        R"("command":3,"call":"EnqueueReadBuffer","buffer":2)",
        R"("command":3,"call":"EnqueueReadBuffer")",
        R"("command":99,"call":"EnqueueReadBuffer","buffer":1)", R"("command":{})"}) {
    write_file(goldens, "{\"version\":1,\"goldens\":[{" + golden + "}]}");
    const ProcessResult result = runner({"report", file, "-o", page_, "--goldens", goldens});
    EXPECT_EQ(result.exit_code, 2) << golden;
    EXPECT_THAT(result.errors, HasSubstr(goldens));
    EXPECT_FALSE(std::filesystem::exists(page_));
  }
}

// ---- Large files ----

// A file that writes a buffer `count` times.
std::string file_of_writes(const schema::File& file, uint64_t count) {
  const auto bytes = testing::written_like(file, [&](schema::Writer& writer) {
    flatbuffers::FlatBufferBuilder builder;
    for (schema::CommandT& command : testing::commands_of(file)) {
      auto* write = command.call.AsEnqueueWriteBuffer();
      const uint64_t times = write == nullptr ? 1 : count;
      for (uint64_t i = 0; i < times; ++i) {
        builder.Clear();
        EXPECT_TRUE(writer.append_command(schema::encode_command(builder, command)).ok());
      }
    }
  });
  return {bytes.begin(), bytes.end()};
}

TEST_F(ReportPageTest, AHundredThousandCommandsTakeLittleRoomAndMemory) {
  const std::string small = folder_.path("small.lmb"), file = folder_.path("large.lmb");
  testing::capture_write_and_read(small);
  write_file(file, file_of_writes(**schema::File::open(small), 100'000));
  const ProcessResult made = runner({"report", file, "-o", page_});
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_LT(std::filesystem::file_size(page_), 3'000'000u);
  EXPECT_LT(made.peak_resident_bytes, uint64_t{200} << 20);
  make_page(file);
}

// ---- In a browser ----

TEST_F(ReportPageTest, ABrowserShowsInfosNumbersAndHasNothingToComplainOf) {
  const std::string browser = program("chromium");
  if (browser.empty()) GTEST_SKIP() << "chromium is not installed: no page was shown";
  const std::string file = folder_.path("file.lmb"), timeline = folder_.path("timeline.json");
  const std::string goldens = folder_.path("goldens.json");
  testing::capture_write_and_read(file);
  EXPECT_EQ(
      runner({"run", file, "--report", "json=" + goldens}, {{"LIGHTMETAL_TIMELINE", timeline}})
          .exit_code,
      0);
  make_page(file, {"--timeline", timeline, "--goldens", goldens});
  for (const char* view : {"summary", "timeline", "memory", "dataflow", "goldens"})
    expect_right_in_browser(browser, view);
  make_page(file_with_name(kHostile));
  expect_right_in_browser(browser, "dataflow");
}

}  // namespace
}  // namespace lightmetal
