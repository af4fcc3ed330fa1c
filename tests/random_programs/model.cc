#include "tests/random_programs/model.h"

#include <algorithm>

namespace random_programs {
namespace {

constexpr uint32_t kDramBanks = 12;
constexpr uint32_t kWorkers = kGridSize * kGridSize;
constexpr uint32_t kScratchWords = 512;     // of a circular buffer's page
constexpr uint32_t kMostLocalWords = 4096;  // of a sub-device's buffers, so that circular ones fit

bool is_sharded(const Shape& shape) {
  return shape.layout != Layout::kInterleaved && shape.layout != Layout::kSingleBank;
}
bool in_dram(const Shape& shape) { return shape.memory == Memory::kDram; }
uint32_t banks_of(Memory memory) { return memory == Memory::kDram ? kDramBanks : kWorkers; }
uint32_t words_per_page(const Shape& shape) {
  const uint32_t alignment = in_dram(shape) ? 32 : 16;
  return (shape.page_size + alignment - 1) / alignment * alignment / 4;
}

bool contains(const Rect& outer, const Rect& inner) {
  return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && inner.x1 <= outer.x1 &&
         inner.y1 <= outer.y1;
}
bool overlap(const Rect& a, const Rect& b) {
  return a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1;
}
bool is_rect(const Rect& rect, uint32_t columns = kGridSize, uint32_t rows = kGridSize) {
  return rect.x0 <= rect.x1 && rect.y0 <= rect.y1 && rect.x1 < columns && rect.y1 < rows;
}
uint32_t count_of(const Rect& rect) { return (rect.x1 - rect.x0 + 1) * (rect.y1 - rect.y0 + 1); }

// In the order in which shards and arguments are given to them.
std::vector<uint32_t> banks_in(const Rect& rect, bool column_major = false) {
  std::vector<uint32_t> banks;
  if (column_major) {
    for (uint32_t x = rect.x0; x <= rect.x1; ++x) {
      for (uint32_t y = rect.y0; y <= rect.y1; ++y) banks.push_back(y * kGridSize + x);
    }
  } else {
    for (uint32_t y = rect.y0; y <= rect.y1; ++y) {
      for (uint32_t x = rect.x0; x <= rect.x1; ++x) banks.push_back(y * kGridSize + x);
    }
  }
  return banks;
}

// The shard of a page and the page's number within it.
std::pair<uint32_t, uint32_t> shard_of(const Shape& shape, uint32_t page) {
  const auto [rows, columns] = shape.shard;
  if (shape.layout == Layout::kHeight) return {page / (rows * columns), page % (rows * columns)};
  const uint32_t row = page / shape.tensor[1], column = page % shape.tensor[1];
  const uint32_t shards_in_row = (shape.tensor[1] + columns - 1) / columns;
  return {row / rows * shards_in_row + column / columns, row % rows * columns + column % columns};
}

// Which bank a page is in, and the number of its slot there.
std::pair<uint32_t, uint32_t> slot_of(const Shape& shape, const std::vector<uint32_t>& banks,
                                      uint32_t page) {
  if (!is_sharded(shape)) {
    return {page % banks_of(shape.memory), page / banks_of(shape.memory)};
  }
  const auto [shard, within] = shard_of(shape, page);
  return {shard < banks.size() ? banks[shard] : kWorkers, within};
}

bool is_valid(const Shape& shape) {
  const uint32_t size = shape.page_size * shape.pages;
  if (shape.page_size == 0 || shape.page_size % 4 != 0 || shape.pages == 0) return false;
  if (size > 256 * 1024) return false;
  if (shape.memory == Memory::kL1Small && words_per_bank(shape) > 256) return false;
  if (shape.layout == Layout::kSingleBank) return shape.pages == 1;
  if (!is_sharded(shape)) return true;
  if (shape.memory == Memory::kL1Small || shape.shard[0] == 0 || shape.shard[1] == 0) return false;
  if (!(in_dram(shape) ? is_rect(shape.grid, kDramBanks, 1) : is_rect(shape.grid))) return false;
  if (shape.tensor[0] * shape.tensor[1] != shape.pages) return false;
  const std::vector<uint32_t> banks = banks_in(shape.grid, shape.column_major);
  for (uint32_t page = 0; page < shape.pages; ++page) {
    if (shard_of(shape, page).first >= banks.size()) return false;
  }
  return true;
}

// Kernels find its pages by an address generator.
bool suits_kernels(const Shape& shape) {
  return shape.layout == Layout::kInterleaved && shape.page_size % 32 == 0 &&
         shape.page_size <= 4 * kScratchWords;
}

}  // namespace

uint32_t words_per_bank(const Shape& shape) {
  const uint32_t banks = banks_of(shape.memory);
  const uint32_t slots =
      is_sharded(shape) ? shape.shard[0] * shape.shard[1] : (shape.pages + banks - 1) / banks;
  return slots * words_per_page(shape);
}

std::vector<Place> places_of(const Shape& shape) {
  const std::vector<uint32_t> banks =
      is_sharded(shape) ? banks_in(shape.grid, shape.column_major) : std::vector<uint32_t>{};
  std::vector<Place> places;
  for (uint32_t page = 0; page < shape.pages; ++page) {
    const auto [bank, slot] = slot_of(shape, banks, page);
    for (uint32_t word = 0; word < shape.page_size / 4; ++word) {
      places.push_back({bank, slot * words_per_page(shape) + word});
    }
  }
  return places;
}

// ---- Steps ----

bool Model::take(Step& step) {
  if (step.thread >= kMaxThreads || step.section < section_) return false;
  if (step.section % 2 == 0 && step.thread != 0) return false;
  if (step.section != section_) {  // all threads have met
    for (const Past& past : threads_) threads_[0] |= past;
    threads_.fill(threads_[0]);
    section_ = step.section;
  }
  thread_ = step.thread;
  return std::visit([&](auto& call) { return take(call); }, step.call);
}

std::set<Id> Model::awaited_events() const {
  std::set<Id> all;
  for (const ModelDevice& device : devices) {
    if (!device.open) continue;
    for (const ModelQueue& queue : device.queues) {
      all.insert(queue.awaited.begin(), queue.awaited.end());
    }
  }
  return all;
}

std::map<Id, Queue> Model::open_traces() const {
  std::map<Id, Queue> open;
  for (const auto& [id, trace] : traces) {
    const ModelDevice& device = devices[trace.queue.device];
    if (!trace.ended && device.open && device.life == trace.life) open[id] = trace.queue;
  }
  return open;
}

// ---- Devices and queues ----

ModelQueue* Model::any_queue(const Queue& queue) {
  if (!is_open(queue.device)) return nullptr;
  std::vector<ModelQueue>& queues = devices[queue.device].queues;
  if (queue.index >= queues.size() || !can_own(queues[queue.index])) return nullptr;
  return &queues[queue.index];
}

ModelQueue* Model::usable_queue(const Queue& queue) {
  ModelQueue* const found = any_queue(queue);
  return found != nullptr && found->trace == kNone ? found : nullptr;
}

std::vector<Rect> Model::sub_devices_of(Id device) const {
  return managers.at(devices[device].manager).description.sub_devices;
}

std::optional<uint32_t> Model::lane_of(Id device, const Rect& cores) const {
  if (!is_divided(device)) return 0;
  const std::vector<Rect> parts = sub_devices_of(device);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (contains(parts[i], cores)) return i + 1;
  }
  return std::nullopt;
}

Past Model::past_after_stall(Id device, const ModelQueue& queue) const {
  Past past = queue.past;
  if (!is_divided(device)) return past;
  const uint32_t group = devices[device].stall_group;
  for (uint32_t lane = 1; lane <= sub_devices_of(device).size(); ++lane) {
    if (group == 0 || group == lane) past |= queue.lanes[lane - 1];
  }
  return past;
}

Past Model::past_of_operation(Id device, const ModelQueue& queue) {
  return past_after_stall(device, queue) | host();
}

void Model::wait_on_host(Id device, ModelQueue& queue) {
  host() |= past_after_stall(device, queue);
}

bool Model::can_come_to_rest(Id device) const {
  return std::ranges::all_of(devices[device].queues, [&](const ModelQueue& queue) {
    return can_own(queue) && queue.awaited.empty() && queue.trace == kNone;
  });
}

void Model::come_to_rest(Id device) {
  for (ModelQueue& queue : devices[device].queues) {
    own(queue);
    host() |= queue.past;
    for (const Past& lane : queue.lanes) host() |= lane;
  }
  for (ModelQueue& queue : devices[device].queues) queue.past = host();
}

bool Model::take(const OpenDevice& step) {
  if (!alone() || step.device >= kMaxDevices || is_open(step.device)) return false;
  if (step.queues < 1 || step.queues > 2) return false;
  ModelDevice& device = devices[step.device];
  const uint32_t life = device.life + 1;
  device = ModelDevice{};
  device.open = true;
  device.life = life;
  device.queues.resize(step.queues);
  for (ModelQueue& queue : device.queues) queue.past = host();
  return true;
}

bool Model::take(const CloseDevice& step) {
  if (!alone() || !is_open(step.device) || !can_come_to_rest(step.device)) return false;
  come_to_rest(step.device);
  devices[step.device].open = false;
  return true;
}

bool Model::take(const Finish& step) {
  const Id device = step.queue.device;
  if (step.whole_device) {
    if (!is_open(device) || !can_come_to_rest(device)) return false;
    for (ModelQueue& queue : devices[device].queues) {
      own(queue);
      wait_on_host(device, queue);
    }
    return true;
  }
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || !queue->awaited.empty()) return false;
  own(*queue);
  wait_on_host(device, *queue);
  return true;
}

// ---- Memory ----

bool Model::can_touch(const Past& past, const std::vector<Touch>& touches) {
  return std::ranges::all_of(touches, [&](const Touch& touch) {
    return ((touch.second ? touch.first->touched : touch.first->written) & ~past).none();
  });
}

void Model::touch(const std::vector<Touch>& touches) {
  for (const auto& [storage, writes] : touches) {
    storage->touched.set(operation_);
    if (writes) storage->written.set(operation_);
  }
}

StoragePointer Model::allocate(Id device, Memory memory, uint32_t banks, uint32_t words) {
  const Past& ghosts = devices[device].ghosts[static_cast<int>(memory)];
  return std::make_shared<Storage>(Storage{
      .device = device,
      .life = devices[device].life,
      .memory = memory,
      .words_per_bank = words,
      .words = std::vector<std::optional<uint32_t>>(size_t{banks} * words),
      .touched = ghosts,
      .written = ghosts,
  });
}

bool Model::can_free(const Storage& storage) const {
  return alone() || storage.freed || (storage.touched & ~threads_[thread_]).none();
}

void Model::free(Storage& storage) {
  if (storage.freed) return;
  storage.freed = true;
  ModelDevice& device = devices[storage.device];
  if (device.life == storage.life) {
    device.ghosts[static_cast<int>(storage.memory)] |= storage.touched;
  }
}

// ---- Buffers ----

bool Model::is_known(const ModelBuffer& buffer) const {
  return std::ranges::all_of(places_of(buffer.shape), [&](const Place& place) {
    return buffer.storage->word(place.bank, place.word).has_value();
  });
}

bool Model::take(const CreateBuffer& step) {
  if (!is_open(step.device) || buffers.contains(step.buffer) || !is_valid(step.shape)) return false;
  if (step.buffer == kNone || step.buffer >= kMaxObjects) return false;
  ModelBuffer made;
  made.device = step.device;
  made.shape = step.shape;
  if (step.view_of != kNone) {
    const auto parent = buffers.find(step.view_of);
    if (parent == buffers.end() || !can_use(parent->second) || !is_alive(parent->second)) {
      return false;
    }
    made.storage = parent->second.storage;
    made.is_view = true;
    const bool fits = parent->second.device == step.device && step.sub_device == 0 &&
                      made.storage->sub_device == 0 && made.storage->memory == step.shape.memory &&
                      words_per_bank(step.shape) <= made.storage->words_per_bank;
    if (!fits) return false;
    use(parent->second);
  } else {
    if (step.sub_device != 0) {
      if (!is_divided(step.device) || step.shape.memory != Memory::kL1) return false;
      const auto parts = sub_devices_of(step.device);
      const bool fits = step.sub_device <= parts.size() && is_sharded(step.shape) &&
                        contains(parts[step.sub_device - 1], step.shape.grid) &&
                        managers.at(devices[step.device].manager).description.local_size != 0;
      if (!fits) return false;
      uint32_t local = words_per_bank(step.shape);
      for (const auto& [id, buffer] : buffers) {
        if (buffer.storage->sub_device != 0 && is_alive(buffer)) {
          local += buffer.storage->words_per_bank;
        }
      }
      if (local > kMostLocalWords) return false;
    }
    made.storage = allocate(step.device, step.shape.memory, banks_of(step.shape.memory),
                            words_per_bank(step.shape));
    made.storage->sub_device = step.sub_device;
  }
  if (step.bottom_up && !in_dram(step.shape)) return false;
  own(buffers[step.buffer] = made);
  return true;
}

bool Model::take(const DeallocateBuffer& step) {
  const auto found = buffers.find(step.buffer);
  if (found == buffers.end() || !can_own(found->second) || !is_alive(found->second)) return false;
  ModelBuffer& buffer = found->second;
  if (buffer.is_view || !can_free(*buffer.storage)) return false;
  own(buffer);
  free(*buffer.storage);
  return true;
}

bool Model::take(const DropBuffer& step) {
  const auto found = buffers.find(step.buffer);
  if (found == buffers.end() || !can_own(found->second)) return false;
  const ModelBuffer& buffer = found->second;
  const auto keeper = programs.find(buffer.assigned_to);
  if (buffer.is_view) {
  } else if (keeper != programs.end()) {
    if (!can_own(keeper->second)) return false;
    keeper->second.kept.push_back(buffer.storage);
  } else {
    if (!can_free(*buffer.storage)) return false;
    free(*buffer.storage);
  }
  buffers.erase(found);
  return true;
}

bool Model::take(const SetPageSize& step) {
  const auto found = buffers.find(step.buffer);
  if (found == buffers.end() || !can_own(found->second) || !is_alive(found->second)) return false;
  ModelBuffer& buffer = found->second;
  const uint32_t size = buffer.shape.page_size * buffer.shape.pages;
  if (buffer.shape.layout != Layout::kInterleaved || step.page_size == 0) return false;
  if (step.page_size % 4 != 0 || size % step.page_size != 0) return false;
  Shape shape = buffer.shape;
  shape.page_size = step.page_size;
  shape.pages = size / step.page_size;
  if (words_per_bank(shape) > buffer.storage->words_per_bank) return false;
  own(buffer);
  buffer.shape = shape;
  return true;
}

namespace {

// The words that a step transfers, in its order; none when the step makes no sense.
template <class Transfer>
std::vector<Place> places_of_transfer(const Transfer& step, const Shape& shape) {
  const std::vector<Place> all = places_of(shape);
  const uint32_t words = shape.page_size / 4;
  if (step.way == Way::kRegion) {
    if (step.pages == 0 || step.pages > shape.pages) return {};
    if (step.first_page > shape.pages - step.pages) return {};
    return {all.begin() + step.first_page * words,
            all.begin() + (step.first_page + step.pages) * words};
  }
  if (step.way != Way::kShard) return all;
  const std::vector<uint32_t> banks = banks_in(shape.grid, shape.column_major);
  const uint32_t in_shard = shape.shard[0] * shape.shard[1];
  // Only without pages that pad shards.
  if (!is_sharded(shape) || shape.pages != in_shard * banks.size()) return {};
  if (step.first_page >= banks.size()) return {};
  std::vector<Place> shard;
  for (uint32_t page = 0; page < in_shard; ++page) {
    for (uint32_t word = 0; word < words; ++word) {
      shard.push_back({banks[step.first_page], page * words_per_page(shape) + word});
    }
  }
  return shard;
}

bool goes_by_queue(Way way) { return way != Way::kDirect && way != Way::kShard; }

}  // namespace

bool Model::take(const WriteBuffer& step) {
  const auto found = buffers.find(step.buffer);
  if (found == buffers.end() || !can_use(found->second) || !is_alive(found->second)) return false;
  ModelBuffer& buffer = found->second;
  if (step.way == Way::kCompare || step.way == Way::kShard) return false;
  const std::vector<Place> places = places_of_transfer(step, buffer.shape);
  if (places.empty() || !next_operation()) return false;
  ModelQueue* queue = nullptr;
  Past past = host();
  if (goes_by_queue(step.way)) {
    if (step.queue.device != buffer.device) return false;
    queue = usable_queue(step.queue);
    if (queue == nullptr || (step.blocking && !queue->awaited.empty())) return false;
    past = past_of_operation(buffer.device, *queue);
  }
  if (!can_touch(past, {{buffer.storage.get(), true}})) return false;
  touch({{buffer.storage.get(), true}});
  for (uint32_t i = 0; i < places.size(); ++i) {
    buffer.storage->word(places[i].bank, places[i].word) = word_of(step.value, i);
  }
  use(buffer);
  past.set(operation_);
  if (queue == nullptr) {
    host() = past;
  } else {
    own(*queue);
    queue->past = past;
    if (step.blocking) wait_on_host(buffer.device, *queue);
  }
  return true;
}

bool Model::take(ReadBuffer& step) {
  const auto found = buffers.find(step.buffer);
  if (found == buffers.end() || !can_use(found->second) || !is_alive(found->second)) return false;
  ModelBuffer& buffer = found->second;
  const std::vector<Place> places = places_of_transfer(step, buffer.shape);
  if (places.empty() || !next_operation()) return false;
  ModelQueue* queue = nullptr;
  Past past = host();
  const bool blocking = step.blocking || step.way == Way::kCompare;
  if (goes_by_queue(step.way)) {
    if (step.queue.device != buffer.device) return false;
    queue = usable_queue(step.queue);
    if (queue == nullptr || (blocking && !queue->awaited.empty())) return false;
    past = past_of_operation(buffer.device, *queue);
  }
  std::vector<uint32_t> words;
  for (const Place& place : places) {
    const auto& word = buffer.storage->word(place.bank, place.word);
    if (!word) return false;
    words.push_back(*word);
  }
  if (!can_touch(past, {{buffer.storage.get(), false}})) return false;
  touch({{buffer.storage.get(), false}});
  step.expected = digest(words);
  use(buffer);
  past.set(operation_);
  if (queue == nullptr) {
    host() = past;
  } else {
    own(*queue);
    queue->past = past;
    if (blocking) wait_on_host(buffer.device, *queue);
  }
  return true;
}

// ---- Programs ----

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
    const auto found = buffers.find(step.scratch);
    if (step.kind != Kind::kAdd || found == buffers.end()) return false;
    ModelBuffer& scratch = found->second;
    const bool fits = can_use(scratch) && is_alive(scratch) && scratch.device == step.device &&
                      scratch.shape.memory == Memory::kL1 && scratch.storage->sub_device == 0 &&
                      words_per_bank(scratch.shape) >= kScratchWords && !scratch.is_view;
    if (!fits) return false;
    use(scratch);
    made.scratch = scratch.storage;
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

namespace {

// A kernel may write where another reads only if it is the same page.
bool may_share(const ModelBuffer& read, const ModelBuffer& written) {
  return read.storage != written.storage || read.shape == written.shape;
}
bool same_pages(const ModelBuffer& a, const ModelBuffer& b) {
  return a.shape.page_size == b.shape.page_size && a.shape.pages == b.shape.pages;
}

}  // namespace

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
  const auto buffer = buffers.find(step.scratch);
  if (program.scratch == nullptr || buffer == buffers.end()) return false;
  ModelBuffer& scratch = buffer->second;
  const bool fits = can_use(scratch) && is_alive(scratch) &&
                    scratch.device == program.description.device &&
                    devices[scratch.device].life == program.life &&
                    scratch.shape.memory == Memory::kL1 && scratch.storage->sub_device == 0 &&
                    words_per_bank(scratch.shape) >= kScratchWords && !scratch.is_view;
  if (!fits) return false;
  use(scratch);
  own(program);
  program.scratch = scratch.storage;
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

namespace {

using Word = std::optional<uint32_t>;

Word sum(const Word& a, const Word& b) { return a && b ? Word(*a + *b) : Word(); }

}  // namespace

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

// ---- Events ----

bool Model::take(const RecordEvent& step) {
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || !queue->awaited.empty()) return false;
  if (step.event == kNone || step.event >= kMaxObjects) return false;
  const auto found = events.find(step.event);
  if (found != events.end()) {
    const bool can = found->second.recorded ? can_own(found->second) : can_use(found->second);
    if (!can) return false;
  }
  ModelEvent& event = events[step.event];
  event.recorded ? own(event) : use(event);
  own(*queue);
  event.recorded = true;
  event.queue = step.queue;
  event.life = devices[step.queue.device].life;
  event.recorders.add(section_, thread_);
  event.past = queue->past = past_of_operation(step.queue.device, *queue);
  for (ModelDevice& device : devices) {
    for (ModelQueue& waiting : device.queues) {
      if (waiting.awaited.erase(step.event) != 0) waiting.past |= event.past;
    }
  }
  return true;
}

bool Model::take(const WaitForEvent& step) {
  ModelQueue* const queue = usable_queue(step.queue);
  if (queue == nullptr || step.event == kNone || step.event >= kMaxObjects) return false;
  const auto found = events.find(step.event);
  if (found != events.end() && !can_use(found->second)) return false;
  ModelEvent& event = events[step.event];
  use(event);
  own(*queue);
  if (event.recorded) {
    queue->past |= event.past;
  } else {
    queue->awaited.insert(step.event);
  }
  return true;
}

bool Model::take(const SynchronizeEvent& step) {
  const auto found = events.find(step.event);
  if (found == events.end() || !can_use(found->second) || !found->second.recorded) return false;
  if (!found->second.recorders.only(section_, thread_)) return false;
  // It asks the queue that recorded the event, which may not capture a trace meanwhile.
  ModelQueue* const queue = usable_queue(found->second.queue);
  if (queue == nullptr || devices[found->second.queue.device].life != found->second.life) {
    return false;
  }
  own(*queue);
  use(found->second);
  host() |= found->second.past;
  return true;
}

bool Model::take(const DropEvent& step) {
  const auto found = events.find(step.event);
  if (found == events.end() || !can_own(found->second) || !found->second.recorded) return false;
  events.erase(found);
  return true;
}

// ---- Sub-devices ----

bool Model::take(const CreateManager& step) {
  if (!alone() || !is_open(step.device) || managers.contains(step.manager)) return false;
  if (step.manager == kNone || step.manager >= kMaxObjects) return false;
  const std::vector<Rect>& parts = step.sub_devices;
  if (parts.empty() || parts.size() > 8) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!is_rect(parts[i])) return false;
    for (size_t j = 0; j < i; ++j) {
      if (overlap(parts[i], parts[j])) return false;
    }
  }
  if (step.local_size != 0 && step.local_size != 65536) return false;
  managers[step.manager] = {step.device, devices[step.device].life, step};
  return true;
}

bool Model::take(const LoadManager& step) {
  if (!alone() || !is_open(step.device) || !can_come_to_rest(step.device)) return false;
  if (step.manager != kNone) {
    const auto found = managers.find(step.manager);
    if (found == managers.end() || found->second.device != step.device) return false;
    if (found->second.life != devices[step.device].life) return false;
  }
  const auto is_local = [&](const Storage& storage) {
    return storage.device == step.device && storage.sub_device != 0 && !storage.freed;
  };
  for (const auto& [id, buffer] : buffers) {
    if (is_alive(buffer) && is_local(*buffer.storage)) return false;
  }
  for (const auto& [id, program] : programs) {
    for (const StoragePointer& storage : program.kept) {
      if (is_local(*storage)) return false;
    }
  }
  come_to_rest(step.device);
  devices[step.device].manager = step.manager;
  devices[step.device].stall_group = 0;
  return true;
}

bool Model::take(const RemoveManager& step) {
  const auto found = managers.find(step.manager);
  if (!alone() || found == managers.end() || !is_open(step.device)) return false;
  if (found->second.device != step.device) return false;
  if (found->second.life != devices[step.device].life) return false;
  if (devices[step.device].manager == step.manager) return false;
  managers.erase(found);
  return true;
}

bool Model::take(const SetStallGroup& step) {
  if (!alone() || !is_open(step.device) || !is_divided(step.device)) return false;
  if (step.sub_device > sub_devices_of(step.device).size()) return false;
  devices[step.device].stall_group = step.sub_device;
  return true;
}

// ---- Global semaphores ----

bool Model::take(const CreateSemaphore& step) {
  if (semaphores.contains(step.semaphore) || !is_rect(step.cores)) return false;
  if (step.semaphore == kNone || step.semaphore >= kMaxObjects) return false;
  ModelQueue* const queue = usable_queue({step.device, 0});
  if (queue == nullptr || !queue->awaited.empty() || !next_operation()) return false;
  ModelSemaphore made;
  made.device = step.device;
  made.cores = step.cores;
  made.storage = allocate(step.device, Memory::kL1, kWorkers, 1);
  Past past = past_of_operation(step.device, *queue);
  if (!can_touch(past, {{made.storage.get(), true}})) return false;
  touch({{made.storage.get(), true}});
  for (const uint32_t bank : banks_in(step.cores)) made.storage->word(bank, 0) = step.value;
  past.set(operation_);
  queue->past = past;
  own(*queue);
  own(semaphores[step.semaphore] = made);
  return true;
}

bool Model::take(const ResetSemaphore& step) {
  const auto found = semaphores.find(step.semaphore);
  if (found == semaphores.end() || !can_use(found->second)) return false;
  ModelSemaphore& semaphore = found->second;
  if (!is_present(semaphore.storage)) return false;
  ModelQueue* const queue = usable_queue({semaphore.device, 0});
  if (queue == nullptr || !queue->awaited.empty() || !next_operation()) return false;
  Past past = past_of_operation(semaphore.device, *queue);
  if (!can_touch(past, {{semaphore.storage.get(), true}})) return false;
  touch({{semaphore.storage.get(), true}});
  for (const uint32_t bank : banks_in(semaphore.cores)) {
    semaphore.storage->word(bank, 0) = step.value;
  }
  past.set(operation_);
  queue->past = past;
  own(*queue);
  use(semaphore);
  return true;
}

bool Model::take(ReadSemaphore& step) {
  const auto found = semaphores.find(step.semaphore);
  if (found == semaphores.end() || !can_use(found->second)) return false;
  ModelSemaphore& semaphore = found->second;
  const Rect core = {step.core[0], step.core[1], step.core[0], step.core[1]};
  if (!is_present(semaphore.storage) || !contains(semaphore.cores, core)) return false;
  const auto& word = semaphore.storage->word(step.core[1] * kGridSize + step.core[0], 0);
  if (!word || !next_operation()) return false;
  if (!can_touch(host(), {{semaphore.storage.get(), false}})) return false;
  touch({{semaphore.storage.get(), false}});
  host().set(operation_);
  use(semaphore);
  step.expected = digest({*word});
  return true;
}

bool Model::take(const DropSemaphore& step) {
  const auto found = semaphores.find(step.semaphore);
  if (found == semaphores.end() || !can_own(found->second)) return false;
  if (!can_free(*found->second.storage)) return false;
  free(*found->second.storage);
  semaphores.erase(found);
  return true;
}

// ---- Captures ----

bool Model::take(const BeginCapture&) {
  if (!alone() || capturing_ || !awaited_events().empty() || !open_traces().empty()) return false;
  // The snapshot has no place for the events of closed devices then.
  const bool any_open =
      std::ranges::any_of(devices, [](const auto& device) { return device.open; });
  if (!any_open && !events.empty()) return false;
  capturing_ = true;
  return true;
}

bool Model::take(const EndCapture&) {
  // A file that ends while a queue waits for an event is refused: its replay would wait for ever.
  if (!alone() || !capturing_ || !awaited_events().empty()) return false;
  capturing_ = false;
  return true;
}

// ---- Lists ----

namespace {

// A file's replay runs a trace that the file loads and never replays, which its program did not.
std::set<Id> unreplayed_traces(const Steps& steps) {
  std::set<Id> pending, found;
  for (const Step& step : steps) {
    if (const auto* begin = std::get_if<BeginTrace>(&step.call)) pending.insert(begin->trace);
    if (const auto* replay = std::get_if<ReplayTrace>(&step.call)) pending.erase(replay->trace);
    if (std::holds_alternative<EndCapture>(step.call)) found.merge(pending);
  }
  found.merge(pending);
  return found;
}

}  // namespace

Steps valid_steps(Steps steps) {
  while (true) {
    Model model;
    Steps valid;
    for (Step& step : steps) {
      if (model.take(step)) valid.push_back(step);
    }
    const std::set<Id> awaited = model.awaited_events();
    if (!awaited.empty()) {
      std::erase_if(valid, [&](const Step& step) {
        const auto* wait = std::get_if<WaitForEvent>(&step.call);
        return wait != nullptr && awaited.contains(wait->event);
      });
      steps = std::move(valid);
      continue;
    }
    if (const std::set<Id> unreplayed = unreplayed_traces(valid); !unreplayed.empty()) {
      std::erase_if(valid, [&](const Step& step) {
        const auto* begin = std::get_if<BeginTrace>(&step.call);
        return begin != nullptr && unreplayed.contains(begin->trace);
      });
      steps = std::move(valid);
      continue;
    }
    uint32_t section = valid.empty() ? 0 : valid.back().section;
    section += section % 2;
    if (model.is_capturing()) valid.push_back({section, 0, EndCapture{}});
    return valid;
  }
}

}  // namespace random_programs
