#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/buffer.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/src/replay_hooks.h"
#include "schema/commands/calls.h"

namespace lightmetal::replay {

// Decides where the buffers of a run are placed. An Executor calls it. Not thread-safe.
class Placement {
 public:
  virtual ~Placement() = default;

  // Creates the buffer of `call`, or the view of another one. Throws what the host API throws.
  // Internal: it does not have the recorded address, and must.
  virtual absl::StatusOr<std::shared_ptr<tt::tt_metal::Buffer>> create(
      const schema::BufferCreate& call, tt::tt_metal::IDevice* device) = 0;

  // Called when the file ends a buffer.
  virtual void note_end(uint64_t id, const tt::tt_metal::Buffer& buffer) = 0;

  // The address that a symbolic argument has for a buffer that has ended; nullopt: the argument is
  // an error.
  virtual std::optional<uint64_t> address_of_ended(uint64_t id) const = 0;

  // Releases what it holds. Called when a run's buffers have been released.
  virtual void clear() = 0;
};

// Places each buffer at its recorded address, or fails.
class RecordedPlacement final : public Placement {
 public:
  absl::StatusOr<std::shared_ptr<tt::tt_metal::Buffer>> create(
      const schema::BufferCreate& call, tt::tt_metal::IDevice* device) override;
  void note_end(uint64_t, const tt::tt_metal::Buffer&) override {}
  std::optional<uint64_t> address_of_ended(uint64_t) const override { return std::nullopt; }
  void clear() override {}
};

// The buffer of a call, as the host API creates it for a replay.
tt::tt_metal::replay_hooks::RecordedBuffer recorded_buffer(const schema::BufferCreate& call,
                                                           tt::tt_metal::IDevice* device);

// Internal unless the addresses are equal: kernels and arguments hold the recorded one.
absl::Status check_address(uint64_t recorded, uint64_t present);

}  // namespace lightmetal::replay
