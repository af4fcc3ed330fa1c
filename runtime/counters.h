#pragma once

#include <atomic>
#include <cstdint>

namespace lightmetal::runtime {

// What goes where, counted by whoever moves it. Thread-safe.
struct Counters {
  std::atomic<uint64_t> host_to_device_bytes = 0;
  std::atomic<uint64_t> device_to_host_bytes = 0;
  std::atomic<uint64_t> device_copies = 0;
  std::atomic<uint64_t> device_copied_bytes = 0;
  std::atomic<uint64_t> host_round_trips = 0;
  std::atomic<uint64_t> relayouts = 0;
  std::atomic<uint64_t> cleared_bytes = 0;
  std::atomic<uint64_t> relocations = 0;
  std::atomic<uint64_t> trace_reloads = 0;
  // The executables that were loaded: each leaves the device traces of those before it stale.
  std::atomic<uint64_t> loads = 0;
};

}  // namespace lightmetal::runtime
