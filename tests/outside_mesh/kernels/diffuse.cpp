// One block of a field, whose blocks lie in the L1 of a grid of cores. In each step a cell becomes
// (4 * itself + its four neighbours) / 8. Steps alternate between two buffers: a core goes on when
// its neighbours have come as far as it has.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

namespace {

constexpr uint32_t kSide = get_compile_time_arg_val(0);   // cells of a block's row and column
constexpr uint32_t kSteps = get_compile_time_arg_val(1);  // an even number
constexpr uint32_t kBlockBytes = kSide * kSide * sizeof(uint32_t);

// Arguments: the two buffers' addresses, then for each side (above, below, left, right) the
// semaphore that counts the steps of the neighbour there, its block, or kNone, and its coordinates.
constexpr uint32_t kNone = 0xffffffff;

uint32_t argument(uint32_t side, uint32_t index) {
  return get_arg_val<uint32_t>(2 + 4 * side + index);
}
uint32_t semaphore(uint32_t side) { return get_semaphore(argument(side, 0)); }
uint32_t neighbour(uint32_t side) { return argument(side, 1); }

// The neighbour's semaphore for this core, which lies on the opposite side of it.
uint64_t semaphore_at_neighbour(uint32_t side) {
  return get_noc_addr(argument(side, 2), argument(side, 3), semaphore(side ^ 1));
}

volatile tt_l1_ptr uint32_t* cells_at(uint32_t address) {
  return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

}  // namespace

void kernel_main() {
  const uint32_t fields[2] = {get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1)};

  constexpr auto even_args = TensorAccessorArgs<2>();
  constexpr auto odd_args = TensorAccessorArgs<even_args.next_compile_time_args_offset()>();
  const auto even = TensorAccessor(even_args, fields[0]);
  const auto odd = TensorAccessor(odd_args, fields[1]);

  // The blocks above, below, left and right; outside of the field all cells are 0.
  constexpr uint32_t cb_around = tt::CBIndex::c_0;
  cb_reserve_back(cb_around, 4);
  const uint32_t around = get_write_ptr(cb_around);
  for (uint32_t side = 0; side < 4; ++side) {
    for (uint32_t cell = 0; cell < kSide * kSide; ++cell) {
      cells_at(around + side * kBlockBytes)[cell] = 0;
    }
  }
  const auto above = cells_at(around), below = cells_at(around + kBlockBytes),
             left = cells_at(around + 2 * kBlockBytes), right = cells_at(around + 3 * kBlockBytes);

  for (uint32_t step = 0; step < kSteps; ++step) {
    for (uint32_t side = 0; side < 4; ++side) {
      const uint32_t shard = neighbour(side);
      if (shard == kNone) continue;
      const uint64_t from =
          step % 2 == 0 ? even.get_shard_noc_addr(shard) : odd.get_shard_noc_addr(shard);
      noc_async_read(from, around + side * kBlockBytes, kBlockBytes);
    }
    noc_async_read_barrier();

    const auto now = cells_at(fields[step % 2]), next = cells_at(fields[(step + 1) % 2]);
    for (uint32_t y = 0; y < kSide; ++y) {
      for (uint32_t x = 0; x < kSide; ++x) {
        const uint32_t cell = y * kSide + x;
        const uint32_t up = y > 0 ? now[cell - kSide] : above[(kSide - 1) * kSide + x];
        const uint32_t down = y + 1 < kSide ? now[cell + kSide] : below[x];
        const uint32_t west = x > 0 ? now[cell - 1] : left[y * kSide + kSide - 1];
        const uint32_t east = x + 1 < kSide ? now[cell + 1] : right[y * kSide];
        next[cell] = (4 * now[cell] + up + down + west + east) / 8;
      }
    }

    for (uint32_t side = 0; side < 4; ++side) {
      if (neighbour(side) != kNone) noc_semaphore_inc(semaphore_at_neighbour(side), 1);
    }
    noc_async_atomic_barrier();
    for (uint32_t side = 0; side < 4; ++side) {
      if (neighbour(side) != kNone) noc_semaphore_wait_min(cells_at(semaphore(side)), step + 1);
    }
  }
}
