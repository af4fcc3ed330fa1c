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
#include "schema/calls.h"
#include "schema/reader.h"

namespace lightmetal::replay {

// Executes the commands of one file through the public host API: for each command one overload of
// execute(), and without it this does not compile. The overloads are in execute_*.cc. Not
// thread-safe.
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

  absl::Status execute(const schema::CreateDevice& call);
  absl::Status execute(const schema::CloseDevice& call);
  absl::Status execute(const schema::SubDeviceManagerCreate& call);
  absl::Status execute(const schema::SubDeviceManagerRemove& call);
  absl::Status execute(const schema::SubDeviceManagerLoad& call);
  absl::Status execute(const schema::SubDeviceManagerClear& call);
  absl::Status execute(const schema::SubDeviceStallGroupSet& call);
  absl::Status execute(const schema::SubDeviceStallGroupReset& call);

  absl::Status execute(const schema::BufferCreate& call);
  absl::Status execute(const schema::BufferSetPageSize& call);
  absl::Status execute(const schema::BufferDeallocate& call);
  absl::Status execute(const schema::BufferDestroy& call);

  absl::Status execute(const schema::ProgramCreate& call);
  absl::Status execute(const schema::ProgramDestroy& call);
  absl::Status execute(const schema::KernelCreate& call);
  absl::Status execute(const schema::KernelBinary& call);
  absl::Status execute(const schema::CircularBufferCreate& call);
  absl::Status execute(const schema::UpdateCircularBufferTotalSize& call);
  absl::Status execute(const schema::UpdateCircularBufferPageSize& call);
  absl::Status execute(const schema::UpdateDynamicCircularBufferAddress& call);
  absl::Status execute(const schema::UpdateDynamicCircularBufferAddressAndTotalSize& call);
  absl::Status execute(const schema::CreateSemaphore& call);
  absl::Status execute(const schema::GlobalSemaphoreCreate& call);
  absl::Status execute(const schema::GlobalSemaphoreResetValue& call);
  absl::Status execute(const schema::GlobalSemaphoreDestroy& call);
  absl::Status execute(const schema::GlobalCircularBufferCreate& call);
  absl::Status execute(const schema::GlobalCircularBufferDestroy& call);
  absl::Status execute(const schema::CircularBufferCreateOnGlobal& call);
  absl::Status execute(const schema::UpdateDynamicCircularBufferGlobal& call);
  absl::Status execute(const schema::AssignGlobalBufferToProgram& call);

  absl::Status execute(const schema::SetRuntimeArgs& call);
  absl::Status execute(const schema::SetRuntimeArgsPerCore& call);
  absl::Status execute(const schema::SetRuntimeArgsSymbolic& call);
  absl::Status execute(const schema::SetRuntimeArgsSymbolicPerCore& call);
  absl::Status execute(const schema::SetCommonRuntimeArgs& call);
  absl::Status execute(const schema::WriteRuntimeArgs& call);
  absl::Status execute(const schema::WriteCommonRuntimeArgs& call);

  absl::Status execute(const schema::EnqueueWriteBuffer& call);
  absl::Status execute(const schema::EnqueueReadBuffer& call);
  absl::Status execute(const schema::EnqueueWriteSubBuffer& call);
  absl::Status execute(const schema::EnqueueReadSubBuffer& call);
  absl::Status execute(const schema::EnqueueProgram& call);
  absl::Status execute(const schema::FinishQueue& call);
  absl::Status execute(const schema::Synchronize& call);
  absl::Status execute(const schema::EventCreate& call);
  absl::Status execute(const schema::EventDestroy& call);
  absl::Status execute(const schema::EnqueueRecordEvent& call);
  absl::Status execute(const schema::EnqueueWaitForEvent& call);
  absl::Status execute(const schema::EventSynchronize& call);

  absl::Status execute(const schema::LoadTrace& call);
  absl::Status execute(const schema::ReplayTrace& call);
  absl::Status execute(const schema::EnqueueTrace& call);
  absl::Status execute(const schema::ReleaseTrace& call);

  absl::Status execute(const schema::CompileProgram& call);
  absl::Status execute(const schema::ConfigureDeviceWithProgram& call);
  absl::Status execute(const schema::WriteRuntimeArgsToDevice& call);
  absl::Status execute(const schema::LaunchProgram& call);
  absl::Status execute(const schema::WaitProgramDone& call);
  absl::Status execute(const schema::WriteToBuffer& call);
  absl::Status execute(const schema::ReadFromBuffer& call);
  absl::Status execute(const schema::ReadShard& call);
  absl::Status execute(const schema::WriteToDeviceDRAMChannel& call);
  absl::Status execute(const schema::ReadFromDeviceDRAMChannel& call);
  absl::Status execute(const schema::WriteToDeviceL1& call);
  absl::Status execute(const schema::ReadFromDeviceL1& call);
  absl::Status execute(const schema::WriteToEthernetL1& call);
  absl::Status execute(const schema::ReadFromEthernetL1& call);
  absl::Status execute(const schema::LightMetalCompare& call);
  absl::Status execute(const schema::CallFailed& call);

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

  // Waiting for what a failed call had waited for has not been in vain so far. Once in a run is
  // enough: a file may have any number of such calls.
  bool is_patient_ = true;
};

}  // namespace lightmetal::replay
