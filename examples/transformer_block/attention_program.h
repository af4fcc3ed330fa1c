#pragma once

#include <tt-metalium/host_api.hpp>

#include "examples/transformer_block/block_shape.h"

namespace example::transformer {

// A program for softmax(Q K^T / sqrt(head width)) V of each head. `qkv` is tokens x 3 * width,
// `result` is tokens x width, both as interleaved tiles of bfloat16; the buffers outlive the
// program's use. A core takes 32 queries of one head at a time, and these units of work are spread
// over the grid.
tt::tt_metal::Program make_attention_program(CoreCoord grid, const BlockShape& shape, uint32_t qkv,
                                             uint32_t result);

}  // namespace example::transformer
