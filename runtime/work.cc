// Work on tensors: who waits for whom, and moving values from one to another.
#include <functional>
#include <lightmetal/runtime.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/convert.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

namespace hooks = tt::tt_metal::replay_hooks;

Event failed(absl::Status status) {
  auto state = std::make_shared<Event::State>();
  state->finish(std::move(status));
  return Event(std::move(state));
}

std::string text_of(const Tensor& tensor) { return tensor.state()->desc().text(); }

// Between two buffers of one layout: within the device where that can.
absl::Status copy_on_device(const Tensor::State& to, const Tensor::State& from, bool& copied) {
  LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
    copied = hooks::copy_buffer_unrecorded(*from.buffer, *to.buffer);
    return absl::OkStatus();
  }));
  if (!copied) return absl::OkStatus();
  ++from.device->counters->device_copies;
  from.device->counters->device_copied_bytes += from.buffer->size();
  return absl::OkStatus();
}

absl::Status move_values(const Tensor::State& to, const Tensor::State& from) {
  const bool same_layout = to.layout == from.layout;
  if (to.buffer != nullptr && from.buffer != nullptr && same_layout && to.device == from.device) {
    bool copied = false;
    LM_RETURN_IF_ERROR(copy_on_device(to, from, copied));
    if (copied) return absl::OkStatus();
    ++from.device->counters->host_round_trips;
  }
  const Tensor::State& on_device = to.buffer != nullptr ? to : from;
  if (!same_layout && on_device.device != nullptr) ++on_device.device->counters->relayouts;
  std::vector<std::byte> rows(from.desc().size());
  LM_RETURN_IF_ERROR(read_rows(from, rows));
  if (to.layout.type() == from.layout.type()) return write_rows(to, rows);
  std::vector<std::byte> converted(to.desc().size());
  convert(from.layout.type(), rows, to.layout.type(), converted);
  return write_rows(to, converted);
}

// The device of the tensors; null when they all lie on the host.
std::shared_ptr<Device::State> device_of(const Tensor& a, const Tensor& b) {
  return a.state()->device != nullptr ? a.state()->device : b.state()->device;
}

}  // namespace

lightmetal::Mutex& use_mutex() {
  static constinit lightmetal::Mutex mutex;
  return mutex;
}

Event push_work(Lane& lane, std::vector<Tensor> reads, std::vector<Tensor> writes,
                std::vector<Event> dependencies, std::function<absl::Status()> work) {
  lightmetal::MutexLock lock(&use_mutex());
  for (const std::vector<Tensor>* tensors : {&reads, &writes}) {
    for (const Tensor& tensor : *tensors) {
      if (tensor.is_allocated()) continue;
      return failed(absl::FailedPreconditionError(
          absl::StrCat("the tensor ", text_of(tensor), " has been deallocated")));
    }
  }
  for (const Tensor& tensor : reads) dependencies.push_back(tensor.state()->uses.writer);
  for (const Tensor& tensor : writes) {
    Uses& uses = tensor.state()->uses;
    dependencies.push_back(uses.writer);
    dependencies.insert(dependencies.end(), uses.readers.begin(), uses.readers.end());
  }
  const Event done = lane.push(std::move(dependencies), std::move(work));
  for (const Tensor& tensor : reads) {
    std::vector<Event>& readers = tensor.state()->uses.readers;
    std::erase_if(readers, [](const Event& reader) { return query(reader); });
    readers.push_back(done);
  }
  for (const Tensor& tensor : writes) tensor.state()->uses = {.writer = done, .readers = {}};
  return done;
}

Event toLayout(Tensor dst, Tensor src, std::vector<Event> dependencies) {
  if (dst.shape() != src.shape()) {
    return failed(absl::InvalidArgumentError(absl::StrCat(
        "the values of ", text_of(src), " do not fit into ", text_of(dst), ": the shapes differ")));
  }
  const auto device = device_of(dst, src);
  const auto work = [dst, src] { return move_values(*dst.state(), *src.state()); };
  if (device != nullptr)
    return push_work(device->transfers, {src}, {dst}, std::move(dependencies), work);
  // Two host tensors are on no device: one lane serves them all.
  static auto& lane = *new Lane;
  return push_work(lane, {src}, {dst}, std::move(dependencies), work);
}

absl::StatusOr<Tensor> toLayout(Tensor tensor, const Device& device, const Layout& layout,
                                bool retain) {
  if (tensor.layout() == layout && tensor.is_allocated()) return tensor;
  LM_ASSIGN_OR_RETURN(converted, createEmptyTensor(device, layout, tensor.shape()));
  const Event done = toLayout(converted, tensor);
  // A failure that is known already is the caller's; a later one is that of what uses the tensor.
  if (query(done)) LM_RETURN_IF_ERROR(wait(done));
  if (!retain) deallocate(tensor);
  return converted;
}

absl::StatusOr<Tensor> toHost(const Tensor& tensor) {
  std::vector<std::byte> zeros(tensor.state()->desc().size());
  LM_ASSIGN_OR_RETURN(host, createOwnedHostTensor(zeros, tensor.shape(), tensor.layout().type()));
  LM_RETURN_IF_ERROR(wait(toLayout(host, tensor)));
  return host;
}

absl::Status memcpy(void* dst, const Tensor& tensor) {
  if (dst == nullptr) return absl::InvalidArgumentError("the place to copy to is a null pointer");
  const absl::Span<std::byte> data(static_cast<std::byte*>(dst), tensor.state()->desc().size());
  LM_ASSIGN_OR_RETURN(host, createBorrowedHostTensor(data, tensor.shape(), tensor.layout().type()));
  return wait(toLayout(host, tensor));
}

absl::Status memcpy(Tensor& tensor, const void* src) {
  if (src == nullptr) return absl::InvalidArgumentError("the data to copy are a null pointer");
  // Only read from.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(src));
  const absl::Span<std::byte> data(bytes, tensor.state()->desc().size());
  LM_ASSIGN_OR_RETURN(host, createBorrowedHostTensor(data, tensor.shape(), tensor.layout().type()));
  return wait(toLayout(tensor, host));
}

}  // namespace lightmetal::runtime
