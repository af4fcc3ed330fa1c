#pragma once

#include <cstdint>

#include "tt-metalium/constants.hpp"

// The choices that compute kernels name, as template arguments or by defines of the host program,
// and the sizes of a tile.
namespace ckernel {

// The same constants, so that a kernel may use both namespaces.
using tt::constants::FACE_HEIGHT;
using tt::constants::FACE_WIDTH;
using tt::constants::TILE_HEIGHT;
using tt::constants::TILE_WIDTH;
inline constexpr uint32_t FACE_R_DIM = FACE_HEIGHT;
inline constexpr uint32_t FACE_C_DIM = FACE_WIDTH;
inline constexpr uint32_t TILE_R_DIM = TILE_HEIGHT;
inline constexpr uint32_t TILE_C_DIM = TILE_WIDTH;
inline constexpr uint32_t TILE_NUM_FACES = 4;

enum EltwiseBinaryType { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum BroadcastType { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum PoolType { SUM, AVG, MAX, MIN };
enum ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum ReluType { NO_RELU = 0, ZERO_RELU = 1, MIN_THRESHOLD_RELU = 2, MAX_THRESHOLD_RELU = 3 };
enum DataCopyType { A2D, B2D };

// As of 2026. Tiles here have no fidelity, and DST no second half: these are names.
enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };
enum class PackMode : uint8_t { Default = 0, Untilize = 1, Tilize = 2 };
enum class DataLayout : uint8_t { TILE = 0, ROW_MAJOR = 1 };
enum MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };
enum class p_dim_stride_target : uint8_t { IGNORE = 0, FACE_ROW_MAJOR = 1 };

}  // namespace ckernel
