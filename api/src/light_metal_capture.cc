#include <algorithm>
#include <lightmetal/capture.hpp>
#include <memory>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>
#include <vector>

#include "api/src/capture_calls.h"
#include "api/src/device_registry.h"
#include "base/mutex.h"
#include "capture/environment.h"
#include "capture/session.h"
#include "schema/sink.h"

namespace tt::tt_metal {
namespace {

namespace capture = lightmetal::capture;
namespace schema = lightmetal::schema;

// What the running capture writes to when it stays in memory.
constinit lightmetal::Mutex memory_mutex;
std::shared_ptr<schema::MemorySink>& memory_sink() ABSL_EXCLUSIVE_LOCKS_REQUIRED(memory_mutex) {
  static auto& sink = *new std::shared_ptr<schema::MemorySink>;
  return sink;
}

// True, with a line that says so, when the environment has the capture and `call` has no effect.
bool left_to_environment(const char* call) {
  if (!capture::environment_captures()) return false;
  log_warning(LogMetalTrace, "{} does nothing: LIGHTMETAL_CAPTURE captures this process to {}",
              call, capture::environment_path());
  return true;
}

std::shared_ptr<schema::Sink> file_sink(const std::string& path) {
  auto sink = schema::FileSink::create(path);
  if (!sink.ok()) TT_THROW("{}", std::string(sink.status().message()));
  return *std::move(sink);
}

void record_open_devices() {
  std::vector<IDevice*> devices = open_devices();
  std::sort(devices.begin(), devices.end(),
            [](const IDevice* a, const IDevice* b) { return a->id() < b->id(); });
  for (const IDevice* device : devices) capture_calls::create_device(*device);
}

void begin(const lightmetal::CaptureOptions& options, std::shared_ptr<schema::Sink> sink) {
  const absl::Status status =
      capture::begin({.read_goldens = options.read_goldens}, std::move(sink), record_open_devices);
  if (!status.ok()) TT_THROW("{}", std::string(status.message()));
}

LightMetalBinary binary_of(schema::MemorySink* sink) {
  if (sink == nullptr) return {};
  const std::vector<std::byte> bytes = sink->take();
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  return LightMetalBinary(std::vector<uint8_t>(begin, begin + bytes.size()));
}

}  // namespace

void LightMetalBeginCapture() { LightMetalBeginCapture(lightmetal::CaptureOptions{}); }

void LightMetalBeginCapture(const lightmetal::CaptureOptions& options) {
  if (left_to_environment("LightMetalBeginCapture")) return;
  // Checked first, so that a refused call does not empty the file of the capture that runs.
  TT_FATAL(!capture::running(), "LightMetalBeginCapture: a capture runs already, and goes on");
  if (!options.path.empty()) return begin(options, file_sink(options.path));
  const auto sink = std::make_shared<schema::MemorySink>();
  begin(options, sink);
  lightmetal::MutexLock lock(&memory_mutex);
  memory_sink() = sink;
}

LightMetalBinary LightMetalEndCapture() {
  if (left_to_environment("LightMetalEndCapture")) return {};
  TT_FATAL(capture::running(), "LightMetalEndCapture: no capture was begun");
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

bool capture_is_compiled_in() { return true; }

}  // namespace lightmetal
