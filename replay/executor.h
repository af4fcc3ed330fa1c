#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/host_api.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/kernel_objects.h"
#include "replay/object_table.h"
#include "replay/reads.h"
#include "replay/trace_use.h"
#include "schema/commands/calls.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// Executes the commands of one file through the public host API, with one overload of execute() for
// each command: the build declares them all, and a command without one does not link. The overloads
// are in execute_*.cc. Not thread-safe.
//
// What the host API throws becomes the command's error.
class Executor {
 public:
  Executor(const schema::File& file, const ReplayOptions& options, TraceUse traces);
  // Releases every object and closes the devices that it opened.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Releases what the run before has left; the devices stay open for the next one.
  void begin_run();
  // `number` is the command's in the file.
  absl::Status execute(uint64_t number, const schema::Command& command);
  // Waits for the devices and settles the reads that nobody waited for.
  absl::Status end_run();
  // After an error: what was enqueued is waited for and forgotten.
  void abandon_run();

  ReplayResult take_result() { return std::exchange(result_, ReplayResult()); }

 private:
  struct Dispatch;  // calls execute() with the call's own type

#include "replay/execute_overloads.inc"

  // The objects that a command names; good until the next one is made or ends.
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
  absl::StatusOr<std::shared_ptr<tt::tt_metal::RuntimeArgs>> runtime_args(
      const schema::RuntimeArgs* args);

  // The device that `call` opens: the caller's, one left open by the run before, or a new one.
  absl::StatusOr<DeviceObject> open(const schema::CreateDevice& call);
  bool is_for_callers_device(const schema::CreateDevice& call);

  // A read for the command being executed.
  absl::StatusOr<Read> read_of(std::string source, schema::ElementType type,
                               const schema::BlobRef* golden);
  std::string name_of_buffer(uint64_t id, const tt::tt_metal::Buffer& buffer) const;
  // Reads into fresh memory by `read_now` and settles at once.
  absl::Status read_directly(Read read, uint64_t size,
                             const std::function<void(std::span<std::byte>)>& read_now);
  // A read through a queue; settles the queue's reads when it blocks.
  absl::Status read_through(tt::tt_metal::CommandQueue& queue, Read read, uint64_t size,
                            bool blocking,
                            const std::function<void(std::span<std::byte>)>& enqueue);
  // All that was enqueued on the queue has been done, if the call blocked.
  absl::Status settle_if(bool blocking, const tt::tt_metal::CommandQueue& queue);

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

  // Devices of the run before, by their id in the file.
  absl::flat_hash_map<uint64_t, tt::tt_metal::IDevice*> idle_devices_;
  std::optional<uint32_t> first_chip_id_;  // of the first device that the file opens

  // What is executed now.
  uint64_t number_ = 0;
  const schema::Command* command_ = nullptr;

  // Whether the replay still waits for the devices at a CallFailed, before it drops their errors.
  // The first such wait that gives up ends that for this run: a file may have any number of them.
  bool is_patient_ = true;
};

}  // namespace lightmetal::replay
