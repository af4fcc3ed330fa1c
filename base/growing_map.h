#pragma once

#include <memory>
#include <new>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace lightmetal {

// An absl::flat_hash_map whose owner outlives a failed allocation: std::bad_alloc leaves an empty
// map. absl's own is left with a size that its memory does not have, so that even its destructor
// crashes. The memory of such a map is lost. Not thread-safe.
template <class Key, class Value>
class GrowingMap {
 public:
  using Map = absl::flat_hash_map<Key, Value>;

  // The map, for whatever needs no memory.
  Map& get() { return map_; }
  const Map& get() const { return map_; }

  // Like that of the map: the entry, and true if it is new.
  auto try_emplace(const Key& key) {
    return or_empty([&] { return map_.try_emplace(key); });
  }

 private:
  template <class Grow>
  auto or_empty(Grow grow) {
    try {
      return grow();
    } catch (const std::bad_alloc&) {
      std::construct_at(&map_);
      throw;
    }
  }

  Map map_;
};

}  // namespace lightmetal
