#include "runner/progress.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace lightmetal::runner {
namespace {

// When the first line is shown, and how often it changes.
constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + kFirst) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(uint64_t run, uint64_t runs, uint64_t command, uint64_t commands) {
  if (!is_due()) return;
  const double done = (static_cast<double>(run) + static_cast<double>(command) / commands) / runs;
  std::fprintf(stderr, "\r\033[K%3.0f %%  command %" PRIu64 " of %" PRIu64, 100 * done, command,
               commands);
  if (runs > 1) std::fprintf(stderr, ", run %" PRIu64 " of %" PRIu64, run + 1, runs);
  end_of_line();
}

void Progress::update_files(uint64_t done, uint64_t files) {
  if (!is_due()) return;
  std::fprintf(stderr, "\r\033[K%3.0f %%  file %" PRIu64 " of %" PRIu64,
               100 * static_cast<double>(done) / static_cast<double>(files), done, files);
  end_of_line();
}

void Progress::end_of_line() {
  std::fflush(stderr);
  next_ = Clock::now() + kInterval;
  shown_ = true;
}

}  // namespace lightmetal::runner
