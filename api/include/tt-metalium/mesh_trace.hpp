#pragma once

#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_trace_id.hpp>
#include <tt-metalium/trace_buffer.hpp>

namespace tt::tt_metal::distributed {

// Where ids of traces come from, for programs that give them to MeshDevice::begin_mesh_trace.
// (Upstream's class makes the traces, too, out of its dispatch commands, which are not here.)
class MeshTrace {
 public:
  // An id that no trace has and that is given once. Thread-safe.
  static MeshTraceId next_id();
};

}  // namespace tt::tt_metal::distributed
