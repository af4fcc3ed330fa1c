#pragma once

#include <array>
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

// What is kept of the objects that a file's commands make: as much as checks of later commands
// need. They own each other as the objects of the host API do.
namespace lightmetal::schema::semantics {

// What the host keeps of an object of any kind, besides its state here and what a few bytes of a
// file can make large, about.
inline constexpr uint64_t kObjectBytes = 1024;
// What it keeps for an entry of a program's tables of cores, about.
inline constexpr uint64_t kBytesOfCores = sizeof(CoreSet) + CoreSet::kMostBytesBehind + 64;

struct DeviceState;

struct EventState {
  uint64_t id = 0;
  Charge charge;
  std::shared_ptr<host::EventProgress> progress = std::make_shared<host::EventProgress>();
  std::shared_ptr<DeviceState> device;  // of the queue that recorded it last; null before
};

// A queue as if devices took no time: it holds back only what it cannot do because it waits for an
// event, beginning with that wait.
struct QueueState {
  struct Operation {
    std::shared_ptr<host::EventProgress> event;
    uint64_t recording = 0;
    bool waits = false;  // otherwise it records
    uint64_t event_id = 0;
  };

  bool is_stuck() const { return !operations.empty(); }

  std::deque<Operation> operations;
  Charge held;  // what its reads and writes have in memory until something waits
};

struct SubDeviceManagerState;

struct DeviceState {
  Object object() const { return {"device", id}; }
  Core ethernet_grid() const { return {1, profile.ethernet_cores}; }
  std::shared_ptr<FreeList> memory_of(host::BufferType type) const {
    return {memory, &memory->of(type)};
  }
  bool is_divided() const { return loaded != nullptr; }
  size_t num_sub_devices() const;
  uint64_t loaded_id() const;  // of the manager; 0 when undivided

  uint64_t id = 0;
  uint32_t chip_id = 0;
  bool open = true;
  ::lightmetal::DeviceProfile profile;
  uint64_t l1_small_size = 0;  // as given
  std::shared_ptr<host::Memory> memory;
  std::vector<QueueState> queues;
  std::shared_ptr<SubDeviceManagerState> loaded;  // null for the default one
  // They end with the device.
  absl::flat_hash_set<uint64_t> managers;
  absl::flat_hash_set<uint64_t> traces;
  std::shared_ptr<Charge> charge = std::make_shared<Charge>();
  // Memory that stays with the device once it was used, by Checker::touch(): addresses of DRAM, all
  // banks side by side, and cores' L1.
  RangeSet<> touched_dram;
  absl::flat_hash_set<uint64_t> touched_cores;
};

// As launches and other rules see it. Good while the device is divided as now.
host::Target target_of(const DeviceState& device);

struct SubDeviceManagerState {
  Object object() const { return {"sub device manager", id}; }

  uint64_t id = 0;
  const DeviceState* device = nullptr;  // outlives it
  std::vector<CoreSet> sub_devices;
  uint64_t local_l1_size = 0;                         // as rounded
  std::vector<std::shared_ptr<host::Memory>> memory;  // of each, when that is not 0
  Charge charge;
};

// Memory that a buffer has, given back with it.
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

struct BufferState : host::Buffer {
  Object object() const { return {"buffer", id}; }

  std::shared_ptr<DeviceState> device;
  bool allocated = true;
  bool written = false;                // by the host; kept where the address was given
  std::unique_ptr<Allocation> memory;  // null when the address was given, or nothing is needed
  Charge mapping;                      // of pages to shards, from the first transfer on
  Charge charge;
};

struct ProgramState;

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
  uint32_t most_args = 0;  // that were set on one core
  uint32_t num_common_args = 0;
  uint64_t words = 0;  // of all cores
  Charge charge;
};

struct CircularBufferState {
  Object object() const { return {"circular buffer", id}; }
  const host::CircularBuffer& of_host() const;

  uint64_t id = 0;
  ProgramState* program = nullptr;  // owns it
  size_t number = 0;                // among its circular buffers
  bool on_global = false;
  Charge charge;
};

struct ProgramState {
  explicit ProgramState(uint64_t id) : id(id), host(id) {}

  Object object() const { return {"program", id}; }

  // What a launch needs, found once and kept while it holds.
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

struct GlobalSemaphoreState {
  Object object() const { return {"global semaphore", id}; }

  uint64_t id = 0;
  Charge charge;
  std::shared_ptr<DeviceState> device;
  std::unique_ptr<Allocation> memory;
};

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

struct TraceState {
  uint64_t id = 0;
  std::shared_ptr<DeviceState> device;
  uint64_t manager = 0;  // that was loaded
  Charge charge;
};

}  // namespace lightmetal::schema::semantics
