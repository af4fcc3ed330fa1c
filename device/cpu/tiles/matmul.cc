#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/matmul.cc"
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)  // no arrays of vectors there
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;  // a row of a face
using Vector = hn::Vec<Tag>;

// How many rows of the result are summed up in registers at once. Each is two vectors wide.
constexpr size_t kRows = HWY_MAX_BYTES >= 64 ? 8 : 4;

constexpr size_t column_offset(size_t column) { return column / 16 * kFaceElements + column % 16; }

// Adds to kRows rows of the result, two vectors wide. The sums stay in registers for all 32 steps
// of the inner index, whose two halves lie in two faces of `a` and of `b`. `second` is how far the
// second vector lies behind the first.
template <size_t... Row>
HWY_INLINE void add_block(const float* a, const float* b, float* target, size_t second,
                          std::index_sequence<Row...>) {
  const Tag tag;
  Vector left[] = {hn::LoadU(tag, target + Row * 16)...};
  Vector right[] = {hn::LoadU(tag, target + second + Row * 16)...};
  for (size_t face = 0; face < 2; ++face, a += kFaceElements, b += 2 * kFaceElements) {
    for (size_t k = 0; k < 16; ++k) {
      const Vector b0 = hn::LoadU(tag, b + k * 16);
      const Vector b1 = hn::LoadU(tag, b + k * 16 + second);
      ((left[Row] = hn::MulAdd(hn::Set(tag, a[Row * 16 + k]), b0, left[Row]),
        right[Row] = hn::MulAdd(hn::Set(tag, a[Row * 16 + k]), b1, right[Row])),
       ...);
    }
  }
  ((hn::StoreU(left[Row], tag, target + Row * 16),
    hn::StoreU(right[Row], tag, target + second + Row * 16)),
   ...);
}

void matmul(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, float* HWY_RESTRICT target) {
  const size_t lanes = hn::Lanes(Tag());
  for (size_t column = 0; column < 32; column += 2 * lanes) {
    const size_t first = column_offset(column);
    const size_t second = column_offset(column + lanes) - first;
    for (size_t row = 0; row < 32; row += kRows) {
      const size_t offset = row / 16 * 2 * kFaceElements + row % 16 * 16;
      add_block(a + offset, b + first, target + offset + first, second,
                std::make_index_sequence<kRows>());
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(matmul);

// Transposes each face and swaps the two off the diagonal.
void transpose(const float* source, float* target) {
  constexpr uint32_t kSwapped[] = {0, 2, 1, 3};
  for (uint32_t face = 0; face < 4; ++face) {
    const float* from = source + kSwapped[face] * kFaceElements;
    float* to = target + face * kFaceElements;
    for (uint32_t i = 0; i < kFaceElements; ++i) to[i] = from[i % 16 * 16 + i / 16];
  }
}

}  // namespace

void matmul_floats(const float* a, const float* b, bool transpose_b, float* target) {
  if (!transpose_b) return HWY_DYNAMIC_DISPATCH(matmul)(a, b, target);
  alignas(64) float transposed[kTileElements];
  transpose(b, transposed);
  HWY_DYNAMIC_DISPATCH(matmul)(a, transposed, target);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
