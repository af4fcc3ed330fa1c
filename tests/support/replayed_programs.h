// Small programs, captured and replayed within the process of a test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "tests/support/captured_file.h"

namespace lightmetal::testing {

inline constexpr uint32_t kPage = 64;  // bytes

// All that the program reads is a golden of the file.
inline FilePointer captured(const std::function<void()>& program) {
  tt::tt_metal::LightMetalBeginCapture({.read_goldens = true});
  program();
  return open_file(tt::tt_metal::LightMetalEndCapture());
}

// On the null device, where kernels cost nothing.
inline FilePointer captured_on_null(const std::function<void()>& program) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  FilePointer file = captured(program);
  unsetenv("LIGHTMETAL_DEVICE");
  return file;
}

inline absl::StatusOr<ReplayResult> replayed(const FilePointer& file, const RunOptions& options,
                                             LoadOptions load = {}) {
  const auto replay = Replay::load(file, std::move(load));
  if (!replay.ok()) return replay.status();
  return (*replay)->run(options);
}

// A buffer in DRAM with pages of kPage.
inline std::shared_ptr<tt::tt_metal::Buffer> buffer_on(tt::tt_metal::IDevice* device,
                                                       uint64_t size = kPage) {
  return tt::tt_metal::CreateBuffer(
      tt::tt_metal::InterleavedBufferConfig{.device = device, .size = size, .page_size = kPage});
}

// A buffer in L1 with a page of kPage on each of two cores.
inline std::shared_ptr<tt::tt_metal::Buffer> sharded_on(tt::tt_metal::IDevice* device) {
  return tt::tt_metal::CreateBuffer(tt::tt_metal::ShardedBufferConfig{
      .device = device,
      .size = 2 * kPage,
      .page_size = kPage,
      .shard_parameters = tt::tt_metal::ShardSpecBuffer(
          CoreRangeSet(CoreRange({0, 0}, {1, 0})), {1, 16},
          tt::tt_metal::ShardOrientation::ROW_MAJOR, {1, 16}, {2, 1})});
}

// Runs the program once, and returns a trace that runs it again.
inline uint32_t trace_of(tt::tt_metal::IDevice* device, tt::tt_metal::Program& program) {
  tt::tt_metal::CommandQueue& queue = device->command_queue();
  tt::tt_metal::EnqueueProgram(queue, program, false);
  const uint32_t trace = tt::tt_metal::BeginTraceCapture(device, 0);
  tt::tt_metal::EnqueueProgram(queue, program, false);
  tt::tt_metal::EndTraceCapture(device, 0, trace);
  return trace;
}

}  // namespace lightmetal::testing
