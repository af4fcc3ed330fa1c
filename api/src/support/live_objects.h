#pragma once

#include <cstdint>
#include <map>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "base/per_process.h"
#include "capture/capture.h"

namespace tt::tt_metal {

// The objects of one kind that live in this process, for a capture that begins in the middle of
// their lives, and for calls that reach all objects of a kind. Objects add themselves when they are
// made and remove themselves when they end. A forked child begins with none: what its parent made
// belongs to no capture of the child. Thread-safe. Without capture, add() and remove() do nothing.
template <class Object>
class LiveObjects {
 public:
  static void add(uint64_t unique_id, Object* object) {
    if constexpr (lightmetal::capture::kEnabled) {
      LiveObjects& all = instance();
      lightmetal::MutexLock lock(&all.mutex_);
      // Ids ascend, so a new object nearly always comes last.
      all.objects_.emplace_hint(all.objects_.end(), unique_id, object);
    }
  }

  static void remove(uint64_t unique_id) {
    if constexpr (lightmetal::capture::kEnabled) {
      LiveObjects& all = instance();
      lightmetal::MutexLock lock(&all.mutex_);
      all.objects_.erase(unique_id);
    }
  }

  // Whether the object of that id lives; false without capture.
  static bool has(uint64_t unique_id) {
    LiveObjects& all = instance();
    lightmetal::MutexLock lock(&all.mutex_);
    return all.objects_.contains(unique_id);
  }

  // Calls `visit(Object&)` for each object, in the order of creation. The lock is held meanwhile,
  // so no object can end: a thread that destroys one waits. REQUIRES: `visit` makes and ends no
  // object of this kind.
  template <class Visit>
  static void for_each(Visit visit) {
    LiveObjects& all = instance();
    lightmetal::MutexLock lock(&all.mutex_);
    for (const auto& [unique_id, object] : all.objects_) visit(*object);
  }

 private:
  // Never destroyed: objects may outlive main.
  static LiveObjects& instance() { return lightmetal::PerProcess<LiveObjects>::get(); }

  lightmetal::Mutex mutex_;
  std::map<uint64_t, Object*> objects_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
