#include "host/program.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

absl::Status check_cores(const CoreSet& cores, const char* what) {
  if (!cores.empty()) return absl::OkStatus();
  return refuse("A ", what, " needs at least one core");
}

bool is_at(const Kernel& kernel, Processor processor) { return kernel.processor == processor; }

// The first kernel that `is_meant` and shares a core with `cores`, for the error. REQUIRES: there
// is one.
template <class Predicate>
const Kernel& find(const std::vector<Kernel>& kernels, const CoreSet& cores, Predicate is_meant) {
  return *std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    return is_meant(kernel) && kernel.cores.intersects(cores);
  });
}

}  // namespace

absl::Status Program::check_not_compiled(const char* what) const {
  if (!compiled_) return absl::OkStatus();
  return refuse_now("Cannot add a ", what, " to program ", id_, ": it has been compiled already");
}

void Program::take(Taken& taken, uint32_t number, const CoreSet& cores) {
  const auto [entry, is_new] = taken.try_emplace(number);
  num_core_sets_ += is_new;
  entry->second.add(cores);
}

// ---- Kernels ----

absl::Status Program::check_processor(const Kernel& kernel) const {
  if (!processors_[static_cast<size_t>(kernel.processor)].intersects(kernel.cores)) {
    return absl::OkStatus();
  }
  const Kernel& other = find(kernels_, kernel.cores, [&](const Kernel& candidate) {
    return is_at(candidate, kernel.processor);
  });
  return refuse("Cannot create kernel ", kernel.name, " on processor ", name_of(kernel.processor),
                ": kernel ", other.name, " of program ", id_, " uses it on cores ",
                other.cores.intersection(kernel.cores).text());
}

absl::StatusOr<size_t> Program::add_kernel(Kernel kernel) {
  LM_RETURN_IF_ERROR(check_not_compiled("kernel"));
  LM_RETURN_IF_ERROR(check_cores(kernel.cores, "kernel"));
  LM_RETURN_IF_ERROR(check_processor(kernel));
  processors_[static_cast<size_t>(kernel.processor)].add(kernel.cores);
  kernels_.push_back(std::move(kernel));
  return kernels_.size() - 1;
}

// ---- Semaphores ----

absl::StatusOr<uint32_t> Program::add_semaphore(const CoreSet& cores, CoreKind kind) {
  LM_RETURN_IF_ERROR(check_not_compiled("semaphore"));
  LM_RETURN_IF_ERROR(check_cores(cores, "semaphore"));
  Taken& taken = semaphores_[static_cast<size_t>(kind)];
  uint32_t free = 0;
  while (taken.contains(free) && taken.at(free).intersects(cores)) ++free;
  if (free >= kNumSemaphores) {
    return refuse("Cannot add a semaphore on cores ", cores.text(),
                  ": the maximum number of semaphores (", kNumSemaphores, ") is reached");
  }
  take(taken, free, cores);
  return free;
}

absl::Status Program::add_semaphore_with_id(const CoreSet& cores, CoreKind kind, uint32_t id) {
  LM_RETURN_IF_ERROR(check_not_compiled("semaphore"));
  LM_RETURN_IF_ERROR(check_cores(cores, "semaphore"));
  if (id >= kNumSemaphores) {
    return refuse("Semaphore id ", id, " exceeds the maximum number of semaphores (",
                  kNumSemaphores, ")");
  }
  Taken& taken = semaphores_[static_cast<size_t>(kind)];
  const auto found = taken.find(id);
  if (found != taken.end() && found->second.intersects(cores)) {
    return refuse("Cannot add semaphore ", id, " on cores ",
                  found->second.intersection(cores).text(), ": program ", id_,
                  " has a semaphore of this id there");
  }
  take(taken, id, cores);
  return absl::OkStatus();
}

// ---- Circular buffers ----

absl::Status Program::check_indices(const CircularBuffer& buffer) const {
  absl::Status status;
  buffer.indices().for_each([&](uint8_t index) {
    for (const Taken* taken : {&local_indices_, &remote_indices_}) {
      const auto found = taken->find(index);
      if (found == taken->end() || !found->second.intersects(buffer.cores)) continue;
      status.Update(refuse("Invalid circular buffer index: cannot add circular buffer at index ",
                           index, " on cores ", found->second.intersection(buffer.cores).text(),
                           ", another circular buffer of program ", id_, " uses it already"));
    }
  });
  return status;
}

// As on hardware: on each core, all local indices lie below all remote ones. The new buffer is
// compared with itself and with what its cores have already.
absl::Status Program::check_order(const CircularBuffer& buffer) const {
  absl::Status status;
  const auto check = [&](uint32_t below, uint32_t above) {
    if (below < above) return;
    status.Update(refuse("Remote circular buffer index ", above, " must be above local index ",
                         below, ", which is used on the same cores"));
  };
  buffer.local.for_each([&](uint8_t below) {
    buffer.remote.for_each([&](uint8_t above) { check(below, above); });
    for (const auto& [above, cores] : remote_indices_) {
      if (above <= below && cores.intersects(buffer.cores)) check(below, above);
    }
  });
  buffer.remote.for_each([&](uint8_t above) {
    for (const auto& [below, cores] : local_indices_) {
      if (above <= below && cores.intersects(buffer.cores)) check(below, above);
    }
  });
  return status;
}

absl::StatusOr<size_t> Program::add_circular_buffer(CircularBuffer buffer) {
  LM_RETURN_IF_ERROR(check_not_compiled("circular buffer"));
  LM_RETURN_IF_ERROR(check_cores(buffer.cores, "circular buffer"));
  LM_RETURN_IF_ERROR(check_complete(buffer));
  LM_RETURN_IF_ERROR(check_indices(buffer));
  LM_RETURN_IF_ERROR(check_order(buffer));
  buffer.local.for_each([&](uint8_t index) { take(local_indices_, index, buffer.cores); });
  buffer.remote.for_each([&](uint8_t index) { take(remote_indices_, index, buffer.cores); });
  buffer.cores.for_each(
      [&](const Core& core) { layout_.cores.push_back(number_in_largest_grid(core)); });
  // All rules are passed; from here on nothing fails, so that an error leaves the program as it
  // was.
  layout_.entries.emplace_back().cores_end = layout_.cores.size();
  circular_buffers_.push_back(std::move(buffer));
  lay_out(circular_buffers_.size() - 1);
  return circular_buffers_.size() - 1;
}

void Program::change_circular_buffer(size_t number, CircularBuffer changed) {
  circular_buffers_[number] = std::move(changed);
  lay_out(number);
}

void Program::lay_out(size_t number) {
  const CircularBuffer& buffer = circular_buffers_[number];
  Layout::Entry& entry = layout_.entries[number];
  entry.given_address.reset();
  if (buffer.given) entry.given_address = buffer.given->address;
  entry.total_size = buffer.total_size;
  entry.indices_end = buffer.indices().end();
  entry.pages_divide_it = !buffer.first_undivided().has_value();
  ++layout_.version;
}

}  // namespace lightmetal::host
