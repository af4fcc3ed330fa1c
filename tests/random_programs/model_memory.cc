// Memory, buffers and global semaphores.
#include <algorithm>

#include "tests/random_programs/model.h"

namespace random_programs {
namespace {

constexpr uint32_t kMostLocalWords = 4096;  // of a sub-device's buffers, so that circular ones fit

}  // namespace

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

StoragePointer Model::storage_of_view(const CreateBuffer& step) {
  const auto parent = buffers.find(step.view_of);
  if (parent == buffers.end() || !can_use(parent->second) || !is_alive(parent->second)) {
    return nullptr;
  }
  const StoragePointer& storage = parent->second.storage;
  const bool fits = parent->second.device == step.device && step.sub_device == 0 &&
                    storage->sub_device == 0 && storage->memory == step.shape.memory &&
                    words_per_bank(step.shape) <= storage->words_per_bank;
  if (!fits) return nullptr;
  use(parent->second);
  return storage;
}

bool Model::fits_sub_device(const CreateBuffer& step) const {
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
  return local <= kMostLocalWords;
}

bool Model::take(const CreateBuffer& step) {
  if (!is_open(step.device) || buffers.contains(step.buffer) || !is_valid(step.shape)) return false;
  if (step.buffer == kNone || step.buffer >= kMaxObjects) return false;
  if (step.bottom_up && !in_dram(step.shape)) return false;
  ModelBuffer made;
  made.device = step.device;
  made.shape = step.shape;
  made.first_shape = step.shape;
  made.is_view = step.view_of != kNone;
  if (made.is_view) {
    made.storage = storage_of_view(step);
  } else if (step.sub_device == 0 || fits_sub_device(step)) {
    made.storage = allocate(step.device, step.shape.memory, banks_of(step.shape.memory),
                            words_per_bank(step.shape));
    made.storage->sub_device = step.sub_device;
  }
  if (made.storage == nullptr) return false;
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

// The places of the words that a step transfers, in the step's order; none when the step makes no
// sense.
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
  // Shards are only read where no shard has pages that pad it.
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
  has_changed_words_ |= step.changes;
  for (uint32_t i = 0; i < places.size(); ++i) {
    auto& word = buffer.storage->word(places[i].bank, places[i].word);
    word = step.changes ? std::nullopt : std::optional(word_of(step.value, i));
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
  bool is_known = true;
  for (const Place& place : places) {
    const auto& word = buffer.storage->word(place.bank, place.word);
    is_known &= word.has_value();
    words.push_back(word.value_or(0));
  }
  // What a device has of words that changed during a write, its file need not have.
  if (!is_known && has_changed_words_) return false;
  if (!can_touch(past, {{buffer.storage.get(), false}})) return false;
  touch({{buffer.storage.get(), false}});
  step.expected = is_known ? digest(words) : kUnknown;
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

}  // namespace random_programs
