#pragma once

#include "lightmetal/noc.h"
#include "lightmetal/noc_registers.h"
#include "noc_address_backend.h"

// The NoC as an object, as of 2026. One side of a transfer is this core's L1: a read's target, a
// write's source. Each kind of endpoint says in noc_traits_t what is told about a source and a
// target of it; the header of the endpoint has its traits.

enum class NocOptions : uint32_t {
  DEFAULT = 0,
  TXN_ID = 1,  // NocOptVals has the id of the transaction to which a transfer belongs
  POSTED = 2,
  CUSTOM_VC = 4,
  MCAST_INCL_SRC = 8,  // a multicast reaches the sender, too
  INLINE_L1 = 16,
  INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept {
  return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_flag(NocOptions opts, NocOptions flag) noexcept {
  return (static_cast<uint32_t>(opts) & static_cast<uint32_t>(flag)) != 0;
}

struct NocOptVals {
  uint32_t vc = NOC_UNICAST_WRITE_VC;
  uint32_t trid = 0;
};

// What DataflowBuffer is told as source and target.
struct DataflowBufferArgs {
  uint32_t offset_bytes = 0;
};

template <typename T>
struct noc_traits_t {
  static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

// Whether a type lies in this core's L1, so that async_write_zeros can fill it.
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v = requires {
  typename noc_traits_t<T>::LocalEndpoint;
};

namespace lightmetal::kernel {

struct OffsetArgs {
  uint32_t offset_bytes = 0;
};
struct OffsetMulticastArgs {
  uint32_t noc_x_start = 0;
  uint32_t noc_y_start = 0;
  uint32_t noc_x_end = 0;
  uint32_t noc_y_end = 0;
  uint32_t offset_bytes = 0;
};

// Of what lies in this core's L1. Traits has read_pointer(endpoint), where such a source begins,
// and write_pointer(endpoint), where such a target does.
template <typename Traits, typename Endpoint, typename Args = OffsetArgs>
struct LocalTraits {
  using LocalEndpoint = Endpoint;
  using src_args_type = Args;
  using dst_args_type = Args;
  using dst_args_mcast_type = OffsetMulticastArgs;

  static FORCE_INLINE uint32_t source(const Endpoint& endpoint, const Args& args) {
    return Traits::read_pointer(endpoint) + args.offset_bytes;
  }
  static FORCE_INLINE uint32_t target(const Endpoint& endpoint, const Args& args) {
    return Traits::write_pointer(endpoint) + args.offset_bytes;
  }
  static FORCE_INLINE uint64_t rectangle(const Endpoint& endpoint, const OffsetMulticastArgs& args,
                                         uint8_t noc) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                  args.noc_y_end,
                                  Traits::write_pointer(endpoint) + args.offset_bytes, noc);
  }
};

template <typename Endpoint>
using SourceArgs = typename noc_traits_t<Endpoint>::src_args_type;
template <typename Endpoint>
using TargetArgs = typename noc_traits_t<Endpoint>::dst_args_type;
template <typename Endpoint>
using MulticastArgs = typename noc_traits_t<Endpoint>::dst_args_mcast_type;

template <typename Endpoint>
concept InOwnL1 = noc_zero_l1_endpoint_v<Endpoint>;
// Names a core and an address; where only this core can be meant, the address counts alone.
template <typename Endpoint>
concept OnAnyCore = requires {
  requires noc_traits_t<Endpoint>::kOnAnyCore;
};

// Where a read begins, and where a write goes.
template <typename Endpoint>
FORCE_INLINE uint64_t read_address(const Endpoint& endpoint, const SourceArgs<Endpoint>& args,
                                   uint8_t noc) {
  if constexpr (InOwnL1<Endpoint>) {
    return get_noc_addr(noc_traits_t<Endpoint>::source(endpoint, args), noc);
  } else {
    return noc_traits_t<Endpoint>::address(endpoint, args, noc);
  }
}
template <typename Endpoint>
FORCE_INLINE uint64_t write_address(const Endpoint& endpoint, const TargetArgs<Endpoint>& args,
                                    uint8_t noc) {
  if constexpr (InOwnL1<Endpoint>) {
    return get_noc_addr(noc_traits_t<Endpoint>::target(endpoint, args), noc);
  } else {
    return noc_traits_t<Endpoint>::address(endpoint, args, noc);
  }
}

// Where on this core a read ends, and where a write begins.
template <typename Endpoint>
FORCE_INLINE uint32_t read_target(const Endpoint& endpoint, const TargetArgs<Endpoint>& args) {
  if constexpr (OnAnyCore<Endpoint>) {
    return args.addr;
  } else {
    static_assert(InOwnL1<Endpoint>, "a read's target lies in this core's L1");
    return noc_traits_t<Endpoint>::target(endpoint, args);
  }
}
template <typename Endpoint>
FORCE_INLINE uint32_t write_source(const Endpoint& endpoint, const SourceArgs<Endpoint>& args) {
  if constexpr (OnAnyCore<Endpoint>) {
    return args.addr;
  } else {
    static_assert(InOwnL1<Endpoint>, "a write's source lies in this core's L1");
    return noc_traits_t<Endpoint>::source(endpoint, args);
  }
}

// An id is looked at where the options say that there is one.
template <NocOptions opts>
FORCE_INLINE void check_transaction(const NocOptVals& vals) {
  if constexpr (has_flag(opts, NocOptions::TXN_ID)) require_transaction_id(vals.trid);
}

}  // namespace lightmetal::kernel

class Noc {
  template <typename T>
  using SourceArgs = lightmetal::kernel::SourceArgs<T>;
  template <typename T>
  using TargetArgs = lightmetal::kernel::TargetArgs<T>;
  template <typename T>
  using MulticastArgs = lightmetal::kernel::MulticastArgs<T>;

 public:
  enum class AddressType { NOC, LOCAL_L1 };
  static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

  Noc() : noc_(noc_index) {}
  explicit Noc(uint8_t noc_id) : noc_(noc_id) {}

  uint8_t get_noc_id() const { return noc_; }
  bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
    return virtual_x == my_x[noc_] && virtual_y == my_y[noc_];
  }
  bool is_local_addr(uint64_t noc_addr) const {
    return is_local_bank(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr));
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_read(const Src& src, const Dst& dst, uint32_t size_bytes,
                               const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                               const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    noc_async_read<max_page_size>(lightmetal::kernel::read_address(src, src_args, noc_),
                                  lightmetal::kernel::read_target(dst, dst_args), size_bytes, noc_);
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_write(const Src& src, const Dst& dst, uint32_t size_bytes,
                                const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                                const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    noc_async_write<max_page_size>(lightmetal::kernel::write_source(src, src_args),
                                   lightmetal::kernel::write_address(dst, dst_args, noc_),
                                   size_bytes, noc_);
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_write_multicast(const Src& src, const Dst& dst, uint32_t size_bytes,
                                          uint32_t num_dsts, const SourceArgs<Src>& src_args,
                                          const MulticastArgs<Dst>& dst_args,
                                          bool linked = false) const {
    static_assert(!has_flag(opts, NocOptions::TXN_ID), "a multicast has no transaction id");
    static_assert(!has_flag(opts, NocOptions::POSTED), "a multicast is not posted");
    lightmetal::kernel::note_packet_of<max_page_size>(size_bytes);
    lightmetal::kernel::noc_multicast(lightmetal::kernel::write_source(src, src_args),
                                      noc_traits_t<Dst>::rectangle(dst, dst_args, noc_), size_bytes,
                                      num_dsts, has_flag(opts, NocOptions::MCAST_INCL_SRC));
  }

  // ---- With state: the core and, of one packet, the size of a source or target once; then only
  // its address on that core. Transfers of at most NOC_MAX_BURST_SIZE bytes are one packet. ----

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            typename Src>
  FORCE_INLINE void set_async_read_state(const Src& src, uint32_t size_bytes,
                                         const SourceArgs<Src>& src_args,
                                         const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    const uint64_t address = lightmetal::kernel::read_address(src, src_args, noc_);
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
      noc_async_read_one_packet_set_state(address, size_bytes, 0, noc_);
    } else {
      noc_async_read_set_state(address, noc_);
    }
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            typename Src, typename Dst>
  FORCE_INLINE void async_read_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                          const SourceArgs<Src>& src_args,
                                          const TargetArgs<Dst>& dst_args,
                                          const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    const auto from = static_cast<uint32_t>(lightmetal::kernel::read_address(src, src_args, noc_));
    const uint32_t to = lightmetal::kernel::read_target(dst, dst_args);
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
      noc_async_read_one_packet_with_state(from, to, 0, noc_);
    } else {
      noc_async_read_with_state(from, to, size_bytes, noc_);
    }
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            typename Dst>
  FORCE_INLINE void set_async_write_state(const Dst& dst, uint32_t size_bytes,
                                          const TargetArgs<Dst>& dst_args,
                                          const NocOptVals& noc_opts = {}) const {
    static_assert(!has_flag(opts, NocOptions::TXN_ID), "a write with state has no transaction id");
    const uint64_t address = lightmetal::kernel::write_address(dst, dst_args, noc_);
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
      noc_async_write_one_packet_set_state(address, size_bytes, noc_);
    } else {
      lightmetal::kernel::write_state[noc_ & 1].address = address;
    }
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            typename Src, typename Dst>
  FORCE_INLINE void async_write_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                           const SourceArgs<Src>& src_args,
                                           const TargetArgs<Dst>& dst_args,
                                           const NocOptVals& noc_opts = {}) const {
    static_assert(!has_flag(opts, NocOptions::TXN_ID), "a write with state has no transaction id");
    const uint32_t from = lightmetal::kernel::write_source(src, src_args);
    const auto to = static_cast<uint32_t>(lightmetal::kernel::write_address(dst, dst_args, noc_));
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
      noc_async_write_one_packet_with_state(from, to, noc_);
    } else {
      const uint64_t core = lightmetal::kernel::write_state[noc_ & 1].address;
      noc_async_write(from, lightmetal::kernel::with_low_word(core, to), size_bytes, noc_);
    }
  }

  // One word; bit i of `be` enables byte i.
  template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
  FORCE_INLINE void inline_dw_write(const Dst& dst, uint32_t val, const TargetArgs<Dst>& dst_args,
                                    uint8_t be = 0xF, const NocOptVals& noc_opts = {}) const {
    static_assert(!has_flag(opts, NocOptions::TXN_ID), "an inline write has no transaction id");
    noc_inline_dw_write(lightmetal::kernel::write_address(dst, dst_args, noc_), val, be, noc_);
  }

  // ---- Barriers: of all transfers of the kind; those of one transaction are among them. ----

  bool is_read_trid_flushed(uint32_t trid) const {
    lightmetal::kernel::require_transaction_id(trid);
    return ncrisc_noc_read_with_transaction_id_flushed(noc_, trid);
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_read_barrier(const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    noc_async_read_barrier(noc_);
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_write_barrier(const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    noc_async_write_barrier(noc_);
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_writes_flushed(const NocOptVals& noc_opts = {}) const {
    lightmetal::kernel::check_transaction<opts>(noc_opts);
    noc_async_writes_flushed(noc_);
  }
  FORCE_INLINE void async_atomic_barrier() const { noc_async_atomic_barrier(noc_); }
  FORCE_INLINE void async_full_barrier() const { noc_async_full_barrier(noc_); }

  // ---- Zeros ----

  // Fills this core's L1 from the write pointer of `dst`, or its address, on. The bytes are
  // undefined until write_zeros_l1_barrier() returns. As on hardware, these are reads of zeros.
  template <typename Dst>
  FORCE_INLINE void async_write_zeros(const Dst& dst, uint32_t size_bytes,
                                      const TargetArgs<Dst>& args = {}) const {
    static_assert(noc_zero_l1_endpoint_v<Dst>,
                  "async_write_zeros fills this core's L1, or with zeroed scratch a DRAM tensor");
    uint32_t to = lightmetal::kernel::read_target(dst, args);
    for (uint32_t left = size_bytes; left != 0;) {
      const uint32_t size = left < MEM_ZEROS_SIZE ? left : MEM_ZEROS_SIZE;
      noc_async_read(::get_noc_addr(MEM_ZEROS_BASE, noc_), to, size, noc_);
      to += size;
      left -= size;
    }
  }
  FORCE_INLINE void write_zeros_l1_barrier() const { noc_async_read_barrier(noc_); }

  // Fills part of a page of a DRAM tensor from `scratch`, whose first bytes, NOC_MAX_BURST_SIZE or
  // as many as are filled, are zeros.
  template <typename Accessor, typename Scratch>
  FORCE_INLINE void async_write_zeros(const Accessor& accessor, uint32_t size_bytes,
                                      const TargetArgs<Accessor>& args,
                                      const Scratch& scratch) const {
    static_assert(Accessor::is_dram, "async_write_zeros with scratch fills a DRAM tensor");
    const uint32_t from = lightmetal::kernel::write_source(scratch, {});
    uint64_t to = lightmetal::kernel::write_address(accessor, args, noc_);
    for (uint32_t left = size_bytes; left != 0;) {
      const uint32_t size = left < NOC_MAX_BURST_SIZE ? left : NOC_MAX_BURST_SIZE;
      noc_async_write(from, to, size, noc_);
      to += size;
      left -= size;
    }
  }
  FORCE_INLINE void write_zeros_dram_barrier() const { noc_async_write_barrier(noc_); }

 private:
  uint8_t noc_;
};

// Kernels take these endpoints for granted where they have the NoC.
#include "api/dataflow/endpoints.h"
#include "api/tensor/noc_traits.h"
