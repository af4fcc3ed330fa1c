#pragma once

#include <cstdint>
#include <string>

#include "api/src/metal2/resolved_spec.h"

namespace tt::tt_metal::experimental::metal2 {

// What the devices of a program have.
struct NodeLimits {
  NodeCoord grid = {};            // columns and rows of nodes
  uint32_t dataflow_buffers = 0;  // on a node
  uint32_t semaphores = 0;
};

// The rules of specifications, beyond that of names. Throws std::runtime_error for the first that
// is broken, in a sentence that says what is wrong where. The rules are upstream's of October 2026
// for Wormhole; a rule for the arguments themselves is in check_run_args.h.
void check_spec(const ResolvedSpec& resolved, const NodeLimits& limits);

// The rules of a dataflow buffer's sizes, be they those of its specification or later ones. `where`
// names the buffer.
void check_sizes(const std::string& where, uint32_t entry_size, uint32_t num_entries);

// The parts of it: each kernel by itself; dataflow buffers with the kernels that bind them, and
// scratchpads; what is placed together on nodes.
void check_kernels(const ResolvedSpec& resolved);
void check_memory(const ResolvedSpec& resolved);
void check_placement(const ResolvedSpec& resolved, const NodeLimits& limits);

}  // namespace tt::tt_metal::experimental::metal2
