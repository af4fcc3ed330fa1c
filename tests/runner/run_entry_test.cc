// lightmetal_runner run --input x=FILE --output y=FILE --entry NAME: an entry of a captured file,
// run with values from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "tests/runner/inspection_kit.h"
#include "tests/runtime/scaling_program.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<uint32_t>;

constexpr uint32_t kWords = 64;

Words counting(uint32_t first) {
  Words words(kWords);
  for (uint32_t i = 0; i < kWords; ++i) words[i] = first + i;
  return words;
}

template <class Element>
std::string bytes_of(const std::vector<Element>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(Element)};
}

template <class Element>
std::vector<Element> elements_of(const std::string& bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  if (elements.empty()) return elements;
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
  return elements;
}

// A .npy file as NumPy writes it; the length of the head has four bytes from version 2.0 on.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string head = "\x93NUMPY";
  head += {version, '\0'};
  const size_t before = version == 1 ? 10 : 12;
  std::string text = dictionary;
  text.resize((before + text.size() + 64) / 64 * 64 - before, ' ');
  text.back() = '\n';
  head += {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  if (version != 1) head += {'\0', '\0'};
  return head + text + data;
}
std::string npy_of(const std::string& type, const std::string& shape, const std::string& data,
                   char version = 1) {
  return npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }", data,
             version);
}

class RunEntryTest : public InspectionTest {
 protected:
  // A file whose entries compute y = factor * x + w, of uint32 [4, 16], w being 1000 to 1063 and x
  // 5 to 68 by default.
  std::string scaling_file(const std::vector<std::string>& entries = {"scale"}) {
    return captured("scaling.lmb", [&](tm::IDevice* device) {
      const auto x = scaled_buffer(device, 4), w = scaled_buffer(device, 4),
                 y = scaled_buffer(device, 4);
      ScalingProgram scaling(x, w, y);
      const TensorDesc tensor = {{4, 16}, TensorType::UInt32};
      tm::LightMetalBindInput("x", x, tensor);
      tm::LightMetalBindConstant("w", w, tensor);
      tm::LightMetalBindOutput("y", y, tensor);
      Words words = counting(1000);
      tm::EnqueueWriteBuffer(device->command_queue(), w, words, false);
      words = counting(5);
      for (size_t i = 0; i < entries.size(); ++i) {
        tm::LightMetalEntryBegin(entries[i]);
        scaling.set_factor(3 + static_cast<uint32_t>(i));
        tm::EnqueueWriteBuffer(device->command_queue(), x, words, false);
        tm::EnqueueProgram(device->command_queue(), scaling.program, false);
        Words result;
        tm::EnqueueReadBuffer(device->command_queue(), y, result, true);
        tm::LightMetalEntryEnd();
      }
    });
  }
  static Words scaled(const Words& x, uint32_t factor = 3) {
    Words y(kWords);
    for (uint32_t i = 0; i < kWords; ++i) y[i] = factor * x[i] + 1000 + i;
    return y;
  }

  // A file whose only entry leaves an in-out tensor as it is.
  std::string holding_file(const TensorDesc& tensor) {
    return captured("holding.lmb", [&](tm::IDevice* device) {
      const uint64_t size = (tensor.size_in_buffer() + 63) / 64 * 64;
      auto buffer = tm::CreateBuffer(
          tm::InterleavedBufferConfig{.device = device, .size = size, .page_size = size});
      tm::LightMetalBindInOut("t", buffer, tensor);
      std::vector<uint8_t> zeros(size);
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, zeros, false);
      tm::LightMetalEntryBegin("hold");
      tm::Finish(device->command_queue());
      tm::EnqueueReadBuffer(device->command_queue(), buffer, zeros, true);
      tm::LightMetalEntryEnd();
    });
  }

  std::string captured(const std::string& name, const std::function<void(tm::IDevice*)>& program) {
    const std::string path = folder_.path(name);
    tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    program(device);
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    return path;
  }

  std::string file(const std::string& name, const std::string& content) {
    write_file(folder_.path(name), content);
    return folder_.path(name);
  }
  std::string output() const { return folder_.path("y.npy"); }

  // Fails before anything is executed, and leaves an output that was there before.
  void expect_refused(std::vector<std::string> options, const std::string& message,
                      const std::string& captured = "") {
    write_file(folder_.path("before.npy"), "as before");
    options.insert(options.begin(), {"run", captured.empty() ? scaling_file() : captured});
    options.push_back("--output=y=" + folder_.path("before.npy"));
    expect_failure(options, message);
    EXPECT_EQ(read_file(folder_.path("before.npy")), "as before");
  }

  std::string shell(const std::string& command) {
    const ProcessResult result =
        run_process({"/bin/sh", "-c", LIGHTMETAL_RUNNER " " + command}, {.folder = folder_.path()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    errors_ = result.errors;
    return result.output;
  }

  std::string errors_;
};

// ---- Values ----

TEST_F(RunEntryTest, AnOutputIsComputedFromTheInput) {
  const std::string captured = scaling_file();
  for (const uint32_t first : {7u, 100u}) {
    const std::string x = file("x.npy", npy_of("<u4", "(4, 16)", bytes_of(counting(first))));
    const ProcessResult result =
        runner({"run", captured, "--input", "x=" + x, "--output", "y=" + output()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(": entry scale, 1 input, 1 output, loaded in "));
    EXPECT_EQ(read_file(output()), npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(first)))));
  }
}

TEST_F(RunEntryTest, AnInputThatIsNotGivenHasItsRecordedValue) {
  EXPECT_EQ(runner({scaling_file(), "--output", "y=" + output()}).exit_code, 0);
  EXPECT_EQ(read_file(output()), npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(5)))));
}

TEST_F(RunEntryTest, FilesOfOtherNamesHaveTheBytesAlone) {
  const std::string x = file("x.bin", bytes_of(counting(9))), y = folder_.path("y.raw");
  EXPECT_EQ(runner({"run", scaling_file(), "--input=x=" + x, "--output=y=" + y}).exit_code, 0);
  EXPECT_EQ(elements_of<uint32_t>(read_file(y)), scaled(counting(9)));
}

TEST_F(RunEntryTest, ValuesGoThroughPipes) {
  const std::string captured = scaling_file();
  file("x.bin", bytes_of(counting(11)));
  file("x.npy", npy_of("<u4", "(4, 16)", bytes_of(counting(12))));
  EXPECT_EQ(elements_of<uint32_t>(shell("run " + captured + " --input x=- --output y=- < x.bin")),
            scaled(counting(11)));
  EXPECT_THAT(errors_, HasSubstr(": entry scale, 1 input, 1 output, loaded in "));
  EXPECT_EQ(shell("run " + captured + " --input x=npy:- --output y=npy:- < x.npy"),
            npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(12)))));
}

TEST_F(RunEntryTest, AnEntryIsChosenByItsName) {
  const std::string captured = scaling_file({"prefill", "decode"});
  EXPECT_EQ(runner({"run", captured, "--entry", "decode", "--output", "y=" + output()}).exit_code,
            0);
  EXPECT_EQ(read_file(output()), npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(5), 4))));
  expect_failure({"run", captured, "--output", "y=" + output()},
                 "has the entries prefill, decode: --entry says which is run");
  expect_failure({"run", captured, "--entry", "encode"},
                 "has no entry encode: it has prefill, decode");
}

TEST_F(RunEntryTest, RunsAreRepeatedAndTimed) {
  const ProcessResult result =
      runner({"run", scaling_file(), "--entry=scale", "--loop=3", "--warmup=1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr(", ran 3 times in "));
}

TEST_F(RunEntryTest, ATraceIsWrittenOfAllRunsAndToNoFileOfValues) {
  const std::string captured = scaling_file(), trace = folder_.path("trace.json");
  const ProcessResult result =
      runner({"run", captured, "--entry=scale", "--loop=3", "--trace-out", trace});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string text = read_file(trace);
  size_t launches = 0;
  for (size_t at = 0; (at = text.find("\"cores\":", at)) != text.npos; ++at) ++launches;
  EXPECT_EQ(launches, 3u);
  expect_failure({"run", captured, "--output=y=" + output(), "--trace-out", output()},
                 "two outputs go to " + output());
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(RunEntryTest, WhatKernelsPrintGoesNotAmongValues) {
  const std::string captured = scaling_file(), prints = folder_.path("prints");
  std::map<std::string, std::string> environment = {{"TT_METAL_DPRINT_CORES", "all"}};
  const ProcessResult refused = runner({"run", captured, "--output=y=-"}, environment);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("TT_METAL_DPRINT_FILE names a file for that"));
  EXPECT_EQ(runner({"run", captured, "--output=y=" + output()}, environment).exit_code, 0);
  environment["TT_METAL_DPRINT_FILE"] = prints;
  EXPECT_EQ(runner({"run", captured, "--output=y=-"}, environment).output,
            bytes_of(scaled(counting(5))));
}

TEST_F(RunEntryTest, AllVersionsOfNpyAreRead) {
  const std::string captured = scaling_file();
  const std::string dictionary = "{\"shape\":(4,16),\"fortran_order\":False,\"descr\":\"<u4\"}";
  for (const char version : {1, 2, 3}) {
    const std::string x = file("x.npy", npy(dictionary, bytes_of(counting(20)), version));
    EXPECT_EQ(runner({"run", captured, "--input=x=" + x, "--output=y=" + output()}).exit_code, 0);
    EXPECT_EQ(read_file(output()), npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(20)))));
  }
}

// ---- Forms ----

TEST_F(RunEntryTest, FloatsBecomeTheNearestBFloat16) {
  const std::string captured = holding_file({{6}, TensorType::BFloat16});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // The middle of two goes to the even one, whichever it is.
  const std::vector<float> given = {1.0f, 0x1.01p0f, 0x1.03p0f, 0x1.010002p0f, -0x1.fffp127f, nan};
  const std::vector<float> expected = {1.0f, 1.0f, 0x1.04p0f, 0x1.02p0f, -INFINITY, nan};
  const std::string t = file("t.npy", npy_of("<f4", "(6,)", bytes_of(given)));
  const std::string out = folder_.path("out.npy"), raw = folder_.path("out.bin");
  EXPECT_EQ(runner({"run", captured, "--input=t=" + t, "--output=t=" + out}).exit_code, 0);
  EXPECT_EQ(read_file(out), npy_of("<f4", "(6,)", bytes_of(expected)));
  // The bits alone are taken as they are.
  EXPECT_EQ(runner({"run", captured, "--input=t=" + t, "--output=t=" + raw}).exit_code, 0);
  const std::string bits = read_file(raw);
  EXPECT_EQ(elements_of<uint16_t>(bits)[2], 0x3f82);
  for (const std::string type : {"<u2", "|V2"}) {
    const std::string as_bits = file("bits.npy", npy_of(type, "(6,)", bits));
    EXPECT_EQ(runner({"run", captured, "--input=t=" + as_bits, "--output=t=" + out}).exit_code, 0);
    EXPECT_EQ(read_file(out), npy_of("<f4", "(6,)", bytes_of(expected)));
  }
}

TEST_F(RunEntryTest, TilesOfOddShapesAreRowsOutside) {
  for (const std::vector<uint32_t>& shape :
       std::vector<std::vector<uint32_t>>{{33, 65}, {2, 5, 17}, {7}, {}}) {
    const TensorDesc tensor = {shape, TensorType::UInt16, TensorOrder::Tile};
    const std::string captured = holding_file(tensor);
    std::vector<uint16_t> values(tensor.elements());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i + 1);
    std::string text;
    for (const uint32_t size : shape) text += std::to_string(size) + ", ";
    if (shape.size() > 1) text.resize(text.size() - 2);
    if (shape.size() == 1) text.resize(text.size() - 1);
    const std::string content = npy_of("<u2", "(" + text + ")", bytes_of(values));
    const std::string t = file("t.npy", content), out = folder_.path("out.npy");
    EXPECT_EQ(runner({"run", captured, "--input=t=" + t, "--output=t=" + out}).exit_code, 0);
    EXPECT_EQ(read_file(out), content) << tensor.text();
  }
}

// The twin of the test above: the device does hold tiles.
TEST_F(RunEntryTest, ATensorInTilesLiesInTilesOnTheDevice) {
  const std::string path = captured("tiles.lmb", [](tm::IDevice* device) {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 4096, .page_size = 4096});
    tm::LightMetalBindInput("t", buffer, {{20, 20}, TensorType::UInt32, TensorOrder::Tile});
    tm::LightMetalBindOutput("bytes", buffer, {{1024}, TensorType::UInt32});
    std::vector<uint32_t> zeros(1024);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, zeros, false);
  });
  std::vector<uint32_t> values(400);
  for (uint32_t i = 0; i < 400; ++i) values[i] = i + 1;
  const std::string t = file("t.bin", bytes_of(values)), out = folder_.path("out.bin");
  EXPECT_EQ(runner({"run", path, "--input=t=" + t, "--output=bytes=" + out}).exit_code, 0);
  const auto held = elements_of<uint32_t>(read_file(out));
  ASSERT_EQ(held.size(), 1024u);
  EXPECT_EQ(held[0], 1u);
  EXPECT_EQ(held[16], 21u);         // row 1, column 0
  EXPECT_EQ(held[256], 17u);        // row 0, column 16: in the face to the right
  EXPECT_EQ(held[512 + 16], 341u);  // row 17, column 0: in the face below
}

// ---- What info says ----

TEST_F(RunEntryTest, InfoShowsEntriesAndNamedBuffers) {
  const std::string captured = scaling_file({"prefill", "decode", "decode"});
  const std::string text = runner({"info", captured}).output;
  EXPECT_THAT(text, ContainsRegex("\nentry      prefill: commands [0-9]+ to [0-9]+\n"));
  EXPECT_THAT(text, ContainsRegex("\nentry      decode: .*, and 1 more of this name\n"));
  EXPECT_THAT(text, ContainsRegex("\ninput      x: uint32:4x16:row_major, buffer [0-9]+, with a "
                                  "default value\n"));
  EXPECT_THAT(text, ContainsRegex("\nconstant   w: .*, with a default value\n"));
  EXPECT_THAT(text, ContainsRegex("\noutput     y: .*, buffer [0-9]+, with a golden\n"));
  const std::string printed = runner({"info", captured, "--format=json"}).output;
  expect_valid(printed, "info.schema.json");
  const JsonText json(printed);
  const auto tensors = json.root()["tensors"].AsVector(),
             entries = json.root()["entries"].AsVector();
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].AsMap()["name"].AsString().str(), "x");
  EXPECT_EQ(tensors[0].AsMap()["shape"].AsVector()[1].AsUInt64(), 16u);
  EXPECT_FALSE(tensors[0].AsMap()["has_golden"].AsBool());
  EXPECT_TRUE(tensors[2].AsMap()["has_golden"].AsBool());
  EXPECT_FALSE(tensors[2].AsMap()["has_default"].AsBool());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].AsMap()["count"].AsUInt64(), 2u);
  EXPECT_GT(entries[1].AsMap()["begin"].AsUInt64(), entries[0].AsMap()["end"].AsUInt64());
}

TEST_F(RunEntryTest, InfoOfAFileWithoutNamesShowsNone) {
  const std::string printed = runner({"info", golden("1.1/loopback.lmb"), "--format=json"}).output;
  expect_valid(printed, "info.schema.json");
  EXPECT_EQ(JsonText(printed).root()["tensors"].AsVector().size(), 0u);
  EXPECT_THAT(runner({"info", golden("1.1/loopback.lmb")}).output, Not(HasSubstr("\nentry ")));
}

// ---- What is refused ----

TEST_F(RunEntryTest, AWrongFileOfValuesIsRefused) {
  const auto x = [&](const std::string& content, const std::string& name = "x.npy") {
    return "--input=x=" + file(name, content);
  };
  const std::string data = bytes_of(counting(0));
  expect_refused({x(npy_of("<f4", "(4, 16)", data))}, "its elements are <f4, expected <u4");
  expect_refused({x(npy_of(">u4", "(4, 16)", data))}, "are big-endian");
  expect_refused({x(npy("{'descr': '<u4', 'fortran_order': True, 'shape': (4, 16), }", data))},
                 "are in Fortran order");
  expect_refused(
      {x(npy("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (64,), }", data))},
      "its elements are records");
  expect_refused({x(npy_of("<u4", "(64,)", data))}, "its shape is [64], expected [4, 16]");
  expect_refused({x(npy_of("<u4", "(4, 16)", data.substr(4)))},
                 "ends after 252 bytes, expected 256");
  expect_refused({x(npy_of("<u4", "(4, 16)", data + "more"))},
                 "there is more behind the 256 bytes");
  expect_refused({x(data + "m", "x.bin")}, "there is more behind the 256 bytes");
  expect_refused({x(data)}, "it is no .npy file: it does not begin as one");
  expect_refused({x("")}, "the head ends after 0 bytes, expected 8");
  expect_refused({x(npy("{'descr': '<u4', 'shape': (4, 16), }", data))},
                 "does not have descr, fortran_order and shape");
  expect_refused({x(npy("{'descr': '<u4', 'shape': (4, 16, 'more'", data))}, "no tuple of sizes");
  expect_refused({x(npy_of("<u4", "(4, 16)", data, 4))}, "it is of version 4.0");
  expect_refused({"--input=x=" + folder_.path("none.npy")}, "cannot open");
  expect_refused({"--input=x=" + folder_.path()}, "Is a directory");
}

TEST_F(RunEntryTest, AWrongNameIsRefused) {
  const std::string x = file("x.bin", bytes_of(counting(0)));
  expect_refused({"--input=z=" + x}, "has no tensor z: it has x, w, y");
  expect_refused({"--input=y=" + x}, "--input names y, which is output in");
  expect_refused({"--input=w=" + x}, "--input names w, which is constant in");
  expect_refused({"--output=x=" + folder_.path("new.npy")}, "--output names x, which is input in");
  expect_refused({"--input=x=" + x, "--input=x=" + x}, "--input names x twice");
  expect_refused({"--input=x"}, "--input is NAME=FILE, not x");
  expect_refused({"--input==" + x}, "--input is NAME=FILE");
  expect_refused({"--input=x=-", "--input=w=-"}, "--input is - for two tensors");
}

TEST_F(RunEntryTest, WhatMakesNoSenseWithItIsRefusedByName) {
  for (const std::string option :
       {"--golden=exact", "--report=json=r.json", "--save-actual=d", "--no-check", "--races=2",
        "--compare-with=cpu", "--until=2", "--sync", "--continue-on-error", "--jobs=2",
        "--timeout=9", "--shard=1/2", "--junit=r.xml"}) {
    expect_refused({option}, option.substr(0, option.find('=')) + " is for a replay of the whole");
  }
  expect_failure({"run", scaling_file(), "--update-golden", "--input=x=y", "--output=new.lmb"},
                 "--update-golden is for a replay of the whole");
  expect_failure({"run", scaling_file(), "other.lmb", "--entry=scale"}, "one FILE is expected");
}

TEST_F(RunEntryTest, AnOutputGoesToNoInputAndThroughNoLink) {
  const std::string captured = scaling_file();
  const std::string x = file("x.bin", bytes_of(counting(3))), before = read_file(captured);
  expect_failure({"run", captured, "--input=x=" + x, "--output=y=" + x}, "is an input");
  expect_failure({"run", captured, "--output=y=" + captured}, "is an input");
  fs::create_symlink(x, folder_.path("link.bin"));
  expect_failure({"run", captured, "--output=y=" + folder_.path("link.bin")}, "is a link");
  EXPECT_EQ(read_file(x), bytes_of(counting(3)));
  EXPECT_EQ(read_file(captured), before);
  EXPECT_EQ(
      runner({"run", captured, "--output=y=" + output()}, {{"TT_METAL_DPRINT_FILE", output()}})
          .exit_code,
      2);
}

TEST_F(RunEntryTest, AFileOfAnotherIsNotExecutedWithoutTrust) {
  const std::string captured = scaling_file();
  fs::permissions(captured, fs::perms::others_write, fs::perm_options::add);
  expect_failure({"run", captured, "--output=y=" + output()}, "everybody may write to it");
  EXPECT_FALSE(fs::exists(output()));
  EXPECT_EQ(runner({"run", captured, "--trust", "--output=y=" + output()}).exit_code, 0);
}

TEST_F(RunEntryTest, ALimitOfMemoryHolds) { expect_refused({"--memory-limit=100"}, "100"); }

TEST_F(RunEntryTest, AWatchdogLetsItRunInAChild) {
  EXPECT_EQ(runner({"run", scaling_file(), "--watchdog=60", "--output=y=" + output()}).exit_code,
            0);
  EXPECT_EQ(read_file(output()), npy_of("<u4", "(4, 16)", bytes_of(scaled(counting(5)))));
}

TEST_F(RunEntryTest, TheSandboxGivesOutputsToStandardOutputAlone) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "a sanitized runner cannot enter the sandbox";
  const std::string captured = scaling_file();
  expect_refused({"--sandbox=best-effort"}, "write files, which the sandbox does not allow");
  file("x.bin", bytes_of(counting(8)));
  EXPECT_EQ(elements_of<uint32_t>(shell("run " + captured +
                                        " --sandbox=best-effort --input x=- --output y=- < x.bin")),
            scaled(counting(8)));
}

TEST_F(RunEntryTest, AFileWithoutNamesSaysSo) {
  expect_failure({"run", golden("1.1/loopback.lmb"), "--input=x=y"},
                 "has no tensor x: it has none");
}

}  // namespace
}  // namespace lightmetal::testing
