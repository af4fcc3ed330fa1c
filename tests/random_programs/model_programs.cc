// Programs, launches and traces.
#include <algorithm>

#include "tests/random_programs/model.h"

namespace random_programs {
namespace {

constexpr uint32_t kScratchWords = 512;  // of a circular buffer's page

// Kernels find the pages of an interleaved buffer by an address generator; a page must fit into the
// page of a circular buffer.
bool suits_kernels(const Shape& shape) {
  return shape.layout == Layout::kInterleaved && shape.page_size % 32 == 0 &&
         shape.page_size <= 4 * kScratchWords;
}

// A kernel may write to storage that another kernel reads only if both see the same pages there.
bool may_share(const ModelBuffer& read, const ModelBuffer& written) {
  return read.storage != written.storage || read.shape == written.shape;
}
bool same_pages(const ModelBuffer& a, const ModelBuffer& b) {
  return a.shape.page_size == b.shape.page_size && a.shape.pages == b.shape.pages;
}

using Word = std::optional<uint32_t>;

Word sum(const Word& a, const Word& b) { return a && b ? Word(*a + *b) : Word(); }

}  // namespace

// ---- Programs ----

StoragePointer Model::scratch_in(Id id, Id device) {
  const auto found = buffers.find(id);
  if (found == buffers.end() || !can_use(found->second)) return nullptr;
  ModelBuffer& scratch = found->second;
  const bool fits = is_alive(scratch) && scratch.device == device &&
                    scratch.shape.memory == Memory::kL1 && scratch.storage->sub_device == 0 &&
                    words_per_bank(scratch.shape) >= kScratchWords && !scratch.is_view;
  if (!fits) return nullptr;
  use(scratch);
  return scratch.storage;
}

bool Model::take(const CreateProgram& step) {
  if (!is_open(step.device) || programs.contains(step.program) || !is_rect(step.cores)) {
    return false;
  }
  if (step.program == kNone || step.program >= kMaxObjects) return false;
  if (step.kind == Kind::kHandshake && count_of(step.cores) != 2) return false;
  if (step.kind == Kind::kSignal && count_of(step.cores) != 1) return false;
  ModelProgram made;
  made.description = step;
  made.life = devices[step.device].life;
  if (step.scratch != kNone) {
    made.scratch = step.kind == Kind::kAdd ? scratch_in(step.scratch, step.device) : nullptr;
    if (made.scratch == nullptr) return false;
  }
  own(programs[step.program] = made);
  return true;
}

bool Model::take(const DropProgram& step) {
  const auto found = programs.find(step.program);
  if (found == programs.end() || !can_own(found->second)) return false;
  for (const StoragePointer& storage : found->second.kept) {
    if (!can_free(*storage)) return false;
  }
  for (const StoragePointer& storage : found->second.kept) free(*storage);
  programs.erase(found);
  return true;
}

bool Model::take(const CompileProgram& step) {
  const auto found = programs.find(step.program);
  if (found == programs.end() || !can_own(found->second)) return false;
  const ModelProgram& program = found->second;
  if (!is_open(program.description.device)) return false;
  if (devices[program.description.device].life != program.life) return false;
  if (!lane_of(program.description.device, program.description.cores)) return false;
  own(found->second);
  return true;
}

bool Model::fits(const ModelProgram& program, Id id, bool dram) {
  const auto found = buffers.find(id);
  if (found == buffers.end() || !can_use(found->second) || !is_alive(found->second)) return false;
  const ModelBuffer& buffer = found->second;
  return buffer.device == program.description.device && in_dram(buffer.shape) == dram &&
         suits_kernels(buffer.shape);
}

bool Model::can_set(const ModelProgram& program, const SetArguments& step) {
  const CreateProgram& of = program.description;
  switch (of.kind) {
    case Kind::kAdd:
    case Kind::kHandshake:
      return fits(program, step.a, of.a_in_dram) && fits(program, step.target, of.target_in_dram) &&
             same_pages(buffers[step.a], buffers[step.target]) &&
             may_share(buffers[step.a], buffers[step.target]);
    case Kind::kSum:
      return fits(program, step.a, of.a_in_dram) && fits(program, step.b, of.b_in_dram) &&
             fits(program, step.target, of.target_in_dram) &&
             same_pages(buffers[step.a], buffers[step.target]) &&
             same_pages(buffers[step.b], buffers[step.target]) &&
             may_share(buffers[step.a], buffers[step.target]) &&
             may_share(buffers[step.b], buffers[step.target]);
    case Kind::kCount: {
      const auto found = buffers.find(step.a);
      if (found == buffers.end() || !can_use(found->second)) return false;
      const ModelBuffer& buffer = found->second;
      return is_alive(buffer) && buffer.device == of.device && !in_dram(buffer.shape) &&
             (buffer.storage->sub_device == 0 || contains(buffer.shape.grid, of.cores));
    }
    case Kind::kSignal: {
      const auto found = semaphores.find(step.semaphore);
      if (found == semaphores.end() || !can_use(found->second)) return false;
      const ModelSemaphore& semaphore = found->second;
      return semaphore.device == of.device && is_present(semaphore.storage) &&
             contains(semaphore.cores, {step.goal[0], step.goal[1], step.goal[0], step.goal[1]});
    }
  }
  return false;
}

bool Model::take(const SetArguments& step) {
  const auto found = programs.find(step.program);
  if (found == programs.end() || !can_own(found->second)) return false;
  ModelProgram& program = found->second;
  const Id device = program.description.device;
  if (!is_open(device) || devices[device].life != program.life) return false;
  if (!can_set(program, step)) return false;
  if (step.way == ArgsWay::kReference && !program.work) return false;
  Work work;
  work.kind = program.description.kind;
  work.cores = program.description.cores;
  work.goal = step.goal;
  work.amount = step.amount;
  const auto give = [&](Id id, StoragePointer& storage, Shape& shape) {
    if (!buffers.contains(id)) return;
    storage = buffers[id].storage;
    shape = buffers[id].shape;
    use(buffers[id]);
  };
  if (work.kind == Kind::kSignal) {
    work.semaphore = semaphores[step.semaphore].storage;
    use(semaphores[step.semaphore]);
  } else {
    give(step.a, work.a, work.a_shape);
    if (work.kind == Kind::kSum) give(step.b, work.b, work.b_shape);
    if (work.kind != Kind::kCount) give(step.target, work.target, work.target_shape);
  }
  own(program);
  program.work = work;
  return true;
}

bool Model::take(const ResizeCircularBuffer& step) {
  const auto found = programs.find(step.program);
  if (found == programs.end() || !can_own(found->second)) return false;
  const CreateProgram& of = found->second.description;
  const bool has_own = of.kind != Kind::kCount && of.kind != Kind::kSignal && of.scratch == kNone;
  if (!has_own || step.pages < 1 || step.pages > 3) return false;
  own(found->second);
  return true;
}

bool Model::take(const MoveScratch& step) {
  const auto found = programs.find(step.program);
  if (found == programs.end() || !can_own(found->second)) return false;
  ModelProgram& program = found->second;
  const Id device = program.description.device;
  if (program.scratch == nullptr || devices[device].life != program.life) return false;
  const StoragePointer scratch = scratch_in(step.scratch, device);
  if (scratch == nullptr) return false;
  own(program);
  program.scratch = scratch;
  return true;
}

bool Model::take(const AssignBuffer& step) {
  const auto found = programs.find(step.program);
  const auto buffer = buffers.find(step.buffer);
  if (found == programs.end() || buffer == buffers.end()) return false;
  if (!can_own(found->second) || !can_own(buffer->second)) return false;
  if (buffer->second.is_view || !is_alive(buffer->second)) return false;
  if (buffer->second.assigned_to != kNone) return false;
  own(found->second);
  own(buffer->second);
  buffer->second.assigned_to = step.program;
  return true;
}

// ---- Launches ----

bool Model::can_run(const Work& work) const {
  for (const StoragePointer& storage :
       {work.a, work.b, work.target, work.semaphore, work.scratch}) {
    if (storage == nullptr) continue;
    if (storage->freed || !is_present(storage)) return false;
  }
  return work.scratch == nullptr || (work.scratch != work.a && work.scratch != work.target);
}

std::vector<Model::Touch> Model::touches_of(const Work& work) {
  std::vector<Touch> touches;
  const bool changes_a = work.kind == Kind::kCount;
  if (work.a != nullptr) touches.emplace_back(work.a.get(), changes_a);
  if (work.b != nullptr) touches.emplace_back(work.b.get(), false);
  for (const StoragePointer& written : {work.target, work.semaphore, work.scratch}) {
    if (written != nullptr) touches.emplace_back(written.get(), true);
  }
  return touches;
}

void Model::move_pages(const Work& work) {
  const std::vector<Place> from = places_of(work.a_shape), to = places_of(work.target_shape);
  const std::vector<Place> other =
      work.b != nullptr ? places_of(work.b_shape) : std::vector<Place>{};
  for (size_t i = 0; i < to.size(); ++i) {
    const Word more =
        work.b != nullptr ? work.b->word(other[i].bank, other[i].word) : Word(work.amount);
    work.target->word(to[i].bank, to[i].word) = sum(work.a->word(from[i].bank, from[i].word), more);
  }
}

void Model::compute(const Work& work) {
  const std::vector<uint32_t> banks = banks_in(work.cores);
  if (work.kind == Kind::kSignal) {
    Word& word = work.semaphore->word(work.goal[1] * kGridSize + work.goal[0], 0);
    word = sum(word, work.amount);
    return;
  }
  if (work.kind == Kind::kCount) {
    for (uint32_t i = 0; i < banks.size(); ++i) {
      for (uint32_t w = 0; w < words_per_bank(work.a_shape); ++w) {
        Word& word = work.a->word(banks[i], w);
        word = sum(word, work.amount + i);
      }
    }
    return;
  }
  move_pages(work);
  if (work.scratch == nullptr) return;
  for (const uint32_t bank : banks) {
    for (uint32_t w = 0; w < kScratchWords; ++w) work.scratch->word(bank, w).reset();
  }
}

bool Model::run(Id device, ModelQueue& queue, const std::vector<Work>& works) {
  const ModelQueue queue_before = queue;
  std::map<Storage*, Storage> before;
  const auto undo = [&] {
    for (auto& [storage, copy] : before) *storage = copy;
    queue = queue_before;
    return false;
  };
  for (const Work& work : works) {
    const std::optional<uint32_t> lane = lane_of(device, work.cores);
    if (!lane || !can_run(work) || !next_operation()) return undo();
    Past past = queue.past | host();
    if (*lane != 0) past |= queue.lanes[*lane - 1];
    const std::vector<Touch> touches = touches_of(work);
    if (!can_touch(past, touches)) return undo();
    for (const Touch& touched : touches) before.try_emplace(touched.first, *touched.first);
    touch(touches);
    compute(work);
    past.set(operation_);
    (*lane == 0 ? queue.past : queue.lanes[*lane - 1]) = past;
  }
  own(queue);
  return true;
}

bool Model::run_direct(Id device, const Work& work) {
  if (is_divided(device) || !can_run(work) || !next_operation()) return false;
  const std::vector<Touch> touches = touches_of(work);
  if (!can_touch(host(), touches)) return false;
  touch(touches);
  compute(work);
  host().set(operation_);
  return true;
}

std::optional<Work> Model::work_of(Id id) {
  const auto found = programs.find(id);
  if (found == programs.end() || !can_own(found->second) || !found->second.work) return {};
  const ModelProgram& program = found->second;
  if (!is_open(program.description.device)) return {};
  if (devices[program.description.device].life != program.life) return {};
  Work work = *program.work;
  work.scratch = program.scratch;
  return work;
}

bool Model::take(const Launch& step) {
  const std::optional<Work> work = work_of(step.program);
  if (!work) return false;
  ModelProgram& program = programs[step.program];
  const Id device = program.description.device;
  if (step.direct) {
    if (!run_direct(device, *work)) return false;
    own(program);
    return true;
  }
  ModelQueue* const queue = any_queue(step.queue);
  if (queue == nullptr || step.queue.device != device) return false;
  if (queue->trace != kNone) {
    if (step.blocking || !can_run(*work) || !lane_of(device, work->cores)) return false;
    traces[queue->trace].launches.push_back(*work);
    own(*queue);
  } else {
    if (step.blocking && !queue->awaited.empty()) return false;
    if (!run(device, *queue, {*work})) return false;
    if (step.blocking) wait_on_host(device, *queue);
  }
  own(program);
  return true;
}

// ---- Traces ----

bool Model::take(const BeginTrace& step) {
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || !queue->awaited.empty() || traces.contains(step.trace)) return false;
  if (step.trace == kNone || step.trace >= kMaxObjects) return false;
  own(*queue);
  queue->trace = step.trace;
  ModelTrace trace;
  trace.queue = step.queue;
  trace.life = devices[step.queue.device].life;
  own(traces[step.trace] = trace);
  return true;
}

bool Model::take(const EndTrace& step) {
  ModelQueue* const queue = any_queue(step.queue);
  if (queue == nullptr || queue->trace != step.trace || step.trace == kNone) return false;
  ModelTrace& trace = traces[step.trace];
  own(*queue);
  own(trace);
  queue->trace = kNone;
  trace.ended = true;
  trace.manager = devices[step.queue.device].manager;
  return true;
}

bool Model::take(const ReplayTrace& step) {
  const auto found = traces.find(step.trace);
  if (found == traces.end() || !can_use(found->second) || !found->second.ended) return false;
  ModelTrace& trace = found->second;
  const Id device = step.queue.device;
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || (step.blocking && !queue->awaited.empty())) return false;
  const bool fits = trace.queue.device == device && trace.life == devices[device].life &&
                    trace.manager == devices[device].manager;
  if (!fits || !run(device, *queue, trace.launches)) return false;
  use(trace);
  if (step.blocking) {
    host() |= queue->past;
    for (const Work& work : trace.launches) {
      const uint32_t lane = lane_of(device, work.cores).value_or(0);
      if (lane != 0) host() |= queue->lanes[lane - 1];
    }
  }
  return true;
}

bool Model::take(const ReleaseTrace& step) {
  const auto found = traces.find(step.trace);
  if (found == traces.end() || !can_own(found->second) || !found->second.ended) return false;
  if (found->second.queue.device != step.device || !is_open(step.device)) return false;
  if (found->second.life != devices[step.device].life) return false;
  traces.erase(found);
  return true;
}

}  // namespace random_programs
