#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <tt-metalium/logger.hpp>
#include <utility>

namespace tt {

// Logs how long its scope lasted, under a name.
template <typename TimeUnit = std::chrono::nanoseconds>
struct ScopedTimer {
  using Clock = std::chrono::steady_clock;

  explicit ScopedTimer(std::string name) : name(std::move(name)), start(Clock::now()) {}
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;
  ~ScopedTimer() { print_duration(); }

  void print_duration() {
    elapsed = std::chrono::duration_cast<TimeUnit>(Clock::now() - start);
    log_info(tt::LogTimer, "{} -- elapsed: {}{}", name, elapsed.count(), time_unit_to_string());
  }

  std::string name;
  Clock::time_point start;
  TimeUnit elapsed{};

 private:
  static constexpr std::string_view time_unit_to_string() {
    using Period = typename TimeUnit::period;
    if constexpr (std::is_same_v<Period, std::nano>) return "ns";
    if constexpr (std::is_same_v<Period, std::micro>) return "us";
    if constexpr (std::is_same_v<Period, std::milli>) return "ms";
    return "s";
  }
};

}  // namespace tt
