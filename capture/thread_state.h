#pragma once

#include <array>
#include <string>

#include "capture/id_cache.h"
#include "capture/session.h"
#include "flatbuffers/flatbuffers.h"

namespace lightmetal::capture {

// What a thread keeps from call to call, so that a call allocates little. It can also be used while
// the thread or the process ends, when objects with thread storage are gone already. Belongs to its
// thread.
struct ThreadState {
  flatbuffers::FlatBufferBuilder builder{4096};
  // The file ids that the thread has looked up, one cache for each kind of capture.
  std::array<IdCache, kNumSessionKinds> ids;
  std::string failure;  // the last error that a call of this thread threw
};

ThreadState& thread_state();

}  // namespace lightmetal::capture
