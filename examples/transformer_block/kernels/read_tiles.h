#pragma once

#include <cstdint>

#include "dataflow_api.h"

// What the block's readers share.

using Tiles = InterleavedAddrGenFast<true>;

// The tiles of an interleaved DRAM buffer, in the format of the circular buffer they are read to.
inline Tiles tiles_for(uint32_t cb, uint32_t address) {
  return {.bank_base_address = address,
          .page_size = get_tile_size(cb),
          .data_format = get_dataformat(cb)};
}

// Pushes `rows` rows of `columns` tiles of a matrix that is `stride` tiles wide.
inline void read_block(uint32_t cb, const Tiles& tiles, uint32_t first_tile, uint32_t rows,
                       uint32_t columns, uint32_t stride) {
  cb_reserve_back(cb, rows * columns);
  uint32_t l1_address = get_write_ptr(cb);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      noc_async_read_tile(first_tile + row * stride + column, tiles, l1_address);
      l1_address += get_tile_size(cb);
    }
  }
  noc_async_read_barrier();
  cb_push_back(cb, rows * columns);
}

inline void read_row(uint32_t cb, const Tiles& tiles, uint32_t first_tile, uint32_t columns) {
  read_block(cb, tiles, first_tile, 1, columns, columns);
}

// Pushes a tile of single precision with the value in the first row of each face, which is where
// reduce_tile looks for its scaler, and where a broadcast scalar lies. The rest is zero.
inline void push_scalar(uint32_t cb, uint32_t float_bits) {
  constexpr uint32_t kFaces = 4, kFaceElements = 256, kRowElements = 16;
  cb_reserve_back(cb, 1);
  volatile tt_l1_ptr uint32_t* tile =
      reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
  for (uint32_t i = 0; i < kFaces * kFaceElements; ++i) {
    tile[i] = i % kFaceElements < kRowElements ? float_bits : 0;
  }
  cb_push_back(cb, 1);
}
