#pragma once

namespace tt::stl {

// The program must not come here.
[[noreturn]] inline void unreachable() noexcept { __builtin_unreachable(); }

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
