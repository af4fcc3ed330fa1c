#pragma once

#include <memory>
#include <optional>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/span.hpp>
#include <vector>

#include "api/src/replay_hooks.h"
#include "base/mutex.h"

// Memory at one address of several devices. REQUIRES of all functions: there is a device, all have
// one profile and the same sub-devices. Errors are std::runtime_error.
namespace tt::tt_metal {

// Held from the moment an address is looked for until it is taken on all devices, so that no other
// lock-step allocation takes it in between.
lightmetal::Mutex& lock_step_mutex();

// Where `size_per_bank` bytes are free in each bank of all devices: the address that the first
// device would give or, where that is taken on another, the next one. Takes nothing. Throws when
// there is none, or when a device is closed; a capture has that as a failure of `call`, the
// function that asks, whose name must live for ever.
DeviceAddr free_address_on_all(tt::stl::Span<IDevice* const> devices, BufferType buffer_type,
                               std::optional<SubDeviceId> sub_device, DeviceAddr size_per_bank,
                               bool bottom_up, const char* call);

// Buffers that are alike, one on each of the devices, all at one address. `like` says what they
// are, its device and where it lies apart; with `like.address` they are views of that memory. Each
// is recorded as a buffer of its device. Throws as Buffer::create, and leaves nothing then.
// REQUIRES: no other thread allocates on several devices meanwhile, except in lock step.
std::vector<std::shared_ptr<Buffer>> create_in_lock_step(tt::stl::Span<IDevice* const> devices,
                                                         replay_hooks::RecordedBuffer like);

}  // namespace tt::tt_metal
