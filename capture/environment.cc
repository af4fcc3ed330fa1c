#include "capture/environment.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/absolute_path.h"
#include "base/byte_size.h"
#include "base/output_variable.h"
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

// The file of this image; the files of images before it stay as they are.
std::string path_of_image(const std::string& path, pid_t process) {
  const int image = count_images(process);
  const std::string first = absolute_path(expand_path(path, process));
  return image <= 1 ? first : absl::StrCat(first, ".", image);
}

// What the environment asks for, read once.
struct Environment {
  const std::string value = value_of(Output::kCapture);
  const bool captures = !value.empty();
  const pid_t process = getpid();
  const std::string path = captures ? path_of_image(value, process) : "";

  // Never destroyed: it is read while the process ends.
  static const Environment& get() {
    static const Environment& environment = *new Environment;
    return environment;
  }
};

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
  const std::string line = absl::StrCat("lightmetal: the capture to ", Environment::get().path, " ",
                                        what_of_it, ": ", why.message(), "\n");
  std::fputs(line.c_str(), stderr);
}

absl::StatusOr<std::shared_ptr<schema::Sink>> open_sink() {
  const std::string& path = Environment::get().path;
  LM_ASSIGN_OR_RETURN(ring, ring_size());
  if (ring == 0) return schema::create_capture_file(path);
  LM_ASSIGN_OR_RETURN(file, schema::FileSink::create(path));
  return std::shared_ptr<schema::Sink>(std::move(file));
}

void end_at_exit() {
  // A forked child runs its parent's exit handlers, too.
  if (getpid() != Environment::get().process) return;
  // A signal handler that calls exit may have interrupted a call that was being recorded, which
  // holds what end() would wait for.
  if (internal::holds_capture_locks()) {
    return say("is incomplete",
               absl::AbortedError("the program ended inside a call that was being recorded"));
  }
  const bool has_begun = internal::environment_has_begun_to_write();
  const absl::Status status = end_environment();
  if (!status.ok()) say(has_begun ? "is incomplete" : "did not begin", status);
}

bool begin_from_environment() {
  if (!Environment::get().captures) return false;
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
  return environment.captures && is_same_file(path, environment.path);
}

std::string expand_path(absl::string_view path, int process_id) {
  return absl::StrReplaceAll(path, {{"%%", "%"}, {"%p", absl::StrCat(process_id)}});
}

}  // namespace lightmetal::capture
