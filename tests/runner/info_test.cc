// lightmetal_runner info: what it says of real files, for people and for programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;

class InfoTest : public InspectionTest {
 protected:
  std::string json_of(const std::string& file) {
    const ProcessResult result = runner({"info", file, "--format", "json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    expect_valid(result.output, "info.schema.json");
    return result.output;
  }
};

uint64_t sum_of(const flexbuffers::Map& map) {
  uint64_t sum = 0;
  for (size_t i = 0; i < map.Values().size(); ++i) sum += map.Values()[i].AsUInt64();
  return sum;
}

TEST_F(InfoTest, TheBytesOfAFileAreOfOneKindEach) {
  std::vector<std::string> files = {matmul(), transformer(), two_devices(), hostile()};
  for (const char* version : {"1.0", "1.1"}) {
    for (const auto& entry : fs::directory_iterator(golden(version))) {
      if (entry.path().extension() == ".lmb") files.push_back(entry.path());
    }
  }
  EXPECT_GT(files.size(), 20u);
  for (const std::string& file : files) {
    const JsonText json(json_of(file));
    EXPECT_EQ(sum_of(json.root()["bytes"].AsMap()), fs::file_size(file)) << file;
    EXPECT_EQ(json.root()["bytes"].AsMap()["unused"].AsUInt64(), 0) << file;
    EXPECT_GT(json.root()["bytes"].AsMap()["commands"].AsUInt64(), 0) << file;
  }
}

TEST_F(InfoTest, EachDeviceSaysWhatItsBanksHoldAtMost) {
  const JsonText json(json_of(two_devices()));
  const auto devices = json.root()["devices"].AsVector();
  ASSERT_EQ(devices.size(), 2);
  const auto first = devices[0].AsMap()["peak_memory"].AsMap();
  EXPECT_EQ(first["dram_bank"].AsUInt64(), 4096);
  EXPECT_EQ(first["l1_buffers"].AsUInt64(), 1024);
  EXPECT_EQ(first["l1_circular_buffers"].AsUInt64(), 8192);
  EXPECT_EQ(first["l1_core"].AsUInt64(), 1024 + 8192);
  EXPECT_EQ(first["trace_bank"].AsUInt64(), 0);
  const auto second = devices[1].AsMap()["peak_memory"].AsMap();
  EXPECT_EQ(second["dram_bank"].AsUInt64(), 64);
  EXPECT_EQ(second["l1_core"].AsUInt64(), 0);
  EXPECT_EQ(json.root()["replay_memory"].AsMap()["stopped"].AsString().str(), "");
  EXPECT_THAT(
      runner({"info", two_devices()}).output,
      AllOf(HasSubstr("DRAM: at most 4.0 KiB in each of 12 banks\n"),
            HasSubstr("L1: at most 9.0 KiB on each of 64 cores (buffers 1.0 KiB, circular buffers "
                      "8.0 KiB)\n"),
            HasSubstr("DRAM: at most 64 bytes in each of 12 banks\n")));
}

TEST_F(InfoTest, BuffersAtGivenAddressesCountOnceAndViewsDoNot) {
  namespace tm = tt::tt_metal;
  const std::string file = folder_.path("given.lmb");
  tm::LightMetalBeginCapture({.path = file});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    const auto config = [device](uint64_t pages, uint64_t page, tm::BufferType type) {
      return tm::InterleavedBufferConfig{
          .device = device, .size = pages * page, .page_size = page, .buffer_type = type};
    };
    const auto dram = config(24, 2048, tm::BufferType::DRAM);
    const auto allocated = tm::CreateBuffer(config(12, 2048, tm::BufferType::DRAM));
    const auto view = tm::CreateBuffer(dram, allocated->address());
    for (int i = 0; i < 2; ++i) tm::CreateBuffer(dram, 512 << 20);
    const auto l1 = tm::CreateBuffer(config(64, 1024, tm::BufferType::L1), 0x80000);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const JsonText json(json_of(file));
  const auto memory = json.root()["devices"].AsVector()[0].AsMap()["peak_memory"].AsMap();
  EXPECT_EQ(memory["dram_bank"].AsUInt64(), 2048);
  EXPECT_EQ(memory["dram_given"].AsUInt64(), 4096);
  EXPECT_EQ(memory["l1_given"].AsUInt64(), 1024);
  EXPECT_THAT(runner({"info", file}).output,
              AllOf(HasSubstr("DRAM: at most 2.0 KiB in each of 12 banks, and 4.0 KiB at given "
                              "addresses\n"),
                    HasSubstr(", and 1.0 KiB at given addresses\n")));
}

TEST_F(InfoTest, GoldensAreCountedByTypeAndSaidWhere) {
  const std::string file = two_devices();
  const JsonText json(json_of(file));
  const auto goldens = json.root()["goldens"].AsMap();
  EXPECT_EQ(goldens["count"].AsInt64(), 2);
  EXPECT_EQ(goldens["bytes"].AsInt64(), 12 * 2048 + 64);
  ASSERT_EQ(goldens["types"].AsVector().size(), 2);
  EXPECT_EQ(goldens["types"].AsVector()[1].AsMap()["element_type"].AsString().str(), "Float32");
  ASSERT_EQ(goldens["places"].AsVector().size(), 2);
  const auto place = goldens["places"].AsVector()[0].AsMap();
  EXPECT_EQ(place["call"].AsString().str(), "EnqueueReadBuffer");
  EXPECT_EQ(place["buffer"].AsInt64(), 2);
  EXPECT_THAT(runner({"info", file}).output,
              AllOf(HasSubstr("goldens    2, 24.1 KiB\n"), HasSubstr("1   of Float32, 24.0 KiB\n"),
                    HasSubstr(": EnqueueReadBuffer of buffer 2, Float32, 24.0 KiB\n")));
}

TEST_F(InfoTest, WhatAFileNeedsFromOutsideIsSaid) {
  const JsonText json(json_of(golden("1.1/external.lmb")));
  const auto needs = json.root()["needs"].AsMap();
  EXPECT_EQ(needs["files"].AsVector().size(), 1);
  EXPECT_EQ(needs["backends"].AsVector()[0].AsString().str(), "cpu");
  EXPECT_THAT(runner({"info", golden("1.1/external.lmb")}).output,
              AllOf(HasSubstr("needs      backend cpu\n"), HasSubstr("           files ")));
  EXPECT_THAT(runner({"info", golden("1.1/loopback.lmb")}).output,
              HasSubstr("           kernel objects for cpu-x86_64-"));
}

TEST_F(InfoTest, CompressedPayloadsHaveTheirSizesBeforeAndAfter) {
  const std::string file = golden("1.1/compressed.lmb");
  const JsonText json(json_of(file));
  const auto payloads = json.root()["payloads"].AsMap();
  EXPECT_EQ(payloads["stored_bytes"].AsUInt64(), 20718);
  const auto compressed = payloads["compressed"].AsMap();
  EXPECT_EQ(compressed["count"].AsUInt64(), 6);
  EXPECT_EQ(compressed["bytes"].AsUInt64(), 475896);
  EXPECT_EQ(compressed["stored_bytes"].AsUInt64(), 20718);
  EXPECT_THAT(runner({"info", file}).output,
              HasSubstr("6   compressed, 464.7 KiB to 20.2 KiB (23.0 : 1)\n"));
}

TEST_F(InfoTest, TracesAreListedWithTheirReplays) {
  const std::string file = golden("1.0/trace_two_programs.lmb");
  const JsonText json(json_of(file));
  const auto traces = json.root()["traces"].AsVector();
  ASSERT_EQ(traces.size(), 1);
  EXPECT_EQ(traces[0].AsMap()["launches"].AsInt64(), 2);
  EXPECT_GT(traces[0].AsMap()["replays"].AsInt64(), 0);
  EXPECT_THAT(runner({"info", file}).output, HasSubstr(": 2 launches, replayed "));
}

TEST_F(InfoTest, AFileThatMakesNoSenseIsFollowedAsFarAsItDoes) {
  const JsonText json(json_of(hostile()));
  const auto memory = json.root()["replay_memory"].AsMap();
  EXPECT_EQ(memory["commands"].AsInt64(), 2);
  EXPECT_THAT(memory["stopped"].AsString().str(), HasSubstr("command 2 (BufferCreate"));
  EXPECT_EQ(json.root()["devices"].AsVector().size(), 2);
  EXPECT_THAT(runner({"info", hostile()}).output, HasSubstr("followed up to command 2: "));
}

TEST_F(InfoTest, AnIncompleteFileSaysWhatThereIs) {
  const JsonText json(json_of(killed()));
  EXPECT_FALSE(json.root()["complete"].AsBool());
  EXPECT_EQ(json.root()["replay_memory"].AsMap()["commands"].AsInt64(),
            json.root()["num_commands"].AsInt64());
  EXPECT_GT(
      json.root()["devices"].AsVector()[0].AsMap()["peak_memory"].AsMap()["dram_bank"].AsInt64(),
      0);
}

// A program that launches often.
void capture_commands(const std::string& path, uint32_t count) {
  tm::LightMetalBeginCapture({.path = path});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::Program program = tm::CreateProgram();
    const auto kernel = tm::CreateKernelFromString(program, "void kernel_main() {}",
                                                   tm::CoreCoord{0, 0}, tm::DataMovementConfig{});
    for (uint32_t i = 0; i < count; ++i) {
      tm::SetRuntimeArgs(program, kernel, tm::CoreCoord{0, 0}, std::array<uint32_t, 4>{i, 1, 2, 3});
    }
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

TEST_F(InfoTest, AMillionCommandsNeedNoMoreMemoryThanFewDo) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "a sanitizer keeps memory that is given back";
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  const std::string path = folder_.path("commands.lmb");
  const auto peak_with = [&](uint32_t commands) {
    capture_commands(path, commands);
    const ProcessResult result = runner({"info", path, "--format=json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("\"SetRuntimeArgs\":" + std::to_string(commands)));
    return result.peak_resident_bytes;
  };
  const uint64_t few = peak_with(1000), many = peak_with(1'000'000);
  EXPECT_GT(fs::file_size(path), 100 * kMiB);
  EXPECT_LT(many, few + 48 * kMiB);
}

}  // namespace
}  // namespace lightmetal::testing
