#pragma once

#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>

#include "api/src/tensors/tensor_codec.h"

// How a file says of what type a tensor's elements are.
namespace tt::tt_metal::tensors {

// Packed block floats are bytes to the file.
inline detail::PayloadType payload_type_of(DataType dtype) {
  if (is_block_float(dtype)) return detail::PayloadType::Bytes;
  return with_element_type(
      dtype, []<typename T>(std::type_identity<T>) { return detail::payload_type_of<T>; });
}

}  // namespace tt::tt_metal::tensors
