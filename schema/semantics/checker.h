#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/status.h"
#include "host/bindings.h"
#include "host/memory_place.h"
#include "host/scopes.h"
#include "schema/commands/calls.h"
#include "schema/semantics/budget.h"
#include "schema/semantics/device_memory.h"
#include "schema/semantics/objects.h"

namespace lightmetal::schema::semantics {

// The objects of one kind, by their ids in the file.
template <class State>
class Table {
 public:
  void add(uint64_t id, std::shared_ptr<State> state) { states_[id] = std::move(state); }
  void remove(uint64_t id) { states_.erase(id); }

  bool has(uint64_t id) const { return states_.contains(id); }
  // NotFound when there is no such object, which Lifetimes has refused before.
  absl::StatusOr<std::shared_ptr<State>> find(uint64_t id) const {
    const auto found = states_.find(id);
    if (found != states_.end()) return found->second;
    return absl::NotFoundError(absl::StrCat("there is no object ", id));
  }

 private:
  absl::flat_hash_map<uint64_t, std::shared_ptr<State>> states_;
};

// Has one overload of check() for each command: the build declares all of them, and a command
// without one does not link. The overloads are in check_*.cc. Each asks the rules of host/ in the
// order in which the host API asks them, so that both refuse with the same sentence. Errors do not
// name the command; Semantics adds that. After an error the checker must not be used any more. Not
// thread-safe.
class Checker {
 public:
  // `memory_limit` is in bytes.
  explicit Checker(uint64_t memory_limit) : budget_(memory_limit) {}
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // These five are the functions of Semantics that have the same names.
  void add_compressed(const ::lightmetal::Digest& blob) { compressed_.insert(blob); }
  absl::Status finish(bool complete);
  uint64_t peak_memory() const { return budget_.peak(); }
  absl::Span<const DeviceMemory> device_memory() const { return device_memory_; }
  absl::Status keep(uint64_t bytes) {
    if (bytes >= kept_.bytes()) return kept_.add(budget_, bytes - kept_.bytes());
    kept_.remove(kept_.bytes() - bytes);
    return absl::OkStatus();
  }

#include "schema/check_overloads.inc"

 private:
  using Device = std::shared_ptr<DeviceState>;
  using Buffer = std::shared_ptr<BufferState>;

  // A queue that a command names.
  struct Queue {
    Device device;
    uint8_t number = 0;

    QueueState& state() const { return device->queues[number]; }
  };
  // Bytes that a command writes or reads.
  struct Transfer {
    Buffer buffer;
    uint64_t offset = 0;
    uint64_t size = 0;
  };

  // Adds a living object. It counts against the budget until the last that refers to it lets go.
  template <class State>
  absl::Status add(Table<State>& table, std::shared_ptr<State> state) {
    LM_RETURN_IF_ERROR(state->charge.add(budget_, sizeof(State) + kObjectBytes));
    table.add(state->id, state);
    return absl::OkStatus();
  }

  // The device of this id, if it is open.
  absl::StatusOr<Device> open_device(uint64_t id) const;
  absl::StatusOr<Queue> queue(uint64_t device, uint8_t number) const;
  // The sub-devices that a command waits for are loaded.
  absl::Status check_sub_devices(const DeviceState& device,
                                 const flatbuffers::Vector<uint8_t>* sub_devices) const;
  // No other open device has the chip that the call opens.
  absl::Status check_chip(const CreateDevice& call) const;
  // Divides the device as `manager` says; null means the default, an undivided device.
  absl::Status exchange_manager(const Device& device,
                                std::shared_ptr<SubDeviceManagerState> manager);

  // Memory of a device at a recorded address.
  struct Place {
    std::shared_ptr<FreeList> memory;
    host::BufferType type = host::BufferType::kDram;
    uint64_t address = 0;
    uint64_t size = 0;  // in each bank
    uint32_t alignment = 1;
    uint64_t bytes = 0;  // in all banks, to count until it is given back
  };
  // Notes what the device's memory holds now, with circular buffers up to this L1 address: 0 when
  // none is there.
  void note_memory(const DeviceState& device, uint64_t end_of_circular_buffers = 0);
  // Takes the memory at `place` and counts it.
  void note_given(const BufferState& buffer, const FreeList& memory);
  absl::StatusOr<std::unique_ptr<Allocation>> allocate(const Object& object,
                                                       const DeviceState& device,
                                                       const Place& place);
  // The memory in which a buffer is made: the device's, or that of the sub-device that the call
  // names.
  absl::StatusOr<std::shared_ptr<FreeList>> memory_for(const BufferCreate& call,
                                                       const DeviceState& device) const;
  // Gives the buffer its recorded address: takes the memory there, unless the program gave the
  // address.
  absl::Status place(const BufferCreate& call, std::shared_ptr<FreeList> memory,
                     BufferState& buffer);

  // The buffer can be written to or read from, all of it or a part.
  absl::StatusOr<Transfer> transfer(uint64_t buffer);
  absl::StatusOr<Transfer> transfer(uint64_t buffer, uint64_t offset, uint64_t size);
  absl::StatusOr<Transfer> transfer_of(Buffer buffer, uint64_t offset, uint64_t size);
  // Counts the tables by which the host maps the pages of a sharded buffer to shards, from the
  // first transfer on.
  absl::Status map_pages(BufferState& buffer);
  // Transfers by a queue. These count what the queue holds in memory until something waits for it.
  absl::Status check_in_queue(const Queue& queue, const Transfer& transfer) const;
  absl::Status write_in_queue(const Queue& queue, const Transfer& transfer, const BlobRef& data,
                              bool blocking);
  absl::Status read_in_queue(const Queue& queue, const Transfer& transfer, const BlobRef* golden,
                             bool blocking);

  // The bytes that a replay has in memory as long as it holds the payload; `payload` may be null.
  uint64_t size_in_memory(const BlobRef* payload) const;

  // Count memory of a device that buffers take in DRAM, or that the host writes anywhere. Such
  // memory counts once, until the device is closed, because a device does not give back what it has
  // used.
  absl::Status touch_core(DeviceState& device, uint64_t core, uint64_t bytes);
  absl::Status touch_dram(DeviceState& device, uint64_t address, uint64_t size);
  absl::Status touch_l1(DeviceState& device, const Core& core);
  absl::Status touch_place(DeviceState& device, const host::MemoryPlace& place, uint64_t address,
                           uint64_t size);
  absl::Status touch(const Transfer& transfer);

  // Transfers by address, beside the queues.
  absl::Status write_direct(uint64_t device, const host::MemoryPlace& place, uint64_t address,
                            const BlobRef& data);
  absl::Status read_direct(uint64_t device, const host::MemoryPlace& place, uint64_t address,
                           uint64_t size, const BlobRef* golden);

  // Events, as queues meet them. The host waits in block_on() and in the functions whose names
  // begin so: they refuse to wait for a queue that is stuck.
  absl::Status block_on(const Queue& queue);
  absl::Status block_on_all(const Device& device);
  absl::Status block_if(bool blocking, const Queue& queue);
  void advance_all();

  // Counts what the tables of a program have grown by since they had `sets_before` sets of cores,
  // and `more` bytes.
  absl::Status charge_tables(ProgramState& program, size_t sets_before, uint64_t more);
  absl::Status add_circular_buffer(uint64_t program, uint64_t id, const CoreRanges* cores,
                                   const CircularBufferConfig& config,
                                   std::optional<uint64_t> global);
  // Puts a circular buffer into the memory of a buffer, `offset` bytes behind its beginning, or of
  // a global circular buffer.
  absl::Status put_into(const Object& object, host::CircularBuffer& buffer, bool on_global,
                        uint64_t memory, uint32_t total_size, uint32_t offset = 0);
  absl::Status put_into_global(const Object& object, host::CircularBuffer& buffer, uint64_t global);

  absl::Status set_args(KernelState& kernel, const Core& core, uint64_t count);
  absl::Status set_common_args(uint64_t kernel, uint64_t count);
  absl::Status check_offsets(const KernelState& kernel, const RuntimeArgs* args) const;
  // `symbols` are the arguments when some may be buffers.
  absl::Status set_args_on(KernelState& kernel, const CoreRanges* ranges, uint64_t count,
                           const RuntimeArgs* symbols = nullptr);
  template <class Vector>
  absl::Status set_args_per_core(KernelState& kernel,
                                 const flatbuffers::Vector<const CoreCoord*>* cores,
                                 const Vector* args);

  // The program can run on the device. Afterwards the program counts as compiled.
  absl::Status launch(uint64_t device, uint64_t program);
  // Counts the runtime arguments that a launch takes along into a queue.
  absl::Status hold_args(const Queue& queue, uint64_t program);
  absl::Status check_compiled(ProgramState& program);
  // What the program needs on the device, as the device is divided now; found again where it does
  // not hold any more.
  absl::StatusOr<const ProgramState::Fitted*> fit(ProgramState& program, const DeviceState& device);
  absl::StatusOr<ProgramState::Fitted> make_fitted(const ProgramState& program,
                                                   const DeviceState& device);
  // Counts a kernel object once for each target: a replay keeps each to its end.
  absl::Status keep_kernel_object(const flatbuffers::String& target, const BlobRef& object);
  absl::Status replay_trace(const Queue& queue, uint64_t trace, bool blocking);

  Budget budget_;  // declared first: it outlives all that it counts
  Charge kept_;    // what the caller keeps beside this, by keep()
  Table<DeviceState> devices_;
  Table<SubDeviceManagerState> managers_;
  Table<BufferState> buffers_;
  Table<ProgramState> programs_;
  Table<KernelState> kernels_;
  Table<CircularBufferState> circular_buffers_;
  Table<GlobalSemaphoreState> global_semaphores_;
  Table<GlobalCircularBufferState> global_circular_buffers_;
  Table<EventState> events_;
  Table<TraceState> traces_;
  host::Scopes scopes_;
  host::Bindings bindings_;
  host::Entries entries_;
  absl::flat_hash_set<std::pair<std::string, ::lightmetal::Digest>> kernel_objects_;  // by target
  absl::flat_hash_set<::lightmetal::Digest> compressed_;                              // payloads
  std::vector<Device> open_devices_;  // at most one for each chip
  std::vector<DeviceMemory> device_memory_;
};

}  // namespace lightmetal::schema::semantics
