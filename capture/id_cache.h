#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/ids.h"

namespace lightmetal::capture {

// Counts the events that make looked-up ids wrong: the ends of objects and of captures.
inline std::atomic<uint64_t> g_id_version{1};

// The ids that a thread has looked up, so that it need not take the recorder's lock for them again.
// A small table without collisions lists: a new entry replaces the one in its place. Belongs to one
// thread. Plain data, so it can be used while the thread ends.
class IdCache {
 public:
  // The file's id of the object; 0 when it is not here. Forgets everything when some id has become
  // wrong since.
  uint64_t find(Object object) {
    const uint64_t version = g_id_version.load(std::memory_order_acquire);
    if (version != version_) *this = IdCache(version);
    const Entry& entry = entry_of(object);
    return entry.object_id == object.id && entry.kind == object.kind ? entry.file_id : 0;
  }

  // REQUIRES: find(object) was 0.
  void add(Object object, uint64_t file_id) {
    entry_of(object) = {object.id, file_id, object.kind};
  }

  constexpr IdCache() = default;

 private:
  struct Entry {
    uint64_t object_id = 0;
    uint64_t file_id = 0;
    Kind kind = Kind::Device;
  };

  explicit constexpr IdCache(uint64_t version) : version_(version) {}

  Entry& entry_of(Object object) {
    return entries_[(object.id + 7 * static_cast<size_t>(object.kind)) % entries_.size()];
  }

  uint64_t version_ = 0;
  std::array<Entry, 32> entries_{};
};

}  // namespace lightmetal::capture
