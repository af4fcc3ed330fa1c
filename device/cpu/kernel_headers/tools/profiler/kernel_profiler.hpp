#pragma once

#include "lightmetal/events.h"

// Zones and marks for the hardware's profiler. A zone lasts to the end of its scope.

namespace lightmetal::kernel {

// `name` must be a literal.
class ProfilerZone {
 public:
  FORCE_INLINE explicit ProfilerZone(const char* name) : name_(name) {
    count_event(kernel_abi::Event::kProfilerZone, name_);
  }
  FORCE_INLINE ~ProfilerZone() { count_event(kernel_abi::Event::kProfilerZoneEnd, name_); }
  ProfilerZone(const ProfilerZone&) = delete;
  ProfilerZone& operator=(const ProfilerZone&) = delete;

 private:
  const char* const name_;
};

}  // namespace lightmetal::kernel

#define LIGHTMETAL_PROFILER_ZONE_NAMED(name, number) \
  const ::lightmetal::kernel::ProfilerZone lightmetal_profiler_zone_##number(name)
#define LIGHTMETAL_PROFILER_ZONE(name, number) LIGHTMETAL_PROFILER_ZONE_NAMED(name, number)
#define DeviceZoneScopedN(name) LIGHTMETAL_PROFILER_ZONE(name, __COUNTER__)
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
