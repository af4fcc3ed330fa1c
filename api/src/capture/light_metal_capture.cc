#include <lightmetal/capture.hpp>
#include <memory>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>

#include "api/src/capture/binary_content.h"
#include "api/src/capture/living.h"
#include "api/src/capture/snapshot.h"
#include "api/src/record/capture_calls.h"
#include "api/src/support/errors.h"
#include "base/mutex.h"
#include "capture/environment.h"
#include "capture/file_data.h"
#include "capture/session.h"
#include "schema/storage/mapped_sink.h"
#include "schema/storage/memory_sink.h"
#include "schema/storage/sink.h"

namespace tt::tt_metal {
namespace {

namespace capture = lightmetal::capture;
namespace schema = lightmetal::schema;

// What the running capture writes to when it stays in memory; null otherwise.
// LightMetalEndCapture() makes the binary of it.
constinit lightmetal::Mutex memory_mutex;
std::shared_ptr<schema::MemorySink>& memory_sink() ABSL_EXCLUSIVE_LOCKS_REQUIRED(memory_mutex) {
  static auto& sink = *new std::shared_ptr<schema::MemorySink>;
  return sink;
}

// Two captures cannot write one file, and beginning one would empty what the other has written.
void check_is_not_environments(const std::string& path) {
  TT_FATAL(!capture::environment_captures_to(path),
           "LightMetalBeginCapture: LIGHTMETAL_CAPTURE captures this process to {} already: the "
           "program's own capture needs another file",
           path);
}

void set_memory_sink(std::shared_ptr<schema::MemorySink> sink) {
  lightmetal::MutexLock lock(&memory_mutex);
  memory_sink() = std::move(sink);
}

template <class SinkPointer>
std::shared_ptr<schema::Sink> value_or_throw(absl::StatusOr<SinkPointer> sink) {
  if (!sink.ok()) TT_THROW("{}", std::string(sink.status().message()));
  return *std::move(sink);
}

std::shared_ptr<schema::Sink> file_sink(const lightmetal::CaptureOptions& options) {
  if (options.ring_size == 0) return value_or_throw(schema::create_capture_file(options.path));
  return value_or_throw(schema::FileSink::create(options.path));
}

// What the program chose, or else what the environment says.
template <class Value>
Value given_or(const std::optional<Value>& given, absl::StatusOr<Value> (*environment)()) {
  if (given.has_value()) return *given;
  const absl::StatusOr<Value> chosen = environment();
  if (!chosen.ok()) TT_THROW("{}", std::string(chosen.status().message()));
  return *chosen;
}

capture::Options capture_options(const lightmetal::CaptureOptions& options) {
  return {.read_goldens = options.read_goldens,
          .record_origin = given_or(options.record_origin, capture::environment_records_origin),
          .intents = options.intents,
          .ring_size = options.ring_size,
          .compression_level = given_or(options.compress, capture::environment_compression_level),
          .payloads = given_or(options.payloads, capture::environment_payloads),
          .golden_policy = given_or(options.golden_policy, capture::environment_golden_policy),
          .min_reference_size = options.min_reference_size};
}

void check(const absl::Status& status) {
  if (!status.ok()) TT_THROW("{}", std::string(status.message()));
}

void begin(const capture::Options& options, std::shared_ptr<schema::Sink> sink) {
  check(capture::begin(options, std::move(sink), record_snapshot));
}

LightMetalBinary binary_of(schema::MemorySink* sink) {
  if (sink == nullptr) return {};
  if (sink->file() == nullptr) return LightMetalBinary(sink->take_as<uint8_t>());
  return LightMetalBinary(
      std::make_shared<const detail::BinaryContent>(sink->file(), sink->size()));
}

}  // namespace

void LightMetalBeginCapture() { LightMetalBeginCapture(lightmetal::CaptureOptions{}); }

void LightMetalBeginCapture(const lightmetal::CaptureOptions& options) {
  // These checks come before any file is created, so that a refused call empties no file, not even
  // that of the capture that runs.
  TT_FATAL(!capture::running(), "LightMetalBeginCapture: a capture runs already, and goes on");
  const absl::Status quiet = wait_until_snapshot_is_possible();
  TT_FATAL(quiet.ok(), "LightMetalBeginCapture: {}", std::string(quiet.message()));
  TT_FATAL(options.ring_size == 0 || !options.path.empty(),
           "LightMetalBeginCapture: a flight recorder needs a path to write to");
  const capture::Options chosen = capture_options(options);
  check(capture::check_options(chosen));
  set_memory_sink(nullptr);  // a forked child still has that of its parent
  if (!options.path.empty()) {
    check_is_not_environments(options.path);
    return begin(chosen, file_sink(options));
  }
  const auto sink = std::make_shared<schema::MemorySink>(options.memory_limit);
  begin(chosen, sink);
  set_memory_sink(sink);
}

absl::Status capture_living(const ObjectNames& names,
                            std::shared_ptr<lightmetal::schema::Sink> sink) {
  if (absl::Status quiet = wait_until_snapshot_is_possible(); !quiet.ok()) return quiet;
  absl::Status begun = capture::begin({.record_origin = false}, std::move(sink), [&] {
    for (const ObjectNames::Name& name : names.names()) capture::name_object(name.object, name.id);
    record_snapshot();
  });
  return begun.ok() ? capture::end() : begun;
}

LightMetalBinary LightMetalEndCapture() {
  TT_FATAL(capture::running(), "LightMetalEndCapture: no capture was begun");
  // From here on nobody writes to the sink any more.
  const absl::Status status = capture::end();
  std::shared_ptr<schema::MemorySink> sink;
  {
    lightmetal::MutexLock lock(&memory_mutex);
    sink = std::move(memory_sink());
  }
  if (!status.ok()) {
    TT_THROW("LightMetalEndCapture: the capture is incomplete: {}", std::string(status.message()));
  }
  return binary_of(sink.get());
}

}  // namespace tt::tt_metal

namespace lightmetal {

bool dump_flight_recorder() {
  const absl::StatusOr<bool> written = capture::write_flight_record();
  tt::tt_metal::throw_if_error(written.status());
  return *written;
}

bool capture_is_compiled_in() { return true; }

absl::Status declare_file_data(std::span<const std::byte> data, const std::string& path,
                               uint64_t offset) {
  return capture::declare_file_data(bytes_of(data.data(), data.size()), path, offset);
}

void undeclare_file_data(std::span<const std::byte> data) {
  capture::undeclare_file_data(bytes_of(data.data(), data.size()));
}

}  // namespace lightmetal
