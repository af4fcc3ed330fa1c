#include "api/src/tensors/tensor_codec.h"

#include <algorithm>
#include <tt-metalium/blockfloat_common.hpp>
#include <tt-metalium/layout_conversion.hpp>
#include <utility>

#include "api/src/tensors/padding.h"

namespace tt::tt_metal::tensors {
namespace {

Padding padding_of(const TensorSpec& spec) {
  return Padding(spec.logical_shape(), spec.tensor_layout().get_alignment());
}

template <typename T>
std::vector<T> padded(const std::vector<T>& elements, const TensorSpec& spec, T pad_value) {
  const Padding padding = padding_of(spec);
  const auto [rows, width] = padding.logical();
  const Shape2D physical = padding.physical();
  std::vector<T> matrix(physical.height() * physical.width(), pad_value);
  for (size_t row = 0; row < rows; ++row) {
    std::copy_n(elements.data() + row * width, width,
                matrix.data() + padding.physical_row(row) * physical.width());
  }
  return matrix;
}

template <typename T>
std::vector<T> without_padding(const std::vector<T>& matrix, const TensorSpec& spec) {
  const Padding padding = padding_of(spec);
  const auto [rows, width] = padding.logical();
  std::vector<T> elements(rows * width);
  for (size_t row = 0; row < rows; ++row) {
    std::copy_n(matrix.data() + padding.physical_row(row) * padding.physical().width(), width,
                elements.data() + row * width);
  }
  return elements;
}

template <typename T>
std::vector<T> reordered(const std::vector<T>& matrix, const TensorSpec& spec,
                         TensorLayoutType from, TensorLayoutType to) {
  if (matrix.empty()) return {};
  const Tile tile = spec.tile();
  return convert_layout(matrix, PhysicalSize(spec.physical_shape()), from, to,
                        tile.get_tile_shape(), tile.get_face_shape(),
                        tile.get_transpose_within_face(), tile.get_transpose_of_faces());
}

uint32_t bits_of_block_float(DataType dtype) { return dtype == DataType::BFLOAT8_B ? 8 : 4; }

HostBuffer packed(const std::vector<float>& values, const TensorSpec& spec) {
  if (values.empty()) return HostBuffer(std::vector<uint32_t>());
  return HostBuffer(blockfloat::pack(values, bits_of_block_float(spec.data_type()),
                                     /*row_major=*/false, /*is_exp_a=*/false, spec.tile()));
}

std::vector<float> unpacked(const HostBuffer& buffer, const TensorSpec& spec) {
  const auto words = buffer.view_as<uint32_t>();
  if (words.empty()) return {};
  return blockfloat::unpack(words, bits_of_block_float(spec.data_type()), /*row_major=*/false,
                            /*is_exp_a=*/false, spec.tile());
}

}  // namespace

bool is_laid_out_as_given(const TensorSpec& spec) {
  return spec.layout() == Layout::ROW_MAJOR && spec.physical_shape() == spec.logical_2d_shape();
}

template <typename T>
HostBuffer encode(std::vector<T> elements, const TensorSpec& spec, T pad_value) {
  if (is_laid_out_as_given(spec)) return HostBuffer(std::move(elements));
  std::vector<T> matrix = padded(elements, spec, pad_value);
  if (spec.layout() == Layout::TILE) {
    matrix =
        reordered(matrix, spec, TensorLayoutType::LIN_ROW_MAJOR, TensorLayoutType::TILED_NFACES);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (is_block_float(spec.data_type())) return packed(matrix, spec);
  }
  return HostBuffer(std::move(matrix));
}

template <typename T>
std::vector<T> decode(const HostBuffer& buffer, const TensorSpec& spec) {
  std::vector<T> matrix;
  if constexpr (std::is_same_v<T, float>) {
    if (is_block_float(spec.data_type())) matrix = unpacked(buffer, spec);
  }
  if (!is_block_float(spec.data_type())) {
    const auto elements = buffer.view_as<T>();
    matrix.assign(elements.begin(), elements.end());
  }
  if (is_laid_out_as_given(spec)) return matrix;
  if (spec.layout() == Layout::TILE) {
    matrix =
        reordered(matrix, spec, TensorLayoutType::TILED_NFACES, TensorLayoutType::LIN_ROW_MAJOR);
  }
  return without_padding(matrix, spec);
}

template HostBuffer encode(std::vector<uint8_t> elements, const TensorSpec& spec,
                           uint8_t pad_value);
template HostBuffer encode(std::vector<int8_t> elements, const TensorSpec& spec, int8_t pad_value);
template HostBuffer encode(std::vector<uint16_t> elements, const TensorSpec& spec,
                           uint16_t pad_value);
template HostBuffer encode(std::vector<int32_t> elements, const TensorSpec& spec,
                           int32_t pad_value);
template HostBuffer encode(std::vector<uint32_t> elements, const TensorSpec& spec,
                           uint32_t pad_value);
template HostBuffer encode(std::vector<float> elements, const TensorSpec& spec, float pad_value);
template HostBuffer encode(std::vector<::bfloat16> elements, const TensorSpec& spec,
                           ::bfloat16 pad_value);
template std::vector<uint8_t> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<int8_t> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<uint16_t> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<int32_t> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<uint32_t> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<float> decode(const HostBuffer& buffer, const TensorSpec& spec);
template std::vector<::bfloat16> decode(const HostBuffer& buffer, const TensorSpec& spec);

}  // namespace tt::tt_metal::tensors
