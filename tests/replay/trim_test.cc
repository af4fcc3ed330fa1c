// Files cut out of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <lightmetal/slice.hpp>
#include <lightmetal/trim.hpp>
#include <map>
#include <ostream>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/semantics/golden_policy.h"
#include "schema/storage/output_file.h"
#include "schema/verify/verify.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using testing::AccumulatingProgram;
using testing::counting_buffer;
using ::testing::HasSubstr;
using testing::names_of;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;
using testing::words_in;

using Data = std::vector<std::byte>;

// Launches that build on each other, each with a read, on a device that is closed at the end.
void capture_accumulation(const std::string& path) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = counting_buffer(device, 2);
    AccumulatingProgram accumulate(buffer);
    for (uint32_t i = 0; i < 4; ++i) {
      tm::GetCommonRuntimeArgs(accumulate.program, accumulate.kernel)[0] = i + 2;
      tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
      words_in(buffer);
    }
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// What the reads of a file give, by the numbers of their commands.
std::map<uint64_t, Data> reads_of(const std::string& path) {
  std::map<uint64_t, Data> reads;
  RunOptions options;
  options.on_read = [&](const ReadData& read) {
    reads[read.command] = Data(read.data.begin(), read.data.end());
  };
  auto replay = Replay::load_file(path);
  EXPECT_TRUE(replay.ok()) << replay.status();
  if (!replay.ok()) return {};
  const auto result = (*replay)->run(options);
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(!result.ok() || result->matches());
  return reads;
}

class TrimTest : public ::testing::Test {
 protected:
  TrimTest() { capture_accumulation(whole_); }

  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments);
  }
  void expect_failure(const std::vector<std::string>& arguments, const std::string& message) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(part_));
  }
  std::vector<std::string> names(const std::string& path) {
    const auto file = schema::File::open(path);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? names_of(**file) : std::vector<std::string>();
  }
  // The number of the `count`th command of that name, from 0.
  uint64_t number_of(const std::string& name, int count) {
    const std::vector<std::string> all = names(whole_);
    auto found = std::find(all.begin(), all.end(), name);
    while (count-- > 0) found = std::find(found + 1, all.end(), name);
    return static_cast<uint64_t>(found - all.begin());
  }

  TemporaryFolder folder_;
  const std::string whole_ = folder_.path("whole.lmb");
  const std::string part_ = folder_.path("part.lmb");
};

TEST_F(TrimTest, ThePartReadsWhatTheWholeReadsThere) {
  const std::map<uint64_t, Data> whole = reads_of(whole_);
  ASSERT_EQ(whole.size(), 4u);
  const uint64_t count = names(whole_).size();
  for (const auto& [first, last] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, count - 1},
           {3, count - 1},
           {number_of("EnqueueProgram", 1), number_of("EnqueueReadBuffer", 2)},
           {number_of("EnqueueReadBuffer", 3), number_of("EnqueueReadBuffer", 3)},
           {number_of("CloseDevice", 0), number_of("CloseDevice", 0)}}) {
    const std::string range = absl::StrCat(first, "-", last);
    const ProcessResult trimmed = runner({"trim", whole_, "--calls", range, "-o", part_});
    ASSERT_EQ(trimmed.exit_code, 0) << range << trimmed.errors;
    EXPECT_EQ(trimmed.output,
              absl::StrCat(part_, ": commands ", first, " to ", last, " of ", whole_, "\n"));
    EXPECT_EQ(runner({"verify", part_}).exit_code, 0);
    const ProcessResult run = runner({part_, "--loop", "2"});
    EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;

    std::vector<Data> expected, found;
    for (const auto& [command, data] : whole) {
      if (first <= command && command <= last) expected.push_back(data);
    }
    for (const auto& [command, data] : reads_of(part_)) found.push_back(data);
    EXPECT_EQ(found, expected) << range;
    if (!expected.empty()) {
      EXPECT_THAT(run.output, HasSubstr("matched"));
    }
  }
}

TEST_F(TrimTest, ThePartHoldsTheCommandsOfTheRangeAtItsEnd) {
  const uint64_t first = number_of("WriteCommonRuntimeArgs", 2);
  ASSERT_EQ(runner({"trim", whole_, "--calls", absl::StrCat(first, "-"), "-o", part_}).exit_code,
            0);
  const std::vector<std::string> whole = names(whole_), part = names(part_);
  const std::vector<std::string> range(whole.begin() + static_cast<ptrdiff_t>(first), whole.end());
  ASSERT_GE(part.size(), range.size());
  EXPECT_EQ(std::vector<std::string>(part.end() - static_cast<ptrdiff_t>(range.size()), part.end()),
            range);
}

// Captures a program that is given its buffer, and not the address.
void capture_named_buffer(const std::string& path) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto unused = counting_buffer(device, 1), buffer = counting_buffer(device, 1);
    AccumulatingProgram accumulate(buffer);
    tm::SetRuntimeArgs(device, tm::detail::GetKernel(accumulate.program, accumulate.kernel),
                       accumulate.core(0),
                       std::make_shared<tm::RuntimeArgs>(tm::RuntimeArgs{buffer.get(), 10u, 0u}));
    tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
    words_in(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// Replays the file while it is captured.
std::string captured_again(const std::string& path, const std::string& again) {
  auto replay = Replay::load_file(path);
  EXPECT_TRUE(replay.ok()) << replay.status();
  tm::LightMetalBeginCapture({.path = again, .read_goldens = true, .record_origin = false});
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok() && result->matches());
  tm::LightMetalEndCapture();
  return testing::read_file(again);
}

TEST_F(TrimTest, ThePartNamesTheBuffersThatTheWholeNames) {
  capture_named_buffer(whole_);
  ASSERT_EQ(runner({"trim", whole_, "--calls", absl::StrCat(number_of("EnqueueProgram", 0), "-"),
                    "-o", part_})
                .exit_code,
            0);
  EXPECT_EQ(testing::named_buffers_of(**schema::File::open(part_)),
            (testing::NamedBuffers{{{1, "0,0"}, {2, 0, 0}}}));
  const ProcessResult run = runner({part_, "--loop", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
  const std::string again = folder_.path("again.lmb"), once_more = folder_.path("once_more.lmb");
  const std::string bytes = captured_again(part_, again);
  EXPECT_EQ(testing::difference_of(**schema::File::open(part_), **schema::File::open(again)), "");
  EXPECT_TRUE(captured_again(again, once_more) == bytes);
}

TEST_F(TrimTest, APartCanBeTrimmedAgain) {
  const uint64_t first = number_of("EnqueueProgram", 1);
  ASSERT_EQ(runner({"trim", whole_, "--calls", absl::StrCat(first, "-"), "-o", part_}).exit_code,
            0);
  const std::string smaller = folder_.path("smaller.lmb");
  const uint64_t count = names(part_).size();
  ASSERT_EQ(
      runner({"trim", part_, "--calls", absl::StrCat(count - 6, "-"), "-o", smaller}).exit_code, 0);
  EXPECT_EQ(runner({smaller}).exit_code, 0);
}

TEST_F(TrimTest, AReadIsNoGoldenWhereItWasNone) {
  const std::string path = folder_.path("no_goldens.lmb");
  tm::LightMetalBeginCapture({.path = path});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = counting_buffer(device, 2);
    words_in(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  ASSERT_EQ(runner({"trim", path, "--calls", "2-", "-o", part_}).exit_code, 0);
  EXPECT_THAT(runner({part_}).output, HasSubstr("no goldens to check"));
}

TEST_F(TrimTest, RangesOutsideTheFileAreRefused) {
  const std::string count = absl::StrCat(names(whole_).size());
  expect_failure({"trim", whole_, "--calls", count, "-o", part_},
                 absl::StrCat("has ", count, " commands"));
  expect_failure({"trim", whole_, "--calls", count + "-", "-o", part_},
                 absl::StrCat("counted from 0: there is no command ", count, "\n"));
  expect_failure({"trim", whole_, "--calls", "5-4", "-o", part_}, "ends before it begins");
  expect_failure({"trim", whole_, "--calls", "x", "-o", part_}, "not x");
  expect_failure({"trim", whole_, "-o", part_}, "trim needs one of --calls");
  expect_failure({"trim", whole_, "--calls", "1"}, "trim needs -o OUT");
}

TEST_F(TrimTest, ARangeOfALibrarysCallerIsCheckedAndItsCommandsAreCounted) {
  const auto file = *schema::File::open(whole_);
  const auto trimmed = [&](uint64_t first, uint64_t last) {
    return trim(file, {.first = first, .last = last, .output = part_});
  };
  EXPECT_THAT(std::string(trimmed(5, 4).status().message()),
              HasSubstr("counted from 0: commands 5 to 4 are no range of them"));
  EXPECT_TRUE(absl::IsInvalidArgument(trimmed(file->num_commands(), UINT64_MAX).status()));
  const auto one = trimmed(4, 4), all = trimmed(0, UINT64_MAX);
  ASSERT_TRUE(one.ok() && all.ok()) << one.status() << all.status();
  EXPECT_EQ(one->replay.commands, 5u);
  EXPECT_EQ(all->replay.commands, file->num_commands());
  EXPECT_EQ(all->replay.goldens_checked, 4u);
  EXPECT_EQ(all->added_goldens, 0u);
}

TEST_F(TrimTest, WhatTheCaptureSaidOfItselfHoldsForThePart) {
  for (const bool has_origin : {false, true}) {
    tm::LightMetalBeginCapture({.path = whole_,
                                .record_origin = has_origin,
                                .golden_policy = *ComparePolicy::parse("ulp:3")});
    tm::IDevice* device = tm::CreateDevice(0);
    words_in(counting_buffer(device, 1));
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    const auto trimmed = trim(*schema::File::open(whole_), {.first = 1, .output = part_});
    ASSERT_TRUE(trimmed.ok()) << trimmed.status();
    const schema::SessionInfo session = (*schema::File::open(part_))->session();
    EXPECT_EQ(session.origin.has_value(), has_origin);
    EXPECT_EQ(schema::golden_policy_of(session).value().text(), "ulp:3");
  }
}

// ---- By outputs ----

TEST_F(TrimTest, ASliceHasOutputsOfCommandsAndOfBuffersAtOnce) {
  tm::LightMetalBeginCapture({.path = whole_, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    std::vector<std::shared_ptr<tm::Buffer>> buffers;
    for (int i = 0; i < 4; ++i) buffers.push_back(counting_buffer(device, 1));
    for (const auto& buffer : {buffers[0], buffers[1], buffers[2], buffers[1]}) words_in(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const auto file = *schema::File::open(whole_);
  const auto slice_of = [&](std::vector<uint64_t> commands, std::vector<uint64_t> buffers) {
    return slice(file,
                 {.commands = std::move(commands), .buffers = std::move(buffers), .output = part_});
  };
  const auto result = slice_of({number_of("EnqueueReadBuffer", 2)}, {2});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->replay.goldens_checked, 3u);
  EXPECT_TRUE(result->by_arguments);
  EXPECT_EQ(result->commands, names(part_).size());
  EXPECT_EQ(std::ranges::count(names(part_), "EnqueueWriteBuffer"), 2);
  EXPECT_THAT(std::string(slice_of({}, {}).status().message()), HasSubstr("there is no output"));
  EXPECT_THAT(std::string(slice_of({}, {2, 4}).status().message()),
              HasSubstr("no read of buffer 4 of "));
}

TEST_F(TrimTest, AnOutputWithoutAGoldenIsRefused) {
  tm::LightMetalBeginCapture({.path = whole_});
  tm::IDevice* device = tm::CreateDevice(0);
  words_in(counting_buffer(device, 1));
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const std::string read = absl::StrCat(number_of("EnqueueReadBuffer", 0));
  expect_failure({"trim", whole_, "--outputs", "command:" + read, "-o", part_},
                 absl::StrCat("command ", read, " of ", whole_, " has no golden"));
  expect_failure({"trim", whole_, "--outputs", "buffer:1", "-o", part_},
                 absl::StrCat("no read of buffer 1 of ", whole_, " has a golden"));
}

// ---- The file that is written ----

TEST_F(TrimTest, TheFileItselfIsNotOverwritten) {
  const std::string before = testing::read_file(whole_);
  expect_failure({"trim", whole_, "--calls", "1-", "-o", whole_}, "is an input");
  EXPECT_EQ(testing::read_file(whole_), before);
}

TEST_F(TrimTest, AFileThatReplaysOtherwiseLeavesNoPartUnlessNobodyAsks) {
  const auto changed = testing::with_changed_input(**schema::File::open(whole_));
  testing::write_file(whole_, std::string(changed.begin(), changed.end()));
  const std::string range = absl::StrCat(number_of("EnqueueProgram", 2), "-");
  const ProcessResult result = runner({"trim", whole_, "--calls", range, "-o", part_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("does not replay as recorded"));
  EXPECT_FALSE(std::filesystem::exists(part_));
  ASSERT_EQ(runner({"trim", whole_, "--calls", range, "-o", part_, "--no-check"}).exit_code, 0);
  EXPECT_EQ(runner({part_}).exit_code, 0);
}

TEST_F(TrimTest, AFileThatWasCutShortIsTrimmedOnRequest) {
  const std::string bytes = testing::read_file(whole_);
  testing::write_file(whole_, bytes.substr(0, bytes.size() - 100));
  expect_failure({"trim", whole_, "--calls", "3-", "-o", part_}, "incomplete");
  ASSERT_EQ(runner({"trim", whole_, "--calls", "3-", "-o", part_, "--allow-incomplete"}).exit_code,
            0);
  EXPECT_EQ(runner({part_}).exit_code, 0);
}

TEST_F(TrimTest, ACapturedProcessTrimsToAnotherFileThanItIsCapturedTo) {
  const std::string captured = folder_.path("of_the_runner.lmb");
  const std::string whole = testing::read_file(whole_), alone = folder_.path("alone.lmb");
  for (const std::string& file : {whole_, part_}) {
    setenv("LIGHTMETAL_CAPTURE", file.c_str(), 1);
    expect_failure({"trim", whole_, "--calls", "3-", "-o", part_}, "captures this process to");
  }
  EXPECT_EQ(testing::read_file(whole_), whole);
  unsetenv("LIGHTMETAL_CAPTURE");
  ASSERT_EQ(runner({"trim", whole_, "--calls", "3-", "-o", alone}).exit_code, 0);
  setenv("LIGHTMETAL_CAPTURE", captured.c_str(), 1);
  const ProcessResult trimmed = runner({"trim", whole_, "--calls", "3-", "-o", part_});
  unsetenv("LIGHTMETAL_CAPTURE");
  EXPECT_EQ(trimmed.exit_code, 0) << trimmed.errors;
  EXPECT_EQ(names(part_), names(alone));
  for (const std::string& file : {part_, captured}) EXPECT_EQ(runner({file}).exit_code, 0) << file;
}

// Whatever the two are called: %p is the process, %% a percent sign.
TEST_F(TrimTest, TheFileThatTheProcessIsCapturedToIsNoOutputByAnyName) {
  const std::string trim = absl::StrCat("exec ", LIGHTMETAL_RUNNER, " trim whole.lmb --calls 3- ");
  const std::vector<std::pair<std::string, std::string>> names = {
      {folder_.path("part.lmb"), "part.lmb"},
      {"part.lmb", part_},
      {"%p.lmb", "$$.lmb"},
      {folder_.path("100%%.lmb"), "100%.lmb"},
  };
  for (const auto& [captured, output] : names) {
    const ProcessResult result =
        run_process({"/bin/sh", "-c", trim + "-o " + output},
                    {.folder = folder_.path(), .environment = {{"LIGHTMETAL_CAPTURE", captured}}});
    EXPECT_EQ(result.exit_code, 2) << captured;
    EXPECT_THAT(result.errors, HasSubstr("LIGHTMETAL_CAPTURE captures this process to"))
        << captured;
  }
}

// Its process may be killed before the end.
TEST_F(TrimTest, AnUnfinishedOutputHasNoNameWhetherItsPathIsRelativeOrAbsolute) {
  const auto files = [&] {
    const std::filesystem::directory_iterator all(folder_.path());
    return std::distance(begin(all), end(all));
  };
  const auto files_while = [&](const std::string& path) {
    const auto output = schema::OutputFile::create(path, {});
    EXPECT_TRUE(output.ok()) << output.status();
    return files();
  };
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  for (const std::string name : {"new.lmb", "./new.lmb"}) {
    EXPECT_EQ(files_while(name), files_while(folder_.path("new.lmb"))) << name;
  }
  std::filesystem::current_path(before);
}

TEST_F(TrimTest, ARunThatFailsLeavesNoPart) {
  const auto broken = testing::rewritten(**schema::File::open(whole_),
                                         [](schema::CommandT& command, schema::Writer&) {
                                           if (auto* create = command.call.AsKernelCreate())
                                             create->handle = 9;
                                         });
  testing::write_file(whole_, std::string(broken.begin(), broken.end()));
  expect_failure({"trim", whole_, "--calls", "2-", "-o", part_}, "its field handle is 9");
}

// ---- What memory holds that no command of the part has written ----

// Arguments: an address in L1, the address of a buffer in DRAM of one page. Adds 1 to the word
// there and writes the words from there on to the buffer.
constexpr char kCountInL1[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t l1 = get_arg_val<uint32_t>(0);
  auto* count = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  const InterleavedAddrGen<true> to = {.bank_base_address = get_arg_val<uint32_t>(1), .page_size = 64};
  *count = *count + 1;
  noc_async_write(l1, get_noc_addr(0, to), 64);
  noc_async_write_barrier();
}
)";

class CountingInL1 {
 public:
  CountingInL1(const std::shared_ptr<tm::Buffer>& to, uint32_t l1) {
    const CoreCoord core(0, 0);
    const tm::KernelHandle kernel =
        tm::CreateKernelFromString(program, kCountInL1, core, tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program, kernel, core, {l1, static_cast<uint32_t>(to->address())});
  }
  tm::Program program = tm::CreateProgram();
};

std::shared_ptr<tm::Buffer> one_page(tm::IDevice* device, tm::BufferType type) {
  return tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = type});
}

constexpr uint32_t kNoBuffers = 0x50000;  // in L1

// Launches that count in L1 where no buffer is.
void count_where_no_buffer_is(tm::IDevice* device) {
  auto to = one_page(device, tm::BufferType::DRAM);
  CountingInL1 counting(to, kNoBuffers);
  for (int i = 0; i < 3; ++i) {
    tm::EnqueueProgram(device->command_queue(), counting.program, false);
    words_in(to);
  }
}

// Buffers that have what others have left in their memory.
void read_what_others_have_left(tm::IDevice* device) {
  for (const auto type : {tm::BufferType::DRAM, tm::BufferType::L1}) {
    auto before = one_page(device, type);
    std::vector<uint32_t> words(16, 77);
    tm::EnqueueWriteBuffer(device->command_queue(), before, words, true);
    before.reset();
    words_in(one_page(device, type));
  }
}

// A kernel counts in an L1 buffer that has ended.
void count_where_a_buffer_was(tm::IDevice* device) {
  auto to = one_page(device, tm::BufferType::DRAM), from = one_page(device, tm::BufferType::L1);
  std::vector<uint32_t> words(16, 5);
  tm::EnqueueWriteBuffer(device->command_queue(), from, words, true);
  CountingInL1 counting(to, static_cast<uint32_t>(from->address()));
  from.reset();
  for (int i = 0; i < 2; ++i) {
    tm::EnqueueProgram(device->command_queue(), counting.program, false);
    words_in(to);
  }
}

struct StateBesideBuffers {
  const char* name;
  void (*leave)(tm::IDevice*);
};

void PrintTo(const StateBesideBuffers& state, std::ostream* out) { *out << state.name; }

class TrimOfState : public TrimTest, public ::testing::WithParamInterface<StateBesideBuffers> {
 protected:
  TrimOfState() {
    tm::LightMetalBeginCapture({.path = whole_, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    GetParam().leave(device);
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }
};

TEST_P(TrimOfState, IsInThePartWhereverTheWholeIsCut) {
  ASSERT_EQ(runner({whole_}).exit_code, 0);
  for (uint64_t first = 1; first < names(whole_).size(); ++first) {
    const ProcessResult trimmed =
        runner({"trim", whole_, "--calls", absl::StrCat(first, "-"), "-o", part_});
    ASSERT_EQ(trimmed.exit_code, 0) << first << trimmed.errors;
    const ProcessResult run = runner({part_});
    EXPECT_EQ(run.exit_code, 0) << first << run.output << run.errors;
  }
}

TEST_P(TrimOfState, IsInTheCheckpointWhereverItIsWritten) {
  const std::string checkpoint = folder_.path("checkpoint.lmb");
  for (uint64_t first = 1; first < names(whole_).size(); ++first) {
    std::filesystem::remove(checkpoint);
    for (const char* run : {"first", "second"}) {
      const ProcessResult result =
          runner({whole_, "--from", absl::StrCat(first), "--checkpoint", checkpoint});
      EXPECT_EQ(result.exit_code, 0) << run << first << result.output << result.errors;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TrimOfState,
    ::testing::Values(StateBesideBuffers{"where_no_buffer_is", count_where_no_buffer_is},
                      StateBesideBuffers{"left_by_other_buffers", read_what_others_have_left},
                      StateBesideBuffers{"where_a_buffer_was", count_where_a_buffer_was}),
    [](const auto& info) { return std::string(info.param.name); });

// A verb that writes a file, with "FILE", "OUT", and "KEY", a key to sign with.
struct WritingVerb {
  const char* name;
  std::vector<std::string> arguments;
  bool may_refuse = false;
};

void PrintTo(const WritingVerb& verb, std::ostream* out) { *out << verb.name; }

class FileOfAVerb : public TrimTest, public ::testing::WithParamInterface<WritingVerb> {
 protected:
  FileOfAVerb() {
    tm::LightMetalBeginCapture({.path = whole_, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    tm::LightMetalScopeBegin("first");
    count_where_no_buffer_is(device);
    tm::LightMetalScopeEnd();
    tm::LightMetalScopeBegin("second");
    count_where_no_buffer_is(device);
    read_what_others_have_left(device);
    count_where_a_buffer_was(device);
    tm::LightMetalScopeEnd();
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }
};

TEST_P(FileOfAVerb, ReplaysOrIsNotThere) {
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("key")}).exit_code, 0);
  const std::map<std::string, std::string> names = {
      {"FILE", whole_}, {"OUT", part_}, {"KEY", folder_.path("key.key")}};
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    const auto name = names.find(argument);
    if (name != names.end()) argument = name->second;
  }
  const ProcessResult written = runner(arguments);
  EXPECT_TRUE(written.exit_code == 0 || GetParam().may_refuse) << written.errors;
  ASSERT_EQ(std::filesystem::exists(part_), written.exit_code == 0) << written.output;
  if (written.exit_code != 0) return;
  const ProcessResult run = runner({part_});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
}

INSTANTIATE_TEST_SUITE_P(
    All, FileOfAVerb,
    ::testing::Values(
        WritingVerb{"trim_calls", {"trim", "FILE", "--calls", "9-", "-o", "OUT"}},
        WritingVerb{"trim_scope", {"trim", "FILE", "--scope", "second", "-o", "OUT"}},
        WritingVerb{"trim_outputs", {"trim", "FILE", "--outputs", "buffer:2", "-o", "OUT"}},
        WritingVerb{"checkpoint", {"run", "FILE", "--from", "9", "--checkpoint", "OUT"}},
        WritingVerb{"update_golden", {"run", "FILE", "--update-golden", "-o", "OUT"}},
        WritingVerb{"bind", {"bind", "FILE", "-o", "OUT", "--output", "y=1"}},
        WritingVerb{"set", {"set", "FILE", "-o", "OUT", "--arg", "1:0=0x50000"}},
        WritingVerb{"optimize", {"optimize", "FILE", "-o", "OUT"}},
        WritingVerb{"redact", {"redact", "FILE", "-o", "OUT"}},
        WritingVerb{"repair", {"repair", "FILE", "-o", "OUT"}},
        WritingVerb{"sign", {"sign", "FILE", "--key", "KEY", "-o", "OUT"}},
        WritingVerb{"relocate", {"relocate", "--detect", "FILE", "FILE", "-o", "OUT"}, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(TrimTest, AFileOfLinesReplaysWithTheStateThatNoObjectHas) {
  tm::LightMetalBeginCapture({.path = whole_, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  count_where_no_buffer_is(device);
  read_what_others_have_left(device);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const std::string lines = folder_.path("lines.jsonl");
  ASSERT_EQ(runner({"convert", whole_, "--to", "jsonl", "-o", lines}).exit_code, 0);
  ASSERT_EQ(runner({"convert", lines, "--from", "jsonl", "-o", part_}).exit_code, 0);
  EXPECT_EQ(runner({part_}).exit_code, 0);
}

// The sums show whether memory that nobody has written begins as zeros each time.
void capture_sums_of_nothing(const std::string& path) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 128, .page_size = 64});
    AccumulatingProgram accumulate(buffer);
    tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
    words_in(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

TEST_F(TrimTest, MemoryThatNobodyHasWrittenIsZerosInASecondRunAndOnAUsedDevice) {
  capture_sums_of_nothing(whole_);
  ASSERT_EQ(runner({"trim", whole_, "--calls", absl::StrCat(number_of("EnqueueProgram", 0), "-"),
                    "-o", part_})
                .exit_code,
            0);
  EXPECT_EQ(runner({part_, "--loop", "3"}).exit_code, 0);

  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto used = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 1 << 20, .page_size = 64});
    std::vector<uint32_t> words(used->size() / 4, 9);
    tm::EnqueueWriteBuffer(device->command_queue(), used, words, true);
  }
  auto replay = Replay::load_file(part_, {.device = device});
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->matches());
  replay->reset();
  tm::CloseDevice(device);
}

// ---- What a part costs ----

constexpr uint64_t kLarge = uint64_t{5} << 30;

// 9 pages of a large buffer are written, and 8 of them go into a small one.
void use_large_buffer(tm::IDevice* device) {
  constexpr uint32_t kPage = 4096;
  const auto make = [&](uint64_t size) {
    return tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = size, .page_size = kPage});
  };
  auto large = make(kLarge), small = make(8 * kPage);
  std::vector<uint32_t> words(8 * kPage / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  std::vector<uint32_t> page(kPage / 4, 77);
  tm::EnqueueWriteSubBuffer(device->command_queue(), *large, words,
                            tm::BufferRegion(kLarge - 8 * kPage, 8 * kPage), false);
  tm::EnqueueWriteSubBuffer(device->command_queue(), *large, page,
                            tm::BufferRegion(uint64_t{4} << 30, kPage), true);
}

void capture_large_buffer(const std::string& path) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  use_large_buffer(device);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

TEST_F(TrimTest, APartCostsWhatWasWrittenAndNotWhatWasAllocated) {
  capture_large_buffer(whole_);
  const uint64_t last = names(whole_).size() - 1;
  const ProcessResult trimmed =
      runner({"trim", whole_, "--calls", absl::StrCat(last - 2, "-"), "-o", part_});
  ASSERT_EQ(trimmed.exit_code, 0) << trimmed.errors;
  EXPECT_LE(names(part_).size(), 30u);
  EXPECT_LE(std::filesystem::file_size(part_), 100'000u);
  // The runner itself takes less than this, and the large buffer has ten times as much.
  EXPECT_LT(trimmed.peak_resident_bytes, kLarge / 10);
  const ProcessResult run = runner({part_, "--loop", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_LT(run.peak_resident_bytes, kLarge / 10);
}

TEST_F(TrimTest, ACaptureInMidRunAndAFlightRecorderCostWhatWasWritten) {
  tm::IDevice* device = tm::CreateDevice(0);
  const auto large = tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device, .size = kLarge, .page_size = 4096});
  std::vector<uint32_t> page(1024, 77);
  tm::EnqueueWriteSubBuffer(device->command_queue(), *large, page,
                            tm::BufferRegion(uint64_t{4} << 30, 4096), true);
  const std::map<std::string, uint64_t> rings = {{part_, 0}, {whole_, uint64_t{1} << 20}};
  for (const auto& [path, ring] : rings) {
    tm::LightMetalBeginCapture({.path = path, .read_goldens = true, .ring_size = ring});
    std::vector<uint32_t> read;
    tm::EnqueueReadSubBuffer(device->command_queue(), *large, read,
                             tm::BufferRegion(uint64_t{4} << 30, 4096), true);
    tm::LightMetalEndCapture();
  }
  tm::CloseDevice(device);
  for (const auto& [path, ring] : rings) {
    EXPECT_LE(names(path).size(), 20u) << ring;
    EXPECT_LE(std::filesystem::file_size(path), 50'000u) << ring;
    EXPECT_EQ(reads_of(path).size(), 1u) << ring;
  }
}

// Cut in two at a quarter and at three quarters of their commands.
class TrimmedExample : public ::testing::TestWithParam<std::string> {};

TEST_P(TrimmedExample, GoesOnWhereItIsCut) {
  const TemporaryFolder folder;
  const std::string whole = folder.path("whole.lmb"), part = folder.path("part.lmb");
  ASSERT_EQ(run_process({absl::StrCat(LIGHTMETAL_BIN_FOLDER, "/", GetParam()), "--capture", whole})
                .exit_code,
            0);
  const auto file = schema::File::open(whole);
  ASSERT_TRUE(file.ok()) << file.status();
  for (const uint64_t quarter : {1, 3}) {
    const std::string range = absl::StrCat((*file)->num_commands() * quarter / 4, "-");
    const ProcessResult trimmed =
        run_process({LIGHTMETAL_RUNNER, "trim", whole, "--calls", range, "-o", part});
    ASSERT_EQ(trimmed.exit_code, 0) << trimmed.errors;
    EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "verify", part}).exit_code, 0);
    const ProcessResult run = run_process({LIGHTMETAL_RUNNER, part});
    EXPECT_EQ(run.exit_code, 0) << range << run.output << run.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TrimmedExample,
                         ::testing::Values("loopback", "add_tensors", "vecadd_multi_core",
                                           "matmul_multi_core", "trace_two_programs"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lightmetal
