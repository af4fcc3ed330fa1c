#include "device/cpu/tiles/shapes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/shapes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;

// Sixteen elements of one value.
HWY_INLINE void fill_row(float value, float* target) {
  const Tag tag;
  for (size_t i = 0; i < 16; i += hn::Lanes(tag)) hn::StoreU(hn::Set(tag, value), tag, target + i);
}

HWY_INLINE void copy_row(const float* source, float* target) {
  const Tag tag;
  for (size_t i = 0; i < 16; i += hn::Lanes(tag)) {
    hn::StoreU(hn::LoadU(tag, source + i), tag, target + i);
  }
}

void broadcast_column(const float* source, float* target) {
  for (size_t face = 0; face < 4; ++face) {
    const float* from = source + face / 2 * 2 * kFaceElements;
    for (size_t row = 0; row < 16; ++row) {
      fill_row(from[row * 16], target + face * kFaceElements + row * 16);
    }
  }
}

void broadcast_row(uint32_t which, const float* source, float* target) {
  const float* from = source + which / 16 * 2 * kFaceElements + which % 16 * 16;
  for (size_t face = 0; face < 4; ++face) {
    for (size_t row = 0; row < 16; ++row) {
      copy_row(from + face % 2 * kFaceElements, target + face * kFaceElements + row * 16);
    }
  }
}

void broadcast_scalar(float value, float* target) {
  for (size_t i = 0; i < kTileElements; i += 16) fill_row(value, target + i);
}

// ---- Reduction ----

struct Sum {
  HWY_INLINE Vector first() const { return hn::Zero(Tag()); }
  HWY_INLINE Vector combine(Vector sum, Vector value, Vector scale) const {
    return hn::MulAdd(value, scale, sum);
  }
  HWY_INLINE Vector merge(Vector a, Vector b) const { return hn::Add(a, b); }
  HWY_INLINE float over_lanes(Vector sum) const { return hn::GetLane(hn::SumOfLanes(Tag(), sum)); }
};

// The larger one, or the one that is a NaN.
HWY_INLINE Vector larger(Vector a, Vector b) {
  const Vector most = hn::IfThenElse(hn::Gt(a, b), a, b);
  return hn::IfThenElse(hn::IsNaN(a), a, most);  // a NaN in b is there already
}

struct Max {
  HWY_INLINE Vector first() const {
    return hn::Set(Tag(), -std::numeric_limits<float>::infinity());
  }
  HWY_INLINE Vector combine(Vector most, Vector value, Vector scale) const {
    return larger(most, hn::Mul(value, scale));
  }
  HWY_INLINE Vector merge(Vector a, Vector b) const { return larger(a, b); }
  HWY_INLINE float over_lanes(Vector most) const {
    float lanes[16];
    hn::StoreU(most, Tag(), lanes);
    float result = lanes[0];
    for (size_t i = 1; i < hn::Lanes(Tag()); ++i) {
      result = result > lanes[i] || result != result ? result : lanes[i];
    }
    return result;
  }
};

// `scales` holds the first rows of the four faces of the scaler, and once more the first one, for
// the second step of reduce_all().
template <typename Op>
HWY_INLINE void reduce_rows(Op op, const float* source, const float* scales, float* result) {
  const Tag tag;
  for (size_t row = 0; row < 32; ++row) {
    const size_t left = row / 16 * 2;
    Vector sum = op.first();
    for (size_t face = left; face < left + 2; ++face) {
      const float* values = source + face * kFaceElements + row % 16 * 16;
      for (size_t i = 0; i < 16; i += hn::Lanes(tag)) {
        sum = op.combine(sum, hn::LoadU(tag, values + i), hn::LoadU(tag, scales + face * 16 + i));
      }
    }
    result[row] = op.over_lanes(sum);
  }
}

template <typename Op>
HWY_INLINE void reduce_columns(Op op, const float* source, const float* scales, float* result) {
  const Tag tag;
  for (size_t column = 0; column < 32; column += hn::Lanes(tag)) {
    Vector sum = op.first();
    for (size_t face = column / 16; face < 4; face += 2) {
      const float* values = source + face * kFaceElements + column % 16;
      for (size_t row = 0; row < 16; ++row) {
        sum = op.combine(sum, hn::LoadU(tag, values + row * 16),
                         hn::Set(tag, scales[face * 16 + row]));
      }
    }
    hn::StoreU(sum, tag, result + column);
  }
}

// Reduces the columns, then their results; the last scales serve for both halves of these.
template <typename Op>
HWY_INLINE float reduce_all(Op op, const float* source, const float* scales) {
  const Tag tag;
  float columns[32];
  reduce_columns(op, source, scales, columns);
  Vector sum = op.first();
  for (size_t i = 0; i < 16; i += hn::Lanes(tag)) {
    const Vector both = op.merge(hn::LoadU(tag, columns + i), hn::LoadU(tag, columns + 16 + i));
    sum = op.combine(sum, both, hn::LoadU(tag, scales + 4 * 16 + i));
  }
  return op.over_lanes(sum);
}

template <typename Op>
HWY_INLINE void reduce_by(Op op, kernel_abi::ReduceDim dim, const float* source,
                          const float* scales, float* result) {
  switch (dim) {
    case kernel_abi::ReduceDim::kRow:
      return reduce_rows(op, source, scales, result);
    case kernel_abi::ReduceDim::kColumn:
      return reduce_columns(op, source, scales, result);
    case kernel_abi::ReduceDim::kScalar:
      result[0] = reduce_all(op, source, scales);
  }
}

void reduce_sum(kernel_abi::ReduceDim dim, const float* source, const float* scales,
                float* result) {
  reduce_by(Sum(), dim, source, scales, result);
}

void reduce_max(kernel_abi::ReduceDim dim, const float* source, const float* scales,
                float* result) {
  reduce_by(Max(), dim, source, scales, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(broadcast_column);
HWY_EXPORT(broadcast_row);
HWY_EXPORT(broadcast_scalar);
HWY_EXPORT(reduce_sum);
HWY_EXPORT(reduce_max);

// The power of two in a float: all that the hardware's maximum takes of a scaler.
float power_of_two(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits &= 0x7f800000;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

// The place of result `i` in a tile.
uint32_t place_of(kernel_abi::ReduceDim dim, uint32_t i) {
  if (dim == kernel_abi::ReduceDim::kRow) return i / 16 * 2 * kFaceElements + i % 16 * 16;
  return i / 16 * kFaceElements + i % 16;
}

// Makes one of the scales outside `shape`, whatever the scaler holds for what nobody uses: zero
// times a neutral element may be no number.
void leave_out_scales(kernel_abi::ReduceDim dim, kernel_abi::RowShape shape, float* scales) {
  if (shape.rows == 32 && shape.columns == 32) return;
  const bool along_columns = dim == kernel_abi::ReduceDim::kRow;
  for (uint32_t i = 0; i < 4 * 16; ++i) {
    const uint32_t row = i / 32 * 16 + (along_columns ? 0 : i % 16);
    const uint32_t column = i / 16 % 2 * 16 + (along_columns ? i % 16 : 0);
    if (row >= shape.rows || column >= shape.columns) scales[i] = 1.0f;
  }
  for (uint32_t i = shape.columns; i < 16; ++i) scales[4 * 16 + i] = 1.0f;
}

uint32_t count_of(kernel_abi::ReduceDim dim, kernel_abi::RowShape shape) {
  if (dim == kernel_abi::ReduceDim::kScalar) return 1;
  return dim == kernel_abi::ReduceDim::kRow ? shape.rows : shape.columns;
}

float combined(kernel_abi::ReduceOp op, float before, float value) {
  if (op != kernel_abi::ReduceOp::kMax) return before + value;
  return before > value || before != before ? before : value;
}

// Calls run(row, column, count) for each piece of a row that lies in one face.
template <typename Run>
void for_each_run(kernel_abi::RowShape shape, Run run) {
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t column = 0; column < shape.columns; column += 16) {
      run(row, column, std::min(shape.columns - column, 16u));
    }
  }
}

uint32_t place_in_tile(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * kFaceElements + row % 16 * 16 + column % 16;
}

}  // namespace

void broadcast_tile(kernel_abi::Broadcast broadcast, uint32_t row, const float* source,
                    float* target) {
  switch (broadcast) {
    case kernel_abi::Broadcast::kNone:
      std::memcpy(target, source, kTileElements * sizeof(float));
      return;
    case kernel_abi::Broadcast::kColumn:
      return HWY_DYNAMIC_DISPATCH(broadcast_column)(source, target);
    case kernel_abi::Broadcast::kRow:
      return HWY_DYNAMIC_DISPATCH(broadcast_row)(row, source, target);
    case kernel_abi::Broadcast::kScalar:
      return HWY_DYNAMIC_DISPATCH(broadcast_scalar)(source[0], target);
  }
}

// Transposes each face and swaps the two off the diagonal.
void transpose_elements(const float* source, float* target) {
  constexpr uint32_t kSwapped[] = {0, 2, 1, 3};
  for (uint32_t face = 0; face < 4; ++face) {
    const float* from = source + kSwapped[face] * kFaceElements;
    float* to = target + face * kFaceElements;
    for (uint32_t row = 0; row < 16; ++row) {
      for (uint32_t column = 0; column < 16; ++column) {
        std::memcpy(to + row * 16 + column, from + column * 16 + row, sizeof(float));
      }
    }
  }
}

Reduced reduce_floats(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim,
                      kernel_abi::RowShape shape, const float* source, const float* scaler) {
  const bool is_max = op == kernel_abi::ReduceOp::kMax;
  float scales[5 * 16];
  for (uint32_t i = 0; i < 5 * 16; ++i) {
    const float scale = scaler[i / 16 % 4 * kFaceElements + i % 16];
    scales[i] = is_max ? power_of_two(scale) : scale;
  }
  leave_out_scales(dim, shape, scales);
  Reduced result;
  result.count = count_of(dim, shape);
  if (is_max) {
    HWY_DYNAMIC_DISPATCH(reduce_max)(dim, source, scales, result.values);
  } else {
    HWY_DYNAMIC_DISPATCH(reduce_sum)(dim, source, scales, result.values);
  }
  return result;
}

void store_reduced(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim, const Reduced& result,
                   bool combine, float* target) {
  Reduced sums = result;
  for (uint32_t i = 0; combine && i < sums.count; ++i) {
    sums.values[i] = combined(op, target[place_of(dim, i)], sums.values[i]);
  }
  std::memset(target, 0, kTileElements * sizeof(float));
  for (uint32_t i = 0; i < sums.count; ++i) target[place_of(dim, i)] = sums.values[i];
}

void keep_reduced(kernel_abi::ReduceDim dim, const float* source, float* target) {
  std::memset(target, 0, kTileElements * sizeof(float));
  const uint32_t count = dim == kernel_abi::ReduceDim::kScalar ? 1 : 32;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t place = place_of(dim, i);
    std::memcpy(target + place, source + place, sizeof(float));
  }
}

void gather_tile(const char* rows_begin, uint64_t row_elements, uint32_t size,
                 kernel_abi::RowShape shape, char* tile) {
  for_each_run(shape, [&](uint32_t row, uint32_t column, uint32_t count) {
    std::memcpy(tile + size_t{place_in_tile(row, column)} * size,
                rows_begin + (size_t{row} * row_elements + column) * size, size_t{count} * size);
  });
}

void scatter_tile(const char* tile, uint64_t row_elements, uint32_t size,
                  kernel_abi::RowShape shape, char* rows_begin) {
  for_each_run(shape, [&](uint32_t row, uint32_t column, uint32_t count) {
    std::memcpy(rows_begin + (size_t{row} * row_elements + column) * size,
                tile + size_t{place_in_tile(row, column)} * size, size_t{count} * size);
  });
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
