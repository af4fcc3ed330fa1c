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

namespace lightmetal::kernel {

struct UnicastArgs {
  uint32_t noc_x = 0;
  uint32_t noc_y = 0;
  uint32_t addr = 0;
};
struct PrecomposedArgs {
  uint64_t noc_addr = 0;
};
struct BankArgs {
  uint32_t bank_id = 0;
  uint32_t addr = 0;
};

}  // namespace lightmetal::kernel

// Where only this core can be meant, the address counts alone.
template <>
struct noc_traits_t<UnicastEndpoint> {
  using src_args_type = lightmetal::kernel::UnicastArgs;
  using dst_args_type = lightmetal::kernel::UnicastArgs;

  template <Noc::AddressType type>
  static FORCE_INLINE auto src_addr(const UnicastEndpoint& src, const Noc& noc,
                                    const src_args_type& args) {
    if constexpr (type == Noc::AddressType::NOC) {
      return src.get_noc_unicast_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id());
    } else {
      return uintptr_t{args.addr};
    }
  }
  template <Noc::AddressType type>
  static FORCE_INLINE auto dst_addr(const UnicastEndpoint& dst, const Noc& noc,
                                    const dst_args_type& args) {
    return src_addr<type>(dst, noc, args);
  }
};

template <>
struct noc_traits_t<PrecomposedUnicastEndpoint>
    : lightmetal::kernel::RemoteTraits<noc_traits_t<PrecomposedUnicastEndpoint>,
                                       PrecomposedUnicastEndpoint,
                                       lightmetal::kernel::PrecomposedArgs> {
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

  template <Noc::AddressType type>
  static FORCE_INLINE uint64_t dst_addr_mcast(const MulticastEndpoint& dst, const Noc& noc,
                                              const dst_args_mcast_type& args) {
    static_assert(type == Noc::AddressType::NOC, "a multicast goes to other cores");
    return dst.get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                      args.noc_y_end, args.addr, noc.get_noc_id());
  }
};

template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>>
    : lightmetal::kernel::RemoteTraits<noc_traits_t<AllocatorBank<bank_type>>,
                                       AllocatorBank<bank_type>, lightmetal::kernel::BankArgs> {
  static FORCE_INLINE uint64_t address(const AllocatorBank<bank_type>& bank,
                                       const lightmetal::kernel::BankArgs& args, uint8_t noc) {
    return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc);
  }
};

namespace experimental {

using ::AllocatorBank;
using ::AllocatorBankType;
using ::MulticastEndpoint;
using ::PrecomposedUnicastEndpoint;
using ::UnicastEndpoint;

}  // namespace experimental
