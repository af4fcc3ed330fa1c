#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/placement.h"
#include "runtime/moved_buffers.h"
#include "runtime/moves.h"
#include "schema/commands/calls.h"

namespace lightmetal::runtime {

// Places the movable buffers of an executable elsewhere where their recorded place is taken, but
// never where those of `Moves::kept` were recorded; all others as recorded. Keeps the addresses of
// ended buffers, since commands are executed again after their end. Not thread-safe.
class MovablePlacement final : public replay::Placement {
 public:
  // `moves` must outlive this.
  explicit MovablePlacement(const Moves& moves) : moves_(moves) {}

  absl::StatusOr<std::shared_ptr<tt::tt_metal::Buffer>> create(
      const schema::BufferCreate& call, tt::tt_metal::IDevice* device) override;
  void note_end(uint64_t id, const tt::tt_metal::Buffer& buffer) override;
  std::optional<uint64_t> address_of_ended(uint64_t id) const override;
  void clear() override;

  // Creates buffer `id` as a view of the memory at its recorded address, which another buffer owns.
  void make_view_of(uint64_t id) { views_.insert(id); }
  // Takes the memory that a buffer had which has ended, until clear().
  absl::Status reserve(const schema::BufferCreate& call, tt::tt_metal::IDevice* device);

 private:
  // Throws when there is no room.
  std::shared_ptr<tt::tt_metal::Buffer> place(
      tt::tt_metal::replay_hooks::RecordedBuffer recorded) const;
  bool is_in_kept_place(const tt::tt_metal::Buffer& buffer) const;

  const Moves& moves_;
  absl::flat_hash_set<uint64_t> views_;
  MovedBuffers moved_;
  std::vector<std::shared_ptr<tt::tt_metal::Buffer>> reserved_;
  absl::flat_hash_map<uint64_t, uint64_t> ended_addresses_;  // by the ids of the buffers
};

}  // namespace lightmetal::runtime
