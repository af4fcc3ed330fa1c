#pragma once

#include <cstdint>
#include <tt-metalium/core_types.hpp>

namespace tt::tt_metal {

// What a read-out of the profiler is for. Results do not depend on it.
enum class ProfilerReadState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_READ };
// The name of both until the summer of 2025, with the enumerators of all months.
enum class ProfilerDumpState {
  NORMAL,
  CLOSE_DEVICE_SYNC,
  LAST_CLOSE_DEVICE,
  FORCE_UMD_READ,
  ONLY_DISPATCH_CORES,
  LAST_FD_DUMP,
};
enum class ProfilerSyncState { INIT, CLOSE_DEVICE };
enum class ProfilerDataBufferSource { L1, DRAM, DRAM_AND_L1 };

// The program that a profile is about, as operation libraries number it.
struct DeviceProgramId {
  uint32_t base_program_id = 0;
  ChipId device_id = 0;
  bool is_host_fallback_op = false;
};

}  // namespace tt::tt_metal
