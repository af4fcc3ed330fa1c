#include "device/cpu/parts/operands.h"

#include <algorithm>
#include <cstring>

#include "device/cpu/memory/memory.h"
#include "device/cpu/parts/parts_of_run.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/tile_shape.h"

namespace lightmetal::device::cpu {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::Part;
using kernel_abi::RowShape;

namespace {

// The part of a range that is in L1.
UnpackedOperation::Range in_l1(const KernelRun& run, uint64_t address, uint64_t size) {
  const uint64_t begin = std::min(address, run.core->l1_size);
  return {.address = static_cast<uint32_t>(begin),
          .size = static_cast<uint32_t>(std::min(size, run.core->l1_size - begin))};
}

std::byte* l1_as_unpacked(KernelRun& run) {
  auto& memory = parts_of(run).l1_as_unpacked;
  // Not cleared: most pages of it are never touched.
  if (memory == nullptr) memory.reset(new std::byte[run.core->l1_size]);
  return memory.get();
}

}  // namespace

const CircularBuffer* OperandKeeper::keep_buffer(uint32_t cb) {
  if (cb >= kernel_abi::kMaxCircularBuffers) return nullptr;
  const CircularBuffer& state = kernel_abi::circular_buffer_at(run_.context(), cb);
  operation_.buffers.push_back({cb, state});
  return &state;
}

void OperandKeeper::keep_range(uint64_t address, uint64_t size) {
  const UnpackedOperation::Range range = in_l1(run_, address, size);
  if (range.size == 0) return;
  const size_t kept = operation_.bytes.size();
  operation_.ranges.push_back(range);
  operation_.bytes.resize(kept + range.size);
  copy_device_memory(operation_.bytes.data() + kept, run_.core->l1 + range.address, range.size);
}

void OperandKeeper::tiles(uint32_t cb, uint32_t first, uint32_t count, uint32_t step) {
  const CircularBuffer* state = keep_buffer(cb);
  if (state == nullptr) return;
  for (uint32_t i = 0; i < std::min(count, kernel_abi::kDstTiles); ++i) {
    const uint64_t tile = uint64_t{first} + uint64_t{i} * step;
    keep_range(state->read_ptr + tile * state->page_size, state->tile_bytes);
  }
}

void OperandKeeper::run_of_tiles(uint32_t cb, uint32_t first, uint32_t count) {
  const CircularBuffer* state = keep_buffer(cb);
  if (state == nullptr) return;
  for (uint64_t tile = first; tile < uint64_t{first} + count; ++tile) {
    const uint64_t address = state->read_ptr + tile * state->page_size;
    if (address >= run_.core->l1_size) return;
    keep_range(address, state->tile_bytes);
  }
}

void OperandKeeper::rows(uint32_t cb, uint32_t first, uint32_t count, RowShape shape) {
  const CircularBuffer* state = keep_buffer(cb);
  if (state == nullptr || shape.rows > 32 || shape.columns > 32) return;
  const RowBlock block{count, shape, element_bytes(format_of(*state))};
  keep_range(state->read_ptr + uint64_t{first} * state->page_size, block.bytes());
}

UnpackedOperation& begin_operation(KernelRun& run, Part to, const char* name) {
  wait_as_part(run, {.kind = Wait::Kind::kRoomForOperands, .subject = part_number(to)});
  UnpackedOperation& operation = parts_of(run).unpacked[part_number(to)].next();
  operation.clear();
  operation.name = name;
  return operation;
}

void end_operation(KernelRun& run, Part to) { parts_of(run).unpacked[part_number(to)].push(); }

UnpackedOperation& take_operation(KernelRun& run, const char* name) {
  const uint32_t part = part_number(*run.part);
  wait_as_part(run, {.kind = Wait::Kind::kOperands, .subject = part});
  UnpackedOperation& operation = parts_of(run).unpacked[part].front();
  if (std::strcmp(operation.name, name) == 0) return operation;
  fail_kernel(&run.context(), "%s comes to operands that were unpacked for %s", name,
              operation.name);
}

void expect_result(KernelRun& run, uint64_t address, uint64_t size) {
  parts_of(run).results.push_back(in_l1(run, address, size));
}

OperandScope::OperandScope(KernelRun& run, const UnpackedOperation& operation)
    : run_(run), operation_(operation), l1_base_(run.context().l1_base) {
  for (size_t i = 0; i < operation.buffers.size(); ++i) {
    CircularBuffer& own = kernel_abi::circular_buffer_at(run.context(), operation.buffers[i].index);
    saved_[i] = own;
    own = operation.buffers[i].state;
    own.write_ptr = saved_[i].write_ptr;
  }
  std::byte* l1 = l1_as_unpacked(run);
  for (const UnpackedOperation::Range& range : parts_of(run).results)
    copy_device_memory(l1 + range.address, run.core->l1 + range.address, range.size);
  const std::byte* bytes = operation.bytes.data();
  for (const UnpackedOperation::Range& range : operation.ranges) {
    std::memcpy(l1 + range.address, bytes, range.size);
    bytes += range.size;
  }
  run.context().l1_base = reinterpret_cast<uint64_t>(l1);
}

OperandScope::~OperandScope() {
  run_.context().l1_base = l1_base_;
  for (size_t i = operation_.buffers.size(); i-- > 0;)
    kernel_abi::circular_buffer_at(run_.context(), operation_.buffers[i].index) = saved_[i];
  ComputeParts& parts = parts_of(run_);
  for (const UnpackedOperation::Range& range : parts.results) {
    copy_device_memory(run_.core->l1 + range.address, l1_as_unpacked(run_) + range.address,
                       range.size);
  }
  parts.results.clear();
  parts.unpacked[part_number(*run_.part)].pop();
}

}  // namespace lightmetal::device::cpu
