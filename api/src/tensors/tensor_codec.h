#pragma once

#include <cstdint>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/host_buffer.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>
#include <type_traits>
#include <vector>

// Between the elements of a tensor, row by row without padding, and the tensor as it is laid out.
namespace tt::tt_metal::tensors {

// Calls `function` with the std::type_identity of the C++ type of the elements; float for block
// floats.
template <typename Function>
auto with_element_type(DataType dtype, Function&& function) {
  switch (dtype) {
    case DataType::BFLOAT16:
      return function(std::type_identity<::bfloat16>());
    case DataType::FLOAT32:
    case DataType::BFLOAT8_B:
    case DataType::BFLOAT4_B:
      return function(std::type_identity<float>());
    case DataType::UINT32:
      return function(std::type_identity<uint32_t>());
    case DataType::UINT8:
      return function(std::type_identity<uint8_t>());
    case DataType::UINT16:
      return function(std::type_identity<uint16_t>());
    case DataType::INT32:
      return function(std::type_identity<int32_t>());
    case DataType::INT8:
      return function(std::type_identity<int8_t>());
    case DataType::FP8_E4M3:
    case DataType::INVALID:
      break;
  }
  TT_THROW("There are no elements of data type {}", dtype);
}

// True when the elements lie as they come: rows without padding.
bool is_laid_out_as_given(const TensorSpec& spec);

// REQUIRES: T is the type that with_element_type() names, there are as many elements as the shape
// of `spec` has, and the buffer is laid out as `spec` says.
template <typename T>
HostBuffer encode(std::vector<T> elements, const TensorSpec& spec, T pad_value = T());
template <typename T>
std::vector<T> decode(const HostBuffer& buffer, const TensorSpec& spec);

}  // namespace tt::tt_metal::tensors
