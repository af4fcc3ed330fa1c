#pragma once

#include <optional>
#include <tt-metalium/tensor/types/data_types.hpp>

#include "base/tensor_desc.h"

namespace tt::tt_metal {

// What files call a data type; none for one whose elements have no size of their own, or that they
// do not know.
constexpr std::optional<lightmetal::TensorType> tensor_type_of(DataType type) {
  using lightmetal::TensorType;
  switch (type) {
    case DataType::BFLOAT16:
      return TensorType::BFloat16;
    case DataType::FLOAT32:
      return TensorType::Float32;
    case DataType::UINT32:
      return TensorType::UInt32;
    case DataType::INT32:
      return TensorType::Int32;
    case DataType::UINT16:
      return TensorType::UInt16;
    case DataType::UINT8:
      return TensorType::UInt8;
    default:
      return std::nullopt;
  }
}

// The data type that tensor_type_of() gives this type for.
constexpr DataType data_type_of(lightmetal::TensorType type) {
  for (const DataType candidate : {DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT32,
                                   DataType::INT32, DataType::UINT16, DataType::UINT8}) {
    if (tensor_type_of(candidate) == type) return candidate;
  }
  return DataType::INVALID;
}

}  // namespace tt::tt_metal
