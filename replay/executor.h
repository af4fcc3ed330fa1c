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

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "replay/failures.h"
#include "replay/kernel_objects.h"
#include "replay/moved_buffers.h"
#include "replay/object_table.h"
#include "replay/reads.h"
#include "replay/trace_use.h"
#include "schema/commands/calls.h"
#include "schema/file/reader.h"
#include "schema/storage/payload.h"

namespace lightmetal::replay {

// Executes the commands of one file through the public host API, with one overload of execute() for
// each command: the build declares them all, and a command without an overload does not link. The
// overloads are in execute_*.cc. Owns the objects that the commands make, and the devices that they
// open. Not thread-safe.
//
// What the host API throws becomes the command's error. REQUIRES: the file has been verified, and
// outlives the executor, as the options do.
class Executor {
 public:
  // `policy` is how the file has its goldens compared when `options` does not say.
  Executor(const schema::File& file, const ReplayOptions& options, const ComparePolicy& policy,
           TraceUse traces);
  // Releases every object and closes the devices that it opened.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Releases what the run before has left; its devices stay open for the next run.
  void begin_run();
  // Executes one command; `number` is its number in the file, from 0. The error names the file and
  // the command.
  absl::Status execute(uint64_t number, const schema::Command& command);
  // Executes one command of a run that goes on after errors: notes an error in the result, and
  // skips the command when it needs what has failed.
  void attempt(uint64_t number, const schema::Command& command);
  // Ends a run in which all commands were well: waits for the devices and settles the reads that no
  // command has waited for. In a run that goes on after errors, notes an error in the result.
  absl::Status end_run();
  // Ends a run after an error: waits for what was enqueued, and forgets its reads.
  void abandon_run();

  // Waits for all devices and settles all reads. Returns false, and does nothing, while a queue
  // waits for an event that only a later command records.
  absl::StatusOr<bool> finish();

  // Make calls that no command of the file stands for, so that a capture of the run has the waits:
  // for the end of a launch outside the queues, and for the queues of all open devices.
  absl::Status wait_for(const schema::LaunchProgram& launch);
  absl::Status wait_for_devices();

  // Reads each buffer that holds memory which the host can read, in ascending order of id; `visit`
  // gets its id, its name in messages, and what it holds. REQUIRES: nothing is under way on the
  // devices.
  using BufferVisitor =
      absl::FunctionRef<absl::Status(uint64_t id, const std::string& name, Bytes content)>;
  absl::Status for_each_buffer(BufferVisitor visit);

  // Compares reads with what `goldens` says for the number of their command, where it says
  // something, instead of with the goldens of the file.
  using Goldens = std::function<absl::StatusOr<std::optional<schema::Payload>>(uint64_t command)>;
  void use_goldens(Goldens goldens) { goldens_ = std::move(goldens); }

  // Writes the checkpoint of the file that the options ask for, before command `number` is
  // executed.
  absl::Status write_checkpoint(uint64_t number);

  // Devices are opened with this schedule from the next run on. Those that are open are closed, so
  // no run may be under way.
  void set_schedule(const Schedule& schedule);
  // What Replay has under these names.
  std::vector<LivingBuffer> living_buffers();
  absl::StatusOr<std::vector<uint8_t>> read_buffer(uint64_t id);

  // For who executes some of the commands in an order of its own: the buffer that a command has
  // made, a BufferCreate as a view of memory that another buffer has, and the value that a global
  // semaphore was created with.
  absl::StatusOr<std::shared_ptr<tt::tt_metal::Buffer>> shared_buffer(uint64_t id);
  absl::Status execute_as_view(uint64_t number, const schema::Command& command);
  absl::Status reset_global_semaphore(uint64_t id, uint32_t value);
  // From now on these buffers, by their ids, lie elsewhere where their place is taken, and not
  // where those of `kept` were recorded, which outlive the executor; and commands that are executed
  // once more may have ended buffers as arguments.
  void allow_moves(absl::flat_hash_set<uint64_t> buffers,
                   std::vector<const schema::BufferCreate*> kept) {
    movable_ = std::move(buffers);
    kept_places_ = std::move(kept);
    remembers_ended_ = true;
  }
  // Puts `other` in the place of a buffer for the commands that follow, and returns what was there;
  // and lets a circular buffer lie in the buffer that it was made with, as that is now.
  absl::StatusOr<std::shared_ptr<tt::tt_metal::Buffer>> exchange_buffer(
      uint64_t id, std::shared_ptr<tt::tt_metal::Buffer> other);
  absl::Status follow_buffer(const schema::CircularBufferCreate& call);
  // Loads the device trace of a command anew, where it is; false for one that has been released.
  absl::StatusOr<bool> reload_trace(const schema::LoadTrace& call);
  // Takes the memory that a buffer had which has ended, until the executor ends.
  absl::Status reserve_memory(const schema::BufferCreate& call);

  ReplayResult take_result() { return std::exchange(result_, ReplayResult()); }

 private:
  struct Dispatch;  // calls execute() with the call's own type

#include "replay/execute_overloads.inc"

  // The objects that a command names. Pointers are valid until the next object of the kind is made
  // or ends. NotFound without such an object.
  absl::StatusOr<tt::tt_metal::IDevice*> device(uint64_t id);
  absl::StatusOr<tt::tt_metal::CommandQueue*> queue(uint64_t device_id, uint8_t cq);
  absl::StatusOr<tt::tt_metal::Buffer*> buffer(uint64_t id);
  absl::StatusOr<tt::tt_metal::Program*> program(uint64_t id);
  // Makes a buffer that may lie elsewhere. Throws when there is no room.
  std::shared_ptr<tt::tt_metal::Buffer> make_movable(
      tt::tt_metal::replay_hooks::RecordedBuffer recorded);
  bool lies_in_kept_place(const tt::tt_metal::Buffer& buffer) const;
  absl::StatusOr<KernelObject*> kernel(uint64_t id) { return objects_.kernels.find(id); }
  absl::StatusOr<CircularBufferObject*> circular_buffer(uint64_t id) {
    return objects_.circular_buffers.find(id);
  }
  absl::StatusOr<std::shared_ptr<tt::tt_metal::Event>*> event(uint64_t id) {
    return objects_.events.find(id);
  }
  absl::StatusOr<TraceObject*> trace(uint64_t id) { return objects_.traces.find(id); }
  absl::StatusOr<tt::tt_metal::LightMetalArgs> runtime_args(const schema::RuntimeArgs* args);

  // The device that `call` opens: the caller's, one left open by the run before, or a new one.
  absl::StatusOr<DeviceObject> open(const schema::CreateDevice& call);
  bool is_of_first_chip(const schema::CreateDevice& call);

  // The object that runs in place of the kernel's own, for that target.
  absl::StatusOr<std::shared_ptr<const device::KernelObject>> replacing(const KernelObject& kernel,
                                                                        const std::string& target);

  // A read for the command being executed; of a buffer, by its id, when it reads one.
  absl::StatusOr<Read> read_of(std::string source, schema::ElementType type,
                               const schema::BlobRef* golden,
                               std::optional<uint64_t> buffer = std::nullopt);
  std::string name_of_device(const tt::tt_metal::IDevice& device) const;
  std::string name_of_buffer(uint64_t id, const tt::tt_metal::Buffer& buffer) const;
  // Reads beside the queues: into fresh memory, by `read_now`; settles the read at once.
  absl::Status read_directly(Read read, uint64_t size,
                             const std::function<void(std::span<std::byte>)>& read_now);
  // Reads through a queue, by `enqueue`; settles the queue's reads when the call blocks.
  absl::Status read_through(tt::tt_metal::CommandQueue& queue, Read read, uint64_t size,
                            bool blocking,
                            const std::function<void(std::span<std::byte>)>& enqueue);
  // If the call has blocked, all that was enqueued on the queue has been done: settles its reads.
  absl::Status settle_if(bool blocking, const tt::tt_metal::CommandQueue& queue);

  void wait_at_scope();
  void end_scopes();
  void end_entry();
  bool waits_for_later_command();
  // Lets queues go on that wait for an event which will not be recorded as it was.
  void give_up_event(uint64_t id);
  void note_error(std::optional<uint64_t> number, bool skipped, std::string message);
  absl::Status error_of(uint64_t number, const absl::Status& status) const;

  absl::Status drain_and_settle();
  void end_waits_for_unrecorded();
  void drain_quietly();
  void release_objects();
  void release_sub_devices();
  void close_devices();

  const schema::File& file_;
  const ReplayOptions& options_;
  ReplayResult result_;
  Reads reads_;
  KernelObjects kernel_objects_;
  const TraceUse trace_use_;
  ObjectTable objects_;

  // The devices that the run before has left open, by their id in the file.
  absl::flat_hash_map<uint64_t, tt::tt_metal::IDevice*> idle_devices_;
  std::optional<Schedule> schedule_;       // of the devices that it opens
  std::optional<uint32_t> first_chip_id_;  // of the first device that the file opens

  // The events for which a queue waited before any command had recorded them.
  absl::flat_hash_set<uint64_t> awaited_;
  Failures failures_;
  Goldens goldens_;

  // The command that is executed now.
  uint64_t number_ = 0;
  const schema::Command* command_ = nullptr;

  // Whether the replay still waits for the devices at a CallFailed, before it drops their errors.
  // The first such wait that gives up ends that for this run: a file may have any number of them.
  bool is_patient_ = true;

  uint64_t open_scopes_ = 0;  // that the run has begun
  bool is_in_entry_ = false;
  bool makes_views_ = false;  // of buffers
  std::vector<std::shared_ptr<tt::tt_metal::Buffer>> reserved_;
  absl::flat_hash_set<uint64_t> movable_;
  std::vector<const schema::BufferCreate*> kept_places_;
  bool remembers_ended_ = false;
  absl::flat_hash_map<uint64_t, uint64_t> ended_addresses_;  // of buffers, by their ids
  MovedBuffers moved_;
};

}  // namespace lightmetal::replay
