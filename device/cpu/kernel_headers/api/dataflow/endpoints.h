#pragma once

#include "api/dataflow/noc.h"
#include "lightmetal/address_generators.h"

// What a NoC transfer joins besides tensors and this core's own L1.

// An address on a core.
struct UnicastEndpoint {
  uint64_t get_noc_unicast_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc) const {
    return ::get_noc_addr(noc_x, noc_y, addr, noc);
  }
};

// An address that get_noc_addr or a tensor has put together.
struct PrecomposedUnicastEndpoint {};

// An address on each core of a rectangle.
struct MulticastEndpoint {
  uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                  uint32_t noc_y_end, uint32_t addr, uint8_t noc) const {
    return ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, noc);
  }
};

enum class AllocatorBankType { L1, DRAM };
// An address in a bank of the allocator's.
template <AllocatorBankType bank_type>
struct AllocatorBank {
  uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t addr, uint8_t noc) const {
    return ::get_noc_addr_from_bank_id<bank_type == AllocatorBankType::DRAM>(bank_id, addr, noc);
  }
};

template <>
struct noc_traits_t<UnicastEndpoint> {
  struct src_args_type {
    uint32_t noc_x = 0;
    uint32_t noc_y = 0;
    uint32_t addr = 0;
  };
  using dst_args_type = src_args_type;
  static constexpr bool kOnAnyCore = true;

  static FORCE_INLINE uint64_t address(const UnicastEndpoint& endpoint, const src_args_type& args,
                                       uint8_t noc) {
    return endpoint.get_noc_unicast_addr(args.noc_x, args.noc_y, args.addr, noc);
  }
};

template <>
struct noc_traits_t<PrecomposedUnicastEndpoint> {
  struct src_args_type {
    uint64_t noc_addr = 0;
  };
  using dst_args_type = src_args_type;

  static FORCE_INLINE uint64_t address(PrecomposedUnicastEndpoint, const src_args_type& args,
                                       uint8_t) {
    return args.noc_addr;
  }
};

template <>
struct noc_traits_t<MulticastEndpoint> {
  struct dst_args_mcast_type {
    uint32_t noc_x_start = 0;
    uint32_t noc_y_start = 0;
    uint32_t noc_x_end = 0;
    uint32_t noc_y_end = 0;
    uint32_t addr = 0;
  };

  static FORCE_INLINE uint64_t rectangle(const MulticastEndpoint& endpoint,
                                         const dst_args_mcast_type& args, uint8_t noc) {
    return endpoint.get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                           args.noc_y_end, args.addr, noc);
  }
};

template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
  struct src_args_type {
    uint32_t bank_id = 0;
    uint32_t addr = 0;
  };
  using dst_args_type = src_args_type;

  static FORCE_INLINE uint64_t address(const AllocatorBank<bank_type>& bank,
                                       const src_args_type& args, uint8_t noc) {
    return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc);
  }
};
