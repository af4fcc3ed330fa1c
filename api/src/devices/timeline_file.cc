#include "api/src/devices/timeline_file.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/absolute_path.h"
#include "base/output_variable.h"
#include "base/status.h"
#include "base/timeline.h"
#include "schema/show/timeline_trace.h"
#include "schema/storage/output_file.h"

namespace tt::tt_metal::timeline_file {
namespace {

namespace timeline = lightmetal::timeline;
namespace schema = lightmetal::schema;

// What the environment asks for, read once.
struct Environment {
  const std::string value = lightmetal::value_of(lightmetal::Output::kTimeline);
  // As the working folder is now; empty: no timeline is written.
  const std::string path = value.empty() ? "" : lightmetal::absolute_path(value);
  const pid_t process = getpid();

  static const Environment& get() {
    static const Environment& environment = *new Environment;
    return environment;
  }
};

absl::Status write(const std::string& path) {
  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(path, {}));
  LM_ASSIGN_OR_RETURN(sink, output.sink());
  const std::string text = schema::timeline_trace(timeline::take());
  LM_RETURN_IF_ERROR(sink->append({lightmetal::bytes_of(text.data(), text.size())}));
  LM_RETURN_IF_ERROR(sink->close());
  return output.finish();
}

// A forked child runs its parent's exit handlers, too.
void write_at_exit() {
  if (getpid() != Environment::get().process) return;
  const absl::Status status = write(Environment::get().path);
  if (status.ok()) return;
  const std::string line = absl::StrCat("lightmetal: no timeline: ", status.message(), "\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace

void begin_from_environment() {
  [[maybe_unused]] static const bool kBegun = [] {
    if (Environment::get().path.empty()) return false;
    timeline::enable();
    timeline::start();
    return std::atexit(write_at_exit) == 0;
  }();
}

}  // namespace tt::tt_metal::timeline_file
