#pragma once

#include "flatbuffers/flatbuffers.h"

namespace lightmetal::capture {

// This thread's builder, reused from call to call. Also good while the thread or the process ends,
// when objects with thread storage are gone already.
flatbuffers::FlatBufferBuilder& thread_builder();

}  // namespace lightmetal::capture
