#pragma once

#include "lightmetal/formats.h"
#include "lightmetal/noc.h"

// Where the pages of interleaved buffers lie: page i in bank i % banks, as its page i / banks.
// Kernels initialise these types by the names of their members.

#define NUM_DRAM_BANKS (lightmetal::kernel::context()->num_dram_banks)
#define NUM_L1_BANKS (lightmetal::kernel::context()->num_l1_banks)

namespace lightmetal::kernel {

template <bool DRAM>
FORCE_INLINE uint32_t aligned_page(uint32_t page_size) {
  constexpr uint32_t alignment = DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;
  return (page_size + alignment - 1) & ~(alignment - 1);
}

template <bool DRAM>
FORCE_INLINE uint32_t num_banks() {
  return DRAM ? context()->num_dram_banks : context()->num_l1_banks;
}

// The NoC address of a bank's beginning.
template <bool DRAM>
FORCE_INLINE uint64_t bank_address(uint32_t bank) {
  if (bank >= num_banks<DRAM>())
    fail(DRAM ? "there is no DRAM bank of this index" : "there is no L1 bank of this index");
  return (DRAM ? context()->dram_banks : context()->l1_banks)[bank];
}

template <bool DRAM>
FORCE_INLINE uint64_t page_address(uint32_t id, uint32_t base, uint32_t aligned_page_size,
                                   uint32_t offset) {
  const uint32_t banks = num_banks<DRAM>();
  return (DRAM ? context()->dram_banks : context()->l1_banks)[id % banks] + base +
         uint64_t{id / banks} * aligned_page_size + offset;
}

}  // namespace lightmetal::kernel

template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset,
                                                uint8_t noc = noc_index) {
  return lightmetal::kernel::bank_address<DRAM>(bank_id) + bank_address_offset;
}

FORCE_INLINE uint64_t get_dram_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address,
                                        uint32_t offset = 0, uint8_t noc = noc_index) {
  return lightmetal::kernel::page_address<true>(
      id, bank_base_address, lightmetal::kernel::aligned_page<true>(page_size), offset);
}

FORCE_INLINE uint64_t get_l1_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
  return lightmetal::kernel::page_address<false>(
      id, bank_base_address, lightmetal::kernel::aligned_page<false>(page_size), offset);
}

// Pages of any size; each begins at a multiple of the memory's alignment.
template <bool DRAM>
struct InterleavedAddrGen {
  uint32_t bank_base_address;
  uint32_t page_size;

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    return lightmetal::kernel::page_address<DRAM>(
        id, bank_base_address, lightmetal::kernel::aligned_page<DRAM>(page_size), offset);
  }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
  uint32_t bank_base_address;
  uint32_t log_base_2_of_page_size;

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    const uint32_t page_size =
        lightmetal::kernel::aligned_page<DRAM>(uint32_t{1} << log_base_2_of_page_size);
    return lightmetal::kernel::page_address<DRAM>(id, bank_base_address, page_size, offset);
  }
};

// Pages of one tile each.
template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
  uint32_t bank_base_address;
  uint32_t page_size;  // bytes that the tile calls move
  DataFormat data_format;

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    const uint32_t tile_size = lightmetal::kernel::format_bytes(data_format, tile_hw);
    if (tile_size == 0) lightmetal::kernel::fail("InterleavedAddrGenFast: data_format is Invalid");
    return lightmetal::kernel::page_address<DRAM>(
        id, bank_base_address, lightmetal::kernel::aligned_page<DRAM>(tile_size), offset);
  }

  FORCE_INLINE void noc_async_read_tile(uint32_t id, uint32_t dest_addr, uint32_t offset = 0,
                                        uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_read(get_noc_addr(id, offset, noc), dest_addr, page_size);
  }

  FORCE_INLINE void noc_async_write_tile(uint32_t id, uint32_t src_addr,
                                         uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_write(src_addr, get_noc_addr(id, 0, noc), page_size);
  }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast {
  uint32_t bank_base_address;
  uint32_t log_base_2_of_page_size;

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    return InterleavedPow2AddrGen<DRAM>{bank_base_address, log_base_2_of_page_size}.get_noc_addr(
        id, offset, noc);
  }

  FORCE_INLINE void noc_async_read_page(uint32_t id, uint32_t dest_addr, uint32_t offset = 0,
                                        uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_read(get_noc_addr(id, offset, noc), dest_addr,
                                 uint32_t{1} << log_base_2_of_page_size);
  }

  FORCE_INLINE void noc_async_read_partial_page(uint32_t id, uint32_t dest_addr, uint32_t size,
                                                uint32_t offset, uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_read(get_noc_addr(id, offset, noc), dest_addr, size);
  }

  FORCE_INLINE void noc_async_write_page(uint32_t id, uint32_t src_addr, uint32_t write_size_bytes,
                                         uint32_t offset = 0, uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_write(src_addr, get_noc_addr(id, offset, noc), write_size_bytes);
  }
};

template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const InterleavedAddrGen<DRAM>& s,
                                   uint32_t offset = 0, uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const InterleavedPow2AddrGen<DRAM>& s,
                                   uint32_t offset = 0, uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

template <bool DRAM, uint32_t tile_hw>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const InterleavedAddrGenFast<DRAM, tile_hw>& s,
                                   uint32_t offset = 0, uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const InterleavedPow2AddrGenFast<DRAM>& s,
                                   uint32_t offset = 0, uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

template <bool DRAM, uint32_t tile_hw>
FORCE_INLINE void noc_async_read_tile(uint32_t id, const InterleavedAddrGenFast<DRAM, tile_hw>& s,
                                      uint32_t dst_local_l1_addr, uint32_t offset = 0,
                                      uint8_t noc = noc_index) {
  s.noc_async_read_tile(id, dst_local_l1_addr, offset, noc);
}

template <bool DRAM, uint32_t tile_hw>
FORCE_INLINE void noc_async_write_tile(uint32_t id, const InterleavedAddrGenFast<DRAM, tile_hw>& s,
                                       uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
  s.noc_async_write_tile(id, src_local_l1_addr, noc);
}

template <bool DRAM>
FORCE_INLINE void noc_async_read_page(uint32_t id, const InterleavedPow2AddrGenFast<DRAM>& s,
                                      uint32_t dst_local_l1_addr, uint32_t offset = 0,
                                      uint8_t noc = noc_index) {
  s.noc_async_read_page(id, dst_local_l1_addr, offset, noc);
}

template <bool DRAM>
FORCE_INLINE void noc_async_read_page(uint32_t id, const InterleavedAddrGen<DRAM>& s,
                                      uint32_t dst_local_l1_addr, uint32_t offset = 0,
                                      uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(s.get_noc_addr(id, offset, noc), dst_local_l1_addr, s.page_size);
}

template <bool DRAM>
FORCE_INLINE void noc_async_write_page(uint32_t id, const InterleavedAddrGen<DRAM>& s,
                                       uint32_t src_local_l1_addr, uint32_t write_size_bytes,
                                       uint32_t offset = 0, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, s.get_noc_addr(id, offset, noc),
                                write_size_bytes);
}

template <bool DRAM>
FORCE_INLINE void noc_async_write_page(uint32_t id, const InterleavedPow2AddrGenFast<DRAM>& s,
                                       uint32_t src_local_l1_addr, uint32_t write_size_bytes,
                                       uint32_t offset = 0, uint8_t noc = noc_index) {
  s.noc_async_write_page(id, src_local_l1_addr, write_size_bytes, offset, noc);
}
