#pragma once

#include <type_traits>

namespace tt::stl {

// One visitor made of several lambdas, for std::visit.
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
