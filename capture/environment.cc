#include "capture/environment.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "capture/capture.h"
#include "capture/session.h"
#include "schema/sink.h"

namespace lightmetal::capture {

// It is defined here because every captured function needs it: linked from a static library, it
// brings the initialiser at the end of this file along.
constinit std::atomic<bool> g_active{false};

namespace {

struct Environment {
  const bool captures =
      std::getenv("LIGHTMETAL_CAPTURE") != nullptr && *std::getenv("LIGHTMETAL_CAPTURE") != 0;
  const pid_t process = getpid();
  const std::string path = captures ? expand_path(std::getenv("LIGHTMETAL_CAPTURE"), process) : "";

  // Never destroyed: it is read while the process ends.
  static const Environment& get() {
    static const Environment& environment = *new Environment;
    return environment;
  }
};

bool wants_read_goldens() {
  const char* value = std::getenv("LIGHTMETAL_CAPTURE_READ_GOLDENS");
  return value == nullptr || absl::string_view(value) != "0";
}

absl::StatusOr<std::shared_ptr<schema::Sink>> open_sink() {
  auto sink = schema::FileSink::create(Environment::get().path);
  if (!sink.ok()) return sink.status();
  return std::shared_ptr<schema::Sink>(*std::move(sink));
}

void end_at_exit() {
  if (getpid() != Environment::get().process) return;
  const absl::Status status = end();
  if (status.ok()) return;
  const std::string line = absl::StrCat("lightmetal: the capture to ", Environment::get().path,
                                        " is incomplete: ", status.message(), "\n");
  std::fputs(line.c_str(), stderr);
}

void stop_in_child() { g_active.store(false, std::memory_order_relaxed); }

bool begin_from_environment() {
  if (!Environment::get().captures) return false;
  if (!begin_at_first_call({.read_goldens = wants_read_goldens()}, open_sink).ok()) return false;
  pthread_atfork(nullptr, nullptr, stop_in_child);
  return std::atexit(end_at_exit) == 0;
}

[[maybe_unused]] const bool kBegun = begin_from_environment();

}  // namespace

bool environment_captures() { return Environment::get().captures; }

const std::string& environment_path() { return Environment::get().path; }

std::string expand_path(absl::string_view path, int process_id) {
  return absl::StrReplaceAll(path, {{"%%", "%"}, {"%p", absl::StrCat(process_id)}});
}

}  // namespace lightmetal::capture
