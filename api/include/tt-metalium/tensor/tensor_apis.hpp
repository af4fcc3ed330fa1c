#pragma once

#include <tt-metalium/host_buffer.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/spec/layout/layout.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>
#include <tt-metalium/tile.hpp>

namespace tt::tt_metal {

// The same tensor in another layout, of another data type, with another specification: the logical
// shape and the memory configuration stay, a given alignment does not. Errors are
// std::runtime_error; block floats have no row-major layout.
HostTensor to_layout(const HostTensor& tensor, Layout target_layout);
HostTensor to_tile_layout(const HostTensor& tensor, const Tile& tile);
HostTensor to_row_major_layout(const HostTensor& tensor);
// Floats become integers by dropping the fraction; what an integer type does not have becomes the
// nearest that it has, and what is no number 0 (ours: nothing public says it).
HostTensor to_dtype(const HostTensor& input_tensor, DataType dtype);
// Throws unless T is the type of the tensor's elements (float for block floats), and `dest_spec`
// has its logical shape and data type.
template <typename T>
HostTensor to_tensor_spec(const HostTensor& tensor, const TensorSpec& dest_spec);

namespace host_buffer {

// The only shard of a tensor; throws when it has several or none.
HostBuffer get_host_buffer(const HostTensor& tensor);

// The elements as they are laid out. Those of a tensor live as long as it, or a copy, does. Throw
// unless T is their type.
template <typename T>
tt::stl::Span<const T> get_as(const HostBuffer& buffer) {
  return buffer.view_as<T>();
}
template <typename T>
tt::stl::Span<T> get_as(HostBuffer& buffer) {
  return buffer.view_as<T>();
}
template <typename T>
tt::stl::Span<const T> get_as(const HostTensor& tensor) {
  const HostBuffer buffer = get_host_buffer(tensor);
  return buffer.view_as<T>();
}
template <typename T>
tt::stl::Span<T> get_as(HostTensor& tensor) {
  HostBuffer buffer = get_host_buffer(tensor);
  return buffer.view_as<T>();
}

}  // namespace host_buffer
}  // namespace tt::tt_metal
