#pragma once

#include <cstdint>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

// How many semaphores of programs a core can have.
inline constexpr uint32_t NUM_SEMAPHORES = 16;

// A semaphore of a program: a word in the L1 of each of its cores, which every launch sets to the
// initial value. A plain value; changing it changes no program.
class Semaphore {
 public:
  Semaphore(const CoreRangeSet& core_range_set, uint32_t id, uint32_t initial_value,
            CoreType core_type = CoreType::WORKER)
      : core_range_set_(core_range_set),
        id_(id),
        initial_value_(initial_value),
        core_type_(core_type) {}

  uint32_t id() const { return id_; }
  uint32_t initial_value() const { return initial_value_; }
  // Bytes from the semaphore with id 0.
  uint32_t offset() const { return id_ * 16; }
  const CoreRangeSet& core_range_set() const { return core_range_set_; }
  CoreType core_type() const { return core_type_; }
  bool initialized_on_logical_core(const CoreCoord& core) const {
    return core_range_set_.contains(core);
  }

 private:
  CoreRangeSet core_range_set_;
  uint32_t id_;
  uint32_t initial_value_;
  CoreType core_type_;
};

}  // namespace tt::tt_metal
