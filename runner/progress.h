#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lightmetal::runner {

// Shows on standard error how far a run is: only on a terminal, and only once the run has taken a
// second. With how fast it goes, and how long it still takes if it goes on so. One thread calls it.
class Progress {
 public:
  Progress();
  ~Progress();  // removes the line that it has shown
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `command` of `commands` comes next in run `run` of `runs`; both are counted from 0.
  void update(uint64_t run, uint64_t runs, uint64_t command, uint64_t commands);
  // The same of a suite: `done` of `files` have ended.
  void update_files(uint64_t done, uint64_t files);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due() const { return on_terminal_ && Clock::now() >= next_; }
  void show(const std::string& line, double done, uint64_t count, const char* unit);

  const bool on_terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool shown_ = false;
};

}  // namespace lightmetal::runner
