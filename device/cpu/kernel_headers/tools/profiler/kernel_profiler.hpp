#pragma once

#include "lightmetal/events.h"

// Zones and marks for the hardware's profiler. A zone is counted when it is entered; nothing is
// timed.

#define DeviceZoneScopedN(name) \
  ::lightmetal::kernel::count_event(::lightmetal::kernel_abi::Event::kProfilerZone, name)
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedMainChildN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN1(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN2(name) DeviceZoneScopedN(name)

namespace lightmetal::kernel {

// Data have a text or a number for a name; of the latter the kernel's own words are shown.
FORCE_INLINE const char* event_name(const char* name, const char*) { return name; }
template <class Number>
requires(__is_integral(Number)) FORCE_INLINE const char* event_name(Number, const char* words) {
  return words;
}

}  // namespace lightmetal::kernel

// `data` and `event` are evaluated, as by the profiler.
#define DeviceTimestampedData(name, data)                                               \
  do {                                                                                  \
    static_cast<void>(data);                                                            \
    ::lightmetal::kernel::count_event(::lightmetal::kernel_abi::Event::kProfilerData,   \
                                      ::lightmetal::kernel::event_name((name), #name)); \
  } while (false)
#define DeviceRecordEvent(event)                                                                \
  do {                                                                                          \
    static_cast<void>(event);                                                                   \
    ::lightmetal::kernel::count_event(::lightmetal::kernel_abi::Event::kProfilerEvent, #event); \
  } while (false)
