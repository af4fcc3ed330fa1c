#include "runtime/convert.h"

#include <cstring>
#include <type_traits>

#include "api/src/tensors/element_cast.h"
#include "runtime/element_type.h"

namespace lightmetal::runtime {
namespace {

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
