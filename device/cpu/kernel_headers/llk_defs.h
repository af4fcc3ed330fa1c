#pragma once

// The choices that compute kernels name, as template arguments or by defines of the host program.
namespace ckernel {

enum EltwiseBinaryType { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum BroadcastType { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum PoolType { SUM, AVG, MAX };
enum ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum ReluType { NO_RELU = 0, ZERO_RELU = 1, MIN_THRESHOLD_RELU = 2, MAX_THRESHOLD_RELU = 3 };
enum DataCopyType { A2D, B2D };

}  // namespace ckernel
