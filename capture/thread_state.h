#pragma once

#include <string>

#include "flatbuffers/flatbuffers.h"

namespace lightmetal::capture {

// What a thread keeps from call to call. Also good while the thread or the process ends, when
// objects with thread storage are gone already.
struct ThreadState {
  flatbuffers::FlatBufferBuilder builder{4096};
  std::string failure;  // the last error that a call of this thread threw
};

ThreadState& thread_state();

}  // namespace lightmetal::capture
