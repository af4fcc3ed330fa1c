#include "device/cpu/tiles/bfloat16_product.h"

#include "device/cpu/tiles/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#endif

namespace lightmetal::device::cpu {

#if defined(__x86_64__)
namespace {

// ---- AMX ----

#define LIGHTMETAL_AMX __attribute__((target("amx-tile,amx-bf16")))

class AmxEngine {
 public:
  LIGHTMETAL_AMX AmxEngine() {
    struct alignas(64) Configuration {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    // A constant, because GCC 12 believes that the instruction reads the first eight bytes only,
    // and would leave out stores to the others.
    static constexpr Configuration configuration;
    static_assert(sizeof(configuration) == 64);
    _tile_loadconfig(&configuration);
  }
  LIGHTMETAL_AMX ~AmxEngine() { _tile_release(); }
  AmxEngine(const AmxEngine&) = delete;
  AmxEngine& operator=(const AmxEngine&) = delete;

  // The number of a register is part of the instruction, so each case has an instruction of its
  // own.
  LIGHTMETAL_AMX void load(int index, const void* rows) {
    switch (index) {
      case 0:
        _tile_loadd(0, rows, 64);
        return;
      case 1:
        _tile_loadd(1, rows, 64);
        return;
      case 2:
        _tile_loadd(2, rows, 64);
        return;
      case 3:
        _tile_loadd(3, rows, 64);
        return;
      case 4:
        _tile_loadd(4, rows, 64);
        return;
      case 5:
        _tile_loadd(5, rows, 64);
        return;
      case 6:
        _tile_loadd(6, rows, 64);
        return;
      case 7:
        _tile_loadd(7, rows, 64);
        return;
    }
  }

  LIGHTMETAL_AMX void store(int index, void* rows) const {
    switch (index) {
      case 0:
        _tile_stored(0, rows, 64);
        return;
      case 1:
        _tile_stored(1, rows, 64);
        return;
      case 2:
        _tile_stored(2, rows, 64);
        return;
      case 3:
        _tile_stored(3, rows, 64);
        return;
    }
  }

  LIGHTMETAL_AMX void multiply(int index) {
    switch (index) {
      case 0:
        _tile_dpbf16ps(0, 4, 6);
        return;
      case 1:
        _tile_dpbf16ps(1, 4, 7);
        return;
      case 2:
        _tile_dpbf16ps(2, 5, 6);
        return;
      case 3:
        _tile_dpbf16ps(3, 5, 7);
        return;
    }
  }
};

void multiply_with_amx(const TileBlock& block) {
  AmxEngine engine;
  multiply_block_on_engine(engine, block);
}

// ---- AVX512-BF16 ----

#define LIGHTMETAL_DOTS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

// How many rows of the sum are kept in registers at once. Each is two vectors.
constexpr size_t kRows = 8;

LIGHTMETAL_DOTS inline __m512 add_dots(__m512 sum, const uint16_t* left, __m512i right) {
  int pair;
  std::memcpy(&pair, left, sizeof(pair));
  return _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32(pair), (__m512bh)right);
}

// Multiplies rows [0, kRows) of `left` and adds them to those of `sums`, both within a face. A left
// tile is used as it lies, since its pairs are neighbours in a row.
LIGHTMETAL_DOTS inline void multiply_rows(const uint16_t* left, const RightPairs& right,
                                          float* sums) {
  __m512 first[kRows], second[kRows];
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row) {
    first[row] = _mm512_loadu_ps(sums + row * 16);
    second[row] = _mm512_loadu_ps(sums + 256 + row * 16);
  }
  for (size_t pair = 0; pair < 16; ++pair) {
    const __m512i right_first = _mm512_load_si512(right.pairs[0][pair]);
    const __m512i right_second = _mm512_load_si512(right.pairs[1][pair]);
    const uint16_t* pairs = left + pair / 8 * 256 + pair % 8 * 2;
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
      first[row] = add_dots(first[row], pairs + row * 16, right_first);
      second[row] = add_dots(second[row], pairs + row * 16, right_second);
    }
  }
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row) {
    _mm512_storeu_ps(sums + row * 16, first[row]);
    _mm512_storeu_ps(sums + 256 + row * 16, second[row]);
  }
}

// pack_right() by one instruction for each pair of rows: two rows of a face are 32 elements, and
// their pairs are the first with the seventeenth, and so on.
LIGHTMETAL_DOTS inline void pack_right_quickly(const void* tile, RightPairs& packed) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const auto* elements = static_cast<const uint16_t*>(tile);
  for (size_t half = 0; half < 2; ++half) {
    for (size_t pair = 0; pair < 16; ++pair) {
      const __m512i rows = _mm512_loadu_si512(elements + row_in_faces(2 * pair, half));
      _mm512_store_si512(packed.pairs[half][pair], _mm512_permutexvar_epi16(order, rows));
    }
  }
}

LIGHTMETAL_DOTS void multiply_with_dots(const TileBlock& block) {
  RightPairs right;
  for (uint32_t column = 0; column < block.columns; ++column) {
    if (block.transpose_right) {
      pack_transposed_right(block.right[column], right);
    } else {
      pack_right_quickly(block.right[column], right);
    }
    for (uint32_t row = 0; row < block.rows; ++row) {
      const auto* left = static_cast<const uint16_t*>(block.left[row]);
      float* sums = block.sums[row * block.columns + column];
      for (size_t i = 0; i < 32; i += kRows)
        multiply_rows(left + row_in_faces(i, 0), right, sums + row_in_faces(i, 0));
    }
  }
}

using Multiply = void (*)(const TileBlock&);

Multiply choose() {
  if (has_amx_bf16()) return multiply_with_amx;
  return has_avx512_bf16() ? multiply_with_dots : nullptr;
}

Multiply chosen() {
  static const Multiply multiply = choose();
  return multiply;
}

}  // namespace

bool multiplies_bfloat16() { return chosen() != nullptr; }

void multiply_bfloat16(const TileBlock& block) { chosen()(block); }

#else

bool multiplies_bfloat16() { return false; }

void multiply_bfloat16(const TileBlock&) { std::abort(); }

#endif

}  // namespace lightmetal::device::cpu
