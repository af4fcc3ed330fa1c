#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/kernel_objects.h"
#include "replay/object_table.h"
#include "replay/open_devices.h"
#include "replay/placement.h"
#include "replay/reads.h"
#include "replay/trace_use.h"
#include "schema/commands/calls.h"
#include "schema/file/reader.h"
#include "schema/storage/payload.h"

namespace lightmetal::replay {

// A kernel object that runs in place of another. All of it is valid only during the callback.
struct ReplacedKernel {
  uint64_t command = 0;  // the one that gives the kernel its object
  uint64_t kernel = 0;   // its id in the file
  std::string_view target;
  absl::Span<const std::byte> object;
};

// Returns the value that the read of a command is compared with; nullopt: the golden of the file.
using Goldens = std::function<absl::StatusOr<std::optional<schema::Payload>>(uint64_t command)>;

// The users of an executor differ in these.
struct Policies {
  // Places the buffers, and outlives the executor; null: each is placed where it was recorded.
  Placement* placement = nullptr;
  // Null: every read is compared with the golden of the file.
  Goldens goldens = {};
  // Called for each command that gives a kernel its object, where another object runs in its place.
  std::function<void(const ReplacedKernel&)> on_replaced_kernel = {};
};

// Executes the commands of one file through the public host API, with one overload of execute() for
// each command: the build declares them all, and a command without an overload does not link. The
// overloads are in execute_*.cc. Owns the objects that the commands make, and the devices that they
// open. Not thread-safe.
//
// What the host API throws becomes the command's error. REQUIRES: the file has been verified, and
// outlives the executor, as the options do; those of a run outlive the run.
class Executor {
 public:
  // `policy` says how the file has its goldens compared when the options of a run do not.
  Executor(const schema::File& file, const LoadOptions& options, const ComparePolicy& policy,
           TraceUse traces, Policies policies = {});
  // Releases every object and closes the devices that it opened.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Releases what the run before has left; its devices stay open for the next run.
  void begin_run(const RunOptions& options);
  // Executes one command; `number` is its number in the file, from 0. The error names the file and
  // the command.
  absl::Status execute(uint64_t number, const schema::Command& command);
  // Ends a run in which all commands were well: waits for the devices and settles the reads that no
  // command has waited for.
  absl::Status end_run();
  // Ends a run after an error: waits for what was enqueued, and forgets its reads.
  void abandon_run();
  ReplayResult take_result() { return std::exchange(result_, ReplayResult()); }

  // Waits for all devices and settles all reads. Returns false, and does nothing, while a queue
  // waits for an event that only a later command records.
  absl::StatusOr<bool> finish();

  // The objects that the commands have made so far and not ended.
  ObjectTable& objects() { return objects_; }

  // After a command that has failed: forgets its read, and lets queues continue that wait for an
  // event which will not be recorded. REQUIRES: nothing writes to the memory of the read.
  void forget_read(uint64_t number) { reads_.forget(number); }
  void give_up_event(uint64_t id);

  // Devices are opened with this schedule from the next run on. Those that are open are closed, so
  // no run may be under way.
  void set_schedule(const Schedule& schedule);

  // Loads the device trace of a command again; false for one that has been released.
  absl::StatusOr<bool> reload_trace(const schema::LoadTrace& call);

 private:
  struct Dispatch;  // calls execute() with the call's own type

#include "replay/execute_overloads.inc"

  // The objects that a command names. Pointers are valid until the next object of the kind is made
  // or ends. NotFound without such an object.
  absl::StatusOr<tt::tt_metal::IDevice*> device(uint64_t id);
  absl::StatusOr<tt::tt_metal::CommandQueue*> queue(uint64_t device_id, uint8_t cq);
  absl::StatusOr<tt::tt_metal::Buffer*> buffer(uint64_t id);
  absl::StatusOr<tt::tt_metal::Program*> program(uint64_t id);
  absl::StatusOr<KernelObject*> kernel(uint64_t id) { return objects_.kernels.find(id); }
  absl::StatusOr<CircularBufferObject*> circular_buffer(uint64_t id) {
    return objects_.circular_buffers.find(id);
  }
  absl::StatusOr<std::shared_ptr<tt::tt_metal::Event>*> event(uint64_t id) {
    return objects_.events.find(id);
  }
  absl::StatusOr<TraceObject*> trace(uint64_t id) { return objects_.traces.find(id); }
  absl::StatusOr<tt::tt_metal::LightMetalArgs> runtime_args(const schema::RuntimeArgs* args);

  // The object that runs in place of the kernel's own, for that target.
  absl::StatusOr<std::shared_ptr<const device::KernelObject>> replacing(const KernelObject& kernel,
                                                                        const std::string& target);

  // A read for the command being executed; of a buffer, by its id, when it reads one.
  absl::StatusOr<Read> read_of(std::string source, schema::ElementType type,
                               const schema::BlobRef* golden,
                               std::optional<uint64_t> buffer = std::nullopt);

  void wait_at_scope();
  void end_scopes();
  void end_entry();
  bool waits_for_later_command();

  absl::Status drain_and_settle();
  void end_waits_for_unrecorded();
  void drain_quietly();
  void release_objects();
  void release_sub_devices();

  const schema::File& file_;
  const LoadOptions& options_;
  const RunOptions* run_ = nullptr;
  RecordedPlacement recorded_places_;
  Placement& placement_;
  const Policies policies_;
  ReplayResult result_;
  Reads reads_;
  KernelObjects kernel_objects_;
  const TraceUse trace_use_;
  OpenDevices devices_;
  ObjectTable objects_;

  // The events for which a queue waited before any command had recorded them.
  absl::flat_hash_set<uint64_t> awaited_;

  // The command that is executed now.
  uint64_t number_ = 0;
  const schema::Command* command_ = nullptr;

  // Whether the replay still waits for the devices at a CallFailed, before it drops their errors.
  // The first such wait that gives up ends that for this run: a file may have any number of them.
  bool is_patient_ = true;

  uint64_t open_scopes_ = 0;  // that the run has begun
  bool is_in_entry_ = false;
};

// The error of command `number`, with the name of the file, the command and its offset.
absl::Status error_at(const schema::File& file, uint64_t number, const absl::Status& status);

}  // namespace lightmetal::replay
