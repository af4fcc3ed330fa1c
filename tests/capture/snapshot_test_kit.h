#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

// What tests of captures that begin in the middle share.
namespace tt::tt_metal::testing {

namespace schema = ::lightmetal::schema;

inline const ::lightmetal::CaptureOptions kReads = {.read_goldens = true, .record_origin = false};

inline std::vector<uint32_t> constant(uint32_t value, size_t count = 16) {
  return std::vector<uint32_t>(count, value);
}

using ::lightmetal::testing::thrown_by;

template <class Table>
std::vector<Table> all_of_type(const schema::File& file) {
  std::vector<Table> found;
  for (schema::CommandT& command : ::lightmetal::testing::commands_of(file)) {
    if (command.call.type == schema::CallUnionTraits<Table>::enum_value) {
      found.push_back(*static_cast<Table*>(command.call.value));
    }
  }
  return found;
}

// Runs on the CPU device; every test ends with no device open and nothing alive.
class SnapshotTest : public ::testing::Test {
 protected:
  IDevice* open(chip_id_t chip = 0, uint8_t queues = 1) {
    IDevice* device = CreateDevice(chip, queues, DEFAULT_L1_SMALL_SIZE, 1 << 20);
    devices_.push_back(device);
    return device;
  }
  void close_all() {
    for (IDevice* device : devices_) CloseDevice(device);
    devices_.clear();
  }
  void TearDown() override { close_all(); }

  static void begin() { LightMetalBeginCapture(kReads); }

  // Ends the capture; the objects that the caller holds may live on until expect_replays.
  LightMetalBinary end() { return LightMetalEndCapture(); }

  // The file is sound, and replays to the same goldens in a process of its own, twice on the same
  // device, and while it is captured, which gives the same file.
  void expect_replays(const LightMetalBinary& binary, uint64_t goldens) {
    close_all();
    ASSERT_FALSE(binary.is_empty());
    EXPECT_EQ(schema::verify(*::lightmetal::testing::open_file(binary)), absl::OkStatus());
    const std::string path = folder_.path("snapshot.lmb");
    binary.save_to_file(path);
    const auto runner =
        ::lightmetal::testing::run_process({LIGHTMETAL_RUNNER, path, "--loop", "2"});
    EXPECT_EQ(runner.exit_code, 0) << runner.output << runner.errors;
    EXPECT_THAT(runner.output, ::testing::HasSubstr(absl::StrCat(
                                   goldens, goldens == 1 ? " golden" : " goldens", " matched")));
    expect_captured_replay_is_alike(binary);
  }

  ::lightmetal::testing::TemporaryFolder folder_;

 private:
  static void expect_captured_replay_is_alike(const LightMetalBinary& binary) {
    // Its objects end after the capture, which does not record that.
    auto replay = ::lightmetal::Replay::load_bytes(binary.get_data());
    begin();
    expect_matches(replay);
    const LightMetalBinary again = LightMetalEndCapture();
    EXPECT_TRUE(again.get_data() == binary.get_data()) << "the files differ";
    replay = absl::CancelledError();
    replay = ::lightmetal::Replay::load_bytes(again.get_data());
    expect_matches(replay);
  }

  static void expect_matches(absl::StatusOr<std::unique_ptr<::lightmetal::Replay>>& replay) {
    ASSERT_TRUE(replay.ok()) << replay.status();
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->matches());
  }

  std::vector<IDevice*> devices_;
};

}  // namespace tt::tt_metal::testing
