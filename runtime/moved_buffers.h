#pragma once

#include <cstdint>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "api/src/replay_hooks.h"

namespace lightmetal::runtime {

// Where buffers lie that may lie elsewhere than they were recorded. Not thread-safe.
class MovedBuffers {
 public:
  void add(uint64_t recorded_address, const tt::tt_metal::Buffer& buffer);

  // Where a view lies that was recorded at its given address: as far behind the beginning of the
  // buffer in whose memory it is as it was recorded. REQUIRES: an address is given.
  uint64_t address_of(const tt::tt_metal::replay_hooks::RecordedBuffer& view) const;

  void clear() { moved_.clear(); }

 private:
  struct Moved {
    const tt::tt_metal::IDevice* device = nullptr;
    tt::tt_metal::BufferType type = tt::tt_metal::BufferType::DRAM;
    uint64_t recorded = 0;
    uint64_t size = 0;  // in each bank
    uint64_t address = 0;
  };

  std::vector<Moved> moved_;
};

}  // namespace lightmetal::runtime
