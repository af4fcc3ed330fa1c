#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/refused_topk.h"
#include "lightmetal/sfpu.h"

// The steps of a bitonic top-K over columns. Two tiles of values at `idst` are 64 rows of 32
// columns; each column is sorted for itself, and the two tiles behind them move along as indices.
// Values are floats, or integers that are not negative; equal ones come in no special order.
namespace lightmetal::kernel {

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
        const bool swap = ascending ? key(a[i]) > key(b[i]) : key(a[i]) < key(b[i]);
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
  // Orders as the values do.
  static uint32_t key(uint32_t bits) {
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  }

  uint32_t* tiles_[4];
};

// Sequences of another size would leave the 64 rows.
FORCE_INLINE void check_topk_sequences(int m_iter, int k) {
  if (k < 1 || k > 64 || (k & (k - 1)) != 0) fail("top-K: k is not a power of two from 1 to 64");
  if (m_iter < 0 || m_iter > 30) fail("top-K: m_iter is not from 0 to 30");
}

// How far apart sequences of k values are that were 2^m_iter sequences apart at first: once they
// lie in different tiles, each is at the begin of one.
constexpr uint32_t topk_distance(int m_iter, int k) {
  return m_iter >= 6 || (k << m_iter) > 32 ? 32 : static_cast<uint32_t>(k << m_iter);
}

}  // namespace lightmetal::kernel

namespace ckernel {

// As of 2026: which of equal values stands first. None does here.
enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

template <auto... modes>
ALWI void topk_tile_init() {}

// Sorts runs of 2^(i_end_phase + 1) rows in directions that alternate; idir says whether the first
// is increasing.
template <bool stable_sort = false, auto... modes>
ALWI void topk_local_sort(uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0,
                          int i_end_step = 0, int i_start_step = 0) {
  static_assert(!stable_sort, "refused: topk_local_sort: equal values come in no special order");
  if (i_end_phase < 0 || i_end_phase > 5 || i_start_phase < 0 || i_start_phase > i_end_phase)
    lightmetal::kernel::fail("topk_local_sort: phases go from 0 to 5");
  if (i_end_step != 0 || i_start_step != 0)
    lightmetal::kernel::fail("topk_local_sort: parts of a phase are not supported");
  const lightmetal::kernel::TopKRows rows(idst);
  for (int phase = i_start_phase; phase <= i_end_phase; ++phase)
    rows.run_phase(static_cast<uint32_t>(phase), idir != 0);
}

// Of each two sequences of k values that are 2^m_iter sequences apart, which are sorted in opposite
// directions, the first gets the k greatest values of both, or the smallest when idir; the second
// the others.
template <bool idir = false, bool stable_sort = false, auto... modes>
ALWI void topk_merge(uint32_t idst, int m_iter, int k) {
  static_assert(!stable_sort, "refused: topk_merge: equal values come in no special order");
  lightmetal::kernel::check_topk_sequences(m_iter, k);
  const lightmetal::kernel::TopKRows rows(idst);
  const uint32_t distance = lightmetal::kernel::topk_distance(m_iter, k);
  for (uint32_t row = 0; row < 64; ++row) {
    const bool in_sequence = row % distance < static_cast<uint32_t>(k);
    if ((row & distance) == 0 && in_sequence) rows.exchange(row, row + distance, idir);
  }
}

// Sorts the sequences of k values that are 2^(m_iter + 1) sequences apart, in directions that
// alternate; idir says whether the first is increasing.
template <bool stable_sort = false, auto... modes>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second) {
  static_assert(!stable_sort, "refused: topk_rebuild: equal values come in no special order");
  lightmetal::kernel::check_topk_sequences(m_iter, k);
  if (logk != __builtin_ctz(static_cast<uint32_t>(k)))
    lightmetal::kernel::fail("topk_rebuild: logk is not the logarithm of k");
  const lightmetal::kernel::TopKRows rows(idst);
  const uint32_t length = static_cast<uint32_t>(k);
  const uint32_t distance = k == 64 ? 64 : lightmetal::kernel::topk_distance(m_iter + 1, k);
  const uint32_t end = skip_second != 0 && k < 64 ? 32 : 64;
  for (uint32_t begin = 0; begin < end; begin += distance)
    rows.sort(begin, length, idir != ((begin / distance & 1) != 0));
}

}  // namespace ckernel
