#pragma once

#include <cstddef>
#include <tt-metalium/tensor/types/data_types.hpp>

namespace tt::tt_metal::tensors {

// Bytes of one element; 1 for block floats, whose elements have no bytes of their own.
inline size_t element_size(DataType dtype) {
  return is_block_float(dtype) ? 1 : tt::datum_size(datatype_to_dataformat_converter(dtype));
}

}  // namespace tt::tt_metal::tensors
