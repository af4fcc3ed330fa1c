#pragma once

#include <array>
#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/random_programs/layout.h"
#include "tests/random_programs/steps.h"

// What a program of steps does, computed on the host alone: which steps are valid where, and what
// memory holds. The generator and the reduction ask the model about each step, so that only valid
// programs run.
//
// Valid is more than accepted by the API: a program is free of data races. The model knows for
// every piece of work on a device (an operation) which operations are over when it begins, whatever
// the threads and queues do. An operation may touch memory only when all operations that it could
// disturb are among those. So what memory holds does not depend on chance, and is what it would be
// if the steps were taken one after the other.
namespace random_programs {

inline constexpr size_t kMaxOperations = 2048;
using Past = std::bitset<kMaxOperations>;

// The threads that have used an object in the present section. From one section to the next,
// everything is in order.
class Users {
 public:
  bool only(uint32_t section, uint32_t thread) const {
    return section_ != section || threads_ == 0 || threads_ == 1u << thread;
  }
  void add(uint32_t section, uint32_t thread) {
    if (section_ != section) threads_ = 0;
    section_ = section;
    threads_ |= 1u << thread;
  }

 private:
  uint32_t section_ = 0;
  uint32_t threads_ = 0;
};

// An object of the host: many threads may use it at once, but only one alone may change it.
struct Object {
  Users users, owners;
};

// Memory that was allocated in one piece: the same words of each bank.
struct Storage {
  Id device = 0;
  uint32_t life = 0;  // the device's, when this was allocated
  Memory memory = Memory::kDram;
  uint32_t sub_device = 0;  // as in CreateBuffer
  uint32_t words_per_bank = 0;
  std::vector<std::optional<uint32_t>> words = {};  // nullopt: the value is not known
  Past touched, written;
  bool freed = false;

  size_t index(uint32_t bank, uint32_t word) const { return size_t{bank} * words_per_bank + word; }
  std::optional<uint32_t>& word(uint32_t bank, uint32_t number) {
    return words.at(index(bank, number));
  }
};
using StoragePointer = std::shared_ptr<Storage>;

struct ModelBuffer : Object {
  Id device = 0;
  Shape shape;
  StoragePointer storage;
  bool is_view = false;
  Shape first_shape;       // the shape with which it was made
  Id assigned_to = kNone;  // a program
};

struct ModelSemaphore : Object {
  Id device = 0;
  Rect cores;
  StoragePointer storage;
};

// What a launch does, with the arguments it has.
struct Work {
  Kind kind = Kind::kAdd;
  Rect cores;
  Shape a_shape, b_shape, target_shape;
  StoragePointer a, b, target, semaphore, scratch;
  std::array<uint32_t, 2> goal = {0, 0};
  uint32_t amount = 0;
};

struct ModelProgram : Object {
  CreateProgram description;
  uint32_t life = 0;
  uint32_t scratch_pages = 1;
  std::optional<Work> work;  // once it has arguments
  StoragePointer scratch;
  std::vector<StoragePointer> kept;  // of buffers whose last owner the program is
};

struct ModelEvent : Object {
  bool recorded = false;
  Queue queue;        // that recorded it last
  uint32_t life = 0;  // of its device
  Users recorders;
  Past past;
};

struct ModelTrace : Object {
  Queue queue;
  uint32_t life = 0;
  bool ended = false;
  Id manager = kNone;
  std::vector<Work> launches;
};

struct ModelManager {
  Id device = 0;
  uint32_t life = 0;
  CreateManager description;
};

struct ModelQueue : Object {
  Past past;                  // what is over when its next operation begins
  std::array<Past, 8> lanes;  // of its launches on sub-devices
  std::set<Id> awaited;       // events that nobody has recorded yet
  Id trace = kNone;           // that is being captured
};

struct ModelDevice {
  bool open = false;
  uint32_t life = 0;  // counts its openings
  std::vector<ModelQueue> queues;
  Id manager = kNone;
  uint32_t stall_group = 0;  // as in SetStallGroup
  Past ghosts[3];            // what has touched memory that was freed, by Memory
};

class Model {
 public:
  // Takes the step if it is valid here, and fills in what a read must find. Returns false, with
  // nothing changed, otherwise.
  bool take(Step& step);

  // Events that a queue waits for and nobody has recorded, and traces that are being captured.
  std::set<Id> awaited_events() const;
  std::map<Id, Queue> open_traces() const;
  bool is_capturing() const { return capturing_; }

  std::array<ModelDevice, kMaxDevices> devices;
  std::map<Id, ModelBuffer> buffers;
  std::map<Id, ModelProgram> programs;
  std::map<Id, ModelEvent> events;
  std::map<Id, ModelTrace> traces;
  std::map<Id, ModelManager> managers;
  std::map<Id, ModelSemaphore> semaphores;

  bool is_alive(const ModelBuffer& buffer) const {
    return !buffer.storage->freed && is_present(buffer.storage);
  }
  bool is_divided(Id device) const { return devices[device].manager != kNone; }

 private:
  bool take(const OpenDevice& step);
  bool take(const CloseDevice& step);
  bool take(const CreateBuffer& step);
  bool take(const DeallocateBuffer& step);
  bool take(const DropBuffer& step);
  bool take(const SetPageSize& step);
  bool take(const WriteBuffer& step);
  bool take(ReadBuffer& step);
  bool take(const CreateProgram& step);
  bool take(const DropProgram& step);
  bool take(const CompileProgram& step);
  bool take(const SetArguments& step);
  bool take(const ResizeCircularBuffer& step);
  bool take(const MoveScratch& step);
  bool take(const AssignBuffer& step);
  bool take(const Launch& step);
  bool take(const Finish& step);
  bool take(const RecordEvent& step);
  bool take(const WaitForEvent& step);
  bool take(const SynchronizeEvent& step);
  bool take(const DropEvent& step);
  bool take(const BeginTrace& step);
  bool take(const EndTrace& step);
  bool take(const ReplayTrace& step);
  bool take(const ReleaseTrace& step);
  bool take(const CreateManager& step);
  bool take(const LoadManager& step);
  bool take(const RemoveManager& step);
  bool take(const SetStallGroup& step);
  bool take(const CreateSemaphore& step);
  bool take(const ResetSemaphore& step);
  bool take(ReadSemaphore& step);
  bool take(const DropSemaphore& step);
  bool take(const BeginCapture& step);
  bool take(const EndCapture& step);

  // ---- Threads and objects ----
  bool alone() const { return section_ % 2 == 0; }
  bool can_use(const Object& object) const { return object.owners.only(section_, thread_); }
  bool can_own(const Object& object) const {
    return can_use(object) && object.users.only(section_, thread_);
  }
  void use(Object& object) { object.users.add(section_, thread_); }
  void own(Object& object) { object.owners.add(section_, thread_); }
  Past& host() { return threads_[thread_]; }

  // ---- Devices and queues ----
  bool is_open(Id device) const { return device < kMaxDevices && devices[device].open; }
  bool is_present(const StoragePointer& storage) const {
    return is_open(storage->device) && devices[storage->device].life == storage->life;
  }
  // The queue, when the thread may use it and it captures no trace; null otherwise.
  ModelQueue* usable_queue(const Queue& queue);
  ModelQueue* any_queue(const Queue& queue);
  bool can_come_to_rest(Id device) const;
  void come_to_rest(Id device);
  std::vector<Rect> sub_devices_of(Id device) const;
  // The lane of a program on these cores: 0 when the device is not divided, n for sub-device n - 1;
  // nullopt when no one sub-device has all the cores.
  std::optional<uint32_t> lane_of(Id device, const Rect& cores) const;
  bool has_sub_device(Id device, uint32_t sub_device) const;
  // The operations that are over before an operation of the queue that waits for `sub_device`, or
  // for the stall group.
  Past past_after_stall(Id device, const ModelQueue& queue, uint32_t sub_device = 0) const;
  Past past_of_operation(Id device, const ModelQueue& queue, uint32_t sub_device = 0);
  void wait_on_host(Id device, ModelQueue& queue, uint32_t sub_device = 0);

  // ---- Memory ----
  using Touch = std::pair<Storage*, bool>;  // true: it is written
  static bool can_touch(const Past& past, const std::vector<Touch>& touches);
  void touch(const std::vector<Touch>& touches);
  StoragePointer allocate(Id device, Memory memory, uint32_t banks, uint32_t words);
  // Whether this thread may free the memory now.
  bool can_free(const Storage& storage) const;
  void free(Storage& storage);
  // The storage of the buffer that the step views, and notes that the step uses the buffer; null
  // when the buffer cannot be viewed in this way.
  StoragePointer storage_of_view(const CreateBuffer& step);
  bool fits_sub_device(const CreateBuffer& step) const;

  // The storage of the buffer, for a circular buffer in it, and notes that the step uses the
  // buffer; null if the buffer does not suit a circular buffer.
  StoragePointer scratch_in(Id buffer, Id device);
  bool can_set(const ModelProgram& program, const SetArguments& step);
  bool fits(const ModelProgram& program, Id buffer, bool in_dram);
  bool can_run(const Work& work) const;
  static std::vector<Touch> touches_of(const Work& work);
  static void compute(const Work& work);
  static void move_pages(const Work& work);
  // Runs the works one after the other on the queue, if no race forbids it.
  bool run(Id device, ModelQueue& queue, const std::vector<Work>& works);
  bool run_direct(Id device, const Work& work);
  std::optional<Work> work_of(Id program);

  bool next_operation() { return ++operation_ < kMaxOperations; }

  uint32_t section_ = 0;
  uint32_t thread_ = 0;
  std::array<Past, kMaxThreads> threads_;
  size_t operation_ = 0;  // the last one's number
  bool capturing_ = false;
  bool has_changed_words_ = false;  // a write was taken whose words changed meanwhile
};

// Returns the steps that are valid, with what reads must find. Leaves out steps that would leave a
// queue waiting for ever, and ends traces that are open at the end.
Steps valid_steps(Steps steps);

}  // namespace random_programs
