#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tt-metalium/bfloat4.hpp>
#include <tt-metalium/bfloat8.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/distributed_host_buffer.hpp>
#include <tt-metalium/host_buffer.hpp>
#include <tt-metalium/memory_pin.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>
#include <tt-metalium/tile.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tt::tt_metal {

// A tensor in memory of the host, laid out as a device holds it: padded (with zeros, unless another
// value is given), in tiles,
// converted; one buffer for each device of a mesh, or for some. Elements of the buffers are those
// of the data type; block floats are packed in words (uint32_t). Copies share the elements. A
// tensor that was moved from can be destroyed, assigned to and asked is_valueless_after_move();
// everything else throws. Errors are std::runtime_error. Thread-safe for calls that change nothing.
//
// Elements come and go in row-major order without padding. Their type T is that of the data type
// (convert_to_data_type); besides, float stands for all floating point types, and bfloat16 for
// float: floats are rounded to the nearest bfloat16, ties to even. Other types throw.
class HostTensor {
 public:
  using volume_type = std::uint64_t;

  HostTensor() = delete;

  // A tensor for one device. The buffer is laid out already: throws unless it has the bytes that
  // the specification says.
  static HostTensor from_buffer(HostBuffer buffer, TensorSpec spec);
  static HostTensor from_buffer(DistributedHostBuffer buffer, TensorSpec spec);
  // What its elements are is not said.
  static HostTensor allocate_for_overwrite(TensorSpec spec);
  // Throw unless there are as many elements as the shape has. Each element of the padding is
  // `pad_value`.
  template <typename T>
  static HostTensor from_span(std::span<const T> buffer, TensorSpec spec,
                              std::type_identity_t<T> pad_value = T());
  template <typename T>
  static HostTensor from_vector(const std::vector<T>& buffer, TensorSpec spec,
                                std::type_identity_t<T> pad_value = T());
  // Copies nothing where the elements are laid out already.
  template <typename T>
  static HostTensor from_vector(std::vector<T>&& buffer, TensorSpec spec,
                                std::type_identity_t<T> pad_value = T());
  // Row-major elements that stay where they are, as long as the pin lives.
  template <typename T>
  static HostTensor from_borrowed_data(std::span<T> buffer, const Shape& shape, MemoryPin pin,
                                       const std::optional<Tile>& tile = std::nullopt);

  // The elements of a tensor for one device. Throws for one with several shards, or none.
  template <typename T>
  std::vector<T> to_vector() const;

  const TensorSpec& tensor_spec() const { return state().spec; }
  const DistributedHostBuffer& buffer() const { return state().buffer; }
  bool is_valueless_after_move() const { return state_ == nullptr; }

  DataType dtype() const { return tensor_spec().data_type(); }
  Layout layout() const { return tensor_spec().layout(); }
  const Shape& logical_shape() const { return tensor_spec().logical_shape(); }
  const Shape& padded_shape() const { return tensor_spec().padded_shape(); }
  volume_type logical_volume() const { return logical_shape().volume(); }
  volume_type physical_volume() const { return padded_shape().volume(); }
  const MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
  bool is_sharded() const { return memory_config().is_sharded(); }
  const std::optional<ShardSpec>& legacy_shard_spec() const { return memory_config().shard_spec(); }
  const std::optional<NdShardSpec>& nd_shard_spec() const {
    return memory_config().nd_shard_spec();
  }
  // In bytes; 1 for block floats, whose elements have no bytes of their own (ours: nothing public
  // says it).
  std::size_t element_size() const;
  Strides strides() const { return tensor_spec().compute_strides(); }

  // A tensor of the buffers that `callable` makes of this one's, laid out in the same way.
  HostTensor transform(const std::function<HostBuffer(const HostBuffer&)>& callable) const;

 private:
  struct State {
    DistributedHostBuffer buffer;
    TensorSpec spec;
  };

  explicit HostTensor(State state) : state_(std::make_shared<const State>(std::move(state))) {}
  const State& state() const;

  std::shared_ptr<const State> state_;  // null once moved from
};

}  // namespace tt::tt_metal
