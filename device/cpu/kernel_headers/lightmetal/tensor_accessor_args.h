#pragma once

#include <hostdevcommon/tensor_accessor/arg_config.hpp>

#include "lightmetal/args.h"

// Where the pages of a buffer lie, as TensorAccessorArgs(buffer) of a host program wrote it down
// among a kernel's arguments. arg_config.hpp says what the words mean; programs and kernels only
// count them, so that kernels of 2025, whose arguments had no word for the page size, work as well.

namespace tensor_accessor {

inline constexpr std::size_t MAX_RANK = 8;
inline constexpr std::size_t UNKNOWN = ~std::size_t{0};

}  // namespace tensor_accessor

// The arguments of one buffer: compile-time ones from index CTA_OFFSET, common ones from index
// CRTA_OFFSET or, when that is not given, the index that is given to the constructor, or 0.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
  static_assert(get_ct_arg<CTA_OFFSET>() < 256,
                "TensorAccessorArgs: the compile-time argument of this index is none that "
                "TensorAccessorArgs of a host program appended");
  static constexpr auto args_config =
      static_cast<tensor_accessor::ArgConfig>(get_ct_arg<CTA_OFFSET>());
  static constexpr bool at_run_time(tensor_accessor::ArgConfig part) {
    return tensor_accessor::has(args_config, part);
  }

  static constexpr bool is_sharded = has(args_config, tensor_accessor::ArgConfig::Sharded);
  static constexpr bool is_dram = has(args_config, tensor_accessor::ArgConfig::IsDram);
  static constexpr bool rank_is_crta = at_run_time(tensor_accessor::ArgConfig::RuntimeRank);
  static constexpr bool num_banks_is_crta =
      at_run_time(tensor_accessor::ArgConfig::RuntimeNumBanks);
  static constexpr bool tensor_shape_is_crta =
      at_run_time(tensor_accessor::ArgConfig::RuntimeTensorShape);
  static constexpr bool shard_shape_is_crta =
      at_run_time(tensor_accessor::ArgConfig::RuntimeShardShape);
  static constexpr bool bank_coords_is_crta =
      at_run_time(tensor_accessor::ArgConfig::RuntimeBankCoords);
  static constexpr bool page_size_is_crta =
      at_run_time(tensor_accessor::ArgConfig::RuntimePageSize);
  static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
                "TensorAccessorArgs: a rank at run time needs both shapes at run time");
  static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
                "TensorAccessorArgs: a number of banks at run time needs the banks at run time");
  static_assert(!is_sharded || !page_size_is_crta,
                "TensorAccessorArgs: the page size of a sharded buffer is known at compile time");

  // Where the compile-time parts begin. A part at run time takes no room here.
  static constexpr uint32_t AlignedPageSizeCTAOffset = CTA_OFFSET + 1;
  static constexpr uint32_t RankCTAOffset = AlignedPageSizeCTAOffset + (page_size_is_crta ? 0 : 1);
  static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + (rank_is_crta ? 0 : 1);
  static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + (num_banks_is_crta ? 0 : 1);

  // 0 where it is not known at compile time, or not there.
  static constexpr uint32_t AlignedPageSize = [] {
    if constexpr (page_size_is_crta)
      return 0u;
    else
      return get_ct_arg<AlignedPageSizeCTAOffset>();
  }();
  static constexpr uint32_t RankCT = [] {
    if constexpr (!is_sharded || rank_is_crta)
      return 0u;
    else
      return get_ct_arg<RankCTAOffset>();
  }();
  static constexpr uint32_t NumBanksRawCT = [] {
    if constexpr (!is_sharded || num_banks_is_crta)
      return 0u;
    else
      return get_ct_arg<NumBanksCTAOffset>();
  }();
  static constexpr uint32_t NumBanksCT = tensor_accessor::unpack_num_banks(NumBanksRawCT);
  static constexpr uint32_t PhysicalNumBanksCT = (NumBanksCT + 1) / 2;
  // False where the number of banks is not known at compile time; resolve_shard_contiguous() knows.
  static constexpr bool is_shard_contiguous =
      tensor_accessor::unpack_is_shard_contiguous(NumBanksRawCT);
  static_assert(RankCT <= tensor_accessor::MAX_RANK, "TensorAccessorArgs: the rank is at most 8");

  static constexpr uint32_t ShardShapeCTAOffset =
      TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
  static constexpr uint32_t BankCoordsCTAOffset =
      ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);

  constexpr TensorAccessorArgs() = default;
  constexpr explicit TensorAccessorArgs(std::size_t crta_offset)
      : crta_offset_(static_cast<uint32_t>(crta_offset)) {}

  static constexpr uint32_t num_compile_time_args() {
    if constexpr (!is_sharded) return RankCTAOffset - CTA_OFFSET;
    return BankCoordsCTAOffset - CTA_OFFSET + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2);
  }
  static constexpr uint32_t next_compile_time_args_offset() {
    return CTA_OFFSET + num_compile_time_args();
  }
  // Constants where the rank and the number of banks are.
  constexpr uint32_t num_common_runtime_args() const {
    if constexpr (!is_sharded)
      return page_size_is_crta ? 1 : 0;
    else
      return bank_coords_crta_offset() - crta_offset() +
             (bank_coords_is_crta ? (get_num_banks() + 1) / 2 : 0);
  }
  constexpr uint32_t next_common_runtime_args_offset() const {
    return crta_offset() + num_common_runtime_args();
  }

  // Where the common runtime parts begin.
  constexpr uint32_t crta_offset() const {
    return CRTA_OFFSET == tensor_accessor::UNKNOWN ? crta_offset_
                                                   : static_cast<uint32_t>(CRTA_OFFSET);
  }
  constexpr uint32_t rank_crta_offset() const {
    return crta_offset() + (page_size_is_crta ? 1 : 0);
  }
  constexpr uint32_t num_banks_crta_offset() const {
    return rank_crta_offset() + (rank_is_crta ? 1 : 0);
  }
  constexpr uint32_t tensor_shape_crta_offset() const {
    return num_banks_crta_offset() + (num_banks_is_crta ? 1 : 0);
  }
  constexpr uint32_t shard_shape_crta_offset() const {
    return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
  }
  constexpr uint32_t bank_coords_crta_offset() const {
    return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
  }

  constexpr uint32_t get_aligned_page_size() const {
    if constexpr (page_size_is_crta)
      return common(crta_offset());
    else
      return AlignedPageSize;
  }
  // Sharded buffers only, as all that follows.
  constexpr uint32_t get_rank() const {
    if constexpr (rank_is_crta)
      return common(rank_crta_offset());
    else
      return RankCT;
  }
  constexpr uint32_t get_num_banks() const {
    if constexpr (num_banks_is_crta)
      return tensor_accessor::unpack_num_banks(common(num_banks_crta_offset()));
    else
      return NumBanksCT;
  }
  // True if each bank has a run of consecutive shards.
  constexpr bool resolve_shard_contiguous() const {
    if constexpr (num_banks_is_crta)
      return tensor_accessor::unpack_is_shard_contiguous(common(num_banks_crta_offset()));
    else
      return is_shard_contiguous;
  }
  constexpr uint32_t get_physical_num_banks() const { return (get_num_banks() + 1) / 2; }

  FORCE_INLINE uint32_t tensor_extent(uint32_t dimension) const {
    return word<tensor_shape_is_crta>(TensorShapeCTAOffset, tensor_shape_crta_offset(), dimension);
  }
  FORCE_INLINE uint32_t shard_extent(uint32_t dimension) const {
    return word<shard_shape_is_crta>(ShardShapeCTAOffset, shard_shape_crta_offset(), dimension);
  }
  FORCE_INLINE uint32_t packed_bank(uint32_t bank) const {
    const uint32_t pair =
        word<bank_coords_is_crta>(BankCoordsCTAOffset, bank_coords_crta_offset(), bank / 2);
    return pair >> (bank % 2 * 16) & 0xffff;
  }

 private:
  static FORCE_INLINE uint32_t common(uint32_t index) {
    return get_common_arg_val<uint32_t>(static_cast<int>(index));
  }
  template <bool kAtRunTime>
  static FORCE_INLINE uint32_t word(uint32_t cta_offset, uint32_t crta_offset, uint32_t index) {
    if constexpr (kAtRunTime)
      return common(crta_offset + index);
    else
      return lightmetal::kernel::compile_time_arg(cta_offset + index);
  }

  uint32_t crta_offset_ = 0;
};

// By the name of mid-2025.
template <std::size_t CTA_BASE, std::size_t CRTA_BASE = tensor_accessor::UNKNOWN>
constexpr auto make_tensor_accessor_args() {
  return TensorAccessorArgs<CTA_BASE, CRTA_BASE>();
}
