#include "base/binding_role.h"

#include <cstddef>
#include <iterator>

namespace lightmetal {

const char* name_of(BindingRole role) {
  constexpr const char* kNames[] = {"input", "output", "in-out", "constant"};
  const auto number = static_cast<size_t>(role);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

}  // namespace lightmetal
