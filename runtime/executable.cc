#include <algorithm>
#include <lightmetal/executable.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/support/process_mark.h"
#include "base/mutex.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/loaded_file.h"
#include "replay/without_exceptions.h"
#include "runtime/bound_buffer.h"
#include "runtime/chip_taken.h"
#include "runtime/movable_placement.h"
#include "runtime/moves.h"
#include "runtime/plan.h"
#include "runtime/trace_memory.h"
#include "runtime/written_tensors.h"
#include "schema/command_generated.h"
#include "schema/commands/effect.h"

namespace lightmetal {
namespace {

using runtime::BoundBuffer;
using runtime::Entry;
using runtime::Plan;
using runtime::Step;

// An error in a child that was forked after the device was opened.
absl::Status check_process(tt::tt_metal::IDevice& device) {
  return replay::without_exceptions([&] {
    tt::tt_metal::replay_hooks::turn_of(device);
    return absl::OkStatus();
  });
}

// "a, b and c" would need the last; a list is enough.
template <class Names>
std::string list_of(const Names& names) {
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

}  // namespace

class Executable::Impl {
 public:
  Impl(replay::LoadedFile loaded, Plan plan, LoadOptions options,
       std::shared_ptr<runtime::Counters> counters)
      : options_(std::move(options)),
        counters_(counters != nullptr ? std::move(counters)
                                      : std::make_shared<runtime::Counters>()),
        loaded_(std::move(loaded)),
        plan_(std::move(plan)),
        moves_(runtime::find_moves(loaded_, plan_)),
        placement_(moves_),
        executor_(*loaded_.file, options_, loaded_.golden_policy, std::move(loaded_.traces),
                  {.placement = &placement_}),
        written_(plan_.tensors.size()) {
    for (const Entry& entry : plan_.entries) entries_.push_back(entry.name);
  }
  ~Impl() {
    MutexLock lock(&turn_);
    executor_.begin_run(run_options_);  // ends what load has made
  }

  // OK in the process that has the threads of the devices. In a forked child nothing of this object
  // may be used or end: `turn_` may be held there for ever.
  absl::Status status() const { return process_.status(); }

  absl::Status load() {
    MutexLock lock(&turn_);
    executor_.begin_run(run_options_);
    for (const runtime::LoadStep& step : plan_.load) LM_RETURN_IF_ERROR(load(step));
    LM_RETURN_IF_ERROR(executor_.finish().status());
    LM_RETURN_IF_ERROR(reserve_memory_of_traces());
    current_load_ = ++counters_->loads;
    return find_buffers();
  }

  absl::Status run(std::string_view entry, absl::Span<const InputValues> inputs,
                   absl::Span<const OutputValues> outputs) {
    LM_RETURN_IF_ERROR(status());
    MutexLock lock(&turn_);
    LM_RETURN_IF_ERROR(check_runs());
    LM_ASSIGN_OR_RETURN(found, entry_of(entry));
    LM_RETURN_IF_ERROR(take(inputs, outputs));
    absl::Status status = reload_traces(*found);
    if (status.ok()) status = place_inputs(*found);
    if (status.ok()) status = begin_watch(*found);
    if (status.ok()) status = execute(*found);
    if (!status.ok()) executor_.abandon_run();
    status.Update(written_.end());
    status.Update(take_back_inputs());
    for (BoundBuffer& buffer : buffers_) buffer.forget_values();
    if (status.ok()) return status;
    broken_ = status;
    return status;
  }

  absl::Status check(std::string_view entry, absl::Span<const InputValues> inputs,
                     absl::Span<const OutputValues> outputs) {
    LM_RETURN_IF_ERROR(status());
    LM_RETURN_IF_ERROR(check_runs());
    LM_RETURN_IF_ERROR(entry_of(entry).status());
    LM_RETURN_IF_ERROR(take(inputs, outputs));
    for (BoundBuffer& buffer : buffers_) buffer.forget_values();
    return absl::OkStatus();
  }

  const std::vector<std::string>& entries() const { return entries_; }
  const std::vector<BoundTensor>& tensors() const { return plan_.tensors; }
  const tt::tt_metal::Buffer& buffer(const BoundTensor& tensor) const {
    return buffers_[numbers_.at(tensor.name)].buffer();
  }

 private:
  const std::string& name() const { return loaded_.file->name(); }
  const schema::Command& command(uint64_t number) const { return *loaded_.commands[number]; }
  replay::ObjectTable& objects() { return executor_.objects(); }

  // ---- Load ----

  absl::Status load(const runtime::LoadStep& step) {
    const schema::Command& loaded = command(step.command);
    if (const auto* device = loaded.call_as_CreateDevice()) return open(step.command, *device);
    const auto* create = loaded.call_as_BufferCreate();
    if (create == nullptr) return executor_.execute(step.command, loaded);
    if (step.in_entry && takes_turns(*create)) {
      placement_.make_view_of(create->id());
      return executor_.execute(step.command, loaded);
    }
    made_.push_back(create);
    const absl::Status status = executor_.execute(step.command, loaded);
    if (status.ok() || options_.device == nullptr) return status;
    return absl::FailedPreconditionError(
        absl::StrCat(status.message(),
                     "; a program that is captured with another "
                     "LIGHTMETAL_ALLOCATOR_OFFSET leaves room for what lies there"));
  }

  absl::Status open(uint64_t number, const schema::CreateDevice& call) {
    const absl::Status status = executor_.execute(number, command(number));
    if (options_.device != nullptr) return status;
    return runtime::with_other_places(status, options_.chip_id.value_or(call.chip_id()));
  }

  // True for a buffer that lies where another one lay that has ended within the entry: load makes
  // both, the second one as a view of the first.
  bool takes_turns(const schema::BufferCreate& create) {
    return std::ranges::any_of(made_, [&](const schema::BufferCreate* earlier) {
      return objects().buffers.contains(earlier->id()) && earlier->device() == create.device() &&
             earlier->buffer_type() == create.buffer_type() &&
             earlier->allocated_address() == create.allocated_address() &&
             earlier->page_size() == create.page_size() && earlier->layout() == create.layout() &&
             earlier->size() >= create.size();
    });
  }

  // What the program had freed when it replayed its traces is nobody else's. Memory that a later
  // buffer of the file has is taken already.
  absl::Status reserve_memory_of_traces() {
    for (const uint64_t number : runtime::freed_memory_of_traces(loaded_, plan_)) {
      const schema::BufferCreate& freed = *command(number).call_as_BufferCreate();
      LM_ASSIGN_OR_RETURN(on, objects().devices.find(freed.device()));
      const absl::Status status = placement_.reserve(freed, on->device);
      if (!status.ok() && !is_used_again(freed)) return status;
    }
    return absl::OkStatus();
  }

  bool is_used_again(const schema::BufferCreate& freed) {
    return std::ranges::any_of(made_, [&](const schema::BufferCreate* other) {
      const auto living = objects().buffers.find(other->id());
      return living.ok() && (**living)->is_allocated() &&
             memory_of(*other).may_overlap(memory_of(freed));
    });
  }

  const schema::ObjectIndex::Memory& memory_of(const schema::BufferCreate& create) const {
    const uint32_t buffer = plan_.objects.find({schema::ObjectKind::Buffer, create.id()});
    return *plan_.objects[buffer].memory;
  }

  absl::Status find_buffers() {
    buffers_.reserve(plan_.tensors.size());
    for (const BoundTensor& tensor : plan_.tensors) {
      LM_ASSIGN_OR_RETURN(buffer, objects().buffers.find(tensor.buffer));
      known_addresses_.push_back((*buffer)->address());
      buffers_.emplace_back(tensor, *buffer, *counters_);
      numbers_[tensor.name] = buffers_.size() - 1;
    }
    return absl::OkStatus();
  }

  // ---- What a run is given ----

  absl::Status check_runs() const {
    if (broken_.ok()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(name(), " runs no more, since a run of it has failed: ", broken_.message()));
  }

  absl::StatusOr<const Entry*> entry_of(std::string_view name_of_entry) const {
    for (const Entry& entry : plan_.entries) {
      if (entry.name == name_of_entry) return &entry;
    }
    return absl::NotFoundError(absl::StrCat(name(), " has no entry \"", std::string(name_of_entry),
                                            "\": it has ", list_of(entries_)));
  }

  absl::StatusOr<BoundBuffer*> buffer_of(std::string_view name_of_tensor) {
    const auto found =
        numbers_.find(absl::string_view(name_of_tensor.data(), name_of_tensor.size()));
    if (found != numbers_.end()) return &buffers_[found->second];
    std::vector<std::string> names;
    for (const BoundTensor& tensor : plan_.tensors) names.push_back(tensor.name);
    return absl::NotFoundError(absl::StrCat(
        name(), " has no tensor \"", std::string(name_of_tensor), "\": it has ", list_of(names)));
  }

  // Nothing is kept of values when one of them is refused.
  absl::Status take(absl::Span<const InputValues> inputs, absl::Span<const OutputValues> outputs) {
    absl::Status status;
    for (const InputValues& input : inputs) status.Update(take_values(input));
    for (const OutputValues& output : outputs) status.Update(take_values(output));
    if (status.ok()) return status;
    for (BoundBuffer& buffer : buffers_) buffer.forget_values();
    return absl::Status(status.code(), absl::StrCat(name(), ": ", status.message()));
  }

  template <class Values>
  absl::Status take_values(const Values& values) {
    LM_ASSIGN_OR_RETURN(buffer, buffer_of(values.name));
    return buffer->take(values);
  }

  // ---- Device traces ----

  // Loads anew the traces of an entry that replays some, after others have been loaded.
  absl::Status reload_traces(const Entry& entry) {
    const uint64_t loads = counters_->loads;
    if (loads == current_load_ || !replays_traces(entry)) return absl::OkStatus();
    for (const runtime::LoadStep& step : plan_.load) {
      const auto* load = command(step.command).call_as_LoadTrace();
      if (load == nullptr) continue;
      LM_ASSIGN_OR_RETURN(reloaded, executor_.reload_trace(*load));
      counters_->trace_reloads += reloaded ? 1 : 0;
    }
    current_load_ = loads;
    return absl::OkStatus();
  }

  bool replays_traces(const Entry& entry) const {
    return std::ranges::any_of(entry.steps, [this](const Step& step) {
      return step.kind == Step::Kind::kCommand &&
             schema::launched_trace(command(*step.command)).has_value();
    });
  }

  // ---- Inputs that are taken where they lie ----

  absl::Status place_inputs(const Entry& entry) {
    for (size_t tensor = 0; tensor < buffers_.size(); ++tensor) {
      if (!moves_.again[tensor].has_value()) continue;
      const bool may = entry.early[tensor] && !is_written(buffers_[tensor].given()) &&
                       !written_.is_written(tensor);
      tt::tt_metal::Buffer* given = may ? buffers_[tensor].take_in_place() : nullptr;
      // The caller keeps it until the run is over.
      LM_RETURN_IF_ERROR(place(tensor, given == nullptr ? buffers_[tensor].shared_buffer()
                                                        : std::shared_ptr<tt::tt_metal::Buffer>(
                                                              std::shared_ptr<void>(), given)));
    }
    return absl::OkStatus();
  }

  // True for a buffer of the caller's that an output goes to, too.
  bool is_written(const tt::tt_metal::Buffer* given) const {
    return std::ranges::any_of(buffers_, [given](const BoundBuffer& buffer) {
      return given != nullptr && buffer.wanted() == given;
    });
  }

  // Gives programs the address where the tensor is now, when they have another one.
  absl::Status place(size_t tensor, std::shared_ptr<tt::tt_metal::Buffer> buffer) {
    const uint64_t address = buffer->address();
    LM_RETURN_IF_ERROR(put(tensor, std::move(buffer)));
    if (std::exchange(known_addresses_[tensor], address) == address) return absl::OkStatus();
    for (const uint64_t number : *moves_.again[tensor]) {
      const auto* circular = command(number).call_as_CircularBufferCreate();
      LM_RETURN_IF_ERROR(circular == nullptr ? executor_.execute(number, command(number))
                                             : follow_buffer(*circular));
    }
    return absl::OkStatus();
  }

  // Replaces the buffer of a tensor for the commands that follow.
  absl::Status put(size_t tensor, std::shared_ptr<tt::tt_metal::Buffer> buffer) {
    LM_ASSIGN_OR_RETURN(present, objects().buffers.find(plan_.tensors[tensor].buffer));
    *present = std::move(buffer);
    return absl::OkStatus();
  }

  // Places a circular buffer in the present buffer of the id that it was created with.
  absl::Status follow_buffer(const schema::CircularBufferCreate& call) {
    LM_ASSIGN_OR_RETURN(circular, objects().circular_buffers.find(call.id()));
    LM_ASSIGN_OR_RETURN(shared, objects().buffers.find(call.config()->buffer()));
    return replay::without_exceptions([to = shared->get(), of = circular] {
      tt::tt_metal::UpdateDynamicCircularBufferAddress(*of->program, of->handle, *to);
      return absl::OkStatus();
    });
  }

  // Programs keep the address, until they get another one.
  absl::Status take_back_inputs() {
    absl::Status status;
    for (size_t tensor = 0; tensor < buffers_.size(); ++tensor) {
      if (!moves_.again[tensor].has_value()) continue;
      status.Update(put(tensor, buffers_[tensor].shared_buffer()));
    }
    return status;
  }

  // ---- Inputs and constants that kernels write to ----

  // What the kernels of an entry write to its inputs and constants is undone: the first run of the
  // entry finds out whether they do.
  absl::Status begin_watch(const Entry& entry) {
    written_.begin(entry);
    if (!written_.watches()) return absl::OkStatus();
    return replay::without_exceptions([&] {
      for (size_t tensor = 0; tensor < buffers_.size(); ++tensor) {
        const BoundBuffer& buffer = buffers_[tensor];
        if (buffer.is_in_place()) written_.note_callers(tensor, *buffer.given());
        if (is_constant(tensor)) written_.note(tensor, *buffer.shared_buffer());
      }
      return absl::OkStatus();
    });
  }

  // Called when an input has its value.
  absl::Status watch_input(size_t tensor) {
    if (!written_.watches() || buffers_[tensor].is_in_place() ||
        plan_.tensors[tensor].role != BindingRole::kInput) {
      return absl::OkStatus();
    }
    LM_ASSIGN_OR_RETURN(finished, executor_.finish());
    if (!finished) {
      written_.assume_written(tensor);
      return absl::OkStatus();
    }
    return replay::without_exceptions([&] {
      written_.note(tensor, *buffers_[tensor].shared_buffer());
      return absl::OkStatus();
    });
  }

  bool is_constant(size_t tensor) const {
    return plan_.tensors[tensor].role == BindingRole::kConstant;
  }

  absl::Status write_default(size_t tensor) {
    for (const uint64_t number : plan_.defaults[tensor])
      LM_RETURN_IF_ERROR(executor_.execute(number, command(number)));
    return absl::OkStatus();
  }

  absl::Status restore_constants() {
    for (size_t tensor = 0; tensor < buffers_.size(); ++tensor) {
      if (is_constant(tensor) && written_.is_written(tensor))
        LM_RETURN_IF_ERROR(write_default(tensor));
    }
    return absl::OkStatus();
  }

  // ---- Runs ----

  absl::Status execute(const Entry& entry) {
    LM_RETURN_IF_ERROR(restore_constants());
    for (const Step& step : entry.steps) LM_RETURN_IF_ERROR(execute(step));
    LM_RETURN_IF_ERROR(finish_before("entry ", entry.name, " ends"));
    for (BoundBuffer& buffer : buffers_) buffer.hand_out();
    return absl::OkStatus();
  }

  // For work beside the queues, which comes after all that they have to do.
  template <class... Text>
  absl::Status finish_before(const Text&... what) {
    LM_ASSIGN_OR_RETURN(finished, executor_.finish());
    if (finished) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(name(), ": ", what...,
                     " while a queue waits for an event that only a later command records"));
  }
  absl::Status finish_before_copy(const BoundTensor& tensor) {
    return finish_before(tensor.name, " would be copied beside the queues");
  }

  absl::Status execute(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kCommand:
        return executor_.execute(*step.command, command(*step.command));
      case Step::Kind::kInput:
        LM_RETURN_IF_ERROR(write_input(step));
        return watch_input(step.tensor);
      case Step::Kind::kOutput:
        return read_output(step);
      case Step::Kind::kSemaphore: {
        const auto* created = command(*step.command).call_as_GlobalSemaphoreCreate();
        return reset(*created);
      }
      case Step::Kind::kEvent:
        return forget_record(*command(*step.command).call_as_EnqueueWaitForEvent());
    }
    return absl::OkStatus();
  }

  // Work of an earlier run that waits for the event has ended with that run.
  absl::Status forget_record(const schema::EnqueueWaitForEvent& call) {
    LM_ASSIGN_OR_RETURN(event, objects().events.find(call.event()));
    *event = std::make_shared<tt::tt_metal::Event>();
    return absl::OkStatus();
  }

  absl::Status reset(const schema::GlobalSemaphoreCreate& created) {
    LM_ASSIGN_OR_RETURN(semaphore, objects().global_semaphores.find(created.id()));
    return replay::without_exceptions([&, of = semaphore] {
      of->reset_semaphore_value(created.initial_value());
      return absl::OkStatus();
    });
  }

  // Of an input that a run has given a value to, a later one that gives none finds the default.
  absl::Status write_input(const Step& step) {
    BoundBuffer& buffer = buffers_[step.tensor];
    if (buffer.has_values() && buffer.copies_input())
      LM_RETURN_IF_ERROR(finish_before_copy(plan_.tensors[step.tensor]));
    if (buffer.has_values())
      return replay::without_exceptions([&] { return buffer.write(queue(step)); });
    if (step.command.has_value()) return executor_.execute(*step.command, command(*step.command));
    const bool is_changed = buffer.take_changed() || written_.is_written(step.tensor);
    return is_changed ? write_default(step.tensor) : absl::OkStatus();
  }

  // A read that the program did not make, and a copy within the device, come behind the work of all
  // queues.
  absl::Status read_output(const Step& step) {
    if (buffers_[step.tensor].copies_output())
      LM_RETURN_IF_ERROR(finish_before_copy(plan_.tensors[step.tensor]));
    if (!queue(step).has_value()) LM_RETURN_IF_ERROR(finish_before("the entry ends"));
    return replay::without_exceptions([&] { return buffers_[step.tensor].read(queue(step)); });
  }

  // The number of the queue that the command of a step stands on; none for a step without one.
  std::optional<uint8_t> queue(const Step& step) const {
    if (!step.command.has_value()) return std::nullopt;
    return schema::visit_call(command(*step.command),
                              []<class Call>(const Call& call) -> std::optional<uint8_t> {
                                if constexpr (requires { call.buffer(), call.cq(); }) {
                                  return static_cast<uint8_t>(call.cq());
                                } else {
                                  return std::nullopt;
                                }
                              });
  }

  const tt::tt_metal::ProcessMark process_;
  const LoadOptions options_;
  const RunOptions run_options_ = {.check_goldens = false};
  Mutex own_turn_;
  // Several executables on one device run, load and end one after the other.
  Mutex& turn_ = options_.device == nullptr ? own_turn_
                                            : tt::tt_metal::replay_hooks::turn_of(*options_.device);
  const std::shared_ptr<runtime::Counters> counters_;
  replay::LoadedFile loaded_;
  const Plan plan_;
  const runtime::Moves moves_;
  runtime::MovablePlacement placement_;
  replay::Executor executor_;
  runtime::WrittenTensors written_;
  std::vector<std::string> entries_;
  std::vector<const schema::BufferCreate*> made_;
  uint64_t current_load_ = 0;              // Counters::loads when the traces were loaded
  std::vector<BoundBuffer> buffers_;       // by the number of the tensor
  std::vector<uint64_t> known_addresses_;  // where programs have each tensor, by its number
  absl::flat_hash_map<std::string, size_t> numbers_;
  absl::Status broken_;
};

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::~Executable() {
  if (impl_ != nullptr && !impl_->status().ok()) (void)impl_.release();
}

absl::StatusOr<std::unique_ptr<Executable>> Executable::load(
    std::shared_ptr<const schema::File> file, LoadOptions options, ExecutableHooks hooks) {
  LM_ASSIGN_OR_RETURN(loaded, replay::load(std::move(file), options));
  LM_ASSIGN_OR_RETURN(plan, runtime::make_plan(loaded));
  // Before anything takes a turn on the device.
  if (options.device != nullptr) LM_RETURN_IF_ERROR(check_process(*options.device));
  auto impl = std::make_unique<Impl>(std::move(loaded), std::move(plan), std::move(options),
                                     std::move(hooks.counters));
  if (hooks.before_execution)
    LM_RETURN_IF_ERROR(hooks.before_execution(impl->entries(), impl->tensors()));
  LM_RETURN_IF_ERROR(impl->load());
  return std::unique_ptr<Executable>(new Executable(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<Executable>> Executable::load_file(const std::string& path,
                                                                  LoadOptions options,
                                                                  ExecutableHooks hooks) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path, {.references = options.references}));
  return load(std::move(file), std::move(options), std::move(hooks));
}

absl::StatusOr<std::unique_ptr<Executable>> Executable::load_bytes(absl::Span<const uint8_t> bytes,
                                                                   LoadOptions options,
                                                                   ExecutableHooks hooks) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  LM_ASSIGN_OR_RETURN(file,
                      schema::File::from_bytes({begin, begin + bytes.size()}, "the file in memory",
                                               {.references = options.references}));
  return load(std::move(file), std::move(options), std::move(hooks));
}

const std::vector<std::string>& Executable::entries() const { return impl_->entries(); }
const std::vector<BoundTensor>& Executable::tensors() const { return impl_->tensors(); }

const tt::tt_metal::Buffer& Executable::buffer(const BoundTensor& tensor) const {
  return impl_->buffer(tensor);
}

absl::Status Executable::run(std::string_view entry, absl::Span<const InputValues> inputs,
                             absl::Span<const OutputValues> outputs) {
  return impl_->run(entry, inputs, outputs);
}

absl::Status Executable::check(std::string_view entry, absl::Span<const InputValues> inputs,
                               absl::Span<const OutputValues> outputs) {
  return impl_->check(entry, inputs, outputs);
}

}  // namespace lightmetal
