// What a Slicer knows of each command, found in one pass.
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "schema/commands/calls.h"
#include "schema/commands/references.h"
#include "schema/verify/slicer.h"

namespace lightmetal::schema {
namespace {

// The 32-bit words among the arguments and constants of a program or a trace, which may be
// addresses.
class ArgumentWords {
 public:
  bool contains(uint64_t address) const { return words_.contains(address); }

  template <class Call>
  void operator()(const Call& call) {
    if constexpr (requires { call.args(); }) add(call.args());
    if constexpr (requires { call.compile_args(); }) add(call.compile_args());
    if constexpr (requires { call.named_compile_args(); }) add(call.named_compile_args());
    if constexpr (requires { call.config()->globally_allocated_address(); }) add(*call.config());
    if constexpr (requires { call.content()->launches(); }) add(call.content()->launches());
  }

 private:
  void add(const flatbuffers::Vector<uint32_t>* words) {
    if (words != nullptr) words_.insert(words->begin(), words->end());
  }
  void add(const RuntimeArg& arg) { words_.insert(arg.value()); }
  void add(const RuntimeArgs* args) {
    if (args != nullptr) add(args->args());
  }
  void add(const RuntimeArgs& args) { add(args.args()); }
  void add(const Words& words) { add(words.words()); }
  void add(const NamedArg& arg) { words_.insert(arg.value()); }
  void add(const CircularBufferConfig& config) {
    if (config.globally_allocated_address().has_value())
      words_.insert(*config.globally_allocated_address());
  }
  void add(const TraceLaunch& launch) {
    add(launch.args());
    add(launch.cores());
  }
  void add(const TraceCore& core) {
    if (core.circular_buffers() == nullptr) return;
    for (const TraceCircularBuffer* buffer : *core.circular_buffers())
      words_.insert(buffer->address());
  }
  template <class Table>
  void add(const flatbuffers::Vector<flatbuffers::Offset<Table>>* tables) {
    if (tables == nullptr) return;
    for (const Table* table : *tables) add(*table);
  }

  absl::flat_hash_set<uint64_t> words_;
};

enum class Memory { kWrittenByAddress, kReadByAddress, kDram, kL1 };

Memory memory_of(BufferType type) { return type == BufferType::Dram ? Memory::kDram : Memory::kL1; }

}  // namespace

class Slicer::Maker {
 public:
  explicit Maker(Slicer& made) : made_(made) {}

  void add(const CommandView& view) {
    view_ = &view;
    node_ = &made_.commands_.emplace_back();
    created_.clear();
    owner_.reset();
    device_.reset();
    node_->effect = effect_of(view.command->call_type());
    visit_ids(*view.command, [this](const IdReference& id) { add_id(id); });
    for (const uint32_t object : created_) made_.objects_[object].program = owner_.value_or(object);
    visit_call(*view.command, *this);
    add_changes();
  }

  // Traces that no command replays run where they are loaded.
  void finish() {
    for (const auto& [number, object] : made_.traces_) {
      if (made_.objects_[object].replays.empty()) made_.commands_[number].effect = Effect::kLaunch;
    }
  }

  // ---- Commands ----

  template <class Call>
  void operator()(const Call& call) {
    if constexpr (kEffect<Call> == Effect::kRead || kEffect<Call> == Effect::kWrite) {
      touch_memory_of(call);
      set_queue(call, kTransfersBeside);
    } else if constexpr (kEffect<Call> == Effect::kLaunch) {
      set_queue(call, kLaunchesBeside);
      requires { call.trace(); }
      ? replay_trace() : touch_mentioned(*changed_program());
    }
  }
  void operator()(const LoadTrace&) {
    const uint32_t trace = created_.front();
    visit_call(*view_->command, mentioned_[trace].words);
    made_.traces_[view_->number] = trace;
    touch_mentioned(trace);
  }
  void operator()(const EnqueueRecordEvent&) {
    for (const uint32_t object : node_->named) {
      if (made_.objects_[object].is_event) made_.objects_[object].changes.push_back(view_->number);
    }
  }

  // A change of managers waits for all work of the device.
  void operator()(const SubDeviceManagerLoad&) {
    node_->waits = true;
    divided_.insert(*device_);
  }
  void operator()(const SubDeviceManagerClear&) { node_->waits = true; }
  // A buffer is divided, and no device.
  void operator()(const BufferSetPageSize&) { node_->effect = Effect::kSet; }

  void operator()(const BufferCreate& call) {
    add_memory(memory_of(call.buffer_type()), call.allocated_address());
    made_.buffers_[call.id()] = created_.front();
    made_.objects_[created_.front()].place = places_of_.at(created_.front());
  }
  void operator()(const BufferDeallocate&) { end(node_->named.front()); }
  void operator()(const GlobalSemaphoreCreate& call) {
    add_memory(memory_of(call.buffer_type()), call.allocated_address());
    write_in_first_queue(*device_);
    touch(created_.front());
  }
  void operator()(const GlobalSemaphoreResetValue&) {
    const uint32_t semaphore = node_->named.front();
    write_in_first_queue(devices_of_.at(semaphore));
    node_->overwrites = true;
    touch(semaphore);
  }
  void operator()(const GlobalCircularBufferCreate&) {
    write_in_first_queue(*device_);
    for (const uint32_t object : node_->named) touch(object);
    parts_[created_.front()] = node_->named;
  }
  void operator()(const CallFailed&) { node_->has_failed = true; }

 private:
  using Key = std::pair<uint16_t, uint64_t>;  // kind and id

  // What a program or a trace reaches by what is known of its arguments.
  struct Mentioned {
    ArgumentWords words;
    absl::flat_hash_set<uint32_t> objects;
  };

  void add_id(const IdReference& id) {
    const Key key{id.kind_index, id.id};
    if (id.role == IdRole::Creates) {
      const auto object = static_cast<uint32_t>(made_.objects_.size());
      made_.objects_.push_back({.creator = view_->number, .is_event = id.kind == "Event"});
      objects_[key] = object;
      created_.push_back(object);
      return;
    }
    const uint32_t object = objects_.at(key);
    node_->named.push_back(object);
    if (id.kind == "Device") device_ = object;
    if (id.owner && id.kind == "Program") owner_ = object;
    if (id.role == IdRole::Destroys) end(object);
  }

  void end(uint32_t object) {
    node_->effect = Effect::kEnd;
    made_.objects_[object].ends.push_back(view_->number);
    if (alive_.erase(object) != 0) --alive_at_[places_of_.at(object)];
  }

  // Objects that are no programs and no parts of one are their own program.
  std::optional<uint32_t> changed_program() const {
    for (const uint32_t object : node_->named) {
      if (programs_.contains(made_.objects_[object].program)) return made_.objects_[object].program;
    }
    return std::nullopt;
  }

  void add_changes() {
    if (visits_program_create()) programs_.insert(created_.front());
    if (node_->effect == Effect::kDivide) made_.objects_[*device_].changes.push_back(view_->number);
    if (!changes_object() || node_->has_failed) return;
    if (const auto program = changed_program()) {
      made_.objects_[*program].changes.push_back(view_->number);
      Mentioned& mentioned = mentioned_[*program];
      visit_call(*view_->command, mentioned.words);
      mentioned.objects.insert(node_->named.begin(), node_->named.end());
    } else if (created_.empty()) {
      for (const uint32_t object : node_->named) {
        if (object != device_) made_.objects_[object].changes.push_back(view_->number);
      }
    }
  }

  bool changes_object() const {
    switch (node_->effect) {
      case Effect::kMake:
      case Effect::kSet:
      case Effect::kPrepare:
      case Effect::kMark:
        return true;
      default:
        return false;
    }
  }

  bool visits_program_create() const { return view_->command->call_type() == Call::ProgramCreate; }

  // ---- Memory ----

  void add_memory(Memory memory, uint64_t address) {
    const uint32_t object = created_.front();
    places_of_[object] = place(*device_, memory, address);
    addresses_[object] = address;
    memories_[object] = memory;
    devices_of_[object] = *device_;
    alive_.insert(object);
    ++alive_at_[places_of_[object]];
  }

  uint32_t place(uint32_t device, Memory memory, uint64_t address) {
    return places_.try_emplace({device, memory, address}, places_.size()).first->second;
  }

  uint32_t by_address(Memory memory) { return place(*device_, memory, 0); }

  // A write writes the object's memory, a read reads it, anything else may do both.
  void touch(uint32_t object) {
    const auto found = places_of_.find(object);
    if (found != places_of_.end()) {
      node_->on_divided |= divided_.contains(devices_of_.at(object));
      if (node_->effect != Effect::kWrite) node_->reads.push_back(found->second);
      if (node_->effect != Effect::kRead) node_->writes.push_back(found->second);
    }
    const auto parts = parts_.find(object);
    if (parts == parts_.end()) return;
    for (const uint32_t part : parts->second) touch(part);
  }

  // The memory of a transfer: a buffer's, or some of a device's by address.
  template <class Call>
  void touch_memory_of(const Call& call) {
    if constexpr (requires { call.buffer(); }) {
      const uint32_t object = made_.buffers_.at(call.buffer());
      touch(object);
      node_->overwrites = !requires { call.offset(); }
      &&is_alone(object);
    } else {
      const bool is_read = node_->effect == Effect::kRead;
      if (!is_read) node_->writes.push_back(by_address(Memory::kWrittenByAddress));
      (is_read ? node_->reads : node_->writes).push_back(by_address(Memory::kReadByAddress));
      constexpr Memory kMemory = requires { call.core(); }
      ? Memory::kL1 : Memory::kDram;
      touch_reached(kMemory, call.address());
    }
  }

  // A view need not have all pages of the buffer in whose memory it is.
  bool is_alone(uint32_t object) const { return alive_at_.at(places_of_.at(object)) == 1; }

  // An address may be in any object of that memory that begins at the address or before it.
  void touch_reached(Memory memory, uint64_t address) {
    for (const uint32_t object : alive_) {
      if (devices_of_.at(object) != *device_ || memories_.at(object) != memory) continue;
      if (addresses_.at(object) > address) continue;
      touch(object);
      node_->mentioned.push_back(object);
    }
  }

  void touch_mentioned(uint32_t launched) {
    const Mentioned& mentioned = mentioned_[launched];
    for (const uint32_t object : mentioned.objects) touch(object);
    for (const uint32_t object : alive_) {
      if (devices_of_.at(object) == *device_ && mentioned.words.contains(addresses_.at(object))) {
        touch(object);
        node_->mentioned.push_back(object);
      }
    }
    node_->reads.push_back(by_address(Memory::kWrittenByAddress));
    node_->writes.push_back(by_address(Memory::kReadByAddress));
  }

  void replay_trace() {
    for (const uint32_t object : node_->named) {
      if (object == *device_) continue;
      made_.objects_[object].replays.push_back(view_->number);
      touch_mentioned(object);
    }
  }

  uint32_t queue_of(uint32_t device, uint32_t cq) {
    return queues_.try_emplace({device, cq}, queues_.size() + 1).first->second;
  }

  // The words of semaphores and configurations are work of queue 0, which the call does not wait
  // for.
  void write_in_first_queue(uint32_t device) {
    node_->effect = Effect::kWrite;
    node_->queue = queue_of(device, 0);
  }

  // Launches and transfers beside the queues wait for each other only where the program says so,
  // and count as a queue each.
  static constexpr uint32_t kLaunchesBeside = 256, kTransfersBeside = 257;

  template <class Call>
  void set_queue(const Call& call, uint32_t beside) {
    uint32_t cq = beside;
    if constexpr (requires { call.cq() + 0; }) cq = call.cq();
    node_->queue = queue_of(device_.value_or(0), cq);
    if constexpr (requires { call.blocking(); }) node_->waits = call.blocking();
    if constexpr (requires { call.wait_until_cores_done(); }) {
      node_->waits = call.wait_until_cores_done();
    }
  }

  Slicer& made_;
  const CommandView* view_ = nullptr;  // the command that is added
  Node* node_ = nullptr;
  std::vector<uint32_t> created_;
  std::optional<uint32_t> owner_;
  std::optional<uint32_t> device_;

  absl::flat_hash_map<Key, uint32_t> objects_;
  absl::flat_hash_set<uint32_t> programs_;
  absl::flat_hash_map<uint32_t, Mentioned> mentioned_;
  std::map<std::tuple<uint32_t, Memory, uint64_t>, uint32_t> places_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> queues_;
  absl::flat_hash_set<uint32_t> divided_;                       // devices that ever load a manager
  absl::flat_hash_map<uint32_t, uint32_t> places_of_;           // of objects with memory
  absl::flat_hash_map<uint32_t, uint64_t> addresses_;           // of the same
  absl::flat_hash_map<uint32_t, Memory> memories_;              // of the same
  absl::flat_hash_map<uint32_t, uint32_t> devices_of_;          // of the same
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> parts_;  // of global circular buffers
  std::set<uint32_t> alive_;                                    // objects with memory
  absl::flat_hash_map<uint32_t, uint64_t> alive_at_;            // how many of them, by place
};

absl::StatusOr<Slicer> Slicer::create(std::shared_ptr<const File> file) {
  Slicer slicer(std::move(file));
  Maker maker(slicer);
  LM_RETURN_IF_ERROR(slicer.file_->for_each_command([&](const CommandView& view) {
    maker.add(view);
    return absl::OkStatus();
  }));
  maker.finish();
  return slicer;
}

}  // namespace lightmetal::schema
