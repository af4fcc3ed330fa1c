// lightmetal_runner diff: two files by what they mean.
#include "schema/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "schema/diff/align.h"
#include "tests/support/captured_file.h"
#include "tests/support/number_in_environment.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

class DiffTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(arguments, {.environment = {{"PATH", ""}}, .empty_environment = true});
  }

  // What an example captures, with its origin.
  std::string captured(const std::string& example, const std::string& name) const {
    const ProcessResult result =
        run_process({std::string(LIGHTMETAL_BIN_FOLDER "/") + example},
                    {.environment = {{"LIGHTMETAL_CAPTURE", folder_.path(name)},
                                     {"LIGHTMETAL_CAPTURE_ORIGIN", "1"}}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return folder_.path(name);
  }

  // The golden file of the loopback, with its lines as `change` leaves them.
  std::string edited(const std::string& name,
                     const std::function<void(std::string&)>& change) const {
    const std::string lines = folder_.path("lines.jsonl");
    EXPECT_EQ(runner({"convert", kLoopback, "--to", "jsonl", "-o", lines}).exit_code, 0);
    std::string text = read_file(lines);
    change(text);
    write_file(lines, text);
    const ProcessResult made =
        runner({"convert", lines, "--from", "jsonl", "-o", folder_.path(name)});
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    return folder_.path(name);
  }

  std::string with_args(const std::string& name, const std::string& args) const {
    return edited(name, [&](std::string& text) {
      EXPECT_EQ(absl::StrReplaceAll({{"[1497088,32,10272,50]", args}}, &text), 1);
    });
  }

  static void expect_differ(const std::string& a, const std::string& b, const std::string& what) {
    const ProcessResult result = runner({"diff", a, b});
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(what));
  }

  static inline const std::string kLoopback = LIGHTMETAL_GOLDEN_FOLDER "/1.1/loopback.lmb";
  TemporaryFolder folder_;
};

TEST_F(DiffTest, CapturesOfOneProgramSayTheSameWhateverTheirOrigin) {
  for (const std::string example : {"matmul_multi_core", "mesh_matmul"}) {
    const std::string a = captured(example, "a.lmb"), b = captured(example, "b.lmb");
    EXPECT_FALSE(read_file(a) == read_file(b)) << "the origins have the process's id";
    const ProcessResult result = runner({"diff", a, b});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr(" say the same: "));
  }
}

TEST_F(DiffTest, AChangedArgumentIsNamed) {
  expect_differ(kLoopback, with_args("b.lmb", "[1497088,32,10272,49]"),
                "~ command 6 SetRuntimeArgs kernel 1 cores (0,0)-(0,0): args[3] was 50, is 49\n");
  expect_differ(kLoopback, with_args("b.lmb", "[1497088,32,10272,50,7]"),
                "SetRuntimeArgs kernel 1 cores (0,0)-(0,0): args was 4 elements, is 5 elements\n");
}

TEST_F(DiffTest, AChangedPayloadIsNamedWithItsFirstElement) {
  testing::capture_write_and_read(folder_.path("a.lmb"));
  const auto bytes = testing::with_changed_input(**schema::File::open(folder_.path("a.lmb")));
  write_file(folder_.path("b.lmb"), std::string(bytes.begin(), bytes.end()));
  const ProcessResult result = runner({"diff", folder_.path("a.lmb"), folder_.path("b.lmb")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.output,
      AllOf(
          ContainsRegex(
              "~ command 2 EnqueueWriteBuffer device 1 buffer 1: data was 64B:[0-9a-f]+, is 64B:"),
          HasSubstr(": 1 of 16 UInt32 elements differ, first [0], which was 5, is 4\n"),
          HasSubstr("1 changed, 0 removed, 0 inserted")));
  EXPECT_THAT(
      runner({"diff", folder_.path("a.lmb"), folder_.path("b.lmb"), "--format", "json"}).output,
      HasSubstr("\"compared\":16,\"different\":1,\"first\":0,\"a\":\"5\",\"b\":\"4\"}"));
}

TEST_F(DiffTest, ACommandThatOnlyOneFileHasIsNamed) {
  const std::string without = edited("b.lmb", [](std::string& text) {
    const size_t begin = text.find("{\"frame\":\"Command\",\"name\":\"CloseDevice\"");
    text.erase(begin, text.find('\n', begin) + 1 - begin);
  });
  expect_differ(kLoopback, without, "- command 11 CloseDevice device=1\n");
  expect_differ(without, kLoopback, "+ command 11 CloseDevice device=1\n");
  expect_differ(without, kLoopback, "differ: 0 changed, 0 removed, 1 inserted\n");
}

void capture_with_extra_buffers(const std::string& path, int extra) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  const auto make_buffer = [&] {
    return tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
  };
  for (int i = 0; i < extra; ++i) make_buffer();
  {
    auto buffer = make_buffer(), other = make_buffer();
    std::vector<uint32_t> data(16, 5);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
    tm::EnqueueReadBuffer(device->command_queue(), buffer, data, true);
    tm::EnqueueReadBuffer(device->command_queue(), other, data, true);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// Each extra buffer is created and destroyed, and takes a number, but no address for long.
TEST_F(DiffTest, ObjectsAreTheSameWhateverTheirNumbers) {
  const std::string a = folder_.path("a.lmb"), b = folder_.path("b.lmb");
  capture_with_extra_buffers(a, 0);
  capture_with_extra_buffers(b, 3);
  const ProcessResult result = runner({"diff", a, b});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("differ: 0 changed, 0 removed, 6 inserted\n"))
      << result.output;
}

TEST_F(DiffTest, AnotherObjectOfTheKindIsADifference) {
  const std::string a = folder_.path("a.lmb");
  capture_with_extra_buffers(a, 0);
  const auto bytes =
      testing::rewritten(**schema::File::open(a), [](schema::CommandT& command, schema::Writer&) {
        if (auto* write = command.call.AsEnqueueWriteBuffer()) write->buffer = 2;
      });
  write_file(folder_.path("b.lmb"), std::string(bytes.begin(), bytes.end()));
  expect_differ(a, folder_.path("b.lmb"),
                "EnqueueWriteBuffer device 1 buffer 1: buffer was 1, is 2\n");
}

TEST_F(DiffTest, AnIncompleteFileLacksWhatItLacks) {
  const std::string whole = read_file(kLoopback);
  write_file(folder_.path("cut.lmb"), whole.substr(0, whole.size() - 700));
  const ProcessResult result = runner({"diff", kLoopback, folder_.path("cut.lmb")});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("~ session: state was complete, is incomplete: "),
                                   HasSubstr("- command ")));
}

TEST_F(DiffTest, WhatIsNoFileIsOneClearLine) {
  std::string content = read_file(kLoopback);
  content[content.size() / 2] ^= 4;
  write_file(folder_.path("damaged.lmb"), content);
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{kLoopback, folder_.path("damaged.lmb")},
        {folder_.path("damaged.lmb"), kLoopback},
        {kLoopback, folder_.path("missing.lmb")},
        {kLoopback},
        {kLoopback, kLoopback, kLoopback}}) {
    std::vector<std::string> arguments = {"diff"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(DiffTest, TheJsonIsAsItsSchemaSays) {
  const std::string args = with_args("args.lmb", "[1497088,32,10272,49]");
  const std::string killed = LIGHTMETAL_GOLDEN_FOLDER "/1.1/killed.lmb";
  testing::capture_write_and_read(folder_.path("a.lmb"));
  const auto bytes = testing::with_changed_input(**schema::File::open(folder_.path("a.lmb")));
  write_file(folder_.path("b.lmb"), std::string(bytes.begin(), bytes.end()));
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {kLoopback, kLoopback},
           {kLoopback, args},
           {kLoopback, killed},
           {killed, args},
           {folder_.path("a.lmb"), folder_.path("b.lmb")}}) {
    const ProcessResult result = runner({"diff", a, b, "--format", "json"});
    EXPECT_EQ(result.exit_code, a == b ? 0 : 1) << result.errors;
    write_file(folder_.path("diff.json"), result.output);
    const ProcessResult valid = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/diff.schema.json", folder_.path("diff.json")});
    EXPECT_EQ(valid.exit_code, 0) << valid.errors << result.output;
  }
}

// A file of that many pairs of commands, all alike.
testing::FilePointer events_file(uint64_t pairs) {
  auto memory = std::make_shared<schema::MemorySink>();
  schema::Writer writer(memory);
  EXPECT_TRUE(writer.begin({}).ok());
  flatbuffers::FlatBufferBuilder builder;
  const auto append = [&](auto command) {
    EXPECT_TRUE(writer.append_command(schema::finish_command(builder, command)).ok());
    builder.Clear();
  };
  for (uint64_t id = 1; id <= pairs; ++id) {
    append(schema::CreateEventCreate(builder, id));
    append(schema::CreateEventDestroy(builder, id));
  }
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return testing::open_file(memory->take_as<uint8_t>());
}

TEST_F(DiffTest, AHundredDifferencesOfAKindAreShownAndTheOthersAreCounted) {
  const auto file_of = [&](uint64_t pairs) {
    const std::string path = folder_.path(absl::StrCat(pairs, ".lmb"));
    const testing::FilePointer file = events_file(pairs);
    const Bytes bytes = file->bytes();
    write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return path;
  };
  const std::string none = file_of(0), most = file_of(50), more = file_of(51);
  const ProcessResult all = runner({"diff", none, most});
  EXPECT_EQ(std::count(all.output.begin(), all.output.end(), '\n'), 101);
  EXPECT_THAT(all.output, HasSubstr("differ: 0 changed, 0 removed, 100 inserted\n"));
  EXPECT_EQ(all.output.find("--format json has all"), all.output.npos);
  const ProcessResult cut = runner({"diff", more, none});
  EXPECT_EQ(std::count(cut.output.begin(), cut.output.end(), '\n'), 102);
  EXPECT_THAT(cut.output, HasSubstr("\n  and 2 more removed; --format json has all\n"));
  EXPECT_THAT(runner({"diff", more, none, "--format=json"}).output,
              HasSubstr("\"same\":false,\"commands_a\":102,\"commands_b\":0,"));
}

// The processor's time, in seconds, in which a file and one with seven more pairs are compared.
double time_of_diff(uint64_t pairs) {
  const auto a = events_file(pairs), b = events_file(pairs + 7);
  const std::clock_t begin = std::clock();
  const auto found = schema::diff(*a, *b);
  const std::clock_t end = std::clock();
  EXPECT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->changed.size(), 0u);
  EXPECT_EQ(found->removed.size(), 0u);
  EXPECT_EQ(found->inserted.size(), 14u);
  return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
}

// Commands that are all alike are the hardest to align. Ten times as many take about ten times as
// long; where each was compared with each, it would be a hundred.
TEST_F(DiffTest, AHundredThousandCommandsTakeNoLongTime) {
  EXPECT_LT(time_of_diff(50'000), 40 * time_of_diff(5'000));
}

// As long as the sequences are, the pairs are equal elements in the order of both.
void expect_sound(const schema::Pairs& pairs, const std::vector<uint64_t>& a,
                  const std::vector<uint64_t>& b) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_LT(pairs[i].first, a.size());
    ASSERT_LT(pairs[i].second, b.size());
    EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
    if (i == 0) continue;
    EXPECT_LT(pairs[i - 1].first, pairs[i].first);
    EXPECT_LT(pairs[i - 1].second, pairs[i].second);
  }
}

size_t longest_common(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  std::vector<size_t> row(b.size() + 1);
  for (const uint64_t x : a) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = x == b[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

// Whether, between what both begin and end with, there is an element that each has once.
bool has_anchor(std::vector<uint64_t> a, std::vector<uint64_t> b) {
  for (int end = 0; end < 2; ++end) {
    const size_t same = std::ranges::mismatch(a, b).in1 - a.begin();
    a.erase(a.begin(), a.begin() + same);
    b.erase(b.begin(), b.begin() + same);
    std::ranges::reverse(a);
    std::ranges::reverse(b);
  }
  return std::ranges::any_of(a, [&](uint64_t key) {
    return std::ranges::count(a, key) == 1 && std::ranges::count(b, key) == 1;
  });
}

// The script is the shortest where there are no anchors.
TEST(AlignTest, RandomSequencesAreAlignedInTheOrderOfBoth) {
  const uint32_t seed = number_in_environment("LIGHTMETAL_ALIGN_SEED", std::random_device{}());
  SCOPED_TRACE(absl::StrCat("LIGHTMETAL_ALIGN_SEED=", seed));
  std::mt19937_64 random(seed);
  int without_anchors = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto sequence = [&] {
      std::vector<uint64_t> keys(random() % 60);
      for (uint64_t& key : keys) key = random() % (2 + round % 20);
      return keys;
    };
    const std::vector<uint64_t> a = sequence(), b = sequence();
    const schema::Pairs pairs = schema::align(a, b);
    expect_sound(pairs, a, b);
    if (!has_anchor(a, b)) {
      EXPECT_EQ(pairs.size(), longest_common(a, b));
      ++without_anchors;
    }
    expect_sound(schema::align_in_order(a, b), a, b);
    EXPECT_EQ(schema::align(a, a).size(), a.size());
  }
  EXPECT_GT(without_anchors, 100);
}

TEST(AlignTest, SequencesWithNothingInCommonTakeNoLongTime) {
  std::vector<uint64_t> a(100'000), b(100'000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = i % 7;
    b[i] = 7 + i % 5;
  }
  EXPECT_TRUE(schema::align(a, b).empty());
  for (size_t i = 0; i < a.size(); ++i)
    b[i] = (i * i) % 7;  // and with all elements in another order
  expect_sound(schema::align(a, b), a, b);
  std::vector<uint64_t> reversed(100'000);
  for (size_t i = 0; i < a.size(); ++i) a[i] = reversed[a.size() - 1 - i] = i;
  EXPECT_GE(schema::align(a, reversed).size(), 1u);
}

}  // namespace
}  // namespace lightmetal
