#pragma once

#include <cstdint>

// The contract between a compiled kernel and the CPU device. Included by both sides; freestanding.
//
// A kernel object is a shared object with no dependency that exports kEntrySymbol and
// kVersionSymbol. It runs on a fiber whose stack is kStackSize bytes, aligned to kStackSize, with a
// Context at its lowest address; so the kernel finds its context from its stack pointer alone,
// whichever thread runs it.
//
// On disk forever: Context and each table of services only grow at their end, and a number never
// changes its meaning. What an object may rely on is its version: a device runs every version from
// kOldestVersion to kVersion, and kVersion is incremented when something is added.
namespace lightmetal::kernel_abi {

inline constexpr uint32_t kVersion = 7;
inline constexpr uint32_t kOldestVersion = 1;
inline constexpr uint64_t kStackSize = uint64_t{256} << 10;
inline constexpr char kEntrySymbol[] = "lightmetal_kernel_entry";      // extern "C" void()
inline constexpr char kVersionSymbol[] = "lightmetal_kernel_version";  // extern "C" const uint32_t
inline constexpr uint32_t kMaxCircularBuffers = 64;
inline constexpr uint32_t kFirstCircularBuffers = 32;  // those that every version has
inline constexpr uint32_t kDstTiles = 16;
inline constexpr uint32_t kTileElements = 1024;

// NoC address: 36 bits of local address, then x and y of 6 bits each; a multicast address holds the
// rectangle's end there and its start in the next 12 bits.
inline constexpr uint32_t kNocLocalBits = 36;
inline constexpr uint32_t kNocCoordinateBits = 6;

// L1 layout below DeviceProfile::l1_unreserved_base, equal on all cores.
inline constexpr uint32_t kZerosAddress = 0x2000;  // kZerosSize bytes that are always zero
inline constexpr uint32_t kZerosSize = 512;
inline constexpr uint32_t kSemaphoreAddress =
    0x3000;  // semaphore i is the word at kSemaphoreAddress + i * kSemaphoreStride
inline constexpr uint32_t kSemaphoreStride = 16;
inline constexpr uint32_t kArgsAddress =
    0x4000;  // processor p's unique arguments, at once followed by the common ones, at kArgsAddress
             // + p * kArgsStride
inline constexpr uint32_t kArgsStride = 0x800;

// Pages pushed and popped so far; shared by the kernels of one core, which all run on one thread.
// Both wrap.
struct PageCounters {
  uint32_t pushed;
  uint32_t popped;
};

// A circular buffer as one kernel sees it: pointers are each kernel's own, counters are shared.
struct CircularBuffer {
  uint32_t base;  // L1 addresses: the buffer is [base, limit)
  uint32_t limit;
  uint32_t page_size;  // bytes
  uint32_t num_pages;  // 0: this core has no such circular buffer
  uint32_t read_ptr;
  uint32_t write_ptr;
  uint32_t tile_bytes;    // bytes of one tile in `format`
  uint32_t format;        // DataFormat's number
  uint32_t packed_tiles;  // tiles packed in order since the last push (pack_tile without an index)
  // Since version 5: the rows and columns of a tile, in the lower and the upper half; 0: 32x32. The
  // kernel knows the shape and sets it, and tile_bytes with it.
  uint32_t tile_shape;
  PageCounters* counters;
};

constexpr uint32_t tile_rows(const CircularBuffer& cb) {
  return cb.tile_shape == 0 ? 32 : cb.tile_shape & 0xffff;
}
constexpr uint32_t tile_columns(const CircularBuffer& cb) {
  return cb.tile_shape == 0 ? 32 : cb.tile_shape >> 16;
}

// A circular buffer index that reaches other cores' circular buffers: where in L1 the core's
// RemoteConfig is, and what the host set as page size.
struct RemoteCircularBuffer {
  uint32_t config_address;  // 0: this core has no such index
  uint32_t page_size;       // bytes
};

// The words at a RemoteCircularBuffer's config_address, written by the host once and by kernels
// only at kFifoPointer. Counters count kRemoteUnit bytes; they lie in L1 at equal addresses on the
// sender and on that receiver: what was sent, and kRemoteUnit bytes further what was acknowledged.
// A sender has a pair of counters for each receiver, 2 * kRemoteUnit bytes apart.
enum class RemoteConfig : uint32_t {
  kIsSender = 0,
  kNumReceivers = 1,
  kFifoStart = 2,
  kFifoSize = 3,
  kFifoPointer = 4,  // where the next page is written, or read
  kRemoteNocXy = 5,  // address of pairs of NoC coordinates: the receivers', or the sender's
  kCounters = 6,     // address of the first pair of counters
};
inline constexpr uint32_t kRemoteConfigWords = 7;
inline constexpr uint32_t kRemoteUnit = 16;

enum class BinaryOp : uint32_t { kAdd = 0, kSub = 1, kMul = 2 };
enum class DestReuse : uint32_t { kNone = 0, kDestToSrcA = 1, kDestToSrcB = 2 };
enum class UnaryOp : uint32_t {
  kExp = 0,
  kRelu = 1,
  kSqrt = 2,
  kRecip = 3,
  kLog = 4,
  kSigmoid = 5,
  kTanh = 6,
  kGelu = 7,
  kAbs = 8,
  kNegative = 9,
  kSquare = 10,
  kRsqrt = 11,
  // Since version 2. Where an operation takes scalars they follow in its comment; floats' bits
  // where nothing else is said.
  kScaledExp = 12,  // e^(a x)
  kExp2 = 13,
  kExpm1 = 14,
  kScaledLog = 15,  // a log x
  kLog1p = 16,
  kTanhDerivative = 17,  // 1 - tanh²
  kErf = 18,
  kErfc = 19,
  kCosh = 20,
  kSinh = 21,
  kGeluDerivative = 22,
  kSilu = 23,
  kMish = 24,
  kHardMish = 25,
  kHardSigmoid = 26,
  kSoftSign = 27,
  kSoftPlus = 28,    // beta, 1 / beta, threshold
  kReluMax = 29,     // limit
  kReluMin = 30,     // limit
  kLeakyRelu = 31,   // slope
  kElu = 32,         // alpha
  kSelu = 33,        // scale, alpha
  kCelu = 34,        // alpha, 1 / alpha
  kSoftShrink = 35,  // lambda
  kHardShrink = 36,  // lambda
  kThreshold = 37,   // threshold, value at and below it
  kSin = 38,
  kCos = 39,
  kTan = 40,
  kAsin = 41,
  kAcos = 42,
  kAtan = 43,
  kAsinh = 44,
  kAcosh = 45,
  kAtanh = 46,
  kSign = 47,
  kSignBit = 48,
  kFloor = 49,
  kCeil = 50,
  kTrunc = 51,
  kFrac = 52,
  kIsInfinite = 53,  // tests and comparisons: 1 or 0
  kIsNan = 54,
  kIsFinite = 55,
  kEqual = 56,            // value
  kNotEqual = 57,         // value
  kLess = 58,             // value
  kLessEqual = 59,        // value
  kGreater = 60,          // value
  kGreaterEqual = 61,     // value
  kHeaviside = 62,        // value at zero
  kMaximum = 63,          // value
  kMinimum = 64,          // value
  kClamp = 65,            // least, most
  kAddScalar = 66,        // value
  kSubScalar = 67,        // value
  kMulScalar = 68,        // value
  kReverseSub = 69,       // value: value - x
  kReverseDiv = 70,       // value: value / x
  kReverseDivTrunc = 71,  // value
  kReverseDivFloor = 72,  // value
  kErfInverse = 73,
  kBesselI0 = 74,
  kBesselI1 = 75,
  kCubeRoot = 76,
  kPower = 77,         // exponent; below 0x00800000 a whole number
  kReversePower = 78,  // base
  kFmod = 79,          // divisor; the sign is x's
  kRemainder = 80,     // divisor; the sign is the divisor's
  kRound = 81,         // decimals, a whole number
  kRotatePairs = 82,   // (re, im) becomes (-im, re)
  kIdentity = 83
};

struct Context;
// Tables of their own, each in a header of its own: lightmetal_kernel_abi_NAME.h.
struct TileServices;
struct SfpuServices;
struct DiagnosisServices;
struct EthernetServices;
struct PartServices;

// What a kernel calls. Calls marked (blocks) let other kernels run and return when the condition
// holds; if it can never hold, the launch fails and the call does not return.
struct Services {
  // Memory and NoC. L1 addresses are this core's. A call that leaves the memory of its target fails
  // the launch.
  void (*cb_wait_front)(Context*, uint32_t cb,
                        uint32_t pages);  // (blocks) until `pages` pages can be popped
  void (*cb_reserve_back)(Context*, uint32_t cb,
                          uint32_t pages);  // (blocks) until `pages` pages can be pushed
  void (*noc_read)(Context*, uint64_t source, uint32_t l1_target, uint32_t size);
  void (*noc_write)(Context*, uint32_t l1_source, uint64_t target, uint32_t size);
  void (*noc_multicast)(Context*, uint32_t l1_source, uint64_t target_rectangle, uint32_t size,
                        uint32_t num_targets, uint32_t include_self);
  void (*noc_write_word)(Context*, uint64_t target, uint32_t value, uint32_t byte_enable);
  void (*noc_increment)(Context*, uint64_t target,
                        uint32_t increment);  // atomic add to a word of L1
  void (*semaphore_wait)(Context*, uint32_t l1_address, uint32_t value,
                         uint32_t at_least);  // (blocks) until equal, or >= when at_least
  void (*yield)(Context*);  // lets the core's other kernels, then other cores, run; for loops that
                            // poll memory
  void (*print)(Context*, const char* text, uint32_t length);
  void (*fail)(
      Context*, const char* file, uint32_t line,
      const char* message);  // fails the launch; does not return; `file` is "" when unknown
  // Tiles. DST holds float tiles in the order of a tile in memory (four 16x16 faces).
  void (*dst_acquire)(Context*);  // zeroes DST; since version 6 see TileServices::dst_sync
  void (*copy_tile)(Context*, uint32_t cb, uint32_t tile, uint32_t dst);
  void (*pack_tile)(Context*, uint32_t dst, uint32_t cb,
                    uint32_t tile);  // `tile` counts from the write pointer
  void (*binary_tiles)(Context*, BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                       uint32_t tile_b, uint32_t dst, uint32_t accumulate);
  void (*binary_dest_reuse)(Context*, BinaryOp op, DestReuse reuse, uint32_t cb, uint32_t tile,
                            uint32_t dst);
  void (*matmul_tiles)(Context*, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                       uint32_t dst, uint32_t transpose_b);  // adds to DST
  void (*unary_tile)(Context*, UnaryOp op, uint32_t dst, uint32_t param0, uint32_t param1);
  // How packing clamps from now on: 0 not, 1 below at zero, 2 values up to a threshold become zero,
  // 3 negative ones become zero and others are at most a threshold. The threshold is a bfloat16 (2
  // and 3: since version 2) in the upper half of `config`.
  void (*pack_relu)(Context*, uint32_t config);
  // Since version 2.
  const TileServices* tiles;
  const SfpuServices* sfpu;
  const DiagnosisServices* diagnosis;
  const EthernetServices* ethernet;
  // Since version 7.
  const PartServices* parts;
};

struct Context {
  const Services* services;
  uint64_t l1_base;  // host address of this core's L1 address 0; a multiple of 4 GiB
  void* fiber;       // the device's own
  float* dst;        // kDstTiles x kTileElements
  const uint32_t* args;
  const uint32_t* common_args;
  uint32_t args_address;  // the same places as L1 addresses
  uint32_t common_args_address;
  uint32_t args_count;
  uint32_t common_args_count;
  uint32_t logical_x, logical_y;
  uint32_t noc_x, noc_y;
  uint32_t processor;
  uint32_t noc;
  uint32_t grid_x, grid_y;
  // Where pages of interleaved buffers lie: bank i starts at the NoC address banks[i] (coordinate
  // bits and offset).
  uint32_t num_dram_banks, num_l1_banks;
  const uint64_t* dram_banks;
  const uint64_t* l1_banks;
  uint32_t dram_alignment, l1_alignment;
  uint32_t pack_relu;
  // Bit i: tile i of `dst` holds integers; bit 16 + i: it has been written. 0 when a launch begins.
  uint32_t dst_state;
  CircularBuffer cb[kFirstCircularBuffers];  // see circular_buffer_at()
  void* variables;  // the kernel's own: this instance's copy of its writable variables
  // Since version 2.
  uint32_t dst_tiles;  // how many tiles of DST the kernel's settings give it; 0: kDstTiles
  uint32_t checks;  // what is checked beyond the usual: bits of lightmetal_kernel_abi_diagnosis.h
  uint32_t num_semaphores;                             // that a core has; 0: not known
  uint32_t origin_x, origin_y;                         // of relative logical coordinates
  RemoteCircularBuffer remote[kFirstCircularBuffers];  // see remote_circular_buffer_at()
  uint32_t pack_accumulates;  // not 0: packing adds to what lies in the circular buffer
  // Since version 3.
  uint32_t l1_size;  // bytes of this core's L1
  // Since version 4.
  uint32_t num_circular_buffers;  // indices that a core has; 0: kFirstCircularBuffers
  CircularBuffer more_cb[kMaxCircularBuffers - kFirstCircularBuffers];
  RemoteCircularBuffer more_remote[kMaxCircularBuffers - kFirstCircularBuffers];
  uint32_t pack_mask;  // not 0: 1 + the ReduceDim whose results packing keeps; the rest is zero
  // Since version 6. Tile i of DST is tile dst_first + i of `dst`; to packing, tile
  // dst_pack_first + i. TileServices::dst_sync changes both.
  uint32_t dst_halves;     // 2: the kernel computes in one half of DST and packs the other
  uint32_t dst_committed;  // sections of DST that are committed and not yet released
  uint32_t dst_first;
  uint32_t dst_pack_first;
};

// A circular buffer by its index. REQUIRES: index < kMaxCircularBuffers.
inline __attribute__((always_inline)) CircularBuffer& circular_buffer_at(Context& context,
                                                                         uint32_t index) {
  return index < kFirstCircularBuffers ? context.cb[index]
                                       : context.more_cb[index - kFirstCircularBuffers];
}
inline __attribute__((always_inline)) const CircularBuffer& circular_buffer_at(
    const Context& context, uint32_t index) {
  return circular_buffer_at(const_cast<Context&>(context), index);
}
inline __attribute__((always_inline)) RemoteCircularBuffer& remote_circular_buffer_at(
    Context& context, uint32_t index) {
  return index < kFirstCircularBuffers ? context.remote[index]
                                       : context.more_remote[index - kFirstCircularBuffers];
}

// The running kernel's context. Inside a kernel only.
inline __attribute__((always_inline)) Context* context() {
  char* frame = static_cast<char*>(__builtin_frame_address(0));
  return reinterpret_cast<Context*>(frame - (reinterpret_cast<uint64_t>(frame) & (kStackSize - 1)));
}

}  // namespace lightmetal::kernel_abi
