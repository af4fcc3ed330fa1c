#include "runtime/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/calls.h"
#include "schema/commands/effect.h"
#include "schema/semantics/lifetime.h"
#include "schema/semantics/tensor_desc.h"

namespace lightmetal::runtime {
namespace {

using schema::Call;
using schema::Effect;

constexpr char kMain[] = "main";
constexpr uint64_t kMostInputSteps = uint64_t{1} << 22;  // of all entries

// Commands [begin, end) of the file.
struct Range {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The buffer that a write or a read is of; none for others.
struct FindBuffer {
  template <class Call>
  std::optional<uint64_t> operator()(const Call& call) const {
    if constexpr (requires { call.buffer(); }) {
      return call.buffer();
    } else {
      return std::nullopt;
    }
  }
};

class Planner {
 public:
  explicit Planner(const replay::LoadedFile& file) : file_(file) {}

  absl::StatusOr<Plan> make() {
    for (uint64_t number = 0; number < file_.commands.size(); ++number)
      plan_.objects.add(number, command(number));
    LM_RETURN_IF_ERROR(find_tensors());
    find_entries();
    LM_RETURN_IF_ERROR(check_size());
    find_changed_programs();
    for (const Range& entry : entries_) LM_RETURN_IF_ERROR(check_entry(entry));
    plan_load();
    for (const Range& entry : entries_) plan_entry(entry);
    return std::move(plan_);
  }

 private:
  const schema::Command& command(uint64_t number) const { return *file_.commands[number]; }
  Effect effect(uint64_t number) const { return schema::effect_of(command(number).call_type()); }
  uint32_t program(uint64_t number) const { return plan_.objects.program_of(command(number)); }
  // Returns true if devices work on the command, unless it reads memory or writes a buffer.
  bool is_work(uint64_t number) const {
    switch (effect(number)) {
      case Effect::kPrepare:
      case Effect::kLaunch:
      case Effect::kWait:
        return true;
      case Effect::kWrite:
        return !buffer(number).has_value();
      default:
        return false;
    }
  }
  std::optional<uint64_t> buffer(uint64_t number) const {
    return schema::visit_call(command(number), FindBuffer());
  }

  absl::Status find_tensors() {
    absl::flat_hash_set<std::string> names;
    for (const schema::Command* command : file_.commands) {
      const auto* bind = command->call_as_BindTensor();
      if (bind == nullptr) continue;
      const std::string name = bind->name()->str();
      if (!names.insert(name).second) {
        return absl::FailedPreconditionError(
            absl::StrCat(file_.file->name(), ": two buffers, one after the other, have the name ",
                         name, ": an executable has one of a name"));
      }
      LM_RETURN_IF_ERROR(check_is_no_second_input(*bind));
      of_buffer_[bind->buffer()].push_back(plan_.tensors.size());
      plan_.tensors.push_back({.name = name,
                               .role = static_cast<BindingRole>(bind->role()),
                               .tensor = schema::tensor_of(*bind->tensor()),
                               .buffer = bind->buffer()});
    }
    plan_.defaults.resize(plan_.tensors.size());
    return absl::OkStatus();
  }

  // Two values for one buffer would leave open which one it has.
  absl::Status check_is_no_second_input(const schema::BindTensor& bind) const {
    const auto found = of_buffer_.find(bind.buffer());
    const auto role = static_cast<BindingRole>(bind.role());
    if (found == of_buffer_.end() || !BoundTensor{.role = role}.is_input()) return absl::OkStatus();
    for (const size_t other : found->second) {
      const BoundTensor& tensor = plan_.tensors[other];
      if (!tensor.is_input()) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(file_.file->name(), ": ", tensor.name, " and ", bind.name()->str(),
                       " are two inputs, and one buffer: an executable has one input of a buffer"));
    }
    return absl::OkStatus();
  }

  // The tensor that is the buffer of the command, if one with such a role is.
  template <class Predicate>
  std::optional<size_t> tensor(uint64_t number, Predicate has_role) const {
    const auto found = of_buffer_.find(buffer(number).value_or(0));
    if (found == of_buffer_.end()) return std::nullopt;
    for (const size_t tensor : found->second) {
      if (has_role(plan_.tensors[tensor])) return tensor;
    }
    return std::nullopt;
  }
  std::optional<size_t> input(uint64_t number) const {
    return tensor(number,
                  [](const BoundTensor& tensor) { return tensor.role == BindingRole::kInput; });
  }
  std::optional<size_t> input_or_constant(uint64_t number) const {
    return tensor(number, [](const BoundTensor& tensor) {
      return tensor.role == BindingRole::kInput || tensor.role == BindingRole::kConstant;
    });
  }
  std::optional<size_t> output(uint64_t number) const {
    return tensor(number, [](const BoundTensor& tensor) { return tensor.is_output(); });
  }
  // True for a write to what is written once.
  bool is_written_once(uint64_t number) const {
    return tensor(number,
                  [](const BoundTensor& tensor) {
                    return tensor.role == BindingRole::kConstant ||
                           tensor.role == BindingRole::kInOut;
                  })
        .has_value();
  }

  void find_entries() {
    std::set<std::string> known;
    for (uint64_t number = 0; number < file_.commands.size(); ++number) {
      if (const auto* begin = command(number).call_as_EntryBegin()) {
        all_entries_.push_back({begin->name()->str(), number, file_.commands.size()});
      } else if (command(number).call_type() == Call::EntryEnd) {
        all_entries_.back().end = number;
      }
    }
    if (all_entries_.empty()) all_entries_.push_back(whole_program());
    places_.assign(file_.commands.size(), Place::kOutside);
    for (const Range& entry : all_entries_) {
      const bool is_first = known.insert(entry.name).second;
      if (is_first) entries_.push_back(entry);
      std::fill(places_.begin() + static_cast<ptrdiff_t>(entry.begin),
                places_.begin() + static_cast<ptrdiff_t>(entry.end),
                is_first ? Place::kEntry : Place::kRepetition);
    }
  }

  // An entry has a step for each input, at least.
  absl::Status check_size() const {
    const uint64_t steps = uint64_t{entries_.size()} * plan_.tensors.size();
    if (steps <= kMostInputSteps) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(file_.file->name(), " has ", entries_.size(),
                                                     " entries and ", plan_.tensors.size(),
                                                     " tensors, which are too many together"));
  }

  Range whole_program() const {
    const auto is_run = [this](uint64_t number) {
      return effect(number) == Effect::kWrite || is_work(number);
    };
    Range range{kMain, file_.commands.size(), file_.commands.size()};
    for (uint64_t number = 0; number < file_.commands.size(); ++number) {
      if (!is_run(number) && effect(number) != Effect::kRead) continue;
      range.begin = std::min(range.begin, number);
      range.end = number + 1;
    }
    return range;
  }

  // From the first entry on: load does not change them there.
  void find_changed_programs() {
    for (uint64_t number = entries_.front().begin; number < end_of_entries(); ++number) {
      if (effect(number) == Effect::kSet) changed_.insert(program(number));
    }
  }

  uint64_t end_of_entries() const {
    uint64_t last = 0;
    for (const Range& entry : entries_) last = std::max(last, entry.end);
    return last;
  }

  absl::Status check_entry(const Range& entry) const {
    for (uint64_t number = entry.begin; number < entry.end; ++number) {
      if (effect(number) != Effect::kDivide) continue;
      LM_ASSIGN_OR_RETURN(view, file_.file->command(number));
      return absl::FailedPreconditionError(absl::StrCat(
          file_.file->name(), ": ", schema::describe(view), " stands within entry ", entry.name,
          ", which could not be run again: it belongs before the first entry"));
    }
    return absl::OkStatus();
  }

  // ---- Load ----

  void plan_load() {
    const uint64_t first = entries_.front().begin;
    for (uint64_t number = 0; number < end_of_entries(); ++number) {
      if (places_[number] == Place::kRepetition) continue;
      const bool in_entry = places_[number] == Place::kEntry;
      if (!is_loaded(number, in_entry, number < first)) continue;
      plan_.load.push_back({number, in_entry});
      if (effect(number) != Effect::kWrite) continue;
      if (const auto written = input_or_constant(number))
        plan_.defaults[*written].push_back(number);
    }
  }

  bool is_loaded(uint64_t number, bool in_entry, bool is_before) const {
    switch (effect(number)) {
      case Effect::kMake:
        return true;
      case Effect::kWrite:
        return is_work(number) ? is_before : !in_entry || is_written_once(number);
      case Effect::kDivide:
        return !in_entry;
      case Effect::kSet:
      case Effect::kPrepare:
      case Effect::kLaunch:
      case Effect::kWait:
      case Effect::kEnd:
        return is_before;
      case Effect::kRead:
      case Effect::kMark:
        return false;
    }
    return false;
  }

  // ---- Runs ----

  void plan_entry(const Range& range) {
    Entry entry{.name = range.name, .steps = {}, .early = {}};
    add_changes_before(range, entry);
    add_unrecorded_events(range, entry);
    add_inputs(range, entry);
    for (uint64_t number = range.begin; number < range.end; ++number) add_step(number, entry);
    add_outputs(entry);
    find_early(entry);
    plan_.entries.push_back(std::move(entry));
  }

  // What entries change is at the beginning as it was there when the entry was captured.
  void add_changes_before(const Range& range, Entry& entry) const {
    absl::flat_hash_set<uint32_t> used;
    for (uint64_t number = range.begin; number < range.end; ++number) {
      const uint32_t named = program(number);
      if (changed_.contains(named)) used.insert(named);
    }
    for (uint64_t number = 0; number < range.begin && !used.empty(); ++number) {
      if (effect(number) == Effect::kSet && used.contains(program(number)))
        add_command(number, entry);
    }
  }

  // The events that the entry waits for, and that no command has recorded by then: a run before may
  // have recorded them.
  void add_unrecorded_events(const Range& range, Entry& entry) const {
    absl::flat_hash_set<uint64_t> seen;  // ids of those that are recorded or have a step
    for (uint64_t number = 0; number < range.end; ++number) {
      if (const auto* record = command(number).call_as_EnqueueRecordEvent()) {
        seen.insert(record->event());
      } else if (const auto* wait = command(number).call_as_EnqueueWaitForEvent()) {
        if (number >= range.begin && seen.insert(wait->event()).second)
          entry.steps.push_back({Step::Kind::kEvent, number, 0});
      }
    }
  }

  // The inputs that the entry does not write, which may get a value before it begins.
  void add_inputs(const Range& range, Entry& entry) const {
    std::vector<bool> written(plan_.tensors.size());
    for (uint64_t number = range.begin; number < range.end; ++number) {
      if (effect(number) != Effect::kWrite) continue;
      if (const auto tensor = input(number)) written[*tensor] = true;
    }
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor) {
      if (plan_.tensors[tensor].is_input() && !written[tensor])
        entry.steps.push_back({Step::Kind::kInput, std::nullopt, tensor});
    }
  }

  void add_step(uint64_t number, Entry& entry) const {
    switch (effect(number)) {
      case Effect::kSet:
      case Effect::kPrepare:
      case Effect::kLaunch:
      case Effect::kWait:
        return add_command(number, entry);
      case Effect::kWrite:
        if (is_written_once(number)) return;
        if (const auto tensor = input(number)) {
          entry.steps.push_back({Step::Kind::kInput, number, *tensor});
          return;
        }
        return add_command(number, entry);
      case Effect::kRead:
        if (const auto tensor = output(number)) {
          // The last read counts.
          std::erase_if(entry.steps, [&](const Step& step) {
            return step.kind == Step::Kind::kOutput && step.tensor == *tensor;
          });
          entry.steps.push_back({Step::Kind::kOutput, number, *tensor});
        }
        return;
      case Effect::kMake:
        if (command(number).call_type() == Call::GlobalSemaphoreCreate)
          entry.steps.push_back({Step::Kind::kSemaphore, number, 0});
        return;
      case Effect::kEnd:
      case Effect::kDivide:
      case Effect::kMark:
        return;
    }
  }

  void add_outputs(Entry& entry) const {
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor) {
      if (!plan_.tensors[tensor].is_output()) continue;
      const bool is_read = std::ranges::any_of(entry.steps, [tensor](const Step& step) {
        return step.kind == Step::Kind::kOutput && step.tensor == tensor;
      });
      if (!is_read) entry.steps.push_back({Step::Kind::kOutput, std::nullopt, tensor});
    }
  }

  void find_early(Entry& entry) const {
    entry.early.assign(plan_.tensors.size(), false);
    for (const Step& step : entry.steps) {
      if (step.kind == Step::Kind::kCommand && is_work(*step.command)) return;
      if (step.kind == Step::Kind::kInput) entry.early[step.tensor] = true;
    }
  }

  static void add_command(uint64_t number, Entry& entry) {
    entry.steps.push_back({Step::Kind::kCommand, number, 0});
  }

  enum class Place : uint8_t { kOutside, kEntry, kRepetition };

  const replay::LoadedFile& file_;
  Plan plan_;
  absl::flat_hash_map<uint64_t, std::vector<size_t>> of_buffer_;  // tensors
  std::vector<Range> all_entries_;
  std::vector<Range> entries_;             // the first of each name
  std::vector<Place> places_;              // by command
  absl::flat_hash_set<uint32_t> changed_;  // programs that entries change
};

}  // namespace

absl::StatusOr<Plan> make_plan(const replay::LoadedFile& file) { return Planner(file).make(); }

}  // namespace lightmetal::runtime
