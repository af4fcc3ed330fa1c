#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <optional>
#include <span>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "runtime/buffer_form.h"
#include "runtime/counters.h"
#include "runtime/lane.h"

// What the handles of <lightmetal/runtime.hpp> stand for.
namespace lightmetal::runtime {

// How a buffer is made; nothing of it says where it lies.
struct BufferShape {
  uint64_t size = 0;
  uint64_t page_size = 0;
  tt::tt_metal::BufferType memory = tt::tt_metal::BufferType::DRAM;
  tt::tt_metal::BufferShardingArgs sharding = {};
  uint64_t row_stride = 0;  // BufferForm::row_stride()

  friend bool operator==(const BufferShape&, const BufferShape&) = default;
};

struct Layout::State {
  TensorType type = TensorType::Float32;
  TensorOrder order = TensorOrder::RowMajor;
  std::optional<BufferShape> buffer = {};  // none on the host

  friend bool operator==(const State&, const State&) = default;
};

struct Device::State {
  State(tt::tt_metal::IDevice* device, bool owned) : device(device), owned(owned) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The queue of the lane that moves tensors: another one than that of programs where the device
  // has two.
  tt::tt_metal::CommandQueue& transfer_queue() const;
  // FailedPrecondition in a child that was forked after the device was opened.
  absl::Status status() const { return compute.status(); }

  tt::tt_metal::IDevice* const device;
  const bool owned;
  const std::shared_ptr<Counters> counters = std::make_shared<Counters>();
  Lane compute;
  Lane transfers;
};

// Which work reads and writes a tensor. Not thread-safe: Uses are looked at under use_mutex().
struct Uses {
  Event writer;
  std::vector<Event> readers;  // since it was written
};

struct Tensor::State {
  State(std::vector<uint32_t> the_shape, Layout the_layout)
      : shape(std::move(the_shape)), layout(std::move(the_layout)) {}

  TensorDesc desc() const { return {shape, layout.type(), layout.order()}; }
  // REQUIRES: it lies on a device.
  BufferForm form() const {
    const BufferShape& of_buffer = *layout.state().buffer;
    return {desc(), of_buffer.size, of_buffer.page_size, of_buffer.row_stride};
  }

  const std::vector<uint32_t> shape;
  const Layout layout;
  // Of a tensor of several devices: those of each. It has nothing else.
  std::vector<Tensor> parts = {};
  // On the host: the elements, and who owns them.
  absl::Span<std::byte> data = {};
  std::shared_ptr<void> owner = {};
  // On a device. The device outlives the buffer.
  std::shared_ptr<Device::State> device = {};
  std::shared_ptr<tt::tt_metal::Buffer> buffer = {};

  Uses uses = {};  // guarded by use_mutex()
  bool retained ABSL_GUARDED_BY(mutex) = false;
  bool allocated ABSL_GUARDED_BY(mutex) = true;
  mutable lightmetal::Mutex mutex = {};
};

// Guards the uses of all tensors, so that work on several of them is ordered alike for each.
lightmetal::Mutex& use_mutex();

// Waits, reads or writes all elements of a tensor row by row in its own type. REQUIRES: it is
// allocated, and nothing else is done with it meanwhile.
absl::Status read_rows(const Tensor::State& tensor, std::span<std::byte> rows);
absl::Status write_rows(const Tensor::State& tensor, Bytes rows);

// Tensors that executables make room for.
absl::StatusOr<Tensor> make_device_tensor(const std::shared_ptr<Device::State>& device,
                                          const Layout& layout, std::vector<uint32_t> shape);

// The tensors, and in the place of one of several devices its parts.
std::vector<Tensor> parts_of(const std::vector<Tensor>& tensors);

// The type of a tensor's elements that are of TT-Metalium's type; Unimplemented without one.
absl::StatusOr<TensorType> known_type(tt::tt_metal::DataType type);

// A host tensor of zeros.
absl::StatusOr<Tensor> make_host_tensor(std::vector<uint32_t> shape, TensorType type);

// Gives the lane work that reads and writes tensors, and notes that it does. The work fails when
// one of them has been deallocated before, and when one has several parts.
Event push_work(Lane& lane, std::vector<Tensor> reads, std::vector<Tensor> writes,
                std::vector<Event> dependencies, std::function<absl::Status()> work);
// An event that has failed, of work that is not begun: what it would have written cannot be read
// until something else has written it.
Event refuse(const std::vector<Tensor>& writes, absl::Status status);

}  // namespace lightmetal::runtime
