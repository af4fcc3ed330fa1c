#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/growing_map.h"
#include "schema/object_ids.h"

namespace lightmetal::capture {

// The kinds of object that a file names, from the attributes in schema/command.fbs.
using Kind = schema::ObjectKind;
inline constexpr size_t kNumKinds = schema::kObjectKindNames.size();

// Names an object of this process. `id` differs from that of every other living object of its kind.
struct Object {
  Kind kind;
  uint64_t id;
};

// An object whose kind the compiler knows.
template <Kind kOf>
struct ObjectOf {
  static constexpr Kind kKind = kOf;

  uint64_t id;

  operator Object() const { return {kKind, id}; }
};

// Which id of the file stands for which object. File ids count from 1 in each kind, in the order of
// creation in this capture, and are never used twice: equal programs give equal ids, whatever else
// the process did before. Not thread-safe.
class Ids {
 public:
  // Names a new object. The name of a dead one that had the same process id is forgotten.
  uint64_t add(Object object) {
    const uint64_t id = ++last_[index(object)];
    of(object).try_emplace(object.id).first->second = {id, snapshot_};
    return id;
  }

  // Names an object that is recorded as it lives. In a capture that has named the object before, it
  // keeps its name.
  uint64_t find_or_add(Object object) {
    auto& ids = of(object).get();
    const auto found = ids.find(object.id);
    if (found == ids.end()) return add(object);
    found->second.snapshot = snapshot_;
    return found->second.id;
  }

  // Gives an object that is not recorded yet the id that it has in another file. No object that is
  // recorded later gets one of these ids.
  void name(Object object, uint64_t id) {
    of(object).try_emplace(object.id).first->second = {id, snapshot_};
    last_[index(object)] = std::max(last_[index(object)], id);
  }

  // Around a snapshot inside a capture: objects that the snapshot did not record lose their names.
  void begin_snapshot() { ++snapshot_; }
  void end_snapshot() {
    for (Map& ids : of_) {
      absl::erase_if(ids.get(),
                     [&](const auto& entry) { return entry.second.snapshot != snapshot_; });
    }
  }

  // The file's id of the object; 0 when this capture does not know it.
  uint64_t find(Object object) const {
    const auto& ids = of_[index(object)].get();
    const auto found = ids.find(object.id);
    return found == ids.end() ? 0 : found->second.id;
  }

  // Like find(), and takes the object's name away.
  uint64_t remove(Object object) {
    const uint64_t id = find(object);
    if (id != 0) of(object).get().erase(object.id);
    return id;
  }

 private:
  struct Name {
    uint64_t id = 0;
    // The number of the last snapshot that recorded the object, or of the last snapshot before the
    // object was made.
    uint64_t snapshot = 0;
  };
  using Map = GrowingMap<uint64_t, Name>;

  static size_t index(Object object) { return static_cast<size_t>(object.kind); }
  Map& of(Object object) { return of_[index(object)]; }

  std::array<Map, kNumKinds> of_;
  std::array<uint64_t, kNumKinds> last_{};
  uint64_t snapshot_ = 0;
};

}  // namespace lightmetal::capture
