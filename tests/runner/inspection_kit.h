#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "flatbuffers/idl.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

// What the tests of the verbs that look into files share: the runner, and files to look into.
namespace lightmetal::testing {

// A JSON text, as data.
class JsonText {
 public:
  explicit JsonText(const std::string& text) {
    flatbuffers::IDLOptions options;
    options.strict_json = true;
    flatbuffers::Parser parser(options);
    EXPECT_TRUE(parser.ParseFlexBuffer(text.c_str(), nullptr, &builder_)) << text;
  }
  flexbuffers::Map root() const { return flexbuffers::GetRoot(builder_.GetBuffer()).AsMap(); }

 private:
  flexbuffers::Builder builder_;
};

class InspectionTest : public ::testing::Test {
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
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }

  // The verbs that the runner's help names.
  static std::set<std::string> verbs() {
    std::istringstream help(runner({"--help"}).output);
    std::set<std::string> verbs;
    for (std::string line; std::getline(help, line);) {
      constexpr size_t kIndent = 2;
      std::istringstream words(line.rfind("  lightmetal_runner ", 0) == 0 ? line.substr(kIndent)
                                                                          : "");
      std::string name, verb;
      words >> name >> verb;
      if (!verb.empty() && std::ranges::all_of(verb, [](char c) { return c >= 'a' && c <= 'z'; }))
        verbs.insert(verb);
    }
    return verbs;
  }

  // Says what is wrong with a JSON text by a schema in docs/.
  void expect_valid(const std::string& json, const std::string& schema) {
    write_file(folder_.path("report.json"), json);
    const ProcessResult result = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/" + schema, folder_.path("report.json")});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }

  // A file of each kind: a product of matrices and a block of a transformer as the examples compute
  // them, one with two devices, one whose program was killed, one that lies about its sizes.
  std::string matmul() { return captured_example("matmul_multi_core"); }
  std::string transformer() { return captured_example("transformer_block"); }
  std::string two_devices() {
    const std::string path = folder_.path("two_devices.lmb");
    tt::tt_metal::LightMetalBeginCapture({.path = path, .read_goldens = true});
    tt::tt_metal::IDevice* first = tt::tt_metal::CreateDevice(0);
    tt::tt_metal::IDevice* second = tt::tt_metal::CreateDevice(1, 2);
    use_first(first);
    use_second(second);
    tt::tt_metal::CloseDevice(second);
    tt::tt_metal::CloseDevice(first);
    tt::tt_metal::LightMetalEndCapture();
    return path;
  }
  static std::string killed() { return golden("1.1/killed.lmb"); }
  std::string hostile() {
    const auto bytes = rewritten(**schema::File::open(two_devices()),
                                 [](schema::CommandT& command, schema::Writer&) {
                                   if (auto* buffer = command.call.AsBufferCreate())
                                     buffer->size = UINT64_MAX - 7;
                                 });
    return written("hostile.lmb", bytes);
  }

  static std::string golden(const std::string& name) {
    return std::string(LIGHTMETAL_SOURCE_FOLDER "/tests/golden/") + name;
  }

  std::string written(const std::string& name, const std::vector<uint8_t>& bytes) {
    write_file(folder_.path(name), std::string(bytes.begin(), bytes.end()));
    return folder_.path(name);
  }

  TemporaryFolder folder_;

 private:
  std::string captured_example(const std::string& name) {
    const std::string path = folder_.path(name + ".lmb");
    capture_once(std::string(LIGHTMETAL_BIN_FOLDER "/") + name, path);
    return path;
  }

  static std::shared_ptr<tt::tt_metal::Buffer> buffer(tt::tt_metal::IDevice* device, uint64_t pages,
                                                      uint64_t page_size,
                                                      tt::tt_metal::BufferType type) {
    return tt::tt_metal::CreateBuffer(tt::tt_metal::InterleavedBufferConfig{
        .device = device, .size = pages * page_size, .page_size = page_size, .buffer_type = type});
  }

  // One DRAM buffer after another, 4096 and 2048 bytes in each of the twelve banks, and 1024 bytes
  // on each core while a program runs with a circular buffer of 8192.
  static void use_first(tt::tt_metal::IDevice* device) {
    namespace tm = tt::tt_metal;
    {
      const auto gone = buffer(device, 24, 2048, tm::BufferType::DRAM);
    }
    const auto dram = buffer(device, 12, 2048, tm::BufferType::DRAM);
    const auto l1 = buffer(device, 64, 1024, tm::BufferType::L1);
    std::vector<float> values(12 * 2048 / 4);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    tm::EnqueueWriteBuffer(device->command_queue(), dram, values, false);
    tm::Program program = tm::CreateProgram();
    tm::CreateKernelFromString(program, "void kernel_main() {}", tt::tt_metal::CoreCoord{0, 0},
                               tm::DataMovementConfig{});
    tm::CreateCircularBuffer(
        program, tt::tt_metal::CoreCoord{0, 0},
        tm::CircularBufferConfig(8192, {{0, tt::DataFormat::Float32}}).set_page_size(0, 4096));
    tm::EnqueueProgram(device->command_queue(), program, false);
    tm::EnqueueReadBuffer(device->command_queue(), dram, values, true);
  }

  static void use_second(tt::tt_metal::IDevice* device) {
    namespace tm = tt::tt_metal;
    const auto dram = buffer(device, 1, 64, tm::BufferType::DRAM);
    std::vector<uint32_t> words(16, 7);
    tm::EnqueueWriteBuffer(device->command_queue(1), dram, words, false);
    tm::EnqueueReadBuffer(device->command_queue(1), dram, words, true);
  }
};

}  // namespace lightmetal::testing
