#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "host/bindings.h"

// The buffers of this process that have names. Thread-safe.
namespace tt::tt_metal {

using lightmetal::host::Binding;

// Gives the buffer a name, and calls `record` before anybody else binds. Throws what
// host::Bindings::add() refuses.
void bind_buffer(const Binding& binding, const Buffer& buffer, const std::function<void()>& record);

// Called where a buffer ends.
void unbind_buffer(const Buffer& buffer);

// By the ids of the buffers, in ascending order.
std::map<uint64_t, std::vector<Binding>> bound_buffers();

}  // namespace tt::tt_metal
