#include "device/cpu/parts/tile_services.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/cpu/kernels/service_members.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/parts/operands.h"
#include "device/cpu/parts/part_services.h"
#include "device/cpu/parts/parts_of_run.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/tile_shape.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::DstCall;
using kernel_abi::DstUse;
using kernel_abi::kDstTiles;
using kernel_abi::Part;
using kernel_abi::ReduceDim;
using kernel_abi::ReduceOp;
using kernel_abi::RowShape;
using kernel_abi::Services;
using kernel_abi::SfpuServices;
using kernel_abi::TileServices;

// The services that compute: those of kernels that are not in parts.
template <class Table>
const Table& whole(KernelRun& run) {
  return table_of<Table>(run.worker->machine().services());
}

template <class Member>
struct TableOf;
template <class Table, class Member>
struct TableOf<Member Table::*> {
  using Type = Table;
};
template <auto kMember>
using Table = typename TableOf<std::remove_const_t<decltype(kMember)>>::Type;

template <auto kMember>
using Service = std::remove_reference_t<decltype(std::declval<Table<kMember>&>().*kMember)>;

// ---- Sections of DST ----

uint32_t sections(const Context& context) { return context.dst_halves == 2 ? 2 : 1; }
uint32_t section_tiles(const Context& context) {
  return context.dst_tiles == 0 ? kDstTiles : context.dst_tiles;
}
uint32_t first_tile(const Context& context, uint32_t section) {
  return section % sections(context) * section_tiles(context);
}

void zero_section(Context& context, uint32_t section) {
  const uint32_t tiles = ((uint32_t{1} << section_tiles(context)) - 1)
                         << first_tile(context, section);
  context.dst_state &= ~(tiles | tiles << kDstTiles);
}

// Waits for the section in which the part computes next, and zeroes what was released.
void own_section(KernelRun& run) {
  ComputeParts& parts = parts_of(run);
  if (parts.math_owns_section) return;
  Context& context = run.context();
  wait_as_part(run, {.kind = Wait::Kind::kDstFree, .amount = sections(context)});
  for (; parts.released_for_math != parts.released; ++parts.released_for_math)
    zero_section(context, parts.released_for_math);
  context.dst_first = first_tile(context, parts.committed);
  parts.math_owns_section = true;
}

void commit_section(KernelRun& run) {
  own_section(run);
  ComputeParts& parts = parts_of(run);
  parts.states[parts.committed % 2] = run.context().dst_state;
  ++parts.committed;
  parts.math_owns_section = false;
}

void sync_math(Context* context, DstCall call) {
  KernelRun& run = enter_service(context);
  if (call == DstCall::kAcquire) own_section(run);
  if (call == DstCall::kCommit) commit_section(run);
}

void require_section(KernelRun& run, const char* what) {
  if (parts_of(run).packer_owns_section) return;
  fail_kernel(&run.context(),
              "%s a section of DST that the packing processor has not waited for: tile_regs_wait "
              "is missing",
              what);
}

void sync_packer(Context* context, DstCall call) {
  KernelRun& run = enter_service(context);
  ComputeParts& parts = parts_of(run);
  parts.packer_computes = false;
  if (call == DstCall::kWait) {
    wait_as_part(run, {.kind = Wait::Kind::kDstCommitted});
    context->dst_pack_first = first_tile(*context, parts.released);
    parts.packer_owns_section = true;
  }
  if (call == DstCall::kRelease) {
    require_section(run, "releases");
    ++parts.released;
    parts.packer_owns_section = false;
  }
}

// While it lives, the packing part's context shows the section of DST that is packed. Otherwise it
// shows memory of the part's own, where the part does what only the math is meant to do.
class PackedSection {
 public:
  explicit PackedSection(KernelRun& run)
      : parts_(parts_of(run)),
        context_(run.context()),
        dst_(context_.dst),
        state_(context_.dst_state),
        first_(context_.dst_first) {
    context_.dst = parts_.dst;
    context_.dst_state = parts_.states[parts_.released % 2];
    context_.dst_first = context_.dst_pack_first;
  }
  ~PackedSection() {
    parts_.states[parts_.released % 2] = context_.dst_state;
    context_.dst = dst_;
    context_.dst_state = state_;
    context_.dst_first = first_;
  }
  PackedSection(const PackedSection&) = delete;
  PackedSection& operator=(const PackedSection&) = delete;

 private:
  ComputeParts& parts_;
  Context& context_;
  float* const dst_;
  const uint32_t state_;
  const uint32_t first_;
};

// ---- Services that one part does by itself, or none ----

template <class ServiceType>
struct Nothing;
template <class Result, class... Args>
struct Nothing<Result (*)(Context*, Args...)> {
  static Result call(Context*, Args...) { return Result(); }
};

template <auto kMember, class ServiceType = Service<kMember>>
struct OnSection;
template <auto kMember, class Result, class... Args>
struct OnSection<kMember, Result (*)(Context*, Args...)> {
  // The part that does the math computes in a section that it has waited for.
  static Result math(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    own_section(run);
    return (whole<Table<kMember>>(run).*kMember)(context, args...);
  }
  // The packing part packs a section, ...
  static Result pack(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    require_section(run, "packs");
    const PackedSection section(run);
    return (whole<Table<kMember>>(run).*kMember)(context, args...);
  }
  // ... and the vector unit computes for it only where the kernel says so.
  static Result packer(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    if (!parts_of(run).packer_computes) return Result();
    const PackedSection section(run);
    return (whole<Table<kMember>>(run).*kMember)(context, args...);
  }
};

// The words of a tile of the part's own memory, for kernel code that computes on words itself. The
// tile never counts as written, so it has the kind of number that the code asks for each time.
void* own_values(Context* context, uint32_t dst, DstUse use) {
  const uint32_t place = std::min(context->dst_first + dst, kDstTiles - 1);
  const uint32_t bit = uint32_t{1} << place;
  if (use != DstUse::kRead)
    context->dst_state = (context->dst_state & ~bit) | (use == DstUse::kWriteIntegers ? bit : 0);
  context->dst_state &= ~(bit << kDstTiles);
  return context->dst + size_t{place} * kernel_abi::kTileElements;
}

void* packer_values(Context* context, uint32_t dst, DstUse use) {
  void* own = own_values(context, dst, use);
  void* packed = OnSection<&SfpuServices::dst_values>::packer(context, dst, use);
  return packed == nullptr ? own : packed;
}

// ---- Tile operations ----
//
// Each has its service, its name, what it reads (keep()), and the arguments that the unpacking part
// decides: bit i of kDecided is argument i, without the context.

// The arguments that name an operand, by their numbers: a circular buffer, and a tile in it.
struct Operand {
  size_t cb;
  size_t tile;
};

// An operation whose operands are a tile each.
template <auto kMember, Operand... kOperands>
struct OfTiles {
  static constexpr auto kService = kMember;
  static constexpr uint32_t kDecided =
      ((uint32_t{1} << kOperands.cb | uint32_t{1} << kOperands.tile) | ...);
  template <class... Args>
  static void keep(OperandKeeper& keeper, Args... args) {
    const std::tuple all(args...);
    (keeper.tiles(std::get<kOperands.cb>(all), std::get<kOperands.tile>(all)), ...);
  }
};

struct CopyTile : OfTiles<&Services::copy_tile, Operand{0, 1}> {
  static constexpr const char* kName = "copy_tile";
};
struct BinaryTiles : OfTiles<&Services::binary_tiles, Operand{1, 3}, Operand{2, 4}> {
  static constexpr const char* kName = "a binary operation on tiles";
};
struct BinaryDestReuse : OfTiles<&Services::binary_dest_reuse, Operand{2, 3}> {
  static constexpr const char* kName = "binary_dest_reuse_tiles";
};
struct MatmulTiles : OfTiles<&Services::matmul_tiles, Operand{0, 2}, Operand{1, 3}> {
  static constexpr const char* kName = "matmul_tiles";
};
using TwoTilesAndBroadcast =
    OfTiles<&TileServices::binary_tiles_broadcast, Operand{2, 4}, Operand{3, 5}>;
struct BinaryTilesBroadcast : TwoTilesAndBroadcast {
  static constexpr const char* kName = "a binary operation with a broadcast";
  static constexpr uint32_t kDecided = TwoTilesAndBroadcast::kDecided | 1 << 7;  // the row
};
struct CopyTileBroadcast : OfTiles<&TileServices::copy_tile_broadcast, Operand{1, 2}> {
  static constexpr const char* kName = "unary_bcast";
};
struct ReduceTile : OfTiles<&TileServices::reduce_tile, Operand{2, 4}, Operand{3, 5}> {
  static constexpr const char* kName = "reduce_tile";
};
struct TransposeTile : OfTiles<&TileServices::transpose_tile, Operand{0, 1}> {
  static constexpr const char* kName = "transpose_wh_tile";
};

struct MatmulBlock {
  static constexpr auto kService = &TileServices::matmul_block;
  static constexpr const char* kName = "matmul_block";
  static constexpr uint32_t kDecided = 0b000001111;
  static void keep(OperandKeeper& keeper, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                   uint32_t tile_b, uint32_t /*dst*/, uint32_t /*transpose_b*/, uint32_t columns,
                   uint32_t rows, uint32_t inner) {
    keeper.tiles(cb_a, tile_a, rows, inner);
    keeper.tiles(cb_b, tile_b, columns);
  }
};

struct ReduceRows {
  static constexpr auto kService = &TileServices::reduce_rows;
  static constexpr const char* kName = "reduce_tile_math";
  static constexpr uint32_t kDecided = 0b001111100;
  static void keep(OperandKeeper& keeper, ReduceOp, ReduceDim, uint32_t cb, uint32_t cb_scaler,
                   uint32_t tiles, uint32_t /*index*/, uint32_t tile_scaler, uint32_t /*dst*/,
                   RowShape shape) {
    keeper.rows(cb, 0, tiles, shape);
    keeper.tiles(cb_scaler, tile_scaler);
  }
};

// ---- Tile operations that need no math: the packing part does them ----

const CircularBuffer* buffer_of(const Context& context, uint32_t cb) {
  return cb < kernel_abi::kMaxCircularBuffers ? &kernel_abi::circular_buffer_at(context, cb)
                                              : nullptr;
}

// Rows are as many as the tiles have that are made of them, or become them.
RowShape shape_or_none(const CircularBuffer* cb) {
  return cb == nullptr ? RowShape{0, 0} : shape_of(*cb);
}

struct Tilize {
  static constexpr auto kService = &TileServices::tilize;
  static constexpr const char* kName = "tilize_block";
  static constexpr uint32_t kDecided = 0b01001;
  static void keep(OperandKeeper& keeper, const Context& context, uint32_t cb_in, uint32_t tiles,
                   uint32_t cb_out, uint32_t tile_in, uint32_t /*tile_out*/) {
    keeper.rows(cb_in, tile_in, tiles, shape_or_none(buffer_of(context, cb_out)));
  }
  static void expect(KernelRun& run, uint32_t /*cb_in*/, uint32_t tiles, uint32_t cb_out,
                     uint32_t /*tile_in*/, uint32_t tile_out) {
    const CircularBuffer* out = buffer_of(run.context(), cb_out);
    if (out == nullptr) return;
    for (uint64_t i = 0; i < tiles; ++i) {
      const uint64_t address = out->write_ptr + (tile_out + i) * out->page_size;
      if (address >= run.core->l1_size) return;
      expect_result(run, address, out->tile_bytes);
    }
  }
};

struct Untilize {
  static constexpr auto kService = &TileServices::untilize;
  static constexpr const char* kName = "untilize_block";
  static constexpr uint32_t kDecided = 0b01001;
  static void keep(OperandKeeper& keeper, const Context& /*context*/, uint32_t cb_in,
                   uint32_t tiles, uint32_t /*cb_out*/, uint32_t tile_in, uint32_t /*tile_out*/) {
    keeper.run_of_tiles(cb_in, tile_in, tiles);
  }
  static void expect(KernelRun& run, uint32_t cb_in, uint32_t tiles, uint32_t cb_out,
                     uint32_t /*tile_in*/, uint32_t tile_out) {
    const CircularBuffer* in = buffer_of(run.context(), cb_in);
    const CircularBuffer* out = buffer_of(run.context(), cb_out);
    if (in == nullptr || out == nullptr) return;
    const RowBlock rows{tiles, shape_of(*in), element_bytes(format_of(*out))};
    expect_result(run, out->write_ptr + uint64_t{tile_out} * out->page_size, rows.bytes());
  }
};

// ---- Their services in each part ----

// Puts the arguments that the unpacking part decides into its operation, and takes them out.
template <uint32_t kDecided, size_t... kIndices, class Arguments>
void put_arguments(const Arguments& arguments, UnpackedOperation& operation,
                   std::index_sequence<kIndices...>) {
  const auto put = [&operation]<size_t kIndex>(const auto& argument) {
    if constexpr ((kDecided >> kIndex & 1) != 0) operation.arguments.push_back(argument);
  };
  (put.template operator()<kIndices>(std::get<kIndices>(arguments)), ...);
}
template <uint32_t kDecided, size_t... kIndices, class Arguments>
void take_arguments(Arguments& arguments, const UnpackedOperation& operation,
                    std::index_sequence<kIndices...>) {
  size_t next = 0;
  const auto take = [&operation, &next]<size_t kIndex>(auto& argument) {
    if constexpr ((kDecided >> kIndex & 1) != 0) argument = operation.arguments[next++];
  };
  (take.template operator()<kIndices>(std::get<kIndices>(arguments)), ...);
}

template <class Operation, class ServiceType = Service<Operation::kService>>
struct Unpacked;
template <class Operation, class... Args>
struct Unpacked<Operation, void (*)(Context*, Args...)> {
  using Indices = std::index_sequence_for<Args...>;

  template <Part kTo>
  static __attribute__((always_inline)) void unpack_for(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    UnpackedOperation& operation = begin_operation(run, kTo, Operation::kName);
    put_arguments<Operation::kDecided>(std::tuple(args...), operation, Indices());
    OperandKeeper keeper(run, operation);
    if constexpr (kTo == Part::kPack) {
      Operation::keep(keeper, *context, args...);
    } else {
      Operation::keep(keeper, args...);
    }
    end_operation(run, kTo);
  }
  static void unpack_for_math(Context* context, Args... args) {
    unpack_for<Part::kMath>(context, args...);
  }
  static void unpack_for_packer(Context* context, Args... args) {
    unpack_for<Part::kPack>(context, args...);
  }

  static void math(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    own_section(run);
    const UnpackedOperation& operation = take_operation(run, Operation::kName);
    std::tuple arguments(args...);
    take_arguments<Operation::kDecided>(arguments, operation, Indices());
    compute(run, operation, arguments);
  }

  static void pack(Context* context, Args... args) {
    KernelRun& run = enter_service(context);
    const UnpackedOperation& operation = take_operation(run, Operation::kName);
    std::tuple arguments(args...);
    take_arguments<Operation::kDecided>(arguments, operation, Indices());
    std::apply([&run](auto... each) { Operation::expect(run, each...); }, arguments);
    compute(run, operation, arguments);
  }

 private:
  static void compute(KernelRun& run, const UnpackedOperation& operation,
                      const std::tuple<Args...>& arguments) {
    const OperandScope operands(run, operation);
    const auto service = whole<Table<Operation::kService>>(run).*Operation::kService;
    std::apply([&](auto... each) { service(&run.context(), each...); }, arguments);
  }
};

// ---- Tables ----

template <class Operation, class TableType>
void fill_math_operation(Part part, TableType& table) {
  auto& member = table.*Operation::kService;
  if (part == Part::kUnpack) member = Unpacked<Operation>::unpack_for_math;
  if (part == Part::kMath) member = Unpacked<Operation>::math;
  if (part == Part::kPack) member = Nothing<Service<Operation::kService>>::call;
}

template <class Operation>
void fill_packer_operation(Part part, TileServices& tiles) {
  auto& member = tiles.*Operation::kService;
  if (part == Part::kUnpack) member = Unpacked<Operation>::unpack_for_packer;
  if (part == Part::kMath) member = Nothing<Service<Operation::kService>>::call;
  if (part == Part::kPack) member = Unpacked<Operation>::pack;
}

// A service that computes on DST alone.
template <auto kMember, class TableType>
void fill_on_dst(Part part, TableType& table) {
  if (part == Part::kUnpack) table.*kMember = Nothing<Service<kMember>>::call;
  if (part == Part::kMath) table.*kMember = OnSection<kMember>::math;
  if (part == Part::kPack) table.*kMember = OnSection<kMember>::packer;
}

// A service that packs DST.
template <auto kMember, class TableType>
void fill_packing(Part part, TableType& table) {
  table.*kMember = part == Part::kPack ? OnSection<kMember>::pack : Nothing<Service<kMember>>::call;
}

void fill_sfpu(Part part, SfpuServices& sfpu) {
  fill_on_dst<&SfpuServices::dst_values>(part, sfpu);
  fill_on_dst<&SfpuServices::unary>(part, sfpu);
  fill_on_dst<&SfpuServices::binary>(part, sfpu);
  fill_on_dst<&SfpuServices::ternary>(part, sfpu);
  fill_on_dst<&SfpuServices::integer_unary>(part, sfpu);
  fill_on_dst<&SfpuServices::integer_binary>(part, sfpu);
  fill_on_dst<&SfpuServices::where>(part, sfpu);
  fill_on_dst<&SfpuServices::mask>(part, sfpu);
  fill_on_dst<&SfpuServices::fill>(part, sfpu);
  fill_on_dst<&SfpuServices::copy>(part, sfpu);
  fill_on_dst<&SfpuServices::typecast>(part, sfpu);
  fill_on_dst<&SfpuServices::cumulative_sum>(part, sfpu);
  fill_on_dst<&SfpuServices::random>(part, sfpu);
  fill_on_dst<&SfpuServices::dropout>(part, sfpu);
  static_assert(sizeof(SfpuServices) == 14 * sizeof(void*), "a service is missing here");
  if (part == Part::kUnpack) sfpu.dst_values = own_values;
  if (part == Part::kPack) sfpu.dst_values = packer_values;
}

void fill_tiles(Part part, Services& services, TileServices& tiles) {
  fill_math_operation<CopyTile>(part, services);
  fill_math_operation<BinaryTiles>(part, services);
  fill_math_operation<BinaryDestReuse>(part, services);
  fill_math_operation<MatmulTiles>(part, services);
  fill_math_operation<MatmulBlock>(part, tiles);
  fill_math_operation<BinaryTilesBroadcast>(part, tiles);
  fill_math_operation<CopyTileBroadcast>(part, tiles);
  fill_math_operation<ReduceTile>(part, tiles);
  fill_math_operation<ReduceRows>(part, tiles);
  fill_math_operation<TransposeTile>(part, tiles);
  fill_packer_operation<Tilize>(part, tiles);
  fill_packer_operation<Untilize>(part, tiles);
  fill_on_dst<&Services::unary_tile>(part, services);
  fill_on_dst<&Services::dst_acquire>(part, services);
  fill_on_dst<&TileServices::transpose_dst>(part, tiles);
  fill_packing<&Services::pack_tile>(part, services);
  fill_packing<&TileServices::pack_untilize>(part, tiles);
  static_assert(sizeof(TileServices) == 11 * sizeof(void*), "a service is missing here");
  tiles.dst_sync = part == Part::kMath   ? sync_math
                   : part == Part::kPack ? sync_packer
                                         : Nothing<Service<&TileServices::dst_sync>>::call;
}

}  // namespace

ServicesOfPart::ServicesOfPart(Part part, const Services& whole)
    : services(whole), tiles(*whole.tiles), sfpu(*whole.sfpu) {
  fill_tiles(part, services, tiles);
  fill_sfpu(part, sfpu);
  services.tiles = &tiles;
  services.sfpu = &sfpu;
}

}  // namespace lightmetal::device::cpu
