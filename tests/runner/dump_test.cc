// lightmetal_runner dump: which commands it shows of real files, and what it says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class DumpVerbTest : public InspectionTest {
 protected:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  std::vector<std::string> dumped(const std::string& file, std::vector<std::string> options) {
    options.insert(options.begin(), {"dump", file});
    const ProcessResult result = runner(options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return lines_of(result.output);
  }

  // In both forms, of which the JSON is checked by its schema; returns the names of the commands.
  std::vector<std::string> names(const std::string& file, const std::vector<std::string>& options) {
    std::vector<std::string> of_json = options;
    of_json.push_back("--format=jsonl");
    std::vector<std::string> names;
    for (const std::string& line : dumped(file, of_json)) {
      names.push_back(JsonText(line).root()["name"].AsString().str());
    }
    const std::vector<std::string> text = dumped(file, options);
    EXPECT_EQ(text.size(), names.size());
    for (size_t i = 0; i < std::min(text.size(), names.size()); ++i) {
      EXPECT_THAT(text[i], HasSubstr("  " + names[i] + "  "));
    }
    return names;
  }

  // The file of two devices with another content in its first upload.
  std::string with_floats(const std::vector<float>& values) {
    bool changed = false;
    const auto bytes = rewritten(**schema::File::open(two_devices()), [&](schema::CommandT& command,
                                                                          schema::Writer& writer) {
      auto* write = command.call.AsEnqueueWriteBuffer();
      if (write == nullptr || changed) return;
      *write->data = *writer.append_blob(std::as_bytes(std::span(values)));
      changed = true;
    });
    return written("floats.lmb", bytes);
  }
};

TEST_F(DumpVerbTest, ObjectsHaveTheirNames) {
  const auto launches = dumped(matmul(), {"--command", "EnqueueProgram"});
  ASSERT_THAT(launches, Not(IsEmpty()));
  EXPECT_THAT(launches[0], HasSubstr(".cpp+"));
  EXPECT_THAT(launches[0], HasSubstr("program=1("));
  const auto args = dumped(golden("1.1/loopback.lmb"), {"--command", "SetRuntimeArgs"});
  EXPECT_THAT(args, ElementsAre(HasSubstr("kernel=1(loopback.cpp)")));
  const auto writes = dumped(two_devices(), {"--command", "EnqueueWriteBuffer"});
  EXPECT_THAT(writes, ElementsAre(HasSubstr("buffer=2(Dram 24576B)"), HasSubstr("(Dram 64B)")));
}

TEST_F(DumpVerbTest, NamesAreKnownBehindTheBeginningOfARange) {
  const std::string file = golden("1.1/loopback.lmb");
  EXPECT_THAT(dumped(file, {"--calls", "9"}), ElementsAre(HasSubstr("program=1(loopback.cpp)")));
}

TEST_F(DumpVerbTest, CommandsAreChosenByTheirNames) {
  EXPECT_THAT(names(two_devices(), {"--command", "CreateDevice,CloseDevice"}),
              ElementsAre("CreateDevice", "CreateDevice", "CloseDevice", "CloseDevice"));
  EXPECT_THAT(names(transformer(), {"--command", "EnqueueProgram"}), Each("EnqueueProgram"));
  EXPECT_THAT(names(two_devices(), {"--command", "CreateDevice", "--calls", "1-"}), SizeIs(1));
  EXPECT_THAT(names(killed(), {"--command", "KernelCreate"}), SizeIs(6));
  EXPECT_THAT(names(two_devices(), {"--command", "LoadTrace"}), IsEmpty());
}

TEST_F(DumpVerbTest, TheLifeOfAnObjectIsShown) {
  EXPECT_THAT(
      names(two_devices(), {"--object", "buffer:2"}),
      ElementsAre("BufferCreate", "EnqueueWriteBuffer", "EnqueueReadBuffer", "BufferDestroy"));
  // A kernel ends with its program.
  EXPECT_THAT(names(golden("1.1/loopback.lmb"), {"--object", "Kernel:1"}),
              ElementsAre("KernelCreate", "SetRuntimeArgs", "KernelBinary", "ProgramDestroy"));
  EXPECT_THAT(names(two_devices(), {"--object", "BUFFER:2", "--calls", "-3"}), SizeIs(0));
  EXPECT_THAT(names(two_devices(), {"--object", "buffer:99"}), IsEmpty());
}

TEST_F(DumpVerbTest, WhatIsOnAQueueIsShown) {
  const std::vector<std::string> transfers = {"EnqueueWriteBuffer", "EnqueueReadBuffer"};
  EXPECT_EQ(names(two_devices(), {"--queue", "1"}), transfers);
  EXPECT_EQ(names(two_devices(), {"--queue", "2:1"}), transfers);
  EXPECT_THAT(names(two_devices(), {"--queue", "1:1"}), IsEmpty());
  EXPECT_THAT(names(two_devices(), {"--queue", "255"}), IsEmpty());
  EXPECT_THAT(names(two_devices(), {"--queue", "1:0"}),
              ElementsAre("EnqueueWriteBuffer", "EnqueueProgram", "EnqueueReadBuffer"));
}

TEST_F(DumpVerbTest, FiltersHoldTogether) {
  EXPECT_THAT(names(two_devices(), {"--queue=0", "--object=device:1", "--command=EnqueueProgram"}),
              SizeIs(1));
  EXPECT_THAT(names(two_devices(), {"--queue=1", "--object=device:1"}), IsEmpty());
  // The creation, which says whose kernel it is, is not among what is asked for.
  EXPECT_THAT(names(golden("1.1/loopback.lmb"), {"--object=kernel:1", "--command=ProgramDestroy"}),
              ElementsAre("ProgramDestroy"));
}

TEST_F(DumpVerbTest, TwoFiltersShowWhatEachOfThemShows) {
  const std::string file = golden("1.1/loopback.lmb");
  const std::vector<std::vector<std::string>> filters = {
      {"--object=kernel:1", "--object=program:1", "--object=buffer:1", "--object=device:1"},
      {"--command=ProgramDestroy", "--command=KernelCreate,CloseDevice"},
      {"--queue=0", "--queue=1:0"},
      {"--calls=9-", "--calls=-12"}};
  for (size_t first = 0; first < filters.size(); ++first) {
    for (const std::string& one : filters[first]) {
      for (size_t second = first + 1; second < filters.size(); ++second) {
        for (const std::string& other : filters[second]) {
          std::vector<std::string> both;
          const auto of_one = dumped(file, {one}), of_other = dumped(file, {other});
          std::ranges::copy_if(of_one, std::back_inserter(both), [&](const std::string& line) {
            return std::ranges::find(of_other, line) != of_other.end();
          });
          EXPECT_EQ(dumped(file, {one, other}), both) << one << " " << other;
        }
      }
    }
  }
}

TEST_F(DumpVerbTest, PayloadsAreDecodedByTheirType) {
  const auto lines =
      dumped(two_devices(), {"--values", "--command", "EnqueueWriteBuffer,EnqueueReadBuffer"});
  ASSERT_THAT(lines, SizeIs(8));
  EXPECT_EQ(lines[1], "        data: 6144 Float32: 0 1 2 3 ... 6143, min 0, max 6143, mean 3071.5");
  EXPECT_EQ(lines[3],
            "        golden: 6144 Float32: 0 1 2 3 ... 6143, min 0, max 6143, mean 3071.5");
  EXPECT_EQ(lines[5], "        data: 16 UInt32: 7 7 7 7 ... 7, min 7, max 7, mean 7");
}

TEST_F(DumpVerbTest, WhatIsNoNumberIsCountedApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = INFINITY;
  std::vector<float> values(12 * 2048 / 4, 2.0f);
  values[1] = nan;
  values[2] = infinity;
  values[3] = -infinity;
  values[4] = -4.0f;
  const std::string file = with_floats(values);
  const auto lines = dumped(file, {"--values", "--command", "EnqueueWriteBuffer"});
  EXPECT_THAT(lines[1],
              AllOf(HasSubstr("6144 Float32: 2 nan inf -inf ... 2, min -4, max 2, mean 1.99902"),
                    HasSubstr(", 1 NaN, 2 infinite")));
  const auto json = dumped(file, {"--values", "--command=EnqueueWriteBuffer", "--format=jsonl"});
  expect_valid(json[0], "dump.schema.json");
  const JsonText text(json[0]);
  const auto summary = text.root()["values"].AsVector()[0].AsMap();
  EXPECT_EQ(summary["nans"].AsInt64(), 1);
  EXPECT_EQ(summary["infinities"].AsInt64(), 2);
  EXPECT_EQ(summary["min"].AsDouble(), -4);
  EXPECT_TRUE(summary["first"].AsVector()[1].IsNull());
}

TEST_F(DumpVerbTest, ATypeIsTakenInsteadOfTheRecordedOne) {
  const auto as = [&](const std::string& type) {
    return dumped(two_devices(),
                  {"--values", "--type", type, "--queue=1", "--command=EnqueueWriteBuffer"})[1];
  };
  EXPECT_EQ(as("bytes"), "        data: 64 Bytes: 7 0 0 0 ... 0, min 0, max 7, mean 1.75");
  EXPECT_THAT(as("uint16"), HasSubstr("32 UInt16: 7 0 7 0 ... 0, min 0, max 7, mean 3.5"));
  EXPECT_THAT(as("BFloat16"), HasSubstr("32 BFloat16: "));
}

TEST_F(DumpVerbTest, EveryLineIsAsItsSchemaSays) {
  for (const std::string& file :
       {two_devices(), golden("1.1/intents.lmb"), hostile(), golden("1.1/compressed.lmb")}) {
    const auto lines = dumped(file, {"--format=jsonl", "--values", "--calls=5-9"});
    EXPECT_EQ(lines.size(), 5u) << file;
    for (const std::string& line : lines) {
      expect_valid(line, "dump.schema.json");
    }
  }
}

TEST_F(DumpVerbTest, APayloadThatCannotBeReadIsSaidToBeSo) {
  const auto lines = dumped(golden("1.1/external.lmb"), {"--values", "--queue=0"});
  EXPECT_THAT(lines[1], HasSubstr("        data: not read: "));
  const auto json = dumped(golden("1.1/external.lmb"), {"--values", "--queue=0", "--format=jsonl"});
  expect_valid(json[0], "dump.schema.json");
  EXPECT_THAT(dumped(golden("1.1/external.lmb"),
                     {"--values", "--queue=0", "--remap", "/tmp/golden=" + golden("1.1")}),
              Each(Not(HasSubstr("not read"))));
}

TEST_F(DumpVerbTest, WrongFiltersAreOneClearLine) {
  const std::string file = two_devices();
  expect_failure({"dump", file, "--command", "EnqueProgram"},
                 "there is no command called EnqueProgram; did you mean EnqueueProgram?");
  expect_failure({"dump", file, "--object", "buffer"}, "--object is KIND:ID, such as buffer:3");
  expect_failure({"dump", file, "--object", "shoe:3"},
                 "there are no objects of the kind shoe; the kinds are Device, ");
  for (const char* queue : {"x", "1:", ":1", "256", "1:2:3", "-1"}) {
    expect_failure({"dump", file, std::string("--queue=") + queue}, "--queue is N or DEVICE:N");
  }
  expect_failure({"dump", file, "--type", "Float32"}, "--type is for --values and --buffers-at");
  expect_failure({"dump", file, "--values", "--type", "double"},
                 "there is no element type double; the types are Bytes, ");
}

}  // namespace
}  // namespace lightmetal::testing
