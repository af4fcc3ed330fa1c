#pragma once

#include "lightmetal/address_generators.h"
#include "lightmetal/args.h"

// Where the pages of a buffer lie, interleaved or sharded, as TensorAccessorArgs(buffer) of a host
// program wrote it down among a kernel's arguments. What these words mean is agreed between
// <tt-metalium/tensor_accessor_args.hpp> and this header; programs only count them.

namespace tensor_accessor {

inline constexpr std::size_t UNKNOWN = ~std::size_t{0};

struct PageMapping {
  uint32_t bank_id;
  uint32_t bank_page_offset;  // in pages
};

}  // namespace tensor_accessor

namespace lightmetal::kernel {

// Word 0 of the arguments; the host writes the same bits.
inline constexpr uint32_t kAccessorSharded = 1;
inline constexpr uint32_t kAccessorDram = 2;
inline constexpr uint32_t kAccessorAtRunTime = 4;  // the words after the first are common arguments
inline constexpr uint32_t kAccessorInOrder = 8;    // shards take the pages in order, not as blocks
inline constexpr uint32_t kAccessorCountShift = 8;  // the number of words after the first
inline constexpr uint32_t kAccessorCountMask = 0xfffff;
inline constexpr uint32_t kAccessorMark = 0xA;  // the upper four bits
// The words after the first.
enum class AccessorWord : uint32_t {
  kAlignedPageSize = 0,
  // Sharded only:
  kNumShards = 1,
  kTensorRows = 2,  // in pages
  kTensorColumns = 3,
  kShardRows = 4,
  kShardColumns = 5,
  kBanks = 6,  // of the shards, two to a word
};

}  // namespace lightmetal::kernel

// The arguments of one buffer: compile-time ones from index CTA_OFFSET, common ones from index
// CRTA_OFFSET or, when that is not given, the index that is given to the constructor.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
  static constexpr uint32_t kFlags = get_ct_arg<CTA_OFFSET>();
  static_assert(kFlags >> 28 == lightmetal::kernel::kAccessorMark,
                "TensorAccessorArgs: the compile-time argument of this index is none that "
                "TensorAccessorArgs of a host program appended");
  static constexpr uint32_t kWords =
      kFlags >> lightmetal::kernel::kAccessorCountShift& lightmetal::kernel::kAccessorCountMask;
  static constexpr bool kAtRunTime = (kFlags & lightmetal::kernel::kAccessorAtRunTime) != 0;
  static constexpr bool is_sharded = (kFlags & lightmetal::kernel::kAccessorSharded) != 0;
  static constexpr bool is_dram = (kFlags & lightmetal::kernel::kAccessorDram) != 0;

  std::size_t common_offset = CRTA_OFFSET;

  constexpr TensorAccessorArgs() {
    static_assert(!kAtRunTime || CRTA_OFFSET != tensor_accessor::UNKNOWN,
                  "TensorAccessorArgs: these arguments are common runtime arguments; say from "
                  "which index on");
  }
  constexpr explicit TensorAccessorArgs(std::size_t crta_offset) : common_offset(crta_offset) {}

  static constexpr uint32_t num_compile_time_args() { return kAtRunTime ? 1 : 1 + kWords; }
  static constexpr uint32_t next_compile_time_args_offset() {
    return CTA_OFFSET + num_compile_time_args();
  }
  static constexpr uint32_t num_common_runtime_args() { return kAtRunTime ? kWords : 0; }
  static constexpr uint32_t next_common_runtime_args_offset() {
    return (CRTA_OFFSET == tensor_accessor::UNKNOWN ? 0 : CRTA_OFFSET) + num_common_runtime_args();
  }

  FORCE_INLINE uint32_t get_aligned_page_size() const {
    return word<lightmetal::kernel::AccessorWord::kAlignedPageSize>();
  }

  template <lightmetal::kernel::AccessorWord kWord>
  FORCE_INLINE uint32_t word() const {
    constexpr auto kIndex = static_cast<uint32_t>(kWord);
    if constexpr (kAtRunTime) {
      return get_common_arg_val<uint32_t>(static_cast<int>(common_offset + kIndex));
    } else {
      return get_ct_arg<CTA_OFFSET + 1 + kIndex>();
    }
  }

  FORCE_INLINE uint32_t bank_of_shard(uint32_t shard) const {
    const uint32_t index =
        static_cast<uint32_t>(lightmetal::kernel::AccessorWord::kBanks) + shard / 2;
    uint32_t pair = 0;
    if constexpr (kAtRunTime) {
      pair = get_common_arg_val<uint32_t>(static_cast<int>(common_offset + index));
    } else {
      pair = kernel_compile_time_args[CTA_OFFSET + 1 + index];
    }
    return pair >> (shard % 2 * 16) & 0xffff;
  }
};

namespace lightmetal::kernel {

// A page of an accessor's buffer, as its ranges give it.
template <typename Accessor>
class AccessorPage {
 public:
  AccessorPage(const Accessor& accessor, uint32_t id, uint8_t noc)
      : accessor_(accessor), id_(id), noc_(noc) {}

  uint32_t page_id() const { return id_; }
  uint64_t noc_addr() const { return accessor_.get_noc_addr(id_, 0, noc_); }
  uint64_t get_noc_addr(uint32_t offset = 0) const {
    return accessor_.get_noc_addr(id_, offset, noc_);
  }

 private:
  const Accessor& accessor_;
  uint32_t id_;
  uint8_t noc_;
};

// Pages one after the other. Next(id) gives the page that follows.
template <typename Accessor, typename Next>
class AccessorPages {
 public:
  struct Iterator {
    const AccessorPages& pages;
    uint32_t position;
    uint32_t id;

    AccessorPage<Accessor> operator*() const { return {pages.accessor_, id, pages.noc_}; }
    Iterator& operator++() {
      ++position;
      id = pages.next_(position, id);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return position != other.position; }
    bool operator==(const Iterator& other) const { return position == other.position; }
  };

  AccessorPages(const Accessor& accessor, uint32_t first, uint32_t count, uint8_t noc, Next next)
      : accessor_(accessor), first_(first), count_(count), noc_(noc), next_(next) {}

  Iterator begin() const { return {*this, 0, first_}; }
  Iterator end() const { return {*this, count_, 0}; }

 private:
  const Accessor& accessor_;
  uint32_t first_;
  uint32_t count_;
  uint8_t noc_;
  Next next_;
};

}  // namespace lightmetal::kernel

// Finds the pages of a buffer at `bank_base_address` in each of its banks. `page_size` is what the
// page calls move; the distance of pages in a bank comes with the arguments.
template <typename Args>
struct TensorAccessor {
  static constexpr bool is_dram = Args::is_dram;

  Args args;
  uint32_t bank_base_address;
  uint32_t page_size;

  FORCE_INLINE TensorAccessor(const Args& its_args, uint32_t its_bank_base_address,
                              uint32_t its_page_size)
      : args(its_args), bank_base_address(its_bank_base_address), page_size(its_page_size) {}
  FORCE_INLINE TensorAccessor(const Args& its_args, uint32_t its_bank_base_address)
      : TensorAccessor(its_args, its_bank_base_address, its_args.get_aligned_page_size()) {}

  FORCE_INLINE uint32_t get_aligned_page_size() const { return args.get_aligned_page_size(); }

  FORCE_INLINE tensor_accessor::PageMapping get_bank_and_offset(uint32_t page_id) const {
    if constexpr (Args::is_sharded) {
      const auto [shard, page] = shard_and_page(page_id);
      return {args.bank_of_shard(shard), page};
    } else {
      const uint32_t banks = lightmetal::kernel::num_banks<is_dram>();
      return {page_id % banks, page_id / banks};
    }
  }

  FORCE_INLINE uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    const auto [bank, page] = get_bank_and_offset(page_id);
    return address_in(bank, page, offset);
  }

  // Sharded buffers only, as all that follows but is_local_*.
  FORCE_INLINE uint64_t get_shard_noc_addr(uint32_t shard_id, uint32_t offset = 0,
                                           uint8_t noc = noc_index) const {
    require_sharded();
    require_shard(shard_id);
    return address_in(args.bank_of_shard(shard_id), 0, offset);
  }

  FORCE_INLINE uint32_t num_shards() const {
    require_sharded();
    return args.template word<Word::kNumShards>();
  }
  // In pages, those that pad it included.
  FORCE_INLINE uint32_t shard_volume() const { return shard_rows() * shard_columns(); }
  FORCE_INLINE uint32_t tensor_volume() const { return rows() * columns(); }
  // What describes the distribution over banks is the accessor itself.
  FORCE_INLINE const TensorAccessor& dspec() const { return *this; }

  FORCE_INLINE bool is_local_addr(uint64_t noc_addr, uint8_t noc = noc_index) const {
    return NOC_UNICAST_ADDR_X(noc_addr) == my_x[noc] && NOC_UNICAST_ADDR_Y(noc_addr) == my_y[noc];
  }
  FORCE_INLINE bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y,
                                  uint8_t noc = noc_index) const {
    return virtual_x == my_x[noc] && virtual_y == my_y[noc];
  }
  FORCE_INLINE bool is_local_page(uint32_t page_id, uint8_t noc = noc_index) const {
    return is_local_addr(get_noc_addr(page_id, 0, noc), noc);
  }
  FORCE_INLINE bool is_local_shard(uint32_t shard_id, uint8_t noc = noc_index) const {
    return is_local_addr(get_shard_noc_addr(shard_id, 0, noc), noc);
  }

  // The pages [start, end) one after the other.
  auto pages(uint32_t start_page_id, uint32_t end_page_id, uint8_t noc = noc_index) const {
    const auto next = [start_page_id](uint32_t position, uint32_t) {
      return start_page_id + position;
    };
    return lightmetal::kernel::AccessorPages<TensorAccessor, decltype(next)>(
        *this, start_page_id, end_page_id - start_page_id, noc, next);
  }
  // The pages of a shard, without those that pad it, in the order in which they lie there.
  auto shard_pages(uint32_t shard_id, uint8_t noc = noc_index) const {
    require_sharded();
    require_shard(shard_id);
    const Block block = block_of(shard_id);
    const uint32_t width = columns();
    const auto next = [block, width](uint32_t position, uint32_t) {
      if (block.in_order) return block.first + position;
      return block.first + position / block.columns * width + position % block.columns;
    };
    return lightmetal::kernel::AccessorPages<TensorAccessor, decltype(next)>(
        *this, block.first, block.rows * block.columns, noc, next);
  }

 private:
  using Word = lightmetal::kernel::AccessorWord;
  static constexpr bool kInOrder = (Args::kFlags & lightmetal::kernel::kAccessorInOrder) != 0;

  struct ShardPage {
    uint32_t shard;
    uint32_t page;
  };
  struct Block {
    uint32_t first;
    uint32_t rows;
    uint32_t columns;
    bool in_order;
  };

  static constexpr void require_sharded() {
    static_assert(Args::is_sharded, "TensorAccessor: the buffer is not sharded");
  }
  FORCE_INLINE void require_shard(uint32_t shard) const {
    if (shard >= args.template word<Word::kNumShards>())
      lightmetal::kernel::fail("TensorAccessor: the page or shard lies outside the buffer");
  }

  FORCE_INLINE uint32_t rows() const { return args.template word<Word::kTensorRows>(); }
  FORCE_INLINE uint32_t columns() const { return args.template word<Word::kTensorColumns>(); }
  FORCE_INLINE uint32_t shard_rows() const { return args.template word<Word::kShardRows>(); }
  FORCE_INLINE uint32_t shard_columns() const { return args.template word<Word::kShardColumns>(); }
  FORCE_INLINE uint32_t blocks_in_row() const {
    return (columns() + shard_columns() - 1) / shard_columns();
  }

  FORCE_INLINE uint64_t address_in(uint32_t bank, uint32_t page, uint32_t offset) const {
    return lightmetal::kernel::bank_address<is_dram>(bank) + bank_base_address +
           uint64_t{page} * get_aligned_page_size() + offset;
  }

  FORCE_INLINE ShardPage shard_and_page(uint32_t id) const {
    ShardPage found{};
    if constexpr (kInOrder) {
      found = {id / shard_volume(), id % shard_volume()};
    } else {
      const uint32_t row = id / columns(), column = id % columns();
      found = {row / shard_rows() * blocks_in_row() + column / shard_columns(),
               row % shard_rows() * shard_columns() + column % shard_columns()};
    }
    require_shard(found.shard);
    return found;
  }

  static constexpr uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

  Block block_of(uint32_t shard) const {
    if constexpr (kInOrder) {
      const uint32_t first = least(shard * shard_volume(), tensor_volume());
      return {first, 1, least(shard_volume(), tensor_volume() - first), true};
    }
    const uint32_t row = least(shard / blocks_in_row() * shard_rows(), rows());
    const uint32_t column = shard % blocks_in_row() * shard_columns();
    return {row * columns() + column, least(shard_rows(), rows() - row),
            least(shard_columns(), columns() - column), false};
  }
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET, typename... Rest>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, Rest...)
    -> TensorAccessor<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>;

// By the names of mid-2025.
template <std::size_t CTA_BASE, std::size_t CRTA_BASE = tensor_accessor::UNKNOWN>
FORCE_INLINE constexpr auto make_tensor_accessor_args() {
  return TensorAccessorArgs<CTA_BASE, CRTA_BASE>();
}
template <typename Args>
FORCE_INLINE auto make_tensor_accessor_from_args(const Args& args, uint32_t bank_base_address_in,
                                                 uint32_t page_size_in) {
  return TensorAccessor<Args>(args, bank_base_address_in, page_size_in);
}

// A whole shard: all its pages, those that pad it included.
template <typename Args>
FORCE_INLINE void noc_async_read_shard(uint32_t shard_id, const TensorAccessor<Args>& s,
                                       uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(s.get_shard_noc_addr(shard_id, 0, noc), dst_local_l1_addr,
                               s.shard_volume() * s.get_aligned_page_size());
}

template <typename Args, bool posted = false>
FORCE_INLINE void noc_async_write_shard(uint32_t shard_id, const TensorAccessor<Args>& s,
                                        uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, s.get_shard_noc_addr(shard_id, 0, noc),
                                s.shard_volume() * s.get_aligned_page_size());
}
