#pragma once

#include "api/tensor/tensor_binding_token.h"
#include "lightmetal/address_generators.h"
#include "lightmetal/tensor_accessor_args.h"
#include "lightmetal/tensor_pages.h"

// Finds the pages of a buffer, interleaved or sharded, at an address that is the same in each of
// its banks.

namespace lightmetal::kernel {

// What TensorAccessorArgs says of a buffer without words of its own.
template <bool kIsDram>
struct InterleavedArgs {
  static constexpr bool is_sharded = false;
  static constexpr bool is_dram = kIsDram;
  static constexpr uint32_t RankCT = 0;
  static constexpr uint32_t NumBanksCT = 0;

  constexpr uint32_t get_aligned_page_size() const { return 0; }
};

// A list of numbers that a buffer's description has: read where it is asked.
template <typename Read>
struct NumberList {
  Read read;
  uint32_t count;

  FORCE_INLINE uint32_t operator[](uint32_t index) const { return read(index); }
  constexpr uint32_t size() const { return count; }
};
template <typename Read>
NumberList(Read, uint32_t) -> NumberList<Read>;

}  // namespace lightmetal::kernel

namespace tensor_accessor {

struct PageMapping {
  uint32_t bank_id;
  uint32_t bank_page_offset;  // in pages
};

// How a buffer is distributed over its banks. All but the first group is for sharded buffers only.
template <typename Args>
struct DistributionSpec {
  static constexpr bool is_interleaved = !Args::is_sharded;
  static constexpr bool is_dram = Args::is_dram;
  static constexpr uint32_t rank_ct = Args::RankCT;
  static constexpr uint32_t num_banks_ct = Args::NumBanksCT;
  static constexpr bool has_static_rank = rank_ct != 0;
  static constexpr bool has_static_num_banks = num_banks_ct != 0;
  static constexpr bool tensor_shape_static = [] {
    if constexpr (is_interleaved)
      return false;
    else
      return has_static_rank && !Args::tensor_shape_is_crta;
  }();
  static constexpr bool shard_shape_static = [] {
    if constexpr (is_interleaved)
      return false;
    else
      return has_static_rank && !Args::shard_shape_is_crta;
  }();
  Args args;

  FORCE_INLINE uint32_t rank() const { return args.get_rank(); }
  FORCE_INLINE uint32_t num_banks() const { return args.get_num_banks(); }
  FORCE_INLINE bool resolve_shard_contiguous() const { return args.resolve_shard_contiguous(); }
  FORCE_INLINE auto tensor_shape() const {
    return lightmetal::kernel::NumberList{
        [its = args](uint32_t dimension) { return its.tensor_extent(dimension); }, rank()};
  }
  FORCE_INLINE auto shard_shape() const {
    return lightmetal::kernel::NumberList{
        [its = args](uint32_t dimension) { return its.shard_extent(dimension); }, rank()};
  }
  // How many shards stand beside each other in each dimension.
  FORCE_INLINE auto shard_grid() const {
    return lightmetal::kernel::NumberList{
        [its = *this](uint32_t dimension) { return its.shards_along(dimension); }, rank()};
  }
  // Two bytes for each bank (arg_config.hpp).
  FORCE_INLINE auto packed_xy_coords() const {
    return lightmetal::kernel::NumberList{
        [its = args](uint32_t bank) { return its.packed_bank(bank); }, num_banks()};
  }

  FORCE_INLINE uint32_t tensor_volume() const {
    return product([this](uint32_t dimension) { return args.tensor_extent(dimension); });
  }
  // In pages, those that pad a shard included.
  FORCE_INLINE uint32_t shard_volume() const {
    return product([this](uint32_t dimension) { return args.shard_extent(dimension); });
  }
  FORCE_INLINE uint32_t num_shards() const {
    return product([this](uint32_t dimension) { return shards_along(dimension); });
  }
  FORCE_INLINE uint32_t shards_along(uint32_t dimension) const {
    const uint32_t shard = args.shard_extent(dimension);
    return (args.tensor_extent(dimension) + shard - 1) / shard;
  }

 private:
  template <typename Extent>
  FORCE_INLINE uint32_t product(const Extent& extent) const {
    uint32_t result = 1;
    for (uint32_t dimension = 0; dimension < rank(); ++dimension) result *= extent(dimension);
    return result;
  }
};

using NullDSpec = DistributionSpec<lightmetal::kernel::InterleavedArgs<false>>;

// Of an interleaved buffer whose page size the accessor is given.
template <bool IsDram>
auto make_interleaved_dspec() {
  return DistributionSpec<lightmetal::kernel::InterleavedArgs<IsDram>>{};
}

}  // namespace tensor_accessor

template <typename DSpecT>
struct TensorAccessor {
  using DSpec = DSpecT;
  using PageMapping = tensor_accessor::PageMapping;
  static constexpr bool is_dram = DSpec::is_dram;

 private:
  static constexpr bool kSharded = !DSpec::is_interleaved;

  DSpec dspec_;
  uint32_t aligned_page_size_;

 public:
  uint32_t bank_base_address;
  uint32_t page_size;  // what the page calls move

  // A page size that is given is the distance of two pages, too, when it is aligned.
  template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
  FORCE_INLINE TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args,
                              std::size_t bank_base_address_in, uint32_t page_size_in)
      : TensorAccessor(DSpec{args}, bank_base_address_in, page_size_in) {}
  template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
  FORCE_INLINE TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args,
                              std::size_t bank_base_address_in)
      : TensorAccessor(args, bank_base_address_in, args.get_aligned_page_size()) {}
  FORCE_INLINE explicit TensorAccessor(const DSpec& dspec, std::size_t bank_base_address_in,
                                       uint32_t page_size_in = 0)
      : dspec_(dspec),
        aligned_page_size_(lightmetal::kernel::aligned_page<is_dram>(page_size_in)),
        bank_base_address(static_cast<uint32_t>(bank_base_address_in)),
        page_size(page_size_in) {}
  template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
  FORCE_INLINE TensorAccessor(
      tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> token)
      : TensorAccessor(typename decltype(token)::args_t{},
                       get_common_arg_val<uint32_t>(decltype(token)::kAddressArg)) {}
  FORCE_INLINE explicit TensorAccessor(const tensor_accessor::NullTensorBindingToken&)
      : TensorAccessor(DSpec{}, 0, 0) {}

  FORCE_INLINE uint32_t get_aligned_page_size() const { return aligned_page_size_; }
  FORCE_INLINE uint32_t get_bank_base_address() const { return bank_base_address; }
  FORCE_INLINE const DSpec& dspec() const { return dspec_; }

  // A page by its number or, of a sharded buffer, by its coordinates.
  FORCE_INLINE PageMapping get_bank_and_offset(uint32_t page_id) const {
    if constexpr (kSharded) {
      const ShardPlace place = place_of(page_id);
      const PageMapping first = first_page_of(place.shard);
      return {first.bank_id, first.bank_page_offset + place.page};
    } else {
      const uint32_t banks = lightmetal::kernel::num_banks<is_dram>();
      return {page_id % banks, page_id / banks};
    }
  }
  template <typename Coordinates>
  requires requires(const Coordinates& c) { c[0]; }
  FORCE_INLINE PageMapping get_bank_and_offset(const Coordinates& page_coord) const {
    return get_bank_and_offset(page_at(page_coord));
  }

  FORCE_INLINE uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    const auto [bank, page] = get_bank_and_offset(page_id);
    return address_in(bank, page, offset);
  }
  template <typename Coordinates>
  requires requires(const Coordinates& c) { c[0]; }
  FORCE_INLINE uint64_t get_noc_addr(const Coordinates& page_coord, uint32_t offset = 0,
                                     uint8_t noc = noc_index) const {
    return get_noc_addr(page_at(page_coord), offset, noc);
  }

  // Sharded buffers only: of others, whatever asks for a shard fails the launch.
  FORCE_INLINE uint64_t get_shard_noc_addr(uint32_t shard_id, uint32_t offset = 0,
                                           uint8_t noc = noc_index) const {
    require_shard(shard_id);
    const auto [bank, page] = first_page_of(shard_id);
    return address_in(bank, page, offset);
  }
  template <typename Coordinates>
  requires requires(const Coordinates& c) { c[0]; }
  FORCE_INLINE uint64_t get_shard_noc_addr(const Coordinates& shard_coord, uint32_t offset = 0,
                                           uint8_t noc = noc_index) const {
    uint32_t shard = 0;
    for (uint32_t i = 0; i < dspec_.rank(); ++i)
      shard = shard * dspec_.shards_along(i) + shard_coord[i];
    return get_shard_noc_addr(shard, offset, noc);
  }
  // By the names of mid-2025.
  FORCE_INLINE uint32_t num_shards() const { return dspec_.num_shards(); }
  FORCE_INLINE uint32_t shard_volume() const { return dspec_.shard_volume(); }
  FORCE_INLINE uint32_t tensor_volume() const { return dspec_.tensor_volume(); }

  FORCE_INLINE bool is_local_addr(uint64_t noc_addr, uint8_t noc = noc_index) const {
    return is_local_bank(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr), noc);
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

  // The pages [start, end) one after the other, none when the end is not behind the start. Of a
  // sharded buffer, whose pages are known, to its last one when the end is 0.
  auto pages(uint32_t start_page_id, uint32_t end_page_id, uint8_t noc = noc_index) const {
    if constexpr (kSharded) {
      if (end_page_id == 0) end_page_id = tensor_volume();
    }
    return tensor_accessor::Pages<TensorAccessor>(
        *this, start_page_id, end_page_id < start_page_id ? start_page_id : end_page_id, noc);
  }
  auto pages(uint32_t start_page_id = 0) const requires kSharded { return pages(start_page_id, 0); }
  // The pages [start, end) of a shard, without those that pad it, in the order in which they lie
  // there; to its last page when the end is 0.
  auto shard_pages(uint32_t shard_id, uint32_t start_page_offset = 0, uint32_t end_page_offset = 0,
                   uint8_t noc = noc_index) const {
    require_shard(shard_id);
    return tensor_accessor::ShardPages<TensorAccessor>(
        *this, shard_id, start_page_offset,
        end_page_offset == 0 ? dspec_.shard_volume() : end_page_offset, noc);
  }

  // The page that is number `page` of a shard; false for one that only pads it.
  bool page_of_shard(uint32_t shard, uint32_t page, uint32_t& page_id) const {
    uint32_t stride = 1;
    page_id = 0;
    for (uint32_t i = dspec_.rank(); i-- != 0;) {
      const uint32_t extent = dspec_.args.tensor_extent(i), in_shard = dspec_.args.shard_extent(i);
      const uint32_t along = dspec_.shards_along(i);
      const uint32_t coordinate = shard % along * in_shard + page % in_shard;
      if (coordinate >= extent) return false;
      page_id += coordinate * stride;
      stride *= extent;
      shard /= along;
      page /= in_shard;
    }
    return shard == 0;
  }

 private:
  struct ShardPlace {
    uint32_t shard;
    uint32_t page;
  };

  FORCE_INLINE void require_shard(uint32_t shard) const {
    if constexpr (!kSharded) {
      lightmetal::kernel::fail("TensorAccessor: the buffer is not sharded");
    } else if (shard >= dspec_.num_shards() && shard >= dspec_.num_banks()) {
      // A bank without pages of the tensor holds a shard, too.
      lightmetal::kernel::fail("TensorAccessor: the page or shard lies outside the buffer");
    }
  }

  FORCE_INLINE PageMapping first_page_of(uint32_t shard) const {
    const uint32_t banks = dspec_.num_banks();
    if (!dspec_.resolve_shard_contiguous())
      return {shard % banks, shard / banks * dspec_.shard_volume()};
    const uint32_t in_bank = dspec_.num_shards() / banks;
    return {shard / in_bank, shard % in_bank * dspec_.shard_volume()};
  }

  FORCE_INLINE ShardPlace place_of(uint32_t id) const {
    ShardPlace place{0, 0};
    uint32_t shards = 1, pages = 1;
    for (uint32_t i = dspec_.rank(); i-- != 0;) {
      const uint32_t extent = dspec_.args.tensor_extent(i), in_shard = dspec_.args.shard_extent(i);
      const uint32_t coordinate = id % extent;
      place.shard += coordinate / in_shard * shards;
      place.page += coordinate % in_shard * pages;
      shards *= (extent + in_shard - 1) / in_shard;
      pages *= in_shard;
      id /= extent;
    }
    if (id != 0)
      lightmetal::kernel::fail("TensorAccessor: the page or shard lies outside the buffer");
    return place;
  }

  template <typename Coordinates>
  FORCE_INLINE uint32_t page_at(const Coordinates& coordinates) const {
    uint32_t page = 0;
    for (uint32_t i = 0; i < dspec_.rank(); ++i)
      page = page * dspec_.args.tensor_extent(i) + coordinates[i];
    return page;
  }

  FORCE_INLINE uint64_t bank_address(uint32_t bank) const {
    if constexpr (!kSharded) {
      return lightmetal::kernel::bank_address<is_dram>(bank);
    } else {
      const uint32_t packed = dspec_.args.packed_bank(bank);
      if constexpr (is_dram)
        return lightmetal::kernel::bank_address<true>(packed);
      else
        return lightmetal::kernel::noc_coordinate(packed >> 8, packed & 0xff);
    }
  }

  FORCE_INLINE uint64_t address_in(uint32_t bank, uint32_t page, uint32_t offset) const {
    return bank_address(bank) + bank_base_address + uint64_t{page} * aligned_page_size_ + offset;
  }
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET, typename... Rest>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, Rest...) -> TensorAccessor<
    tensor_accessor::DistributionSpec<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <typename Args, typename... Rest>
TensorAccessor(const tensor_accessor::DistributionSpec<Args>&, Rest...)
    -> TensorAccessor<tensor_accessor::DistributionSpec<Args>>;
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
    -> TensorAccessor<tensor_accessor::DistributionSpec<
        typename tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>::args_t>>;
TensorAccessor(const tensor_accessor::NullTensorBindingToken&)
    ->TensorAccessor<tensor_accessor::NullDSpec>;

// By the name of mid-2025.
template <typename Args>
FORCE_INLINE auto make_tensor_accessor_from_args(const Args& args, uint32_t bank_base_address_in,
                                                 uint32_t page_size_in) {
  return TensorAccessor(args, bank_base_address_in, page_size_in);
}

// Accessors of any kind as one type. Refers to the accessor.
class AbstractTensorAccessorWrapper {
 public:
  AbstractTensorAccessorWrapper() = default;
  template <typename Accessor>
  AbstractTensorAccessorWrapper(const Accessor& accessor)
      : accessor_(&accessor),
        address_([](const void* its_accessor, uint32_t page, uint32_t offset, uint8_t noc) {
          return static_cast<const Accessor*>(its_accessor)->get_noc_addr(page, offset, noc);
        }) {}

  uint64_t get_noc_addr(uint32_t page_idx, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return address_(accessor_, page_idx, offset, noc);
  }

 private:
  const void* accessor_ = nullptr;
  uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};

// The pages, and the shards, of an accessor as endpoints of the NoC. They refer to the accessor.
template <typename Accessor>
struct PageView {
  const Accessor& accessor;

  explicit PageView(const Accessor& acc) : accessor(acc) {}
  uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc) const {
    return accessor.get_noc_addr(page_id, offset, noc);
  }
};
template <typename Accessor>
struct ShardView {
  const Accessor& accessor;

  explicit ShardView(const Accessor& acc) : accessor(acc) {}
  bool is_local_shard(uint32_t shard_id, uint8_t noc) const {
    return accessor.is_local_shard(shard_id, noc);
  }
  uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc) const {
    return accessor.get_shard_noc_addr(shard_id, offset, noc);
  }
};

// A whole shard: all its pages, those that pad it included.
template <typename DSpec>
FORCE_INLINE void noc_async_read_shard(uint32_t shard_id, const TensorAccessor<DSpec>& s,
                                       uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(s.get_shard_noc_addr(shard_id, 0, noc), dst_local_l1_addr,
                               s.shard_volume() * s.get_aligned_page_size());
}

template <typename DSpec, bool posted = false>
FORCE_INLINE void noc_async_write_shard(uint32_t shard_id, const TensorAccessor<DSpec>& s,
                                        uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, s.get_shard_noc_addr(shard_id, 0, noc),
                                s.shard_volume() * s.get_aligned_page_size());
}
