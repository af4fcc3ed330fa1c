#include "runtime/moves.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "runtime/roles.h"
#include "runtime/trace_memory.h"
#include "schema/command_generated.h"
#include "schema/commands/references.h"

namespace lightmetal::runtime {
namespace {

using schema::Call;

class Finder {
 public:
  Finder(const replay::LoadedFile& file, const Plan& plan) : file_(file), plan_(plan) {}

  Moves find() {
    look_at_commands();
    std::vector<std::optional<std::vector<uint64_t>>> again;
    for (const BoundTensor& tensor : plan_.tensors) {
      again.push_back(may_be_replaced(tensor) ? std::optional(followers(tensor.buffer))
                                              : std::nullopt);
    }
    return {.movable = movable_, .kept = kept(), .again = std::move(again)};
  }

 private:
  const schema::Command& command(uint64_t number) const { return *file_.commands[number]; }

  // What a device trace has an address in stays where it is.
  void look_at_commands() {
    const TraceWords traces(file_);
    for (uint64_t number = 0; number < file_.commands.size(); ++number) {
      names_.add(command(number));
      if (const auto* movable = command(number).call_as_BufferMovable())
        movable_.insert(movable->buffer());
      if (const auto* create = command(number).call_as_BufferCreate()) creates_.push_back(create);
      if (const auto* destroy = command(number).call_as_ProgramDestroy())
        destroyed_[destroy->program()] = number;
      schema::visit_ids(command(number), [&](const schema::IdReference& reference) {
        if (reference.kind == "Buffer") note_use(number, reference.id);
      });
    }
    for (const schema::BufferCreate* create : creates_) {
      if (traces.any_in(*create)) movable_.erase(create->id());
    }
    for (const BoundTensor& tensor : plan_.tensors) ++tensors_[tensor.buffer];
  }

  std::vector<const schema::BufferCreate*> kept() const {
    std::vector<const schema::BufferCreate*> kept;
    if (movable_.empty()) return kept;
    for (const LoadStep& step : plan_.load) {
      const auto* create = command(step.command).call_as_BufferCreate();
      if (create != nullptr && !create->address().has_value() && !movable_.contains(create->id()))
        kept.push_back(create);
    }
    return kept;
  }

  void note_use(uint64_t number, uint64_t buffer) {
    const Call call = command(number).call_type();
    switch (role_of(call)) {
      case Role::kSet:
        if (const auto program = names_.program(command(number)))
          programs_[buffer].insert(*program);
        return;
      case Role::kWrite:
      case Role::kRead:
      case Role::kEnd:
      case Role::kNone:
        return;
      case Role::kMake:
        if (const auto* circular = command(number).call_as_CircularBufferCreate()) {
          programs_[buffer].insert(circular->program());
        } else if (call != Call::BufferCreate && call != Call::BufferMovable) {
          held_.insert(buffer);
        }
        return;
      case Role::kWork:
      case Role::kDivide:
        held_.insert(buffer);
        return;
    }
  }

  // An input alone in its memory, of which programs know by what can be given to them again.
  bool may_be_replaced(const BoundTensor& tensor) const {
    if (tensor.role != host::BindingRole::kInput || !movable_.contains(tensor.buffer) ||
        held_.contains(tensor.buffer)) {
      return false;
    }
    return tensors_.at(tensor.buffer) == 1 && lies_alone(tensor.buffer);
  }

  // No view lies in it, and it is none.
  bool lies_alone(uint64_t buffer) const {
    const auto own = std::ranges::find(creates_, buffer, &schema::BufferCreate::id);
    return std::ranges::none_of(creates_, [&](const schema::BufferCreate* other) {
      return other != *own && overlap(**own, *other);
    });
  }

  // By sizes as if each buffer lay in one bank, so that what overlaps is always found.
  static bool overlap(const schema::BufferCreate& a, const schema::BufferCreate& b) {
    return a.device() == b.device() && a.buffer_type() == b.buffer_type() &&
           (a.address().has_value() || b.address().has_value()) &&
           a.allocated_address() < b.allocated_address() + b.size() &&
           b.allocated_address() < a.allocated_address() + a.size();
  }

  // What load gives the programs that know the buffer, all of it, since later ones of these
  // commands change what earlier ones have set.
  std::vector<uint64_t> followers(uint64_t buffer) const {
    std::vector<uint64_t> again;
    const auto found = programs_.find(buffer);
    if (found == programs_.end()) return again;
    for (const LoadStep& step : plan_.load) {
      const schema::Command& loaded = command(step.command);
      const auto program = names_.program(loaded);
      if (!program.has_value() || !found->second.contains(*program) || is_destroyed(*program))
        continue;
      const auto* circular = loaded.call_as_CircularBufferCreate();
      const bool follows = circular != nullptr && circular->config()->buffer() != 0;
      if (follows || role_of(loaded.call_type()) == Role::kSet) again.push_back(step.command);
    }
    return again;
  }

  // By load, which ends what the program ends before its first entry.
  bool is_destroyed(uint64_t program) const {
    const auto found = destroyed_.find(program);
    return found != destroyed_.end() && std::ranges::any_of(plan_.load, [&](const LoadStep& step) {
             return step.command == found->second;
           });
  }

  const replay::LoadedFile& file_;
  ProgramNames names_;
  const Plan& plan_;
  absl::flat_hash_set<uint64_t> movable_;  // buffers
  absl::flat_hash_set<uint64_t> held_;     // buffers that something knows for good
  absl::flat_hash_map<uint64_t, absl::flat_hash_set<uint64_t>> programs_;  // by buffer
  std::vector<const schema::BufferCreate*> creates_;
  absl::flat_hash_map<uint64_t, uint64_t> destroyed_;  // the command that ends a program
  absl::flat_hash_map<uint64_t, size_t> tensors_;      // how many there are of a buffer
};

}  // namespace

Moves find_moves(const replay::LoadedFile& file, const Plan& plan) {
  return Finder(file, plan).find();
}

}  // namespace lightmetal::runtime
