#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/device_profile.h"
#include "base/free_list.h"
#include "base/range_set.h"
#include "host/buffer.h"
#include "host/event.h"
#include "host/memory.h"
#include "host/placement.h"
#include "host/program.h"
#include "schema/semantics/budget.h"
#include "schema/semantics/cores.h"
#include "schema/semantics/refusal.h"
#include "schema/types_generated.h"

// The checks' state of the objects that a file's commands make: as much as checks of later commands
// need. The objects own each other as those of the host API do.
namespace lightmetal::schema::semantics {

// About what the host keeps of an object of any kind, in bytes, besides its state here and besides
// what a few bytes of a file can make large.
inline constexpr uint64_t kObjectBytes = 1024;
// About what the host keeps for an entry of a program's tables of cores, in bytes.
inline constexpr uint64_t kBytesOfCores = sizeof(CoreSet) + CoreSet::kMostBytesBehind + 64;

struct DeviceState;

// An event. `progress` is shared with the queues that wait for it, which may outlive the event.
struct EventState {
  uint64_t id = 0;
  Charge charge;
  std::shared_ptr<host::EventProgress> progress = std::make_shared<host::EventProgress>();
  std::shared_ptr<DeviceState> device;  // of the queue that recorded it last, or null
};

// A queue, as if devices took no time: it holds back only what it cannot do because it waits for an
// event, beginning with that wait.
struct QueueState {
  struct Operation {
    std::shared_ptr<host::EventProgress> event;
    uint64_t recording = 0;
    bool waits = false;  // false: the operation records the event
    uint64_t event_id = 0;
  };

  bool is_stuck() const { return !operations.empty(); }

  std::deque<Operation> operations;
  Charge held;  // memory of its reads and writes until something waits for the queue
};

struct SubDeviceManagerState;

// A device, from its creation until the last object on it has gone: buffers may outlive its
// closing.
struct DeviceState {
  Object object() const { return {"device", id}; }
  Core ethernet_grid() const { return {1, profile.ethernet_cores}; }
  std::shared_ptr<FreeList> memory_of(host::BufferType type) const {
    return {memory, &memory->of(type)};
  }
  bool is_divided() const { return loaded != nullptr; }
  size_t num_sub_devices() const;
  uint64_t loaded_id() const;  // of the manager that is loaded; 0 when undivided

  uint64_t id = 0;
  uint32_t chip_id = 0;
  bool open = true;
  size_t number = 0;  // among the devices that the file has opened
  ::lightmetal::DeviceProfile profile;
  uint64_t l1_small_size = 0;  // as the file says it
  std::shared_ptr<host::Memory> memory;
  std::vector<QueueState> queues;
  std::shared_ptr<SubDeviceManagerState> loaded;  // null for the default one
  // Managers and traces end with the device.
  absl::flat_hash_set<uint64_t> managers;
  absl::flat_hash_set<uint64_t> traces;
  std::shared_ptr<Charge> charge = std::make_shared<Charge>();
  // Memory that stays with the device once it was used (Checker::touch()): addresses of DRAM, with
  // all banks side by side, and the cores whose L1 was used.
  RangeSet<> touched_dram;
  RangeSet<> given_dram, given_l1;  // DeviceMemory::dram_given, l1_given
  absl::flat_hash_set<uint64_t> touched_cores;
};

// The device as launches and other rules see it. Valid as long as the device lives and is divided
// as it is now.
host::Target target_of(const DeviceState& device);

// A sub-device manager.
struct SubDeviceManagerState {
  Object object() const { return {"sub device manager", id}; }

  uint64_t id = 0;
  const DeviceState* device = nullptr;  // outlives the manager
  std::vector<CoreSet> sub_devices;
  uint64_t local_l1_size = 0;                         // rounded up as the host rounds it
  std::vector<std::shared_ptr<host::Memory>> memory;  // of each, if it has a size
  Charge charge;
};

// Memory on a device that an object has, and that is given back when the object ends.
class Allocation {
 public:
  // REQUIRES: `address` was allocated in `memory`, and `bytes` were added to `account`.
  Allocation(std::shared_ptr<FreeList> memory, uint64_t address, std::shared_ptr<Charge> account,
             uint64_t bytes)
      : memory_(std::move(memory)),
        address_(address),
        account_(std::move(account)),
        bytes_(bytes) {}
  ~Allocation() {
    memory_->free(address_);
    account_->remove(bytes_);
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

 private:
  const std::shared_ptr<FreeList> memory_;
  const uint64_t address_;
  const std::shared_ptr<Charge> account_;
  const uint64_t bytes_;
};

// A buffer, as the rules of host/ see it, and what of it is counted.
struct BufferState : host::Buffer {
  Object object() const { return {"buffer", id}; }

  std::shared_ptr<DeviceState> device;
  bool allocated = true;
  bool written = false;                // by the host; only kept for buffers without `memory`
  std::unique_ptr<Allocation> memory;  // null when the address was given, or nothing is needed
  Charge mapping;                      // of pages to shards, from the first transfer on
  Charge charge;
};

struct ProgramState;

// A kernel of a program.
struct KernelState {
  Object object() const { return {"kernel", id}; }
  const host::Kernel& of_host() const;

  uint64_t id = 0;
  ProgramState* program = nullptr;  // owns it
  size_t number = 0;                // among its kernels
  bool has_object = false;
  // Runtime arguments: how many words each core has, row by row up to the last core; empty before
  // the first are set.
  std::vector<uint16_t> num_args;
  uint32_t most_args = 0;  // the most that were set on one core
  uint32_t num_common_args = 0;
  uint64_t words = 0;  // of all cores
  Charge charge;
};

// A circular buffer of a program.
struct CircularBufferState {
  Object object() const { return {"circular buffer", id}; }
  const host::CircularBuffer& of_host() const;

  uint64_t id = 0;
  ProgramState* program = nullptr;  // owns it
  size_t number = 0;                // among its circular buffers
  bool on_global = false;
  Charge charge;
};

// A program, which owns its kernels and circular buffers.
struct ProgramState {
  explicit ProgramState(uint64_t id) : id(id), host(id) {}

  Object object() const { return {"program", id}; }

  // What a launch on a device needs, found once and kept as long as it holds.
  struct Fitted {
    uint64_t device = 0;
    uint64_t manager = 0;
    uint64_t version = 0;  // of the layout that was fitted; 0 before
    std::optional<size_t> sub_device;
    host::CircularBufferRegion region;
    Charge charge;
  };

  const uint64_t id;
  host::Program host;
  std::vector<std::shared_ptr<KernelState>> kernels;
  std::vector<std::shared_ptr<CircularBufferState>> circular_buffers;
  std::vector<Fitted> fitted;                         // for each device
  std::vector<std::shared_ptr<BufferState>> buffers;  // that it keeps alive
  Charge charge;
};

inline const host::Kernel& KernelState::of_host() const { return program->host.kernels()[number]; }
inline const host::CircularBuffer& CircularBufferState::of_host() const {
  return program->host.circular_buffer(number);
}

// A global semaphore, which has memory of its own on each of its cores.
struct GlobalSemaphoreState {
  Object object() const { return {"global semaphore", id}; }

  uint64_t id = 0;
  Charge charge;
  std::shared_ptr<DeviceState> device;
  std::unique_ptr<Allocation> memory;
};

// A global circular buffer. Its memory and that of its configurations are buffers of the file,
// which it keeps alive.
struct GlobalCircularBufferState {
  Object object() const { return {"global circular buffer", id}; }

  uint64_t id = 0;
  std::shared_ptr<DeviceState> device;
  CoreSet cores;
  uint32_t size = 0;
  std::shared_ptr<BufferState> buffer;
  std::shared_ptr<BufferState> config_buffer;
  Charge charge;
};

// A device trace. It can be replayed while the manager is loaded that was loaded when the trace
// came to the device.
struct TraceState {
  uint64_t id = 0;
  std::shared_ptr<DeviceState> device;
  uint64_t manager = 0;  // that was loaded
  Charge charge;
};

}  // namespace lightmetal::schema::semantics
