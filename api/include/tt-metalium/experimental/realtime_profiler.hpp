#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

// Records of programs while they run. Devices here send none: no callback is called.
namespace tt::tt_metal::experimental {

struct ProgramRealtimeRecord {
  uint32_t runtime_id;  // of the program
  uint32_t chip_id;
  uint64_t start_timestamp;  // in ticks of the device's clock
  uint64_t end_timestamp;
  double frequency;  // ticks in each nanosecond
  std::span<const std::string_view> kernel_sources;
};

using ProgramRealtimeProfilerCallback = std::function<void(const ProgramRealtimeRecord& record)>;
using ProgramRealtimeProfilerCallbackHandle = uint64_t;

// Returns a handle that no other call has returned.
ProgramRealtimeProfilerCallbackHandle RegisterProgramRealtimeProfilerCallback(
    ProgramRealtimeProfilerCallback callback);
void UnregisterProgramRealtimeProfilerCallback(ProgramRealtimeProfilerCallbackHandle handle);

// Returns false.
bool IsProgramRealtimeProfilerActive();

}  // namespace tt::tt_metal::experimental
