#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/device_profile.h"
#include "schema/command_generated.h"

namespace lightmetal::schema {

// Where a buffer or a global semaphore lies in two captures of one program.
struct MovedPlace {
  uint64_t buffer = 0;  // its id; 0 for a semaphore, which stays where it was recorded
  uint64_t device = 0;
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t size = 0;  // of a buffer in shards all, of others what they take in a bank, in bytes
};

// The places of what lives, as the commands of both captures go by. Not thread-safe.
class MovedPlaces {
 public:
  // Notes what a pair of commands of one kind makes or ends.
  void add(const Command& a, const Command& b);

  struct Found {
    const MovedPlace* place = nullptr;
    uint64_t offset = 0;
  };
  // The place that has moved as far as the word, and lies at it or nearest before it; none when
  // there is none, or two, also on several devices.
  std::optional<Found> find(uint64_t in_a, uint64_t in_b) const;

 private:
  uint64_t size_of(const BufferCreate& buffer) const;

  std::map<uint64_t, ::lightmetal::DeviceProfile> profiles_;  // by device
  std::map<uint64_t, MovedPlace> buffers_;  // without views, which move with what they lie in
  std::map<uint64_t, MovedPlace> semaphores_;
};

}  // namespace lightmetal::schema
