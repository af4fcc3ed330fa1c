#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/device_profile.h"
#include "schema/command_generated.h"
#include "schema/index/object_index.h"

namespace lightmetal::schema {

// Finds where the living buffers and global semaphores are in two captures of one program, as the
// commands of both are added. Views are left out: they move with the buffer that they are in. Not
// thread-safe.
class MovedPlaces {
 public:
  // Adds the next command of each capture. REQUIRES: both are the same call.
  void add(uint64_t number, const Command& a, const Command& b);

  // A word that may be an address.
  struct Found {
    uint64_t buffer = 0;  // an id; 0 for a global semaphore, which stays where it was recorded
    uint64_t device = 0;  // an id
    uint64_t offset = 0;  // in the buffer, in bytes
  };
  // Returns the object that has moved as far as the word, and is at it or nearest before it.
  // Returns nullopt if there is none, or if there are two, also on several devices.
  std::optional<Found> find(uint64_t in_a, uint64_t in_b) const;

 private:
  uint64_t size_per_bank(const BufferCreate& buffer) const;

  std::map<uint64_t, ::lightmetal::DeviceProfile> profiles_;  // by device
  ObjectIndex a_, b_;                                         // number the objects alike
  absl::flat_hash_map<uint32_t, uint64_t> sizes_;  // of buffers: in shards all, of others in a bank
};

}  // namespace lightmetal::schema
