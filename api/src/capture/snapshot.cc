#include "api/src/capture/snapshot.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/src/capture/scopes.h"
#include "api/src/capture/snapshot_parts.h"
#include "api/src/devices/device_impl.h"
#include "api/src/devices/device_registry.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/work/event_progress.h"
#include "capture/capture.h"
#include "capture/recorder.h"
#include "capture/session.h"

namespace tt::tt_metal {
namespace {

using std::chrono::steady_clock;

// How long a wait for the devices sleeps between two looks.
constexpr std::chrono::microseconds kLookAgain{200};

// Tells the recorder how flight recorders come by their snapshots. Every program that opens a
// device links this source from the static library, because record_left_out() is here.
[[maybe_unused]] const bool kIsSnapshotSource = lightmetal::capture::set_snapshot_source(
    {.prepare = prepare_segment, .record_pending = record_pending, .record = record_segment});

// The open devices in the order of their chips, so that equal programs give equal files.
std::vector<IDevice*> sorted_devices() {
  std::vector<IDevice*> devices = open_devices();
  std::ranges::sort(devices, {}, [](const IDevice* device) { return device->id(); });
  return devices;
}

absl::Status check_no_trace_is_captured(const DeviceImpl& device) {
  for (uint32_t i = 0; i < device.num_hw_cqs(); ++i) {
    const std::optional<uint32_t> trace_id = device.queue(i).tid();
    if (!trace_id) continue;
    return absl::FailedPreconditionError(absl::StrFormat(
        "queue %d of device %d captures device trace %d: a capture begins before BeginTraceCapture "
        "or after EndTraceCapture",
        i, device.id(), *trace_id));
  }
  return absl::OkStatus();
}

// Looks again and again instead of waiting for the queues, because some waits of queues never end:
// a wait for an event that only the program's next call records.
absl::Status wait_until_idle(DeviceImpl& device, steady_clock::time_point deadline) {
  while (!device.is_idle()) {
    if (EventProgress::anyone_waits_for_unannounced()) {
      return absl::FailedPreconditionError(
          "a queue waits for an event that has not been recorded yet: a capture begins before "
          "EnqueueWaitForEvent or after EnqueueRecordEvent");
    }
    if (steady_clock::now() >= deadline) {
      return absl::UnavailableError(
          absl::StrFormat("device %d still works on what was enqueued", device.id()));
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  return absl::OkStatus();
}

absl::Status wait_for_snapshot_until(steady_clock::time_point deadline) {
  const std::vector<IDevice*> devices = sorted_devices();
  // All devices are asked about traces before any is waited for, so that an impossible snapshot
  // fails at once.
  absl::Status status;
  for (const IDevice* device : devices) status.Update(check_no_trace_is_captured(impl_of(*device)));
  for (IDevice* device : devices) {
    if (status.ok()) status = wait_until_idle(impl_of(*device), deadline);
  }
  return status;
}

// While it lives, this thread is inside a captured function: host API calls that the snapshot makes
// are neither recorded nor kept waiting at the gate, whose end they would wait for.
class InsideCall {
 public:
  InsideCall() { ++lightmetal::capture::t_depth; }
  ~InsideCall() { --lightmetal::capture::t_depth; }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;
};

// The order is that of dependence; see snapshot_parts.h.
void record_all() {
  for (const std::string& name : open_scopes()) record<schema::ScopeBegin>(name);
  const std::vector<IDevice*> devices = sorted_devices();
  // The kinds of object in the order of what they are made of.
  for (const IDevice* device : devices) capture_calls::create_device(*device);
  for (const IDevice* device : devices) snapshot::record_sub_devices_and_traces(*device);
  snapshot::record_memory_objects();
  snapshot::record_programs();
  snapshot::record_contents_and_events(devices);
  snapshot::record_bindings_and_entry();
}

void fail_snapshot(const absl::Status& status) {
  lightmetal::capture::record_error(absl::Status(
      status.code(), absl::StrFormat("cannot record what lives: %s", status.message())));
}

}  // namespace

absl::Status wait_until_snapshot_is_possible() {
  return wait_for_snapshot_until(steady_clock::time_point::max());
}

absl::Status prepare_segment(std::chrono::milliseconds patience) {
  return wait_for_snapshot_until(steady_clock::now() + patience);
}

void record_pending() {
  const InsideCall inside;
  snapshot::record_pending_of_programs();
}

void record_snapshot() {
  const absl::Status status = wait_until_snapshot_is_possible();
  status.ok() ? record_segment() : fail_snapshot(status);
}

void record_segment() {
  const InsideCall inside;
  try {
    record_all();
  } catch (const std::exception& error) {
    fail_snapshot(absl::InternalError(error.what()));
  }
}

void record_left_out(IDevice& device) {
  lightmetal::capture::for_each_capture([&] {
    snapshot::record_left_out_programs();
    snapshot::record_left_out_events(device);
  });
}

}  // namespace tt::tt_metal
