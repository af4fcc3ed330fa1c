#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/device.hpp>
#include <unordered_map>
#include <vector>

namespace tt::tt_metal {

// Blocks of a bank: entries by the names "address", "size" and "allocated".
using MemoryBlockTable = std::vector<std::unordered_map<std::string, std::string>>;

namespace detail {

// What is free of the banks of a kind of memory. The first bank stands for all: they are filled
// alike.
struct MemoryView {
  uint64_t num_banks = 0;
  std::size_t total_bytes_per_bank = 0;
  std::size_t total_bytes_allocated_per_bank = 0;
  std::size_t total_bytes_free_per_bank = 0;
  std::size_t largest_contiguous_bytes_free_per_bank = 0;
  MemoryBlockTable block_table;  // empty: Allocator::get_statistics says what is known of blocks
};

MemoryView GetMemoryView(const IDevice* device, const BufferType& buffer_type);

}  // namespace detail
}  // namespace tt::tt_metal
