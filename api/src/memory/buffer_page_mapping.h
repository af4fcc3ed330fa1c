#pragma once

#include <cstdint>
#include <functional>
#include <tt-metalium/buffer.hpp>

#include "host/distribution.h"

namespace tt::tt_metal {

using BankOfCore = std::function<uint32_t(const CoreCoord&)>;

// Says where the pages of a sharded buffer lie. Shard s lies on core s of the grid, counted along
// its orientation.
//   - HEIGHT_SHARDED: the pages are dealt out in order, as many to each shard as it holds.
//   - WIDTH_SHARDED, BLOCK_SHARDED: the tensor is cut into blocks of a shard's shape, which are
//     dealt out row by row; blocks at the right and the lower border may be partly used.
// `bank_of_core` gives the number of a core's bank. Throws std::runtime_error when the shards do
// not hold all `num_pages` pages.
BufferPageMapping make_page_mapping(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                                    uint32_t num_pages, const BankOfCore& bank_of_core);
// The same for a distribution, of which `dealt` is what the rules know. Cores without data have no
// pages, and are only among `all_cores`.
BufferPageMapping make_page_mapping(const std::vector<CoreCoord>& cores,
                                    const lightmetal::host::DealtShards& dealt, uint32_t num_pages,
                                    const BankOfCore& bank_of_core);

}  // namespace tt::tt_metal
