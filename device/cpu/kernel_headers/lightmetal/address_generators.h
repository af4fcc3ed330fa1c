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

// The steps from a page to its address.
namespace interleaved_addr_gen {

template <bool DRAM>
FORCE_INLINE uint32_t get_allocator_alignment() {
  return DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;
}

// How many pages of the page's bank lie before it.
template <bool DRAM>
FORCE_INLINE uint32_t get_bank_offset_index(uint32_t id) {
  return id / lightmetal::kernel::num_banks<DRAM>();
}

template <bool DRAM>
FORCE_INLINE uint32_t get_bank_index(uint32_t id, uint32_t bank_offset_index) {
  return id - bank_offset_index * lightmetal::kernel::num_banks<DRAM>();
}

// As get_noc_addr_helper takes it.
template <bool DRAM>
FORCE_INLINE uint32_t get_noc_xy(uint32_t bank_index, uint8_t noc = noc_index) {
  return static_cast<uint32_t>(lightmetal::kernel::bank_address<DRAM>(bank_index) >>
                               lightmetal::kernel_abi::kNocLocalBits);
}

// Where the bank begins at its coordinates.
template <bool DRAM>
FORCE_INLINE uint32_t get_bank_offset(uint32_t bank_index) {
  return static_cast<uint32_t>(
      NOC_LOCAL_ADDR_OFFSET(lightmetal::kernel::bank_address<DRAM>(bank_index)));
}

}  // namespace interleaved_addr_gen

namespace lightmetal::kernel {

// The tables of banks that kernels look things up in themselves: what is added to an address of the
// bank, and, for each NoC, where the bank is.
template <bool DRAM>
struct BankOffsets {
  FORCE_INLINE int32_t operator[](uint32_t bank) const {
    return static_cast<int32_t>(interleaved_addr_gen::get_bank_offset<DRAM>(bank));
  }
};
template <bool DRAM>
struct BankCoordinates {
  FORCE_INLINE uint16_t operator[](uint32_t bank) const {
    return static_cast<uint16_t>(interleaved_addr_gen::get_noc_xy<DRAM>(bank));
  }
};
template <bool DRAM>
struct NocBankCoordinates {
  FORCE_INLINE BankCoordinates<DRAM> operator[](uint32_t) const { return {}; }
};

}  // namespace lightmetal::kernel

inline constexpr lightmetal::kernel::BankOffsets<true> bank_to_dram_offset;
inline constexpr lightmetal::kernel::BankOffsets<false> bank_to_l1_offset;
inline constexpr lightmetal::kernel::NocBankCoordinates<true> dram_bank_to_noc_xy;
inline constexpr lightmetal::kernel::NocBankCoordinates<false> l1_bank_to_noc_xy;

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
  static constexpr bool is_dram = DRAM;
  uint32_t bank_base_address;
  uint32_t page_size;
  uint32_t aligned_page_size = lightmetal::kernel::aligned_page<DRAM>(page_size);

  // Where a page lies in its bank.
  FORCE_INLINE uint32_t get_addr(uint32_t id, uint32_t bank_offset_index, uint32_t bank_index,
                                 uint32_t offset = 0) const {
    return bank_offset_index * aligned_page_size + bank_base_address + offset +
           interleaved_addr_gen::get_bank_offset<DRAM>(bank_index);
  }

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    return lightmetal::kernel::page_address<DRAM>(id, bank_base_address, aligned_page_size, offset);
  }

  FORCE_INLINE void noc_async_read_page(uint32_t id, uint32_t dest_addr, uint32_t offset = 0,
                                        uint8_t noc = noc_index) const {
    lightmetal::kernel::noc_read(get_noc_addr(id, offset, noc), dest_addr, page_size);
  }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
  static constexpr bool is_dram = DRAM;
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
  static constexpr bool is_dram = DRAM;
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
  static constexpr bool is_dram = DRAM;
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

// The cheapest generator for a page size that is known, or that is known to be a power of two.
template <bool DRAM, uint32_t page_size>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr) {
  constexpr bool kPowerOfTwo = page_size != 0 && (page_size & (page_size - 1)) == 0;
  if constexpr (kPowerOfTwo && page_size <= NOC_MAX_BURST_SIZE) {
    return InterleavedPow2AddrGenFast<DRAM>{base_addr, __builtin_ctz(page_size)};
  } else if constexpr (kPowerOfTwo) {
    return InterleavedPow2AddrGen<DRAM>{base_addr, __builtin_ctz(page_size)};
  } else {
    return InterleavedAddrGen<DRAM>{base_addr, page_size};
  }
}
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t page_size,
                                           uint32_t log2_page_size) {
  if constexpr (is_size_pow2) {
    return InterleavedPow2AddrGen<DRAM>{base_addr, log2_page_size};
  } else {
    return InterleavedAddrGen<DRAM>{base_addr, page_size};
  }
}
// `size` is the page size or, of a power of two, its logarithm.
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t size) {
  return get_interleaved_addr_gen<DRAM, is_size_pow2>(base_addr, size, size);
}

namespace lightmetal::kernel {

// What the page calls move when they are given no size.
template <typename AddrGen>
FORCE_INLINE uint32_t page_bytes(const AddrGen& s) {
  if constexpr (requires { s.log_base_2_of_page_size; }) {
    return uint32_t{1} << s.log_base_2_of_page_size;
  } else {
    return s.page_size;
  }
}

// What says where the pages of a buffer are: the types above and TensorAccessor.
template <typename T>
concept AddressGenerator = requires(const T& s) {
  {s.get_noc_addr(uint32_t{}, uint32_t{}, noc_index)};
  {page_bytes(s)};
};

}  // namespace lightmetal::kernel

// What kernels of 2026 ask of a generator's type.
template <typename AddrGen>
inline constexpr bool has_required_addrgen_traits_v = lightmetal::kernel::AddressGenerator<AddrGen>;
template <typename AddrGen>
inline constexpr bool has_get_aligned_page_size_v = requires(const AddrGen& s) {
  s.get_aligned_page_size();
};

template <lightmetal::kernel::AddressGenerator AddrGen>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const AddrGen& s, uint32_t offset = 0,
                                   uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

// With the kind of memory, which the generator knows.
template <bool DRAM, lightmetal::kernel::AddressGenerator AddrGen>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const AddrGen& s, uint32_t offset = 0,
                                   uint8_t noc = noc_index) {
  return s.get_noc_addr(id, offset, noc);
}

template <lightmetal::kernel::AddressGenerator AddrGen>
FORCE_INLINE void noc_async_read_page(uint32_t id, const AddrGen& s, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(s.get_noc_addr(id, offset, noc), dst_local_l1_addr,
                               lightmetal::kernel::page_bytes(s));
}

// All of the page when no size is given.
template <lightmetal::kernel::AddressGenerator AddrGen, bool posted = false>
FORCE_INLINE void noc_async_write_page(uint32_t id, const AddrGen& s, uint32_t src_local_l1_addr,
                                       uint32_t write_size_bytes = 0, uint32_t offset = 0,
                                       uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(
      src_local_l1_addr, s.get_noc_addr(id, offset, noc),
      write_size_bytes == 0 ? lightmetal::kernel::page_bytes(s) : write_size_bytes);
}

template <lightmetal::kernel::AddressGenerator AddrGen>
FORCE_INLINE void noc_async_read_tile(uint32_t id, const AddrGen& s, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
  noc_async_read_page(id, s, dst_local_l1_addr, offset, noc);
}

template <lightmetal::kernel::AddressGenerator AddrGen>
FORCE_INLINE void noc_async_write_tile(uint32_t id, const AddrGen& s, uint32_t src_local_l1_addr,
                                       uint8_t noc = noc_index) {
  noc_async_write_page(id, s, src_local_l1_addr, 0, 0, noc);
}

// ---- Tiles of a tensor whose rows of shards lie in DRAM banks: state first, then only where in
// the bank each one is. ----

// Returns what is to be given as `src_base_addr` below.
template <bool use_vc = false>
FORCE_INLINE uint32_t noc_async_read_tile_dram_sharded_set_state(uint32_t bank_base_address,
                                                                 uint32_t page_size,
                                                                 uint32_t bank_id = 0,
                                                                 uint32_t vc = 0,
                                                                 uint8_t noc = noc_index) {
  const uint64_t address = get_noc_addr_from_bank_id<true>(bank_id, bank_base_address, noc);
  noc_async_read_one_packet_set_state<use_vc>(address, page_size, vc, noc);
  return static_cast<uint32_t>(address);
}

// As in 2024.
template <uint32_t bank_base_address, uint32_t page_size, bool use_vc>
FORCE_INLINE uint32_t noc_async_read_tile_dram_sharded_set_state(uint32_t bank_id = 0,
                                                                 uint32_t vc = 0,
                                                                 uint8_t noc = noc_index) {
  return noc_async_read_tile_dram_sharded_set_state<use_vc>(bank_base_address, page_size, bank_id,
                                                            vc, noc);
}

FORCE_INLINE void noc_async_read_tile_dram_sharded_with_state(uint32_t src_base_addr,
                                                              uint32_t src_addr, uint32_t dest_addr,
                                                              uint32_t trid = 0,
                                                              uint8_t noc = noc_index) {
  noc_async_read_one_packet_with_state_with_trid(src_base_addr, src_addr, dest_addr, trid, noc);
}

template <bool skip_ptr_update = false>
FORCE_INLINE void noc_async_read_tile_dram_sharded_with_state_with_trid(uint32_t src_base_addr,
                                                                        uint32_t src_addr,
                                                                        uint32_t dest_addr,
                                                                        uint32_t trid = 0,
                                                                        uint8_t noc = noc_index) {
  noc_async_read_one_packet_with_state_with_trid(src_base_addr, src_addr, dest_addr, trid, noc);
}

FORCE_INLINE void noc_async_read_tile_dram_sharded_set_trid(uint32_t trid = 0,
                                                            uint8_t noc = noc_index) {
  noc_async_read_set_trid(trid, noc);
}
