#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <type_traits>
#include <utility>

#include "api/src/tensors/element_cast.h"
#include "api/src/tensors/element_size.h"
#include "api/src/tensors/tensor_codec.h"

namespace tt::tt_metal {
namespace {

// Elements of type T may stand for those of the data type.
template <typename T>
void check_element_type(DataType dtype) {
  const bool fits = dtype == convert_to_data_type<T>() ||
                    (std::is_same_v<T, float> && is_floating_point(dtype)) ||
                    (std::is_same_v<T, ::bfloat16> && dtype == DataType::FLOAT32);
  TT_FATAL(fits, "Elements of {} do not stand for a tensor of {}{}", convert_to_data_type<T>(),
           dtype, is_block_float(dtype) ? ", which needs floats" : "");
}

void check_count(size_t count, const Shape& shape) {
  TT_FATAL(count == shape.volume(), "A tensor of {} has {} elements, not {}", shape, shape.volume(),
           count);
}

void check_bytes(const HostBuffer& buffer, const TensorSpec& spec) {
  const size_t needed = spec.compute_packed_buffer_size_bytes();
  TT_FATAL(buffer.view_bytes().size() == needed,
           "A tensor of {} and {} takes {} B, but its host buffer has {}", spec.logical_shape(),
           spec.data_type(), needed, buffer.view_bytes().size());
}

DistributedHostBuffer for_one_device(HostBuffer buffer) {
  auto distributed = DistributedHostBuffer::create(distributed::MeshShape(1, 1));
  distributed.emplace_shard(distributed::MeshCoordinate(0, 0), [&] { return std::move(buffer); });
  return distributed;
}

// Casts the elements, and that of the padding, to what the data type needs, and lays them out.
template <typename T>
HostBuffer laid_out(std::vector<T> elements, const TensorSpec& spec, T pad_value = T()) {
  return tensors::with_element_type(spec.data_type(), [&]<typename To>(std::type_identity<To>) {
    if constexpr (std::is_same_v<To, T>) {
      return tensors::encode(std::move(elements), spec, pad_value);
    } else {
      return tensors::encode(tensors::cast_elements<To>(std::span<const T>(elements)), spec,
                             tensors::cast_elements<To>(std::span<const T>(&pad_value, 1)).front());
    }
  });
}

// The same tensor, laid out otherwise, and converted if the data types differ.
HostTensor laid_out_as(const HostTensor& tensor, TensorSpec spec) {
  const TensorSpec& from = tensor.tensor_spec();
  auto buffer = tensor.buffer().transform([&](const HostBuffer& shard) {
    return tensors::with_element_type(from.data_type(), [&]<typename T>(std::type_identity<T>) {
      return laid_out(tensors::decode<T>(shard, from), spec);
    });
  });
  return HostTensor::from_buffer(std::move(buffer), std::move(spec));
}

TensorSpec with_pages(const TensorSpec& spec, DataType dtype, const PageConfig& page) {
  return TensorSpec(spec.logical_shape(), TensorLayout(dtype, page, spec.memory_config()));
}

}  // namespace

const HostTensor::State& HostTensor::state() const {
  TT_FATAL(state_ != nullptr, "The host tensor was moved from");
  return *state_;
}

HostTensor HostTensor::from_buffer(DistributedHostBuffer buffer, TensorSpec spec) {
  buffer.apply([&](const HostBuffer& shard) { check_bytes(shard, spec); });
  return HostTensor(State{std::move(buffer), std::move(spec)});
}

HostTensor HostTensor::from_buffer(HostBuffer buffer, TensorSpec spec) {
  return from_buffer(for_one_device(std::move(buffer)), std::move(spec));
}

HostTensor HostTensor::allocate_for_overwrite(TensorSpec spec) {
  const size_t bytes = spec.compute_packed_buffer_size_bytes();
  HostBuffer buffer =
      tensors::with_element_type(spec.data_type(), [&]<typename T>(std::type_identity<T>) {
        if (is_block_float(spec.data_type())) {
          return HostBuffer(std::vector<uint32_t>(bytes / sizeof(uint32_t)));
        }
        return HostBuffer(std::vector<T>(bytes / sizeof(T)));
      });
  return from_buffer(std::move(buffer), std::move(spec));
}

template <typename T>
HostTensor HostTensor::from_span(std::span<const T> buffer, TensorSpec spec,
                                 std::type_identity_t<T> pad_value) {
  return from_vector(std::vector<T>(buffer.begin(), buffer.end()), std::move(spec), pad_value);
}

template <typename T>
HostTensor HostTensor::from_vector(const std::vector<T>& buffer, TensorSpec spec,
                                   std::type_identity_t<T> pad_value) {
  return from_vector(std::vector<T>(buffer), std::move(spec), pad_value);
}

template <typename T>
HostTensor HostTensor::from_vector(std::vector<T>&& buffer, TensorSpec spec,
                                   std::type_identity_t<T> pad_value) {
  check_element_type<T>(spec.data_type());
  check_count(buffer.size(), spec.logical_shape());
  HostBuffer result = laid_out<T>(std::move(buffer), spec, pad_value);
  return from_buffer(std::move(result), std::move(spec));
}

template <typename T>
HostTensor HostTensor::from_borrowed_data(std::span<T> buffer, const Shape& shape, MemoryPin pin,
                                          const std::optional<Tile>& tile) {
  check_count(buffer.size(), shape);
  TensorSpec spec(shape, TensorLayout(convert_to_data_type<T>(),
                                      PageConfig(Layout::ROW_MAJOR, tile), MemoryConfig()));
  return from_buffer(HostBuffer(tt::stl::Span<T>(buffer), std::move(pin)), std::move(spec));
}

template <typename T>
std::vector<T> HostTensor::to_vector() const {
  check_element_type<T>(dtype());
  const HostBuffer buffer = host_buffer::get_host_buffer(*this);
  return tensors::with_element_type(dtype(), [&]<typename From>(std::type_identity<From>) {
    std::vector<From> elements = tensors::decode<From>(buffer, tensor_spec());
    if constexpr (std::is_same_v<T, From>) {
      return elements;
    } else {
      return tensors::cast_elements<T>(std::span<const From>(elements));
    }
  });
}

std::size_t HostTensor::element_size() const { return tensors::element_size(dtype()); }

HostTensor HostTensor::transform(
    const std::function<HostBuffer(const HostBuffer&)>& callable) const {
  return from_buffer(buffer().transform(callable), tensor_spec());
}

HostTensor to_layout(const HostTensor& tensor, Layout target_layout) {
  if (tensor.layout() == target_layout) return tensor;
  return laid_out_as(tensor, with_pages(tensor.tensor_spec(), tensor.dtype(), target_layout));
}

HostTensor to_tile_layout(const HostTensor& tensor, const Tile& tile) {
  const PageConfig page(Layout::TILE, tile);
  if (tensor.tensor_spec().page_config() == page) return tensor;
  return laid_out_as(tensor, with_pages(tensor.tensor_spec(), tensor.dtype(), page));
}

HostTensor to_row_major_layout(const HostTensor& tensor) {
  return to_layout(tensor, Layout::ROW_MAJOR);
}

HostTensor to_dtype(const HostTensor& input_tensor, DataType dtype) {
  if (input_tensor.dtype() == dtype) return input_tensor;
  const TensorSpec& spec = input_tensor.tensor_spec();
  return laid_out_as(input_tensor, with_pages(spec, dtype, spec.page_config()));
}

template <typename T>
HostTensor to_tensor_spec(const HostTensor& tensor, const TensorSpec& dest_spec) {
  check_element_type<T>(tensor.dtype());
  TT_FATAL(tensor.logical_shape() == dest_spec.logical_shape() &&
               tensor.dtype() == dest_spec.data_type(),
           "A tensor of {} and {} cannot become one of {} and {} by its layout alone",
           tensor.logical_shape(), tensor.dtype(), dest_spec.logical_shape(),
           dest_spec.data_type());
  return laid_out_as(tensor, dest_spec);
}

HostBuffer host_buffer::get_host_buffer(const HostTensor& tensor) {
  const auto& coords = tensor.buffer().shard_coords();
  TT_FATAL(coords.size() == 1, "A tensor with {} shards has no single host buffer", coords.size());
  return *tensor.buffer().get_shard(*coords.begin());
}

#define LIGHTMETAL_FOR_ELEMENTS_OF(T)                                                           \
  template HostTensor HostTensor::from_span<T>(std::span<const T> buffer, TensorSpec spec,      \
                                               T pad_value);                                    \
  template HostTensor HostTensor::from_vector<T>(const std::vector<T>& buffer, TensorSpec spec, \
                                                 T pad_value);                                  \
  template HostTensor HostTensor::from_vector<T>(std::vector<T> && buffer, TensorSpec spec,     \
                                                 T pad_value);                                  \
  template HostTensor HostTensor::from_borrowed_data(                                           \
      std::span<T> buffer, const Shape& shape, MemoryPin pin, const std::optional<Tile>& tile); \
  template std::vector<T> HostTensor::to_vector() const;                                        \
  template HostTensor to_tensor_spec<T>(const HostTensor& tensor, const TensorSpec& dest_spec)

LIGHTMETAL_FOR_ELEMENTS_OF(uint8_t);
LIGHTMETAL_FOR_ELEMENTS_OF(int8_t);
LIGHTMETAL_FOR_ELEMENTS_OF(uint16_t);
LIGHTMETAL_FOR_ELEMENTS_OF(int32_t);
LIGHTMETAL_FOR_ELEMENTS_OF(uint32_t);
LIGHTMETAL_FOR_ELEMENTS_OF(float);
LIGHTMETAL_FOR_ELEMENTS_OF(::bfloat16);
#undef LIGHTMETAL_FOR_ELEMENTS_OF

}  // namespace tt::tt_metal
