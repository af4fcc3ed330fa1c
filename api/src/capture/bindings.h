#pragma once

#include <string>
#include <tt-metalium/buffer.hpp>

#include "api/src/memory/buffer_bindings.h"

namespace tt::tt_metal {

// What the functions of <lightmetal/bindings.hpp> do, for a role of any kind. Throws as they do.
void bind_tensor(const Binding& binding, Buffer& buffer);

// What LightMetalAllowMove does for a buffer.
void allow_move_recorded(Buffer& buffer);

// The entry that has begun and not ended; empty for none. Thread-safe.
std::string open_entry();

}  // namespace tt::tt_metal
