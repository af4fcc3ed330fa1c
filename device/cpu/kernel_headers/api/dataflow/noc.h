#pragma once

#include "api/dataflow/circular_buffer.h"
#include "lightmetal/noc.h"
#include "lightmetal/semaphores.h"
#include "lightmetal/tensor_accessor.h"

// The NoC, what its transfers join, and semaphores as objects, as of 2026. One side of a transfer
// is this core's L1: a read's target, a write's source. Each kind of endpoint says in
// noc_traits_t what is told about a source and a target of it.

enum class NocOptions : uint32_t {
  DEFAULT = 0,
  TXN_ID = 1,
  POSTED = 2,
  CUSTOM_VC = 4,
  MCAST_INCL_SRC = 8,  // a multicast reaches the sender, too
  INLINE_L1 = 16,
  INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) {
  return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

struct NocOptVals {
  uint32_t vc = NOC_UNICAST_WRITE_VC;
  uint32_t trid = 0;
};

// ---- Endpoints ----

// An address on a core.
struct UnicastEndpoint {};
// An address on each core of a rectangle.
struct MulticastEndpoint {};

enum class AllocatorBankType : uint8_t { L1, DRAM };
// An address in a bank of the allocator's.
template <AllocatorBankType bank_type>
struct AllocatorBank {};

// L1 of this core, by its address.
template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
 public:
  explicit CoreLocalMem(AddressType address) : address_(static_cast<uint32_t>(address)) {}
  explicit CoreLocalMem(T* pointer) : address_(lightmetal::kernel::l1_address(pointer)) {}

  AddressType get_address() const { return static_cast<AddressType>(address_); }
  T* get_unsafe_ptr() const {
    return reinterpret_cast<T*>(lightmetal::kernel::context()->l1_base + address_);
  }
  T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
  T& operator*() const { return *get_unsafe_ptr(); }
  T* operator->() const { return get_unsafe_ptr(); }

 private:
  uint32_t address_;
};

namespace lightmetal::kernel {

template <::CircularBuffer::AddrSelector kSelector>
struct SelectedCircularBuffer {
  const ::CircularBuffer& buffer;
};

constexpr bool has_option(NocOptions options, NocOptions one) {
  return (static_cast<uint32_t>(options) & static_cast<uint32_t>(one)) != 0;
}

struct OffsetArgs {
  uint32_t offset_bytes = 0;
};
struct OffsetMulticastArgs {
  uint32_t noc_x_start;
  uint32_t noc_y_start;
  uint32_t noc_x_end;
  uint32_t noc_y_end;
  uint32_t offset_bytes = 0;
};

}  // namespace lightmetal::kernel

// The circular buffer at the address that is chosen, whichever side of a transfer it is.
template <CircularBuffer::AddrSelector selector>
FORCE_INLINE lightmetal::kernel::SelectedCircularBuffer<selector> use(const CircularBuffer& cb) {
  return {cb};
}

template <typename T>
struct noc_traits_t;

template <typename Args>
struct noc_traits_t<TensorAccessor<Args>> {
  struct src_args_type {
    uint32_t page_id;
    uint32_t offset_bytes = 0;
  };
  using dst_args_type = src_args_type;

  static FORCE_INLINE uint64_t address(const TensorAccessor<Args>& accessor,
                                       const src_args_type& args, uint8_t noc) {
    return accessor.get_noc_addr(args.page_id, args.offset_bytes, noc);
  }
};

template <>
struct noc_traits_t<UnicastEndpoint> {
  struct src_args_type {
    uint32_t noc_x;
    uint32_t noc_y;
    uint32_t addr;
  };
  using dst_args_type = src_args_type;

  static FORCE_INLINE uint64_t address(UnicastEndpoint, const src_args_type& args, uint8_t noc) {
    return get_noc_addr(args.noc_x, args.noc_y, args.addr, noc);
  }
};

template <>
struct noc_traits_t<MulticastEndpoint> {
  struct dst_args_mcast_type {
    uint32_t noc_x_start;
    uint32_t noc_y_start;
    uint32_t noc_x_end;
    uint32_t noc_y_end;
    uint32_t addr;
  };

  static FORCE_INLINE uint64_t rectangle(MulticastEndpoint, const dst_args_mcast_type& args,
                                         uint8_t noc) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                  args.noc_y_end, args.addr, noc);
  }
};

template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
  struct src_args_type {
    uint32_t bank_id;
    uint32_t addr;
  };
  using dst_args_type = src_args_type;

  static FORCE_INLINE uint64_t address(AllocatorBank<bank_type>, const src_args_type& args,
                                       uint8_t noc) {
    return get_noc_addr_from_bank_id<bank_type == AllocatorBankType::DRAM>(args.bank_id, args.addr,
                                                                           noc);
  }
};

namespace lightmetal::kernel {

// What lies in this core's L1: Memory has source(), and target(), which may be another address.
template <typename Endpoint, typename Memory>
struct LocalTraits {
  using src_args_type = OffsetArgs;
  using dst_args_type = OffsetArgs;
  using dst_args_mcast_type = OffsetMulticastArgs;

  static FORCE_INLINE uint32_t source(const Endpoint& endpoint, const OffsetArgs& args) {
    return Memory::source(endpoint) + args.offset_bytes;
  }
  static FORCE_INLINE uint32_t target(const Endpoint& endpoint, const OffsetArgs& args) {
    return Memory::target(endpoint) + args.offset_bytes;
  }
  static FORCE_INLINE uint64_t rectangle(const Endpoint& endpoint, const OffsetMulticastArgs& args,
                                         uint8_t noc) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                  args.noc_y_end, Memory::target(endpoint) + args.offset_bytes,
                                  noc);
  }
};

struct CircularBufferMemory {
  static FORCE_INLINE uint32_t source(const ::CircularBuffer& cb) {
    return circular_buffer(static_cast<int32_t>(cb.get_cb_id())).read_ptr;
  }
  static FORCE_INLINE uint32_t target(const ::CircularBuffer& cb) {
    return circular_buffer(static_cast<int32_t>(cb.get_cb_id())).write_ptr;
  }
};

template <::CircularBuffer::AddrSelector kSelector>
struct SelectedMemory {
  using Endpoint = SelectedCircularBuffer<kSelector>;

  static FORCE_INLINE uint32_t source(const Endpoint& endpoint) {
    return kSelector == ::CircularBuffer::AddrSelector::READ_PTR
               ? CircularBufferMemory::source(endpoint.buffer)
               : CircularBufferMemory::target(endpoint.buffer);
  }
  static FORCE_INLINE uint32_t target(const Endpoint& endpoint) { return source(endpoint); }
};

template <typename T, typename AddressType>
struct CoreLocalMemory {
  using Endpoint = CoreLocalMem<T, AddressType>;

  static FORCE_INLINE uint32_t source(const Endpoint& endpoint) {
    return static_cast<uint32_t>(endpoint.get_address());
  }
  static FORCE_INLINE uint32_t target(const Endpoint& endpoint) { return source(endpoint); }
};

}  // namespace lightmetal::kernel

template <>
struct noc_traits_t<CircularBuffer>
    : lightmetal::kernel::LocalTraits<CircularBuffer, lightmetal::kernel::CircularBufferMemory> {};
template <CircularBuffer::AddrSelector kSelector>
struct noc_traits_t<lightmetal::kernel::SelectedCircularBuffer<kSelector>>
    : lightmetal::kernel::LocalTraits<lightmetal::kernel::SelectedCircularBuffer<kSelector>,
                                      lightmetal::kernel::SelectedMemory<kSelector>> {};
template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>>
    : lightmetal::kernel::LocalTraits<CoreLocalMem<T, AddressType>,
                                      lightmetal::kernel::CoreLocalMemory<T, AddressType>> {};

namespace lightmetal::kernel {

template <typename Endpoint>
using SourceArgs = typename noc_traits_t<Endpoint>::src_args_type;
template <typename Endpoint>
using TargetArgs = typename noc_traits_t<Endpoint>::dst_args_type;
template <typename Endpoint>
using MulticastArgs = typename noc_traits_t<Endpoint>::dst_args_mcast_type;

template <typename Endpoint>
concept InOwnL1 = requires(const Endpoint& endpoint) {
  noc_traits_t<Endpoint>::source(endpoint, OffsetArgs{});
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

}  // namespace lightmetal::kernel

// ---- The NoC ----

class Noc {
 public:
  Noc() : noc_(noc_index) {}
  explicit Noc(uint8_t noc_id) : noc_(noc_id) {}

  uint8_t get_noc_id() const { return noc_; }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_read(const Src& src, const Dst& dst, uint32_t size_bytes,
                               const lightmetal::kernel::SourceArgs<Src>& src_args,
                               const lightmetal::kernel::TargetArgs<Dst>& dst_args,
                               const NocOptVals& vals = {}) const {
    static_assert(lightmetal::kernel::InOwnL1<Dst>, "a read's target lies in this core's L1");
    noc_async_read(lightmetal::kernel::read_address(src, src_args, noc_),
                   noc_traits_t<Dst>::target(dst, dst_args), size_bytes, noc_);
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_write(const Src& src, const Dst& dst, uint32_t size_bytes,
                                const lightmetal::kernel::SourceArgs<Src>& src_args,
                                const lightmetal::kernel::TargetArgs<Dst>& dst_args,
                                const NocOptVals& vals = {}) const {
    static_assert(lightmetal::kernel::InOwnL1<Src>, "a write's source lies in this core's L1");
    noc_async_write(noc_traits_t<Src>::source(src, src_args),
                    lightmetal::kernel::write_address(dst, dst_args, noc_), size_bytes, noc_);
  }

  template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
            bool enable_noc_tracing = true, typename Src, typename Dst>
  FORCE_INLINE void async_write_multicast(
      const Src& src, const Dst& dst, uint32_t size_bytes, uint32_t num_dsts,
      const lightmetal::kernel::SourceArgs<Src>& src_args,
      const lightmetal::kernel::MulticastArgs<Dst>& dst_args_mcast, bool linked = false) const {
    static_assert(lightmetal::kernel::InOwnL1<Src>, "a write's source lies in this core's L1");
    lightmetal::kernel::noc_multicast(
        noc_traits_t<Src>::source(src, src_args),
        noc_traits_t<Dst>::rectangle(dst, dst_args_mcast, noc_), size_bytes, num_dsts,
        lightmetal::kernel::has_option(opts, NocOptions::MCAST_INCL_SRC));
  }

  template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
  FORCE_INLINE void inline_dw_write(const Dst& dst, uint32_t val,
                                    const lightmetal::kernel::TargetArgs<Dst>& dst_args,
                                    uint8_t be = 0xF, const NocOptVals& vals = {}) const {
    noc_inline_dw_write(lightmetal::kernel::write_address(dst, dst_args, noc_), val, be, noc_);
  }

  // Of all transfers; those of one transaction id are among them.
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_read_barrier(const NocOptVals& vals = {}) const {
    noc_async_read_barrier(noc_);
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_write_barrier(const NocOptVals& vals = {}) const {
    noc_async_write_barrier(noc_);
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void async_writes_flushed(const NocOptVals& vals = {}) const {
    noc_async_writes_flushed(noc_);
  }
  FORCE_INLINE void async_atomic_barrier() const { noc_async_atomic_barrier(noc_); }
  FORCE_INLINE void async_full_barrier() const { noc_async_full_barrier(noc_); }

 private:
  uint8_t noc_;
};

// ---- Semaphores ----

// This core's semaphore of an id, and through the NoC those of the same id on other cores.
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
 public:
  explicit Semaphore(uint32_t semaphore_id) : address_(get_semaphore<core_type>(semaphore_id)) {}

  FORCE_INLINE void up(uint32_t value) { __atomic_fetch_add(word(), value, __ATOMIC_RELEASE); }
  // Waits until there is as much, and takes it away.
  FORCE_INLINE void down(uint32_t value) {
    wait_min(value);
    __atomic_fetch_sub(word(), value, __ATOMIC_RELEASE);
  }
  FORCE_INLINE void wait(uint32_t value) { noc_semaphore_wait(word(), value); }
  FORCE_INLINE void wait_min(uint32_t value) { noc_semaphore_wait_min(word(), value); }
  FORCE_INLINE void set(uint32_t value) { noc_semaphore_set(word(), value); }
  FORCE_INLINE uint32_t value() const { return __atomic_load_n(word(), __ATOMIC_ACQUIRE); }

  FORCE_INLINE void up(const Noc& noc, uint32_t noc_x, uint32_t noc_y, uint32_t value,
                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
    noc_semaphore_inc(get_noc_addr(noc_x, noc_y, address_), value, noc.get_noc_id(), vc);
  }
  // Sends the own value.
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void set_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start,
                                  uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests,
                                  bool linked = false) {
    relay_multicast<opts>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests,
                          linked);
  }
  FORCE_INLINE void inc_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start,
                                  uint32_t noc_x_end, uint32_t noc_y_end, uint32_t value,
                                  uint32_t num_dests) {
    noc_semaphore_inc_multicast(
        get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_), value,
        num_dests, noc.get_noc_id());
  }
  // Sends the own value to another semaphore.
  FORCE_INLINE void relay_unicast(const Noc& noc, const Semaphore& dst_sem, uint32_t noc_x,
                                  uint32_t noc_y) {
    noc_semaphore_set_remote(address_, get_noc_addr(noc_x, noc_y, dst_sem.address_),
                             noc.get_noc_id());
  }
  template <NocOptions opts = NocOptions::DEFAULT>
  FORCE_INLINE void relay_multicast(const Noc& noc, const Semaphore& dst_sem, uint32_t noc_x_start,
                                    uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end,
                                    uint32_t num_dests, bool linked = false) {
    lightmetal::kernel::noc_multicast(
        address_,
        get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst_sem.address_), 4,
        num_dests, lightmetal::kernel::has_option(opts, NocOptions::MCAST_INCL_SRC));
  }

 private:
  volatile uint32_t* word() const {
    return reinterpret_cast<volatile uint32_t*>(lightmetal::kernel::context()->l1_base + address_);
  }

  uint32_t address_;
};
