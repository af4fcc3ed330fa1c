#include "runtime/convert.h"

#include <cstdint>
#include <cstring>
#include <tt-metalium/bfloat16.hpp>
#include <type_traits>

#include "api/src/tensors/element_cast.h"

namespace lightmetal::runtime {
namespace {

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

// The memory is a caller's and may lie anywhere.
template <class From, class To>
void convert_each(Bytes from, std::span<std::byte> to) {
  const size_t count = from.size() / sizeof(From);
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from.data() + i * sizeof(From), sizeof(From));
    const To converted = tt::tt_metal::tensors::element_cast<To>(value);
    std::memcpy(to.data() + i * sizeof(To), &converted, sizeof(To));
  }
}

}  // namespace

void convert(TensorType from_type, Bytes from, TensorType to_type, std::span<std::byte> to) {
  if (from_type == to_type) {
    std::memcpy(to.data(), from.data(), from.size());
    return;
  }
  with_type(from_type, [&]<class From>(std::type_identity<From>) {
    with_type(to_type, [&]<class To>(std::type_identity<To>) { convert_each<From, To>(from, to); });
  });
}

}  // namespace lightmetal::runtime
