#pragma once

#include <cstdint>
#include <tt-metalium/bfloat16.hpp>
#include <type_traits>

#include "base/tensor_desc.h"

namespace lightmetal::runtime {

// Calls function(std::type_identity<T>()), T being the C++ type of the elements. REQUIRES: it is a
// type that there is.
template <class Function>
void with_type(TensorType type, Function&& function) {
  switch (type) {
    case TensorType::UInt8:
      return function(std::type_identity<uint8_t>());
    case TensorType::UInt16:
      return function(std::type_identity<uint16_t>());
    case TensorType::Int32:
      return function(std::type_identity<int32_t>());
    case TensorType::UInt32:
      return function(std::type_identity<uint32_t>());
    case TensorType::Float32:
      return function(std::type_identity<float>());
    case TensorType::BFloat16:
      return function(std::type_identity<::bfloat16>());
  }
}

}  // namespace lightmetal::runtime
