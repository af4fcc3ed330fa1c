#include "capture/environment.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/absolute_path.h"
#include "base/byte_size.h"
#include "base/mutex.h"
#include "base/output_variable.h"
#include "base/per_process.h"
#include "base/same_file.h"
#include "base/status.h"
#include "capture/capture.h"
#include "capture/flight_recorder.h"
#include "capture/recorder.h"
#include "capture/session.h"
#include "schema/file/compressed_blob.h"
#include "schema/storage/mapped_sink.h"

namespace lightmetal::capture {

// g_mode is defined here because every captured function needs it: a program that is linked with
// the static library thereby links this source, with the initialiser at its end that begins the
// environment's capture.
constinit std::atomic<Mode> g_mode{0};

namespace {

// Which image of the process this is, counted from 1. A program that the process becomes by exec
// has the same process id, and finds the mark of the image before it in the environment.
int count_images(pid_t process) {
  constexpr char kMark[] = "LIGHTMETAL_CAPTURE_IMAGE";
  int image = 1;
  if (const char* mark = std::getenv(kMark)) {
    const std::pair<absl::string_view, absl::string_view> ids = absl::StrSplit(mark, '.');
    int before = 0;
    if (ids.first == absl::StrCat(process) && absl::SimpleAtoi(ids.second, &before)) {
      image = before + 1;
    }
  }
  setenv(kMark, absl::StrCat(process, ".", image).c_str(), /*overwrite=*/1);
  return image;
}

// What the environment asks for, read once.
struct Environment {
  const std::string value = value_of(Output::kCapture);
  const bool captures = !value.empty();
  const pid_t first_process = getpid();                     // not a child that it has forked
  const std::filesystem::path folder = absolute_path(".");  // relative paths begin there

  // Never destroyed: it is read while the process ends.
  static const Environment& get() {
    static const Environment& environment = *new Environment;
    return environment;
  }
};

// The file of this process and image; the files of images before it stay as they are. A forked
// child has its own path where the variable has the process id in it.
class CapturedPath {
 public:
  static std::string get() { return PerProcess<CapturedPath>::get().get_once(); }

 private:
  std::string get_once() {
    MutexLock lock(&mutex_);
    if (path_.empty()) path_ = path_of_image(getpid());
    return path_;
  }

  static std::string path_of_image(pid_t process) {
    const Environment& environment = Environment::get();
    const int image = count_images(process);
    const std::string first =
        (environment.folder / expand_path(environment.value, process)).lexically_normal().string();
    return image <= 1 ? first : absl::StrCat(first, ".", image);
  }

  Mutex mutex_;
  std::string path_ ABSL_GUARDED_BY(mutex_);  // empty until it is asked for
};

// True in a forked child for which the variable names the file of its parent.
bool shares_parents_file() {
  const Environment& environment = Environment::get();
  return getpid() != environment.first_process &&
         expand_path(environment.value, getpid()) ==
             expand_path(environment.value, environment.first_process);
}

// The value of a variable that is 0 or 1; `unset` when it is not set.
absl::StatusOr<bool> switch_of(const char* name, bool unset) {
  const char* value = std::getenv(name);
  const absl::string_view text = value == nullptr ? "" : value;
  if (text.empty()) return unset;
  if (text == "0" || text == "1") return text == "1";
  return absl::InvalidArgumentError(absl::StrCat(name, " is 0 or 1, not ", text));
}

absl::StatusOr<uint64_t> ring_size() {
  const char* value = std::getenv("LIGHTMETAL_CAPTURE_RING");
  if (value == nullptr || *value == 0) return 0;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const std::optional<uint64_t> size = parse_byte_size(value);
  if (size.has_value() && *size >= kMinRingSize && *size <= kMost) return *size;
  return absl::InvalidArgumentError(absl::StrCat(
      "LIGHTMETAL_CAPTURE_RING is a size such as 64M, from 64K to 1024G, not ", value));
}

absl::StatusOr<Options> environment_options() {
  Options options;
  LM_ASSIGN_OR_RETURN(read_goldens, switch_of("LIGHTMETAL_CAPTURE_READ_GOLDENS", true));
  options.read_goldens = read_goldens;
  LM_ASSIGN_OR_RETURN(intents, switch_of("LIGHTMETAL_CAPTURE_INTENTS", false));
  options.intents = intents;
  LM_ASSIGN_OR_RETURN(origin, environment_records_origin());
  options.record_origin = origin;
  LM_ASSIGN_OR_RETURN(size, ring_size());
  options.ring_size = size;
  LM_ASSIGN_OR_RETURN(level, environment_compression_level());
  options.compression_level = level;
  LM_ASSIGN_OR_RETURN(payloads, environment_payloads());
  options.payloads = payloads;
  LM_ASSIGN_OR_RETURN(policy, environment_golden_policy());
  options.golden_policy = policy;
  return options;
}

// "lightmetal: the capture to FILE is incomplete: WHY"
void say(absl::string_view what_of_it, const absl::Status& why) {
  const std::string line = absl::StrCat("lightmetal: the capture to ", CapturedPath::get(), " ",
                                        what_of_it, ": ", why.message(), "\n");
  std::fputs(line.c_str(), stderr);
}

// A child that was forked has no file of its own: one line says so at its first call.
absl::Status refuse_child() {
  const std::string why =
      absl::StrCat("lightmetal: process ", getpid(),
                   " was forked by a captured program and is not captured: ", CapturedPath::get(),
                   " is the file of process ", Environment::get().first_process,
                   "; %p in LIGHTMETAL_CAPTURE gives each process its own\n");
  std::fputs(why.c_str(), stderr);
  return absl::FailedPreconditionError(why);
}

absl::StatusOr<std::shared_ptr<schema::Sink>> open_sink() {
  if (shares_parents_file()) return refuse_child();
  const std::string path = CapturedPath::get();
  LM_ASSIGN_OR_RETURN(ring, ring_size());
  if (ring == 0) return schema::create_capture_file(path);
  LM_ASSIGN_OR_RETURN(file, schema::FileSink::create(path));
  return std::shared_ptr<schema::Sink>(std::move(file));
}

void end_capture() {
  const bool has_begun = internal::environment_has_begun_to_write();
  const absl::Status status = end_environment();
  // refuse_child() has said why such a child is not captured.
  if (status.ok() || shares_parents_file()) return;
  say(has_begun ? "is incomplete" : "did not begin", status);
}

void end_at_exit() {
  // A signal handler that calls exit may have interrupted a call that was being recorded, which
  // holds what end() would wait for.
  if (internal::holds_capture_locks()) {
    return say("is incomplete",
               absl::AbortedError("the program ended inside a call that was being recorded"));
  }
  try {
    end_capture();
  } catch (const std::bad_alloc&) {
    std::fputs("lightmetal: the capture is incomplete: it is out of memory\n", stderr);
  }
}

bool begin_from_environment() {
  if (!Environment::get().captures) return false;
  CapturedPath::get();  // counts this image
  const absl::StatusOr<Options> options = environment_options();
  if (!options.ok()) {
    say("does not begin", options.status());
    return false;
  }
  if (!begin_at_first_call(*options, open_sink).ok()) return false;
  return std::atexit(end_at_exit) == 0;
}

[[maybe_unused]] const bool kBegun = begin_from_environment();

}  // namespace

absl::StatusOr<int> environment_compression_level() {
  const char* value = std::getenv("LIGHTMETAL_CAPTURE_COMPRESS");
  int level = 0;
  if (value == nullptr || *value == 0 ||
      (absl::SimpleAtoi(value, &level) && level >= 0 && level <= schema::kMaxCompressionLevel)) {
    return level;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("LIGHTMETAL_CAPTURE_COMPRESS is a level from 0 to ",
                   schema::kMaxCompressionLevel, ", not ", value));
}

absl::StatusOr<PayloadPolicy> environment_payloads() {
  const char* value = std::getenv("LIGHTMETAL_CAPTURE_PAYLOADS");
  const absl::string_view policy = value == nullptr ? "" : value;
  if (policy.empty() || policy == "embed") return PayloadPolicy::Embed;
  if (policy == "reference") return PayloadPolicy::Reference;
  if (policy == "fail") return PayloadPolicy::Fail;
  return absl::InvalidArgumentError(
      absl::StrCat("LIGHTMETAL_CAPTURE_PAYLOADS is embed, reference or fail, not ", policy));
}

absl::StatusOr<ComparePolicy> environment_golden_policy() {
  const char* value = std::getenv("LIGHTMETAL_CAPTURE_GOLDEN");
  if (value == nullptr || *value == 0) return ComparePolicy{};
  const auto policy = ComparePolicy::parse(value);
  if (policy.ok()) return *policy;
  return absl::InvalidArgumentError(
      absl::StrCat("LIGHTMETAL_CAPTURE_GOLDEN: ", policy.status().message()));
}

absl::StatusOr<bool> environment_records_origin() {
  return switch_of("LIGHTMETAL_CAPTURE_ORIGIN", true);
}

bool environment_captures_to(const std::string& path) {
  const Environment& environment = Environment::get();
  return environment.captures && is_same_file(path, CapturedPath::get());
}

std::string expand_path(absl::string_view path, int process_id) {
  return absl::StrReplaceAll(path, {{"%%", "%"}, {"%p", absl::StrCat(process_id)}});
}

}  // namespace lightmetal::capture
