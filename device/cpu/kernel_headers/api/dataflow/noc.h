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

// Kernels of early 2026 find these names, and specialise the traits, in a namespace of their own.
namespace experimental {

template <typename T>
struct noc_traits_t : ::noc_traits_t<T> {};

}  // namespace experimental

// Endpoints in this core's L1, which async_write_zeros can fill.
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v = requires {
  typename experimental::noc_traits_t<T>::LocalEndpoint;
};

namespace lightmetal::kernel {

template <typename Endpoint>
using TraitsOf = experimental::noc_traits_t<Endpoint>;
template <typename Endpoint>
using SourceArgs = typename TraitsOf<Endpoint>::src_args_type;
template <typename Endpoint>
using TargetArgs = typename TraitsOf<Endpoint>::dst_args_type;
template <typename Endpoint>
using MulticastArgs = typename TraitsOf<Endpoint>::dst_args_mcast_type;

template <typename T>
concept Number = __is_integral(T);

}  // namespace lightmetal::kernel

class Noc {
  template <typename T>
  using SourceArgs = lightmetal::kernel::SourceArgs<T>;
  template <typename T>
  using TargetArgs = lightmetal::kernel::TargetArgs<T>;
  template <typename T>
  using MulticastArgs = lightmetal::kernel::MulticastArgs<T>;
  template <typename T>
  using Traits = lightmetal::kernel::TraitsOf<T>;

 public:
  enum class AddressType { NOC, LOCAL_L1 };
  static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

  // The modes of a call until May 2026, one template argument each; later they are NocOptions.
  // Every call accepts both, and after them the size of the largest page.
  enum class TxnIdMode { ENABLED, DISABLED };
  enum class ResponseMode { NON_POSTED, POSTED };
  enum class BarrierMode { TXN_ID, FULL };
  enum class McastMode { INCLUDE_SRC, EXCLUDE_SRC };
  enum class VcSelection { DEFAULT, CUSTOM };

  // Joins what a call's template arguments say, in either form.
  template <auto... modes>
  static constexpr NocOptions options_of() {
    return (NocOptions::DEFAULT | ... | option_of(modes));
  }

  Noc() : noc_(noc_index) {}
  explicit Noc(uint8_t noc_id) : noc_(noc_id) {}

  uint8_t get_noc_id() const { return noc_; }
  bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
    return virtual_x == my_x[noc_] && virtual_y == my_y[noc_];
  }
  bool is_local_addr(uint64_t noc_addr) const {
    return is_local_bank(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr));
  }

  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_read(const Src& src, const Dst& dst, uint32_t size_bytes,
                               const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                               const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    noc_async_read<largest_page<modes...>()>(read_address(src, src_args),
                                             read_target(dst, dst_args), size_bytes, noc_);
  }
  // Until May 2026: the channel and the transaction's id follow, in place of NocOptVals.
  template <auto... modes, typename Src, typename Dst, lightmetal::kernel::Number... Values>
  requires(sizeof...(Values) != 0) FORCE_INLINE
      void async_read(const Src& src, const Dst& dst, uint32_t size_bytes,
                      const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                      Values... vc_and_trid) const {
    async_read<modes...>(src, dst, size_bytes, src_args, dst_args, values_of(vc_and_trid...));
  }

  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_write(const Src& src, const Dst& dst, uint32_t size_bytes,
                                const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                                const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    noc_async_write<largest_page<modes...>()>(write_source(src, src_args),
                                              write_address(dst, dst_args), size_bytes, noc_);
  }
  template <auto... modes, typename Src, typename Dst, lightmetal::kernel::Number... Values>
  requires(sizeof...(Values) != 0) FORCE_INLINE
      void async_write(const Src& src, const Dst& dst, uint32_t size_bytes,
                       const SourceArgs<Src>& src_args, const TargetArgs<Dst>& dst_args,
                       Values... vc_and_trid) const {
    async_write<modes...>(src, dst, size_bytes, src_args, dst_args, values_of(vc_and_trid...));
  }

  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_write_multicast(const Src& src, const Dst& dst, uint32_t size_bytes,
                                          uint32_t num_dsts, const SourceArgs<Src>& src_args,
                                          const MulticastArgs<Dst>& dst_args, bool linked = false,
                                          uint32_t trid = INVALID_TXN_ID) const {
    constexpr NocOptions opts = options_of<modes...>();
    static_assert(!has_flag(opts, NocOptions::TXN_ID), "a multicast has no transaction id");
    static_assert(!has_flag(opts, NocOptions::POSTED), "a multicast is not posted");
    lightmetal::kernel::note_packet_of<largest_page<modes...>()>(size_bytes);
    const uint64_t rectangle =
        Traits<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args);
    lightmetal::kernel::noc_multicast(write_source(src, src_args), rectangle, size_bytes, num_dsts,
                                      has_flag(opts, NocOptions::MCAST_INCL_SRC));
  }

  // ---- With state: the core and, of one packet, the size of a source or target once; then only
  // its address on that core. Transfers of at most NOC_MAX_BURST_SIZE bytes are one packet. ----

  template <auto... modes, typename Src>
  FORCE_INLINE void set_async_read_state(const Src& src, uint32_t size_bytes,
                                         const SourceArgs<Src>& src_args,
                                         const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    const uint64_t address = read_address(src, src_args);
    if constexpr (is_one_packet<modes...>()) {
      noc_async_read_one_packet_set_state(address, size_bytes, 0, noc_);
    } else {
      noc_async_read_set_state(address, noc_);
    }
  }
  template <auto... modes, typename Src>
  FORCE_INLINE void set_async_read_state(const Src& src, uint32_t size_bytes,
                                         const SourceArgs<Src>& src_args,
                                         lightmetal::kernel::Number auto vc) const {
    set_async_read_state<modes...>(src, size_bytes, src_args, values_of(vc));
  }

  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_read_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                          const SourceArgs<Src>& src_args,
                                          const TargetArgs<Dst>& dst_args,
                                          const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    const auto from = static_cast<uint32_t>(read_address(src, src_args));
    const uint32_t to = read_target(dst, dst_args);
    if constexpr (is_one_packet<modes...>()) {
      noc_async_read_one_packet_with_state(from, to, 0, noc_);
    } else {
      noc_async_read_with_state(from, to, size_bytes, noc_);
    }
  }
  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_read_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                          const SourceArgs<Src>& src_args,
                                          const TargetArgs<Dst>& dst_args,
                                          lightmetal::kernel::Number auto vc) const {
    async_read_with_state<modes...>(src, dst, size_bytes, src_args, dst_args, values_of(vc));
  }

  template <auto... modes, typename Dst>
  FORCE_INLINE void set_async_write_state(const Dst& dst, uint32_t size_bytes,
                                          const TargetArgs<Dst>& dst_args,
                                          const NocOptVals& noc_opts = {}) const {
    require_no_transaction<modes...>();
    const uint64_t address = write_address(dst, dst_args);
    if constexpr (is_one_packet<modes...>()) {
      noc_async_write_one_packet_set_state(address, size_bytes, noc_);
    } else {
      lightmetal::kernel::write_state[noc_ & 1].address = address;
    }
  }
  template <auto... modes, typename Dst>
  FORCE_INLINE void set_async_write_state(const Dst& dst, uint32_t size_bytes,
                                          const TargetArgs<Dst>& dst_args,
                                          lightmetal::kernel::Number auto vc) const {
    set_async_write_state<modes...>(dst, size_bytes, dst_args, values_of(vc));
  }

  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_write_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                           const SourceArgs<Src>& src_args,
                                           const TargetArgs<Dst>& dst_args,
                                           const NocOptVals& noc_opts = {}) const {
    require_no_transaction<modes...>();
    const uint32_t from = write_source(src, src_args);
    const auto to = static_cast<uint32_t>(write_address(dst, dst_args));
    if constexpr (is_one_packet<modes...>()) {
      noc_async_write_one_packet_with_state(from, to, noc_);
    } else {
      const uint64_t core = lightmetal::kernel::write_state[noc_ & 1].address;
      noc_async_write(from, lightmetal::kernel::with_low_word(core, to), size_bytes, noc_);
    }
  }
  template <auto... modes, typename Src, typename Dst>
  FORCE_INLINE void async_write_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                           const SourceArgs<Src>& src_args,
                                           const TargetArgs<Dst>& dst_args,
                                           lightmetal::kernel::Number auto vc) const {
    async_write_with_state<modes...>(src, dst, size_bytes, src_args, dst_args, values_of(vc));
  }

  // One word; bit i of `be` enables byte i.
  template <auto... modes, typename Dst>
  FORCE_INLINE void inline_dw_write(const Dst& dst, uint32_t val, const TargetArgs<Dst>& dst_args,
                                    uint8_t be = 0xF, const NocOptVals& noc_opts = {}) const {
    require_no_transaction<modes...>();
    noc_inline_dw_write(write_address(dst, dst_args), val, be, noc_);
  }
  template <auto... modes, typename Dst, lightmetal::kernel::Number... Values>
  requires(sizeof...(Values) != 0) FORCE_INLINE
      void inline_dw_write(const Dst& dst, uint32_t val, const TargetArgs<Dst>& dst_args,
                           uint8_t be, Values... vc_and_trid) const {
    inline_dw_write<modes...>(dst, val, dst_args, be, values_of(vc_and_trid...));
  }

  // ---- Barriers: of all transfers of the kind; those of one transaction are among them. Until May
  // 2026 the transaction's id is an argument. ----

  bool is_read_trid_flushed(uint32_t trid) const {
    lightmetal::kernel::require_transaction_id(trid);
    return ncrisc_noc_read_with_transaction_id_flushed(noc_, trid);
  }
  template <auto... modes>
  FORCE_INLINE void async_read_barrier(const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    noc_async_read_barrier(noc_);
  }
  template <auto... modes>
  FORCE_INLINE void async_read_barrier(lightmetal::kernel::Number auto trid) const {
    async_read_barrier<modes...>(values_of(NOC_UNICAST_WRITE_VC, trid));
  }
  template <auto... modes>
  FORCE_INLINE void async_write_barrier(const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    noc_async_write_barrier(noc_);
  }
  template <auto... modes>
  FORCE_INLINE void async_write_barrier(lightmetal::kernel::Number auto trid) const {
    async_write_barrier<modes...>(values_of(NOC_UNICAST_WRITE_VC, trid));
  }
  template <auto... modes>
  FORCE_INLINE void async_writes_flushed(const NocOptVals& noc_opts = {}) const {
    check_transaction<modes...>(noc_opts);
    noc_async_writes_flushed(noc_);
  }
  template <auto... modes>
  FORCE_INLINE void async_writes_flushed(lightmetal::kernel::Number auto trid) const {
    async_writes_flushed<modes...>(values_of(NOC_UNICAST_WRITE_VC, trid));
  }
  // As of late 2025.
  FORCE_INLINE void async_posted_writes_flushed() const { noc_async_posted_writes_flushed(noc_); }
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
    uint32_t to = read_target(dst, args);
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
    const uint32_t from = write_source(scratch, {});
    uint64_t to = write_address(accessor, args);
    for (uint32_t left = size_bytes; left != 0;) {
      const uint32_t size = left < NOC_MAX_BURST_SIZE ? left : NOC_MAX_BURST_SIZE;
      noc_async_write(from, to, size, noc_);
      to += size;
      left -= size;
    }
  }
  FORCE_INLINE void write_zeros_dram_barrier() const { noc_async_write_barrier(noc_); }

 private:
  static constexpr NocOptions option_if(bool is_on, NocOptions option) {
    return is_on ? option : NocOptions::DEFAULT;
  }
  static constexpr NocOptions option_of(NocOptions options) { return options; }
  static constexpr NocOptions option_of(TxnIdMode mode) {
    return option_if(mode == TxnIdMode::ENABLED, NocOptions::TXN_ID);
  }
  static constexpr NocOptions option_of(ResponseMode mode) {
    return option_if(mode == ResponseMode::POSTED, NocOptions::POSTED);
  }
  static constexpr NocOptions option_of(BarrierMode mode) {
    return option_if(mode == BarrierMode::TXN_ID, NocOptions::TXN_ID);
  }
  static constexpr NocOptions option_of(McastMode mode) {
    return option_if(mode == McastMode::INCLUDE_SRC, NocOptions::MCAST_INCL_SRC);
  }
  static constexpr NocOptions option_of(VcSelection selection) {
    return option_if(selection == VcSelection::CUSTOM, NocOptions::CUSTOM_VC);
  }
  static constexpr NocOptions option_of(InlineWriteDst target) {
    return option_if(target == InlineWriteDst::L1, NocOptions::INLINE_L1) |
           option_if(target == InlineWriteDst::REG, NocOptions::INLINE_REG);
  }
  // A page's size, or whether transfers are traced.
  template <lightmetal::kernel::Number T>
  static constexpr NocOptions option_of(T) {
    return NocOptions::DEFAULT;
  }

  template <typename Mode>
  static constexpr uint32_t page_size_of(Mode) {
    return 0;
  }
  static constexpr uint32_t page_size_of(uint32_t size) { return size; }
  static constexpr uint32_t page_size_of(int size) { return static_cast<uint32_t>(size); }
  // Returns the size of a page that the modes give, or one of several packets.
  template <auto... modes>
  static constexpr uint32_t largest_page() {
    constexpr uint32_t size = (0u + ... + page_size_of(modes));
    return size != 0 ? size : NOC_MAX_BURST_SIZE + 1;
  }
  template <auto... modes>
  static constexpr bool is_one_packet() {
    return largest_page<modes...>() <= NOC_MAX_BURST_SIZE;
  }

  static constexpr NocOptVals values_of(uint32_t vc, uint32_t trid = INVALID_TXN_ID) {
    return {vc, trid};
  }

  // An id is looked at where the options say that there is one.
  template <auto... modes>
  static FORCE_INLINE void check_transaction(const NocOptVals& vals) {
    if constexpr (has_flag(options_of<modes...>(), NocOptions::TXN_ID))
      lightmetal::kernel::require_transaction_id(vals.trid);
  }
  template <auto... modes>
  static constexpr void require_no_transaction() {
    static_assert(!has_flag(options_of<modes...>(), NocOptions::TXN_ID),
                  "an inline write and a write with state have no transaction id");
  }

  // Where a read begins and ends, and where a write does.
  template <typename Src>
  FORCE_INLINE uint64_t read_address(const Src& src, const SourceArgs<Src>& args) const {
    return Traits<Src>::template src_addr<AddressType::NOC>(src, *this, args);
  }
  template <typename Dst>
  FORCE_INLINE uint32_t read_target(const Dst& dst, const TargetArgs<Dst>& args) const {
    return static_cast<uint32_t>(
        Traits<Dst>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, args));
  }
  template <typename Src>
  FORCE_INLINE uint32_t write_source(const Src& src, const SourceArgs<Src>& args) const {
    return static_cast<uint32_t>(
        Traits<Src>::template src_addr<AddressType::LOCAL_L1>(src, *this, args));
  }
  template <typename Dst>
  FORCE_INLINE uint64_t write_address(const Dst& dst, const TargetArgs<Dst>& args) const {
    return Traits<Dst>::template dst_addr<AddressType::NOC>(dst, *this, args);
  }

  uint8_t noc_;
};

// Traits of an endpoint say what is told about a source and a target of it (`src_args_type`,
// `dst_args_type`, `dst_args_mcast_type`), and with src_addr, dst_addr and dst_addr_mcast where
// these are: on the NoC, or in this core's L1.
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

template <Noc::AddressType type>
FORCE_INLINE auto own_address(uint32_t address, const Noc& noc) {
  if constexpr (type == Noc::AddressType::NOC) {
    return get_noc_addr(address, noc.get_noc_id());
  } else {
    return uintptr_t{address};
  }
}

// Of what is in this core's L1. Traits has read_pointer(endpoint), where such a source begins,
// and write_pointer(endpoint), where such a target does.
template <typename Traits, typename Endpoint, typename Args = OffsetArgs>
struct LocalTraits {
  using LocalEndpoint = Endpoint;
  using src_args_type = Args;
  using dst_args_type = Args;
  using dst_args_mcast_type = OffsetMulticastArgs;

  template <Noc::AddressType type>
  static FORCE_INLINE auto src_addr(const Endpoint& src, const Noc& noc, const Args& args) {
    return own_address<type>(Traits::read_pointer(src) + args.offset_bytes, noc);
  }
  template <Noc::AddressType type>
  static FORCE_INLINE auto dst_addr(const Endpoint& dst, const Noc& noc, const Args& args) {
    return own_address<type>(Traits::write_pointer(dst) + args.offset_bytes, noc);
  }
  template <Noc::AddressType type>
  static FORCE_INLINE uint64_t dst_addr_mcast(const Endpoint& dst, const Noc& noc,
                                              const OffsetMulticastArgs& args) {
    static_assert(type == Noc::AddressType::NOC, "a multicast goes to other cores");
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                  args.noc_y_end, Traits::write_pointer(dst) + args.offset_bytes,
                                  noc.get_noc_id());
  }
};

// Of what is reached through the NoC alone. Traits has address(endpoint, args, noc's number).
template <typename Traits, typename Endpoint, typename Args>
struct RemoteTraits {
  using src_args_type = Args;
  using dst_args_type = Args;

  template <Noc::AddressType type>
  static FORCE_INLINE uint64_t src_addr(const Endpoint& src, const Noc& noc, const Args& args) {
    static_assert(type == Noc::AddressType::NOC, "a write's source is in this core's L1");
    return Traits::address(src, args, noc.get_noc_id());
  }
  template <Noc::AddressType type>
  static FORCE_INLINE uint64_t dst_addr(const Endpoint& dst, const Noc& noc, const Args& args) {
    static_assert(type == Noc::AddressType::NOC, "a read's target is in this core's L1");
    return Traits::address(dst, args, noc.get_noc_id());
  }
};

}  // namespace lightmetal::kernel

namespace experimental {

using ::DataflowBufferArgs;
using ::Noc;

}  // namespace experimental

// Kernels take these endpoints for granted where they have the NoC.
#include "api/dataflow/endpoints.h"
#include "api/tensor/noc_traits.h"
