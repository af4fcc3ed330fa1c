#pragma once

#include "debug/dprint.h"
#include "lightmetal/circular_buffers.h"

// Addresses and sizes of a circular buffer, in bytes; with 2024's end and the number of its pages.
#define CB_RD_PTR(id) (::lightmetal::kernel::existing_circular_buffer(id).read_ptr)
#define CB_RD_LIM(id) (::lightmetal::kernel::existing_circular_buffer(id).limit)
#define CB_RD_SZ(id) (CB_RD_LIM(id) - ::lightmetal::kernel::existing_circular_buffer(id).base)
#define CB_WR_PTR(id) (::lightmetal::kernel::existing_circular_buffer(id).write_ptr)
#define CB_WR_TILES(id) CB_PAGE_COUNT(id)
#define CB_PAGE_COUNT(id) (::lightmetal::kernel::existing_circular_buffer(id).num_pages)
#define CB_PAGE_SIZE(id) (::lightmetal::kernel::existing_circular_buffer(id).page_size)

// Prints part of a tile in a circular buffer: rows h0, h0 + hs, ... below h1, columns likewise.
struct SliceRange {
  uint8_t h0, h1, hs, w0, w1, ws;

  static SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
  static SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
  static SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
  static SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
  static SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
  static SliceRange h1_w0_32() { return {1, 2, 1, 0, 32, 1}; }
};

enum dprint_tslice_cb_t { TSLICE_INPUT_CB = 0, TSLICE_OUTPUT_CB = 1 };
enum dprint_tslice_ptr_t { TSLICE_RD_PTR = 0, TSLICE_WR_PTR = 1 };

// The short form looks at the page to be read; data-movement kernels say which pointer they mean.
struct TileSlice {
  TileSlice(uint8_t cb, int tile, const SliceRange& range, bool endl_rows = true,
            bool print_untilized = true)
      : TileSlice(cb, tile, range, TSLICE_INPUT_CB, TSLICE_RD_PTR, endl_rows, print_untilized) {}
  TileSlice(uint8_t cb, int tile, const SliceRange& range, dprint_tslice_cb_t,
            dprint_tslice_ptr_t pointer, bool endl_rows = true, bool print_untilized = true)
      : cb(cb),
        tile(tile),
        range(range),
        pointer(pointer),
        endl_rows(endl_rows),
        untilized(print_untilized) {}

  uint8_t cb;
  int tile;
  SliceRange range;
  dprint_tslice_ptr_t pointer;
  bool endl_rows;
  bool untilized;
};
using TSLICE = TileSlice;

namespace lightmetal::kernel {

// The place of an element in a tile of faces of 16 columns, and of 16 rows or all that it has.
constexpr uint32_t element_in_faces(uint32_t rows, uint32_t columns, uint32_t row,
                                    uint32_t column) {
  const uint32_t face = row / 16 * (columns / 16) + column / 16;
  return face * (rows < 16 ? rows : 16) * 16 + row % 16 * 16 + column % 16;
}

// Value of an element of a block format: a sign and `bits` bits of magnitude, scaled by an exponent
// for each 16 elements. The exponents come first.
inline double block_element(const uint8_t* tile, uint32_t exponents, uint32_t index,
                            uint32_t bits) {
  const uint32_t width = bits + 1;
  const uint32_t raw = tile[exponents + index * width / 8] >> index * width % 8;
  const uint32_t magnitude = raw & ((1u << bits) - 1);
  const int exponent = tile[index / 16] - 127 - static_cast<int>(bits - 1);
  double value = magnitude;
  for (int i = 0; i < exponent; ++i) value *= 2;
  for (int i = 0; i > exponent; --i) value /= 2;
  return (raw >> bits & 1) != 0 ? -value : value;
}

template <typename T>
inline T element(const uint8_t* tile, uint32_t index) {
  T value;
  __builtin_memcpy(&value, tile + index * sizeof(T), sizeof(T));
  return value;
}

inline void print_element(DataFormat format, const uint8_t* tile, uint32_t elements,
                          uint32_t index) {
  switch (format) {
    case DataFormat::Float32:
      return printer.write_float(element<float>(tile, index));
    case DataFormat::Float16_b:
      return printer.write_float(BF16(element<uint16_t>(tile, index)).value);
    case DataFormat::Bfp8_b:
      return printer.write_float(block_element(tile, elements / 16, index, 7));
    case DataFormat::Bfp4_b:
      return printer.write_float(block_element(tile, elements / 16, index, 3));
    case DataFormat::Int32:
      return print(element<int32_t>(tile, index));
    case DataFormat::UInt32:
    case DataFormat::RawUInt32:
      return printer.write_unsigned(element<uint32_t>(tile, index));
    case DataFormat::UInt16:
    case DataFormat::RawUInt16:
      return printer.write_unsigned(element<uint16_t>(tile, index));
    case DataFormat::UInt8:
    case DataFormat::RawUInt8:
      return printer.write_unsigned(tile[index]);
    default:
      fail("TileSlice cannot print tiles of this data format");
  }
}

}  // namespace lightmetal::kernel

inline void write_argument(const TileSlice& slice) {
  using namespace lightmetal::kernel;
  const auto& cb = existing_circular_buffer(slice.cb);
  const uint32_t begin = slice.pointer == TSLICE_RD_PTR ? cb.read_ptr : cb.write_ptr;
  const uint32_t address = begin + static_cast<uint32_t>(slice.tile) * cb.page_size;
  if (address + cb.tile_bytes > cb.limit)
    fail_circular_buffer(slice.cb, "TileSlice looks past its end");
  const auto* tile = reinterpret_cast<const uint8_t*>(address);
  const uint32_t rows = lightmetal::kernel_abi::tile_rows(cb);
  const uint32_t columns = lightmetal::kernel_abi::tile_columns(cb);
  for (uint32_t row = slice.range.h0; row < slice.range.h1 && row < rows; row += slice.range.hs) {
    for (uint32_t column = slice.range.w0; column < slice.range.w1 && column < columns;
         column += slice.range.ws) {
      const uint32_t index =
          slice.untilized ? element_in_faces(rows, columns, row, column) : row * columns + column;
      print_element(static_cast<DataFormat>(cb.format), tile, rows * columns, index);
      printer.put(' ');
      if (slice.range.ws == 0) break;
    }
    if (slice.endl_rows) printer.put('\n');
    if (slice.range.hs == 0) break;
  }
}

inline DebugPrinter operator<<(DebugPrinter out, const TileSlice& slice) {
  write_argument(slice);
  return out;
}
