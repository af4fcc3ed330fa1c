// What a Slicer knows of each command, found in one pass.
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "schema/commands/calls.h"
#include "schema/commands/references.h"
#include "schema/index/words.h"
#include "schema/verify/slicer.h"

namespace lightmetal::schema {
namespace {

enum class Place { kWrittenByAddress, kReadByAddress, kDram, kL1 };

Place place_of(BufferType type) { return type == BufferType::Dram ? Place::kDram : Place::kL1; }

}  // namespace

class Slicer::Maker {
 public:
  explicit Maker(Slicer& made) : made_(made) {}

  void add(const CommandView& view) {
    view_ = &view;
    node_ = &made_.commands_.emplace_back();
    created_ = index().size();
    device_.reset();
    node_->effect = effect_of(view.command->call_type());
    made_.index_.add(view.number, *view.command);
    made_.objects_.resize(index().size());
    visit_ids(*view.command, [this](const IdReference& id) { add_id(id); });
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
      ? replay_trace() : touch_mentioned(index().program_of(*view_->command));
    }
  }
  void operator()(const LoadTrace&) {
    mentioned_[created_].add_words(*view_->command);
    made_.traces_[view_->number] = created_;
    touch_mentioned(created_);
  }
  void operator()(const EnqueueRecordEvent&) {
    for (const uint32_t object : node_->named) {
      if (made_.is_event(object)) made_.objects_[object].changes.push_back(view_->number);
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

  void operator()(const BufferCreate&) { add_memory(); }
  void operator()(const BufferDeallocate&) { end(node_->named.front()); }
  void operator()(const GlobalSemaphoreCreate&) {
    add_memory();
    write_in_first_queue(*device_);
    touch(created_);
  }
  void operator()(const GlobalSemaphoreResetValue&) {
    const uint32_t semaphore = node_->named.front();
    write_in_first_queue(index()[semaphore].memory->device);
    node_->overwrites = true;
    touch(semaphore);
  }
  void operator()(const GlobalCircularBufferCreate&) {
    write_in_first_queue(*device_);
    for (const uint32_t object : node_->named) touch(object);
    parts_[created_] = node_->named;
  }
  void operator()(const CallFailed&) { node_->has_failed = true; }

 private:
  // What a program or a trace reaches by what is known of its arguments.
  struct Mentioned {
    absl::flat_hash_set<uint64_t> words;
    absl::flat_hash_set<uint32_t> objects;

    void add_words(const Command& command) {
      visit_call(command, [this](const auto& call) {
        visit_words(call, [this](uint32_t word) { words.insert(word); });
      });
    }
  };

  const ObjectIndex& index() const { return made_.index_; }

  void add_id(const IdReference& id) {
    if (id.role == IdRole::Creates) return;
    const uint32_t object = index().find(id.object());
    node_->named.push_back(object);
    if (id.kind == ObjectKind::Device) device_ = object;
    if (id.role == IdRole::Destroys) end(object);
  }

  void end(uint32_t object) {
    made_.objects_[object].ends.push_back(view_->number);
    const ObjectIndex::Object& ended = index()[object];
    if (ended.memory.has_value() && ended.end == view_->number)
      --alive_at_[made_.objects_[object].place];
  }

  void add_changes() {
    if (node_->effect == Effect::kDivide) made_.objects_[*device_].changes.push_back(view_->number);
    if (!changes_object() || node_->has_failed) return;
    const uint32_t program = index().program_of(*view_->command);
    if (program != ObjectIndex::kNone) {
      made_.objects_[program].changes.push_back(view_->number);
      Mentioned& mentioned = mentioned_[program];
      mentioned.add_words(*view_->command);
      mentioned.objects.insert(node_->named.begin(), node_->named.end());
    } else if (index().size() == created_) {
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

  // ---- Memory ----

  void add_memory() {
    const ObjectIndex::Memory& memory = *index()[created_].memory;
    const uint32_t place = number_of(memory.device, place_of(memory.type), memory.address);
    made_.objects_[created_].place = place;
    ++alive_at_[place];
  }

  uint32_t number_of(uint32_t device, Place place, uint64_t address) {
    return places_.try_emplace({device, place, address}, places_.size()).first->second;
  }

  uint32_t by_address(Place place) { return number_of(*device_, place, 0); }

  // A write writes the object's memory, a read reads it, anything else may do both.
  void touch(uint32_t object) {
    if (const auto& memory = index()[object].memory) {
      const uint32_t place = made_.objects_[object].place;
      node_->on_divided |= divided_.contains(memory->device);
      if (node_->effect != Effect::kWrite) node_->reads.push_back(place);
      if (node_->effect != Effect::kRead) node_->writes.push_back(place);
    }
    const auto parts = parts_.find(object);
    if (parts == parts_.end()) return;
    for (const uint32_t part : parts->second) touch(part);
  }

  // The memory of a transfer: a buffer's, or some of a device's by address.
  template <class Call>
  void touch_memory_of(const Call& call) {
    if constexpr (requires { call.buffer(); }) {
      const uint32_t object = index().find({ObjectKind::Buffer, call.buffer()});
      touch(object);
      node_->overwrites = !requires { call.offset(); }
      &&is_alone(object);
    } else {
      const bool is_read = node_->effect == Effect::kRead;
      if (!is_read) node_->writes.push_back(by_address(Place::kWrittenByAddress));
      (is_read ? node_->reads : node_->writes).push_back(by_address(Place::kReadByAddress));
      constexpr Place kPlace = requires { call.core(); }
      ? Place::kL1 : Place::kDram;
      touch_reached(kPlace, call.address());
    }
  }

  // A view need not have all pages of the buffer in whose memory it is.
  bool is_alone(uint32_t object) const { return alive_at_.at(made_.objects_[object].place) == 1; }

  // An address may be in any object of that memory that begins at the address or before it.
  void touch_reached(Place place, uint64_t address) {
    for (const uint32_t object : index().living()) {
      const ObjectIndex::Memory& memory = *index()[object].memory;
      if (memory.device != *device_ || place_of(memory.type) != place || memory.address > address)
        continue;
      touch(object);
      node_->mentioned.push_back(object);
    }
  }

  void touch_mentioned(uint32_t launched) {
    const Mentioned& mentioned = mentioned_[launched];
    for (const uint32_t object : mentioned.objects) touch(object);
    for (const uint32_t object : index().living()) {
      const ObjectIndex::Memory& memory = *index()[object].memory;
      if (memory.device == *device_ && mentioned.words.contains(memory.address)) {
        touch(object);
        node_->mentioned.push_back(object);
      }
    }
    node_->reads.push_back(by_address(Place::kWrittenByAddress));
    node_->writes.push_back(by_address(Place::kReadByAddress));
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
  uint32_t created_ = 0;  // the object that it creates, or the number of objects
  std::optional<uint32_t> device_;

  absl::flat_hash_map<uint32_t, Mentioned> mentioned_;
  std::map<std::tuple<uint32_t, Place, uint64_t>, uint32_t> places_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> queues_;
  absl::flat_hash_set<uint32_t> divided_;                       // devices that ever load a manager
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> parts_;  // of global circular buffers
  absl::flat_hash_map<uint32_t, uint64_t> alive_at_;            // living objects, by place
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
