// Work on tensors: who waits for whom, and moving values from one to another.
#include <functional>
#include <lightmetal/runtime.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/per_process.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/convert.h"
#include "runtime/relayout.h"
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

// Between two tensors on one device, of one type: within the device. False where that cannot.
absl::StatusOr<bool> move_on_device(const Tensor::State& to, const Tensor::State& from) {
  Counters& counters = *from.device->counters;
  if (to.layout == from.layout) {
    bool copied = false;
    LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
      copied = hooks::copy_buffer_unrecorded(*from.buffer, *to.buffer);
      return absl::OkStatus();
    }));
    if (!copied) return false;
    counters.device_copied_bytes += from.buffer->size();
  } else {
    LM_ASSIGN_OR_RETURN(converted, relayout_on_device(to, from));
    if (!converted) return false;
    counters.device_copied_bytes += from.desc().size();
    ++counters.relayouts;
  }
  ++counters.device_copies;
  return true;
}

absl::Status move_over_host(const Tensor::State& to, const Tensor::State& from) {
  std::vector<std::byte> rows(from.desc().size());
  LM_RETURN_IF_ERROR(read_rows(from, rows));
  if (to.layout.type() == from.layout.type()) return write_rows(to, rows);
  std::vector<std::byte> converted(to.desc().size());
  convert(from.layout.type(), rows, to.layout.type(), converted);
  return write_rows(to, converted);
}

absl::Status move_values(const Tensor::State& to, const Tensor::State& from) {
  const bool both_on_device = to.device != nullptr && from.device != nullptr;
  if (both_on_device && to.device == from.device && to.layout.type() == from.layout.type()) {
    LM_ASSIGN_OR_RETURN(moved, move_on_device(to, from));
    if (moved) return absl::OkStatus();
  }
  const Tensor::State& on_device = from.device != nullptr ? from : to;
  if (both_on_device) ++on_device.device->counters->host_round_trips;
  if (to.layout != from.layout && on_device.device != nullptr)
    ++on_device.device->counters->relayouts;
  return move_over_host(to, from);
}

// The device of the tensors; null when they all lie on the host.
std::shared_ptr<Device::State> device_of(const Tensor& a, const Tensor& b) {
  return a.state()->device != nullptr ? a.state()->device : b.state()->device;
}

}  // namespace

// ---- Who waits for whom ----

lightmetal::Mutex& use_mutex() { return PerProcess<lightmetal::Mutex>::get(); }

namespace {

absl::Status check_usable(const Tensor& tensor) {
  if (!tensor.state()->parts.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the tensor ", text_of(tensor),
                                                   " has parts for ", tensor.state()->parts.size(),
                                                   " devices: getDeviceTensors gives each"));
  }
  if (tensor.is_allocated()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the tensor ", text_of(tensor), " has been deallocated"));
}

void add_reader(Uses& uses, const Event& reader) {
  std::erase_if(uses.readers, [](const Event& earlier) { return query(earlier); });
  uses.readers.push_back(reader);
}

// REQUIRES: use_mutex() is held.
Event note_refused(const std::vector<Tensor>& writes, absl::Status status) {
  const Event event = failed(std::move(status));
  for (const Tensor& tensor : writes) {
    Uses& uses = tensor.state()->uses;
    // What is given later still comes behind the work that was given before.
    add_reader(uses, std::exchange(uses.writer, event));
  }
  return event;
}

}  // namespace

Event refuse(const std::vector<Tensor>& writes, absl::Status status) {
  lightmetal::MutexLock lock(&use_mutex());
  return note_refused(writes, std::move(status));
}

Event push_work(Lane& lane, std::vector<Tensor> reads, std::vector<Tensor> writes,
                std::vector<Event> dependencies, std::function<absl::Status()> work) {
  // First: what else is known of the tensors may be half done in a forked child.
  if (absl::Status gone = lane.status(); !gone.ok()) return failed(std::move(gone));
  lightmetal::MutexLock lock(&use_mutex());
  absl::Status status;
  for (const Tensor& tensor : reads) status.Update(check_usable(tensor));
  for (const Tensor& tensor : writes) status.Update(check_usable(tensor));
  if (!status.ok()) return note_refused(writes, std::move(status));

  Lane::Dependencies waits{.needs = std::move(dependencies), .follows = {}};
  for (const Tensor& tensor : reads) waits.needs.push_back(tensor.state()->uses.writer);
  for (const Tensor& tensor : writes) {
    const Uses& uses = tensor.state()->uses;
    waits.follows.push_back(uses.writer);
    waits.follows.insert(waits.follows.end(), uses.readers.begin(), uses.readers.end());
  }
  const Event done = lane.push(std::move(waits), std::move(work));
  for (const Tensor& tensor : reads) add_reader(tensor.state()->uses, done);
  for (const Tensor& tensor : writes) tensor.state()->uses = {.writer = done, .readers = {}};
  return done;
}

Event toLayout(Tensor dst, Tensor src, std::vector<Event> dependencies) {
  if (dst.shape() != src.shape()) {
    return refuse({dst}, absl::InvalidArgumentError(absl::StrCat("the values of ", text_of(src),
                                                                 " do not fit into ", text_of(dst),
                                                                 ": the shapes differ")));
  }
  const auto device = device_of(dst, src);
  const auto work = [dst, src] { return move_values(*dst.state(), *src.state()); };
  if (device != nullptr)
    return push_work(device->transfers, {src}, {dst}, std::move(dependencies), work);
  // Two host tensors are on no device: one lane serves them all.
  return push_work(PerProcess<Lane>::get(), {src}, {dst}, std::move(dependencies), work);
}

absl::StatusOr<Tensor> toLayout(Tensor tensor, const Device& device, const Layout& layout,
                                bool retain) {
  const bool is_there = !layout.is_on_device() || tensor.state()->device == device.state();
  if (is_there && tensor.layout() == layout && tensor.is_allocated()) return tensor;
  LM_ASSIGN_OR_RETURN(converted, createEmptyTensor(device, layout, tensor.shape()));
  const Event done = toLayout(converted, tensor);
  // A failure that is known already is the caller's; a later one is that of what uses the tensor.
  if (query(done)) LM_RETURN_IF_ERROR(wait(done));
  if (!retain) deallocate(tensor);
  return converted;
}

absl::Status wait(const Tensor& tensor) {
  if (tensor.state()->device != nullptr) LM_RETURN_IF_ERROR(tensor.state()->device->status());
  Event writer;
  {
    lightmetal::MutexLock lock(&use_mutex());
    writer = tensor.state()->uses.writer;
  }
  absl::Status status = wait(writer);
  for (const Tensor& part : tensor.state()->parts) status.Update(wait(part));
  return status;
}

absl::Status wait(absl::Span<const Tensor> tensors) {
  absl::Status status;
  for (const Tensor& tensor : tensors) status.Update(wait(tensor));
  return status;
}

absl::StatusOr<Tensor> toHost(const Tensor& tensor) {
  LM_ASSIGN_OR_RETURN(host, make_host_tensor(tensor.shape(), tensor.layout().type()));
  LM_RETURN_IF_ERROR(wait(toLayout(host, tensor)));
  return host;
}

absl::Status memcpy(void* dst, const Tensor& tensor, std::optional<TensorType> type) {
  if (dst == nullptr) return absl::InvalidArgumentError("the place to copy to is a null pointer");
  const TensorDesc desc{tensor.shape(), type.value_or(tensor.layout().type())};
  LM_RETURN_IF_ERROR(desc.check());
  const absl::Span<std::byte> data(static_cast<std::byte*>(dst), desc.size());
  LM_ASSIGN_OR_RETURN(host, createBorrowedHostTensor(data, desc.shape, desc.type));
  return wait(toLayout(host, tensor));
}

absl::Status memcpy(Tensor& dst, const Tensor& src) { return wait(toLayout(dst, src)); }

absl::Status memcpy(Tensor& tensor, const void* src) {
  if (src == nullptr) return absl::InvalidArgumentError("the data to copy are a null pointer");
  // Only read from.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(src));
  const absl::Span<std::byte> data(bytes, tensor.state()->desc().size());
  LM_ASSIGN_OR_RETURN(host, createBorrowedHostTensor(data, tensor.shape(), tensor.layout().type()));
  return wait(toLayout(tensor, host));
}

}  // namespace lightmetal::runtime
