#include "runner/progress.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_format.h"

namespace lightmetal::runner {
namespace {

// When the first line is shown, and how often it changes.
constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kInterval{100};

std::string time_left_text(double seconds) {
  if (seconds < 100) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 6000) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

}  // namespace

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + kFirst) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(uint64_t run, uint64_t runs, uint64_t command, uint64_t commands) {
  if (!is_due()) return;
  const double done = (static_cast<double>(run) + static_cast<double>(command) / commands) / runs;
  const std::string which =
      runs > 1 ? absl::StrFormat(", run %d of %d", run + 1, runs) : std::string();
  show(absl::StrFormat("command %d of %d%s", command, commands, which), done,
       run * commands + command, "commands");
}

void Progress::update_files(uint64_t done, uint64_t files) {
  if (!is_due()) return;
  show(absl::StrFormat("file %d of %d", done, files),
       static_cast<double>(done) / static_cast<double>(files), done, "files");
}

void Progress::show(const std::string& line, double done, uint64_t count, const char* unit) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string text = absl::StrFormat("%3.0f %%  %s", 100 * done, line);
  if (done > 0) {
    absl::StrAppendFormat(&text, ", %.3g %s/s, %s left", static_cast<double>(count) / seconds, unit,
                          time_left_text(seconds * (1 - done) / done));
  }
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  next_ = Clock::now() + kInterval;
  shown_ = true;
}

}  // namespace lightmetal::runner
