#pragma once

#include <cstddef>
#include <cstdint>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/logger.hpp>
#include <vector>

namespace tt::tt_metal {

// What an allocator manages. Sizes and addresses in bytes, each within one bank.
struct AllocatorConfig {
  std::size_t num_dram_channels = 0;
  std::size_t dram_bank_size = 0;
  uint32_t dram_unreserved_base = 0;
  uint32_t dram_alignment = 0;
  uint32_t l1_unreserved_base = 0;
  CoreCoord worker_grid;
  std::size_t worker_l1_size = 0;
  std::size_t l1_small_size = 0;
  std::size_t trace_region_size = 0;
  uint32_t l1_alignment = 0;
  CoreCoord compute_grid;
};

// How full the region of a buffer type is, in one bank; every bank of a type is in the same state.
// The list holds the address of the largest free block, and is empty when nothing is free.
struct Statistics {
  std::size_t total_allocatable_size_bytes = 0;
  std::size_t total_allocated_bytes = 0;
  std::size_t total_free_bytes = 0;
  std::size_t largest_free_block_bytes = 0;
  std::vector<uint32_t> largest_free_block_addrs;
};

}  // namespace tt::tt_metal
