#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "schema/command_generated.h"
#include "schema/commands/reference.h"

namespace lightmetal::schema {

// Returns true for kernels and circular buffers, which end with their program.
constexpr bool is_part_of_program(ObjectKind kind) {
  return kind == ObjectKind::Kernel || kind == ObjectKind::CircularBuffer;
}

// The objects that the commands of a file create, and when and where each of them is. Objects are
// numbered from 0 in the order of their creation. Not thread-safe while add() is called.
class ObjectIndex {
 public:
  // The number of no object.
  static constexpr uint32_t kNone = UINT32_MAX;
  // The end of an object that never ends.
  static constexpr uint64_t kNever = UINT64_MAX;

  // The memory of a buffer or a global semaphore, as it was recorded.
  struct Memory {
    uint32_t device = kNone;  // an object
    BufferType type = BufferType::Dram;
    bool is_view = false;  // at an address that the program gave: nothing was allocated
    uint64_t address = 0;
    uint64_t size = 0;  // bytes

    // Returns true if both may have bytes in common. Each is taken to be in one bank, so true may
    // be wrong, but false is not.
    bool may_overlap(const Memory& other) const;
  };

  struct Object {
    ObjectName name;
    uint64_t creator = 0;    // a command
    uint64_t end = kNever;   // the first command that destroys the object or frees its memory
    uint32_t owner = kNone;  // the object that takes this one along when it ends
    std::optional<Memory> memory = {};
  };

  // Adds the next command. A command that names an unknown object adds what it can; one that
  // creates an object a second time adds nothing. REQUIRES: numbers ascend.
  void add(uint64_t number, const Command& command);

  uint32_t size() const { return static_cast<uint32_t>(objects_.size()); }
  const Object& operator[](uint32_t object) const { return objects_[object]; }
  // Returns the first object that command `number` or a later one creates, or size().
  uint32_t first_made_by(uint64_t number) const;
  // Returns the object that has this name, or kNone.
  uint32_t find(const ObjectName& name) const;
  // Returns the program that this object is or is a part of, or kNone.
  uint32_t program_of(const ObjectName& name) const;
  // Returns the program that a command changes, launches or ends, or kNone.
  uint32_t program_of(const Command& command) const;
  // The objects with memory that no command has ended, in ascending order.
  const std::set<uint32_t>& living() const { return living_; }

 private:
  void create(uint64_t number, const Command& command, const ObjectName& name);
  void end(uint64_t number, uint32_t object);

  std::vector<Object> objects_;
  absl::flat_hash_map<ObjectName, uint32_t> numbers_;
  std::set<uint32_t> living_;
};

}  // namespace lightmetal::schema
