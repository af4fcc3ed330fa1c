#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "host/bindings.h"

// The buffers of this process that have names. Thread-safe.
namespace tt::tt_metal {

using lightmetal::host::Binding;

// Gives the buffer a name, and calls `record` before anybody else binds. Throws what
// host::Bindings::add() refuses.
void bind_buffer(const Binding& binding, const Buffer& buffer, const std::function<void()>& record);

// Notes that the buffer may lie elsewhere in a run of a file, and calls `record` likewise. Throws
// what host::Bindings::allow_move() refuses.
void allow_move(const Buffer& buffer, const std::function<void()>& record);

// Throws what host::Bindings::check_offset() refuses.
void check_offset(const Buffer& buffer, uint32_t offset);

// Called where a buffer ends.
void unbind_buffer(const Buffer& buffer);

// By the ids of the buffers, in ascending order.
std::map<uint64_t, std::vector<Binding>> bound_buffers();
std::set<uint64_t> movable_buffers();

}  // namespace tt::tt_metal
