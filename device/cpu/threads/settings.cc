#include "device/cpu/threads/settings.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "device/cpu/diagnosis/checks.h"

namespace lightmetal::device::cpu {
namespace {

// Reads a number from the environment. `number` keeps its value when the variable is not set, or
// empty.
absl::Status read_variable(const char* name, double least, double most, double* number) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return absl::OkStatus();
  if (absl::SimpleAtod(text, number) && *number >= least && *number <= most)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, "=", text, " is not a number from ", least, " to ", most));
}

absl::StatusOr<Schedule> read_schedule() {
  constexpr char kName[] = "LIGHTMETAL_CPU_DEVICE_SCHEDULE";
  const char* text = std::getenv(kName);
  if (text == nullptr || *text == '\0') return Schedule{};
  auto schedule = Schedule::parse(text);
  if (schedule.ok()) return schedule;
  return absl::InvalidArgumentError(absl::StrCat(kName, "=", schedule.status().message()));
}

}  // namespace

absl::StatusOr<Settings> Settings::from_environment() {
  double workers = std::clamp<double>(std::thread::hardware_concurrency(), 1, 1024);
  double patience = 10;
  LM_RETURN_IF_ERROR(read_variable("LIGHTMETAL_CPU_DEVICE_WORKERS", 1, 1024, &workers));
  LM_RETURN_IF_ERROR(read_variable("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", 0.01, 1e6, &patience));
  double debug = 0;
  LM_RETURN_IF_ERROR(read_variable("LIGHTMETAL_CPU_DEVICE_DEBUG", 0, 1, &debug));
  const char* names = std::getenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
  LM_ASSIGN_OR_RETURN(checks, parse_checks(names == nullptr ? "" : names));
  LM_ASSIGN_OR_RETURN(schedule, read_schedule());
  return Settings{.schedule = schedule,
                  .workers = static_cast<uint32_t>(workers),
                  .patience = absl::Seconds(patience),
                  .checks = checks,
                  .debug = debug != 0};
}

}  // namespace lightmetal::device::cpu
