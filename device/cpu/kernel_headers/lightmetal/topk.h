#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/refused_topk.h"
#include "lightmetal/sfpu.h"

// The steps of a bitonic top-K over columns. Two tiles of values at `idst` are 64 rows of 32
// columns; each column is sorted for itself, and the two tiles behind them move along as indices.
// Values are floats, or integers that are not negative; equal ones come in no special order unless
// a stable sort says which of them stands first.
namespace ckernel {

// As of 2026: the direction in which a stable sort goes as a whole; equal values stand in the order
// of their indices in it.
enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
  return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

}  // namespace ckernel

namespace lightmetal::kernel {

template <ckernel::TopkTieOrder kOrder = ckernel::TopkTieOrder::Unset>
class TopKRows {
 public:
  FORCE_INLINE explicit TopKRows(uint32_t dst) {
    for (uint32_t i = 0; i < 4; ++i) {
      tiles_[i] = static_cast<uint32_t*>(dst_words(dst + i, /*integers=*/i >= 2));
    }
  }

  // Leaves the smaller value in `first` when `ascending`, else the greater one.
  void exchange(uint32_t first, uint32_t second, bool ascending) const {
    for (uint32_t half = 0; half < 2; ++half) {
      uint32_t* a = part(first, half);
      uint32_t* b = part(second, half);
      uint32_t* a_index = part(first + 64, half);
      uint32_t* b_index = part(second + 64, half);
      for (uint32_t i = 0; i < 16; ++i) {
        const auto left = key(a[i], a_index[i]), right = key(b[i], b_index[i]);
        const bool swap = ascending ? left > right : left < right;
        const uint32_t low = a[i], high = b[i], low_index = a_index[i], high_index = b_index[i];
        a[i] = swap ? high : low;
        b[i] = swap ? low : high;
        a_index[i] = swap ? high_index : low_index;
        b_index[i] = swap ? low_index : high_index;
      }
    }
  }

  // Sorts runs of 2^(phase + 1) rows, whose halves are sorted against each other, in directions
  // that alternate.
  void run_phase(uint32_t phase, bool ascending) const {
    for (uint32_t distance = 1u << phase; distance > 0; distance /= 2) {
      for (uint32_t row = 0; row < 64; ++row) {
        if ((row & distance) == 0)
          exchange(row, row + distance, ascending != ((row >> (phase + 1) & 1) != 0));
      }
    }
  }

  // Sorts `length` rows, a power of two, from `begin` on.
  void sort(uint32_t begin, uint32_t length, bool ascending) const {
    for (uint32_t run = 2; run <= length; run *= 2) {
      for (uint32_t distance = run / 2; distance > 0; distance /= 2) {
        for (uint32_t row = 0; row < length; ++row) {
          if ((row & distance) == 0)
            exchange(begin + row, begin + row + distance,
                     ascending != (run < length && (row & run) != 0));
        }
      }
    }
  }

 private:
  // Half a row: 16 columns. The rows from 64 on are the indices.
  uint32_t* part(uint32_t row, uint32_t half) const {
    return tiles_[row / 32] + (row % 32 / 16 * 2 + half) * 256 + row % 16 * 16;
  }
  // Orders as the values do and, of equal ones, as the indices do in the direction of the sort.
  static auto key(uint32_t bits, uint32_t index) {
    const uint32_t value = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    if constexpr (kOrder == ckernel::TopkTieOrder::Unset) {
      return value;
    } else {
      const uint32_t place = kOrder == ckernel::TopkTieOrder::Descending ? ~index : index;
      return uint64_t{value} << 32 | place;
    }
  }

  uint32_t* tiles_[4];
};

// Sequences of another size would leave the 64 rows.
FORCE_INLINE void check_topk_sequences(int m_iter, int k) {
  if (k < 1 || k > 64 || (k & (k - 1)) != 0) fail("top-K: k is not a power of two from 1 to 64");
  if (m_iter < 0 || m_iter > 30) fail("top-K: m_iter is not from 0 to 30");
}

// The rows as a sort with these template arguments orders them.
template <bool stable_sort, bool rank_stamped, ckernel::TopkTieOrder tie_order>
FORCE_INLINE auto topk_rows(uint32_t dst) {
  using Order = ckernel::TopkTieOrder;
  static_assert(!stable_sort || tie_order != Order::Unset,
                "refused: top-K: a stable sort needs a TopkTieOrder");
  static_assert(!rank_stamped, "refused: top-K: values have no tags for the order of equal ones");
  return TopKRows < stable_sort ? tie_order : Order::Unset > (dst);
}

// The lower half of a fused word for an index of 16 bits, and back: of two words of equal values,
// the one with the smaller index stands first in a sort that puts the greatest (or smallest) value
// first.
template <bool largest>
constexpr uint32_t fused_index(uint32_t value, uint32_t index) {
  const bool positive = (value & 0x80000000u) == 0;
  return (positive == largest ? ~index : index) & 0xffff;
}

// The words of a tile of DST, which is one of integers, or of floats, from now on.
FORCE_INLINE uint32_t* dst_words_as(uint32_t dst, bool integers) {
  using kernel_abi::DstUse;
  return static_cast<uint32_t*>(
      sfpu().dst_values(context(), dst, integers ? DstUse::kWriteIntegers : DstUse::kWriteFloats));
}

// How far apart sequences of k values are that were 2^m_iter sequences apart at first: once they
// lie in different tiles, each is at the begin of one.
constexpr uint32_t topk_distance(int m_iter, int k) {
  return m_iter >= 6 || (k << m_iter) > 32 ? 32 : static_cast<uint32_t>(k << m_iter);
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <auto... modes>
ALWI void topk_tile_init() {}

// Sorts runs of 2^(i_end_phase + 1) rows in directions that alternate; idir says whether the first
// is increasing.
template <bool stable_sort = false, bool is_fp32_dest_acc_en = false, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_local_sort(uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0,
                          int i_end_step = 0, int i_start_step = 0) {
  if (i_end_phase < 0 || i_end_phase > 5 || i_start_phase < 0 || i_start_phase > i_end_phase)
    lightmetal::kernel::fail("topk_local_sort: phases go from 0 to 5");
  if (i_end_step != 0 || i_start_step != 0)
    lightmetal::kernel::fail("topk_local_sort: parts of a phase are not supported");
  const auto rows = lightmetal::kernel::topk_rows<stable_sort, rank_stamped, tie_order>(idst);
  for (int phase = i_start_phase; phase <= i_end_phase; ++phase)
    rows.run_phase(static_cast<uint32_t>(phase), idir != 0);
}

// Of each two sequences of k values that are 2^m_iter sequences apart, which are sorted in opposite
// directions, the first gets the k greatest values of both, or the smallest when idir; the second
// the others.
template <bool idir = false, bool stable_sort = false, bool is_fp32_dest_acc_en = false,
          bool fused = false, bool rank_stamped = false,
          TopkTieOrder tie_order = TopkTieOrder::Unset, uint32_t tag_bits = 16>
ALWI void topk_merge(uint32_t idst, int m_iter, int k) {
  lightmetal::kernel::check_topk_sequences(m_iter, k);
  const auto rows = lightmetal::kernel::topk_rows<stable_sort, rank_stamped, tie_order>(idst);
  const uint32_t distance = lightmetal::kernel::topk_distance(m_iter, k);
  for (uint32_t row = 0; row < 64; ++row) {
    const bool in_sequence = row % distance < static_cast<uint32_t>(k);
    if ((row & distance) == 0 && in_sequence) rows.exchange(row, row + distance, idir);
  }
}

// Sorts the sequences of k values that are 2^(m_iter + 1) sequences apart, in directions that
// alternate; idir says whether the first is increasing.
template <bool stable_sort = false, bool is_fp32_dest_acc_en = false, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second) {
  lightmetal::kernel::check_topk_sequences(m_iter, k);
  if (logk != __builtin_ctz(static_cast<uint32_t>(k)))
    lightmetal::kernel::fail("topk_rebuild: logk is not the logarithm of k");
  const auto rows = lightmetal::kernel::topk_rows<stable_sort, rank_stamped, tie_order>(idst);
  const uint32_t length = static_cast<uint32_t>(k);
  const uint32_t distance = k == 64 ? 64 : lightmetal::kernel::topk_distance(m_iter + 1, k);
  const uint32_t end = skip_second != 0 && k < 64 ? 32 : 64;
  for (uint32_t begin = 0; begin < end; begin += distance)
    rows.sort(begin, length, idir != ((begin / distance & 1) != 0));
}

// Words that are sorted with their indices in them, as of 2026: values that are bfloat16 numbers,
// in two tiles, take the indices of 16 bits in the tiles behind them into their lower halves.
// `largest` says that the whole sort puts the greatest value first. The words are integers to DST,
// since they pass circular buffers as they are, which have the format UInt32.
template <bool largest>
ALWI void topk_fuse_tile(uint32_t idst) {
  using namespace lightmetal::kernel;
  for (uint32_t tile = idst; tile < idst + 2; ++tile) {
    auto* values = static_cast<uint32_t*>(dst_operand(tile, false));
    const auto* indices = static_cast<const uint32_t*>(dst_operand(tile + 2, true));
    for (uint32_t i = 0; i < 1024; ++i)
      values[i] = (values[i] & 0xffff0000) | fused_index<largest>(values[i], indices[i]);
    dst_words_as(tile, true);
  }
}
// The values and their indices again, of `num_tiles` tiles.
template <bool largest>
ALWI void topk_defuse_tile(uint32_t idst, uint32_t num_tiles) {
  using namespace lightmetal::kernel;
  for (uint32_t tile = idst; tile < idst + num_tiles; ++tile) {
    dst_operand(tile, true);
    uint32_t* values = dst_words_as(tile, false);
    uint32_t* indices = dst_words_as(tile + 2, true);
    for (uint32_t i = 0; i < 1024; ++i) {
      indices[i] = fused_index<largest>(values[i], values[i]);
      values[i] &= 0xffff0000;
    }
  }
}

// Makes zeros of two tiles equal, for a stable sort.
template <auto... modes>
ALWI void topk_canonicalize_negzero_values(uint32_t idst) {
  using namespace lightmetal::kernel;
  for (uint32_t tile = idst; tile < idst + 2; ++tile) {
    auto* values = static_cast<uint32_t*>(dst_words(tile, false));
    for (uint32_t i = 0; i < 1024; ++i) values[i] = values[i] == 0x80000000 ? 0 : values[i];
  }
}

// Integers of 16 bits lie in DST as integers, from which they are packed: nothing is to be moved.
template <auto... modes>
ALWI void topk_finalize_uint16_indices(uint32_t idst) {}
ALWI void topk_uint16_prepare_value_tile_for_pack(uint32_t idst) {}
// The same of words whose upper halves are to be dropped.
template <auto... modes>
ALWI void topk_uint16_move_dest_tile_to_pack_half(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kAnd, idst, 0xffff);
}

}  // namespace ckernel
