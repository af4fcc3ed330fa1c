#pragma once

#include <string>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::test_utils {

// The devices' architecture: "wormhole_b0" or "blackhole".
inline std::string get_umd_arch_name() { return tt::tt_metal::hal.get_arch_name(); }
inline std::string get_env_arch_name() { return get_umd_arch_name(); }

}  // namespace tt::test_utils
