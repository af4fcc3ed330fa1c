// Tensors: how they are made, what they are, and their end.
#include <algorithm>
#include <cstring>
#include <lightmetal/runtime.hpp>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "api/src/tensors/element_cast.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/buffer_form.h"
#include "runtime/element_type.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::Status check_data(absl::Span<const std::byte> data, const TensorDesc& desc) {
  if (data.data() == nullptr)
    return absl::InvalidArgumentError("the data of a host tensor are a null pointer");
  if (data.size() == desc.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the data of a host tensor ", desc.text(),
                                                 " have ", data.size(), " bytes, expected ",
                                                 desc.size()));
}

absl::StatusOr<Tensor> host_tensor(absl::Span<std::byte> data, std::shared_ptr<void> owner,
                                   std::vector<uint32_t> shape, TensorType type) {
  const TensorDesc desc{shape, type};
  LM_RETURN_IF_ERROR(desc.check());
  LM_RETURN_IF_ERROR(check_data(data, desc));
  auto state = std::make_shared<Tensor::State>(std::move(shape), Layout::host(type));
  state->data = data;
  state->owner = std::move(owner);
  return Tensor(std::move(state));
}

std::vector<uint32_t> dense_strides(const std::vector<uint32_t>& shape) {
  std::vector<uint32_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Copies elements that lie `stride` apart, row by row.
void gather(const std::byte* from, const std::vector<uint32_t>& shape,
            const std::vector<uint32_t>& stride, uint32_t itemsize, size_t dimension,
            std::byte*& to) {
  if (dimension == shape.size()) {
    std::memcpy(to, from, itemsize);
    to += itemsize;
    return;
  }
  for (uint64_t i = 0; i < shape[dimension]; ++i) {
    gather(from + i * stride[dimension] * itemsize, shape, stride, itemsize, dimension + 1, to);
  }
}

// What there is of the memory that was asked for.
std::string memory_text(const tm::IDevice& device, const BufferShape& shape) {
  const auto statistics = device.allocator()->get_statistics(shape.memory);
  return absl::StrCat(shape.size, " bytes of ", std::string(tm::internal::name_of(shape.memory)),
                      " were wanted, and the largest free block has ",
                      statistics.largest_free_block_bytes, " bytes in each of ",
                      device.allocator()->get_num_banks(shape.memory), " banks");
}

// What the rules say of such a buffer, whatever room there is.
absl::Status check_buffer(tm::IDevice& device, const BufferShape& shape) {
  if (shape.memory == tm::BufferType::SYSTEM_MEMORY)
    return absl::InvalidArgumentError(
        "no tensor on a device has the layout: it is of SYSTEM_MEMORY");
  const auto statistics = device.allocator()->get_statistics(shape.memory);
  // One that is larger than the memory breaks a rule, too.
  if (shape.size / device.allocator()->get_num_banks(shape.memory) >
      statistics.total_allocatable_size_bytes)
    return absl::OkStatus();
  const absl::Status status = replay::without_exceptions([&] {
    hooks::size_per_bank_of({.device = &device,
                             .size = shape.size,
                             .page_size = shape.page_size,
                             .buffer_type = shape.memory,
                             .sharding = shape.sharding});
    return absl::OkStatus();
  });
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("no buffer has the layout of the tensor: ", status.message()));
}

absl::StatusOr<std::shared_ptr<tm::Buffer>> make_buffer(tm::IDevice& device,
                                                        const BufferShape& shape) {
  LM_RETURN_IF_ERROR(check_buffer(device, shape));
  std::shared_ptr<tm::Buffer> buffer;
  const absl::Status status = replay::without_exceptions([&] {
    buffer = tm::Buffer::create(&device, shape.size, shape.page_size, shape.memory, shape.sharding);
    return absl::OkStatus();
  });
  if (status.ok()) return buffer;
  return absl::ResourceExhaustedError(absl::StrCat(
      "no memory for a tensor: ", memory_text(device, shape), " (", status.message(), ")"));
}

// Rows without tiles may have gaps, for which the layout must have been made.
absl::Status check_fits(const TensorDesc& tensor, const BufferShape& buffer) {
  const BufferForm form(tensor, buffer.size, buffer.page_size, buffer.row_stride);
  if (form.extent() <= buffer.size && form.rows_fit()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the tensor ", tensor.text(), " does not fit into its layout, which has ", buffer.size,
      " bytes",
      buffer.row_stride == 0 ? "" : absl::StrCat(" and rows of ", buffer.row_stride, " bytes")));
}

}  // namespace

// ---- Handles ----

const std::vector<uint32_t>& Tensor::shape() const { return state_->shape; }
Layout Tensor::layout() const { return state_->layout; }

bool Tensor::is_allocated() const {
  lightmetal::MutexLock lock(&state_->mutex);
  return state_->allocated;
}

bool Tensor::retain() const {
  lightmetal::MutexLock lock(&state_->mutex);
  return state_->retained;
}

void Tensor::set_retain(bool retain) {
  lightmetal::MutexLock lock(&state_->mutex);
  state_->retained = retain;
}

bool hasLayout(const Tensor& tensor, const Layout& layout) { return tensor.layout() == layout; }
Layout getTensorLayout(const Tensor& tensor) { return tensor.layout(); }

// ---- Making tensors ----

absl::StatusOr<Tensor> make_host_tensor(std::vector<uint32_t> shape, TensorType type) {
  const TensorDesc desc{shape, type};
  LM_RETURN_IF_ERROR(desc.check());
  auto memory = std::make_shared<std::vector<std::byte>>(desc.size());
  const absl::Span<std::byte> data = absl::MakeSpan(*memory);
  return host_tensor(data, std::move(memory), std::move(shape), type);
}

absl::StatusOr<Tensor> createTensor(std::shared_ptr<void> data, std::vector<uint32_t> shape,
                                    std::vector<uint32_t> stride, uint32_t itemsize,
                                    TensorType type) {
  LM_RETURN_IF_ERROR((TensorDesc{shape, type}.check()));
  if (data == nullptr)
    return absl::InvalidArgumentError("the data of a host tensor are a null pointer");
  if (itemsize != element_size(type)) {
    return absl::InvalidArgumentError(absl::StrCat("an element of ", name_of(type), " has ",
                                                   element_size(type), " bytes, and not ",
                                                   itemsize));
  }
  if (stride.size() != shape.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tensor of ", shape.size(), " dimensions has ", stride.size(), " strides"));
  }
  auto* const bytes = static_cast<std::byte*>(data.get());
  if (stride == dense_strides(shape)) {
    const uint64_t size = TensorDesc{shape, type}.size();
    return host_tensor({bytes, size}, std::move(data), std::move(shape), type);
  }
  LM_ASSIGN_OR_RETURN(tensor, make_host_tensor(shape, type));
  std::byte* to = tensor.state()->data.data();
  gather(bytes, shape, stride, itemsize, 0, to);
  return tensor;
}

absl::StatusOr<Tensor> createBorrowedHostTensor(absl::Span<std::byte> data,
                                                std::vector<uint32_t> shape, TensorType type) {
  return host_tensor(data, nullptr, std::move(shape), type);
}

absl::StatusOr<Tensor> createOwnedHostTensor(absl::Span<const std::byte> data,
                                             std::vector<uint32_t> shape, TensorType type) {
  LM_ASSIGN_OR_RETURN(tensor, make_host_tensor(std::move(shape), type));
  const Tensor::State& state = *tensor.state();
  LM_RETURN_IF_ERROR(check_data(data, state.desc()));
  std::memcpy(state.data.data(), data.data(), data.size());
  return tensor;
}

absl::StatusOr<Tensor> createTensor(const Device& device, std::shared_ptr<void> data,
                                    std::vector<uint32_t> shape, std::vector<uint32_t> stride,
                                    uint32_t itemsize, TensorType type, Location location) {
  LM_ASSIGN_OR_RETURN(
      host, createTensor(std::move(data), std::move(shape), std::move(stride), itemsize, type));
  LM_ASSIGN_OR_RETURN(layout, Layout::of(host.state()->desc(), location));
  return toLayout(host, device, layout);
}

absl::StatusOr<Tensor> createScalarTensor(double value, TensorType type) {
  LM_ASSIGN_OR_RETURN(tensor, make_host_tensor({}, type));
  with_type(type, [&]<class Element>(std::type_identity<Element>) {
    const auto element = tm::tensors::element_cast<Element>(value);
    std::memcpy(tensor.state()->data.data(), &element, sizeof(element));
  });
  return tensor;
}

absl::StatusOr<Tensor> createEmptyTensor(const Device& device, const Layout& layout,
                                         std::vector<uint32_t> shape) {
  if (layout.is_on_device()) return make_device_tensor(device.state(), layout, std::move(shape));
  return make_host_tensor(std::move(shape), layout.type());
}

absl::StatusOr<Tensor> make_device_tensor(const std::shared_ptr<Device::State>& device,
                                          const Layout& layout, std::vector<uint32_t> shape) {
  auto state = std::make_shared<Tensor::State>(std::move(shape), layout);
  LM_RETURN_IF_ERROR(state->desc().check());
  LM_RETURN_IF_ERROR(device->status());
  const BufferShape& of_buffer = *layout.state().buffer;
  LM_RETURN_IF_ERROR(check_fits(state->desc(), of_buffer));
  LM_ASSIGN_OR_RETURN(buffer, make_buffer(*device->device, of_buffer));
  state->device = device;
  state->buffer = std::move(buffer);
  return Tensor(std::move(state));
}

// ---- Values ----

absl::Status read_rows(const Tensor::State& tensor, std::span<std::byte> rows) {
  if (tensor.buffer == nullptr) {
    std::memcpy(rows.data(), tensor.data.data(), rows.size());
    return absl::OkStatus();
  }
  std::vector<std::byte> content(tensor.buffer->size());
  LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
    hooks::enqueue_read_buffer(tensor.device->transfer_queue(), *tensor.buffer, content,
                               static_cast<schema::ElementType>(tensor.layout.type()),
                               /*blocking=*/true);
    return absl::OkStatus();
  }));
  tensor.device->counters->device_to_host_bytes += content.size();
  tensor.form().decode(content, rows);
  return absl::OkStatus();
}

absl::Status write_rows(const Tensor::State& tensor, Bytes rows) {
  if (tensor.buffer == nullptr) {
    std::memcpy(tensor.data.data(), rows.data(), rows.size());
    return absl::OkStatus();
  }
  std::vector<std::byte> content(tensor.buffer->size());
  tensor.form().encode(rows, content);
  tensor.device->counters->host_to_device_bytes += content.size();
  return replay::without_exceptions([&] {
    hooks::enqueue_write_buffer(tensor.device->transfer_queue(), *tensor.buffer,
                                schema::Payload(content, nullptr),
                                static_cast<schema::ElementType>(tensor.layout.type()),
                                /*blocking=*/true);
    return absl::OkStatus();
  });
}

// ---- The end ----

void deallocate(Tensor& tensor, bool force) {
  const std::shared_ptr<Tensor::State>& state = tensor.state();
  // In a forked child the memory is the parent's.
  if (state->device != nullptr && !state->device->status().ok()) return;
  std::vector<Event> uses;
  {
    lightmetal::MutexLock lock(&use_mutex());
    {
      lightmetal::MutexLock lock_of_tensor(&state->mutex);
      if ((state->retained && !force) || !state->allocated) return;
      state->allocated = false;
    }
    uses = state->uses.readers;
    uses.push_back(state->uses.writer);
  }
  // The last of the work that keeps it frees the memory; without any, this call does.
  const std::shared_ptr<void> memory(nullptr, [state](void*) {
    state->buffer = nullptr;
    state->owner = nullptr;
    state->data = {};
  });
  for (const Event& use : uses) {
    if (use.state() != nullptr) use.state()->keep(memory);
  }
  for (Tensor part : state->parts) deallocate(part, force);
}

}  // namespace lightmetal::runtime
