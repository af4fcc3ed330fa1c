#include "runtime/moves.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "runtime/trace_memory.h"
#include "schema/command_generated.h"
#include "schema/commands/effect.h"
#include "schema/commands/references.h"

namespace lightmetal::runtime {
namespace {

using schema::Call;
using schema::Effect;
using schema::ObjectKind;
using Memory = schema::ObjectIndex::Memory;

// Each input is compared with each view: with more of them, inputs are copied.
constexpr size_t kMostViews = 4096;

class Finder {
 public:
  Finder(const replay::LoadedFile& file, const Plan& plan) : file_(file), plan_(plan) {}

  Moves find() {
    std::vector<std::optional<std::vector<uint64_t>>> again(plan_.tensors.size());
    find_movable();
    if (movable_.empty()) return {.movable = {}, .kept = {}, .again = std::move(again)};
    look_at_commands();
    for (size_t i = 0; i < again.size(); ++i) {
      const BoundTensor& tensor = plan_.tensors[i];
      if (may_be_replaced(tensor)) again[i] = followers(tensor.buffer);
    }
    return {.movable = movable_, .kept = kept(), .again = std::move(again)};
  }

 private:
  const schema::Command& command(uint64_t number) const { return *file_.commands[number]; }

  // What a device trace has an address in stays where it is.
  void find_movable() {
    for (const schema::Command* command : file_.commands) {
      if (const auto* movable = command->call_as_BufferMovable())
        movable_.insert(movable->buffer());
    }
    if (movable_.empty()) return;
    const TraceWords traces(file_);
    for (uint32_t number = 0; number < objects().size(); ++number) {
      const schema::ObjectIndex::Object& object = objects()[number];
      if (object.name.kind != ObjectKind::Buffer) continue;
      if (object.memory->is_view) views_.push_back(&*object.memory);
      if (traces.any_in(*object.memory)) movable_.erase(object.name.id);
    }
  }

  void look_at_commands() {
    for (uint64_t number = 0; number < file_.commands.size(); ++number) {
      schema::visit_ids(command(number), [&](const schema::IdReference& reference) {
        if (reference.kind == ObjectKind::Buffer) note_use(number, reference.id);
      });
    }
    for (const LoadStep& step : plan_.load) note_given(step.command);
    for (const BoundTensor& tensor : plan_.tensors) ++tensors_[tensor.buffer];
  }

  // What load has given a program that it ends is not given again.
  void note_given(uint64_t number) {
    const schema::Command& loaded = command(number);
    const uint32_t program = objects().program_of(loaded);
    if (loaded.call_type() == Call::ProgramDestroy) return void(given_.erase(program));
    const auto* circular = loaded.call_as_CircularBufferCreate();
    const bool follows = circular != nullptr && circular->config()->buffer() != 0;
    if (follows || schema::effect_of(loaded.call_type()) == Effect::kSet)
      given_[program].push_back(number);
  }

  std::vector<const schema::BufferCreate*> kept() const {
    std::vector<const schema::BufferCreate*> kept;
    for (const LoadStep& step : plan_.load) {
      const auto* create = command(step.command).call_as_BufferCreate();
      if (create != nullptr && !create->address().has_value() && !movable_.contains(create->id()))
        kept.push_back(create);
    }
    return kept;
  }

  void note_use(uint64_t number, uint64_t buffer) {
    const Call call = command(number).call_type();
    switch (schema::effect_of(call)) {
      case Effect::kSet:
        programs_[buffer].insert(objects().program_of(command(number)));
        return;
      case Effect::kWrite:
      case Effect::kRead:
      case Effect::kEnd:
      case Effect::kMark:
        return;
      case Effect::kMake:
        if (call == Call::CircularBufferCreate) {
          programs_[buffer].insert(objects().program_of(command(number)));
        } else if (call != Call::BufferCreate && call != Call::BufferMovable) {
          held_.insert(buffer);
        }
        return;
      case Effect::kPrepare:
      case Effect::kLaunch:
      case Effect::kWait:
      case Effect::kDivide:
        held_.insert(buffer);
        return;
    }
  }

  // An input alone in its memory, of which programs know by what can be given to them again.
  bool may_be_replaced(const BoundTensor& tensor) const {
    if (tensor.role != BindingRole::kInput || !movable_.contains(tensor.buffer) ||
        held_.contains(tensor.buffer)) {
      return false;
    }
    return tensors_.at(tensor.buffer) == 1 && lies_alone(tensor.buffer);
  }

  // It is no view, and none lies in it.
  bool lies_alone(uint64_t buffer) const {
    const Memory& own = *objects()[objects().find({ObjectKind::Buffer, buffer})].memory;
    return !own.is_view && views_.size() <= kMostViews &&
           std::ranges::none_of(views_, [&](const Memory* view) { return own.may_overlap(*view); });
  }

  // All that load gives the programs that know the buffer, since later ones of these commands
  // change what earlier ones have set.
  std::vector<uint64_t> followers(uint64_t buffer) const {
    std::vector<uint64_t> again;
    const auto programs = programs_.find(buffer);
    if (programs == programs_.end()) return again;
    for (const uint32_t program : programs->second) {
      const auto given = given_.find(program);
      if (given == given_.end()) continue;
      again.insert(again.end(), given->second.begin(), given->second.end());
    }
    std::ranges::sort(again);
    return again;
  }

  const schema::ObjectIndex& objects() const { return plan_.objects; }

  const replay::LoadedFile& file_;
  const Plan& plan_;
  absl::flat_hash_set<uint64_t> movable_;  // buffers
  absl::flat_hash_set<uint64_t> held_;     // buffers that something knows for good
  absl::flat_hash_map<uint64_t, absl::flat_hash_set<uint32_t>> programs_;  // by buffer
  std::vector<const Memory*> views_;
  absl::flat_hash_map<uint32_t, std::vector<uint64_t>> given_;  // commands of load, by program
  absl::flat_hash_map<uint64_t, size_t> tensors_;               // how many there are of a buffer
};

}  // namespace

Moves find_moves(const replay::LoadedFile& file, const Plan& plan) {
  return Finder(file, plan).find();
}

}  // namespace lightmetal::runtime
