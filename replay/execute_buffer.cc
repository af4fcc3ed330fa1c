// Executes commands about buffers and global semaphores.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/values.h"
#include "replay/without_exceptions.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

template <class Value>
std::optional<Value> optional_of(const flatbuffers::Optional<Value>& value) {
  return value.has_value() ? std::optional<Value>(*value) : std::nullopt;
}

// Kernels and arguments hold addresses, so an object that lies elsewhere ends the replay.
absl::Status check_address(uint64_t recorded, uint64_t present) {
  if (recorded == present) return absl::OkStatus();
  return absl::InternalError(
      absl::StrFormat("the replay has diverged: the recorded address is 0x%x, and it lies at 0x%x",
                      recorded, present));
}

hooks::RecordedBuffer recorded_of(const schema::BufferCreate& call, tm::IDevice* device) {
  hooks::RecordedBuffer recorded;
  recorded.device = device;
  recorded.address = optional_of(call.address());
  recorded.allocated_address = call.allocated_address();
  recorded.size = call.size();
  recorded.page_size = call.page_size();
  recorded.buffer_type = static_cast<tm::BufferType>(call.buffer_type());
  recorded.sharding = sharding_of(call);
  recorded.bottom_up = optional_of(call.bottom_up());
  if (call.sub_device().has_value()) recorded.sub_device = tm::SubDeviceId(*call.sub_device());
  return recorded;
}

}  // namespace

absl::Status Executor::execute(const schema::BufferCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  const bool is_movable = movable_.contains(call.id());
  hooks::RecordedBuffer recorded = recorded_of(call, of_device);
  if (makes_views_) recorded.address = call.allocated_address();
  if (recorded.address.has_value()) recorded.address = moved_.address_of(recorded);
  const bool is_view = recorded.address.has_value();
  std::shared_ptr<tm::Buffer> buffer =
      is_movable && !is_view ? make_movable(recorded) : hooks::create_buffer(recorded);
  // A view that the program made follows the buffer in whose memory it is.
  if (call.address().has_value()) {
    LM_RETURN_IF_ERROR(check_address(call.allocated_address(), *call.address()));
  } else if (!is_movable) {
    LM_RETURN_IF_ERROR(check_address(call.allocated_address(), buffer->address()));
  }
  if (!is_view && !movable_.empty()) moved_.add(call.allocated_address(), *buffer);
  return objects_.buffers.add(call.id(), std::move(buffer));
}

std::shared_ptr<tm::Buffer> Executor::make_movable(hooks::RecordedBuffer recorded) {
  std::shared_ptr<tm::Buffer> buffer;
  const absl::Status status = without_exceptions([&] {
    buffer = hooks::create_buffer(recorded);
    return absl::OkStatus();
  });
  if (status.ok()) return buffer;
  recorded.allocated_address = std::nullopt;
  // Not where a buffer will be that stays: what is found there is held until another place is.
  std::vector<std::shared_ptr<tm::Buffer>> held;
  while (true) {
    buffer = hooks::create_buffer(recorded);
    if (!lies_in_kept_place(*buffer)) return buffer;
    held.push_back(std::move(buffer));
  }
}

bool Executor::lies_in_kept_place(const tm::Buffer& buffer) const {
  return std::ranges::any_of(kept_places_, [&](const schema::BufferCreate* kept) {
    return static_cast<tm::BufferType>(kept->buffer_type()) == buffer.buffer_type() &&
           kept->allocated_address() < buffer.address() + buffer.aligned_size_per_bank() &&
           buffer.address() < kept->allocated_address() + kept->size();
  });
}

absl::Status Executor::reserve_memory(const schema::BufferCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  return without_exceptions([&, on = of_device] {
    reserved_.push_back(hooks::create_buffer(recorded_of(call, on)));
    return absl::OkStatus();
  });
}

absl::StatusOr<std::shared_ptr<tm::Buffer>> Executor::exchange_buffer(
    uint64_t id, std::shared_ptr<tm::Buffer> other) {
  LM_ASSIGN_OR_RETURN(buffer, objects_.buffers.find(id));
  return std::exchange(*buffer, std::move(other));
}

absl::Status Executor::execute_as_view(uint64_t number, const schema::Command& command) {
  makes_views_ = true;
  absl::Status status = execute(number, command);
  makes_views_ = false;
  return status;
}

absl::StatusOr<std::shared_ptr<tm::Buffer>> Executor::shared_buffer(uint64_t id) {
  LM_ASSIGN_OR_RETURN(buffer, objects_.buffers.find(id));
  return *buffer;
}

absl::Status Executor::execute(const schema::BufferSetPageSize& call) {
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  target->set_page_size(call.page_size());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::BufferDeallocate& call) {
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  tm::DeallocateBuffer(*target);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::BufferDestroy& call) {
  LM_ASSIGN_OR_RETURN(ended, objects_.buffers.remove(call.buffer()));
  if (remembers_ended_) ended_addresses_[call.buffer()] = ended->address();
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::GlobalSemaphoreCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  tm::GlobalSemaphore semaphore = hooks::create_global_semaphore(
      of_device, ranges_of(call.cores()), call.initial_value(),
      static_cast<tm::BufferType>(call.buffer_type()), call.allocated_address());
  LM_RETURN_IF_ERROR(check_address(call.allocated_address(), semaphore.address()));
  return objects_.global_semaphores.add(call.id(), std::move(semaphore));
}

absl::Status Executor::execute(const schema::GlobalSemaphoreResetValue& call) {
  LM_ASSIGN_OR_RETURN(semaphore, objects_.global_semaphores.find(call.global_semaphore()));
  semaphore->reset_semaphore_value(call.value());
  return absl::OkStatus();
}

absl::Status Executor::reset_global_semaphore(uint64_t id, uint32_t value) {
  LM_ASSIGN_OR_RETURN(semaphore, objects_.global_semaphores.find(id));
  return without_exceptions([&, of = semaphore] {
    of->reset_semaphore_value(value);
    return absl::OkStatus();
  });
}

absl::Status Executor::execute(const schema::GlobalSemaphoreDestroy& call) {
  return objects_.global_semaphores.remove(call.global_semaphore()).status();
}

absl::Status Executor::execute(const schema::AssignGlobalBufferToProgram& call) {
  LM_ASSIGN_OR_RETURN(assigned, objects_.buffers.find(call.buffer()));
  LM_ASSIGN_OR_RETURN(to_program, program(call.program()));
  tm::AssignGlobalBufferToProgram(*assigned, *to_program);
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
