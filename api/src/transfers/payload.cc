// Writes and reads of buffers in a queue: the forms that programs call, and those of a replay.
#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/host_api.hpp>

#include "api/src/devices/command_queue_impl.h"
#include "api/src/devices/device_impl.h"
#include "api/src/memory/buffer_io.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/transfers/payload_transfer.h"
#include "api/src/transfers/short_data.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"
#include "capture/session.h"
#include "schema/types_generated.h"

namespace tt::tt_metal {
namespace {

using detail::PayloadType;
using lightmetal::Bytes;
using lightmetal::bytes_of;
using lightmetal::capture::CallScope;
using lightmetal::schema::ElementType;
using lightmetal::schema::Payload;

using BufferVariant = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

// What a program gave as HostDataType, with the type of its elements.
struct HostData {
  WriteSource source;
  PayloadType type = PayloadType::Bytes;
};

// `size` is how many bytes a plain pointer points to.
HostData host_data_of(const HostDataType& data, size_t size) {
  return std::visit(
      [size](const auto& given) -> HostData {
        if constexpr (std::is_same_v<std::decay_t<decltype(given)>, const void*>) {
          return {.source = {.bytes = bytes_of(given, size)}};
        } else {
          TT_FATAL(given != nullptr, "The data to write are a null pointer");
          using Element = typename std::decay_t<decltype(*given)>::value_type;
          // Nobody changes a vector that the program has given away.
          return {.source = {.bytes = bytes_of(given->data(), given->size() * sizeof(Element)),
                             .is_fixed = given.use_count() == 1,
                             .owner = given},
                  .type = detail::payload_type_of<Element>};
        }
      },
      data);
}

// A payload of a file. The queue keeps a share of it until it has written. A payload without an
// owner is memory that stays, and that another thread may change: an input of an executable.
WriteSource source_of(const Payload& payload) {
  const bool has_owner = payload.owner() != nullptr;
  return {.bytes = payload.bytes(),
          .is_fixed = has_owner,
          .stays = !has_owner,
          .owner = payload.owner()};
}

// True when the read that `scope` records is a golden, for which it waits for its data.
bool becomes_golden(const CallScope& scope) {
  if constexpr (lightmetal::capture::kEnabled) {
    return scope.records() && lightmetal::capture::keeps_read_goldens();
  }
  return false;
}

// A read that does not block must end even if its data come only after the program's next calls.
QueueWait read_wait(bool blocking, bool golden) {
  if (blocking) return QueueWait::kUntilDone;
  return golden ? QueueWait::kPatient : QueueWait::kNone;
}

// Gives the queue a write. `Table` and `place` are the record of the call up to its data. Only a
// write that blocks is announced.
template <class Table, class... Place>
void run_write(const CallScope& scope, CommandQueue& cq, const Buffer& buffer,
               const BufferRegion& region, WriteSource source, ElementType type, bool blocking,
               const Place&... place) {
  QueueCall call(scope, QueueCall::Kind::kEffect, wait_of(blocking));
  call.announces = blocking;
  Operation work = write_region(scope, cq, buffer, region, source, blocking);
  run_as<Table>(impl_of(cq).order(), call, std::move(work), cq, buffer, place...,
                Written{source.upload()}, type, Blocks{blocking});
}

// The same for a read. A read that becomes a golden waits for its data, so it is announced, too.
template <class Table, class... Place>
void run_read(const CallScope& scope, CommandQueue& cq, const Buffer& buffer,
              const BufferRegion& region, void* target, ElementType type, bool blocking,
              const Place&... place) {
  const bool golden = becomes_golden(scope);
  const std::span<std::byte> data(static_cast<std::byte*>(target), region.size);
  QueueCall call(scope, QueueCall::Kind::kRead, read_wait(blocking, golden));
  call.announces = blocking || golden;
  call.reads = golden;
  Operation work = read_region(cq, buffer, region, data);
  run_as<Table>(impl_of(cq).order(), call, std::move(work), cq, buffer, place...,
                Found{golden ? bytes_of(data.data(), data.size()) : Bytes()}, type,
                Blocks{blocking});
}

void write(CommandQueue& cq, const Buffer& buffer, const WriteSource& source, ElementType type,
           bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueWriteBuffer");
  run_write<schema::EnqueueWriteBuffer>(light_metal_call_scope, cq, buffer, whole(buffer), source,
                                        type, blocking);
}

void write_sub(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
               const WriteSource& source, ElementType type, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueWriteSubBuffer");
  run_write<schema::EnqueueWriteSubBuffer>(light_metal_call_scope, cq, buffer, region, source, type,
                                           blocking, region.offset, region.size);
}

// The source's bytes with zeros behind them, `size` bytes in all.
WriteSource filled_up(const WriteSource& source, size_t size) {
  if (source.bytes.size() == size) return source;
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  std::copy(source.bytes.begin(), source.bytes.end(), bytes->begin());
  return {.bytes = bytes_of(bytes->data(), size), .is_fixed = true, .owner = bytes};
}

// True when the program's vector is smaller than the region: its pages are written, and nothing
// behind it is read. Upstream reads on behind the vector, and programs have no use for what it
// finds. A replay never comes here: what is recorded is the write of those pages.
bool write_short(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                 const WriteSource& source, ElementType type, bool blocking) {
  if (!is_short_and_allowed(buffer, region, source.bytes.size())) return false;
  check_region(buffer, region);
  const BufferRegion pages = reached(buffer, region, source.bytes.size());
  write_sub(cq, buffer, pages, filled_up(source, pages.size), type, blocking);
  return true;
}

// Writes of programs, whose vectors may be short.
void write_given(CommandQueue& cq, const Buffer& buffer, const WriteSource& source,
                 ElementType type, bool blocking) {
  const bool waits = impl_of(cq).waits(blocking);
  if (write_short(cq, buffer, whole(buffer), source, type, waits)) return;
  write(cq, buffer, source, type, waits);
}

void write_given_sub(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                     const WriteSource& source, ElementType type, bool blocking) {
  const bool waits = impl_of(cq).waits(blocking);
  if (write_short(cq, buffer, region, source, type, waits)) return;
  write_sub(cq, buffer, region, source, type, waits);
}

void read(CommandQueue& cq, const Buffer& buffer, void* target, ElementType type, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueReadBuffer");
  run_read<schema::EnqueueReadBuffer>(light_metal_call_scope, cq, buffer, whole(buffer), target,
                                      type, blocking);
}

void read_sub(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region, void* target,
              ElementType type, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueReadSubBuffer");
  run_read<schema::EnqueueReadSubBuffer>(light_metal_call_scope, cq, buffer, region, target, type,
                                         blocking, region.offset, region.size);
}

// Throws for an error, and returns false for what the device cannot do by itself.
bool was_done(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return false;
  throw_if_error(status);
  return true;
}

[[noreturn, maybe_unused]] void refuse_to_record() {
  TT_THROW("a copy within a device is no call that a file has");
}

}  // namespace

namespace detail {

Buffer& buffer_of(const BufferVariant& buffer) {
  if (const auto* reference = std::get_if<std::reference_wrapper<Buffer>>(&buffer))
    return *reference;
  const std::shared_ptr<Buffer>& shared = std::get<std::shared_ptr<Buffer>>(buffer);
  TT_FATAL(shared != nullptr, "The buffer is a null pointer");
  return *shared;
}

size_t num_elements(size_t size, size_t element_size) {
  TT_FATAL(size % element_size == 0, "{} B cannot be read into a vector: its elements have {} B",
           size, element_size);
  return size / element_size;
}

void enqueue_read_buffer(CommandQueue& cq, Buffer& buffer, void* target, PayloadType type,
                         bool blocking) {
  read(cq, buffer, target, element_type(type), impl_of(cq).waits(blocking));
}

void enqueue_read_sub_buffer(CommandQueue& cq, Buffer& buffer, void* target,
                             const BufferRegion& region, PayloadType type, bool blocking) {
  read_sub(cq, buffer, region, target, element_type(type), impl_of(cq).waits(blocking));
}

void enqueue_write_buffer(CommandQueue& cq, Buffer& buffer, const void* source, size_t size,
                          PayloadType type, bool blocking) {
  write_given(cq, buffer, {.bytes = bytes_of(source, size)}, element_type(type), blocking);
}

void enqueue_write_sub_buffer(CommandQueue& cq, Buffer& buffer, const void* source, size_t size,
                              const BufferRegion& region, PayloadType type, bool blocking) {
  write_given_sub(cq, buffer, region, {.bytes = bytes_of(source, size)}, element_type(type),
                  blocking);
}

}  // namespace detail

void EnqueueReadBuffer(CommandQueue& cq, const BufferVariant& buffer, void* dst, bool blocking) {
  detail::enqueue_read_buffer(cq, detail::buffer_of(buffer), dst, PayloadType::Bytes, blocking);
}

void EnqueueWriteBuffer(CommandQueue& cq, const BufferVariant& buffer, HostDataType src,
                        bool blocking) {
  const Buffer& target = detail::buffer_of(buffer);
  const HostData data = host_data_of(src, target.size());
  write_given(cq, target, data.source, element_type(data.type), blocking);
}

void EnqueueReadSubBuffer(CommandQueue& cq, const BufferVariant& buffer, void* dst,
                          const BufferRegion& region, bool blocking) {
  detail::enqueue_read_sub_buffer(cq, detail::buffer_of(buffer), dst, region, PayloadType::Bytes,
                                  blocking);
}

void EnqueueWriteSubBuffer(CommandQueue& cq, const BufferVariant& buffer, HostDataType src,
                           const BufferRegion& region, bool blocking) {
  const HostData data = host_data_of(src, region.size);
  write_given_sub(cq, detail::buffer_of(buffer), region, data.source, element_type(data.type),
                  blocking);
}

namespace replay_hooks {

void enqueue_write_buffer(CommandQueue& cq, Buffer& buffer, const Payload& data, ElementType type,
                          bool blocking) {
  write(cq, buffer, source_of(data), type, blocking);
}

void enqueue_write_sub_buffer(CommandQueue& cq, Buffer& buffer, const BufferRegion& region,
                              const Payload& data, ElementType type, bool blocking) {
  write_sub(cq, buffer, region, source_of(data), type, blocking);
}

void enqueue_read_buffer(CommandQueue& cq, Buffer& buffer, std::span<std::byte> data,
                         ElementType type, bool blocking) {
  check_enough(buffer, whole(buffer), data.size());
  read(cq, buffer, data.data(), type, blocking);
}

void enqueue_read_sub_buffer(CommandQueue& cq, Buffer& buffer, const BufferRegion& region,
                             std::span<std::byte> data, ElementType type, bool blocking) {
  check_enough(buffer, region, data.size());
  read_sub(cq, buffer, region, data.data(), type, blocking);
}

bool copy_buffer_unrecorded(Buffer& from, Buffer& to) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  TT_FATAL(from.device() == to.device() && from.page_size() == to.page_size() &&
               from.size() <= to.size(),
           "Cannot copy buffer {} of {} B in pages of {} B to buffer {} of {} B in pages of {} B",
           from.unique_id(), from.size(), from.page_size(), to.unique_id(), to.size(),
           to.page_size());
  check_region(from, whole(from));
  check_region(to, whole(to));
  if (!was_done(
          copy_buffer(*impl_of(from.device()).share_backend(), snapshot_of(from), snapshot_of(to))))
    return false;
  LIGHT_METAL_TRACE_FUNCTION_CALL(refuse_to_record);
  return true;
}

bool copy_pieces_unrecorded(Buffer& from, Buffer& to, std::span<const BufferPiece> pieces) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  TT_FATAL(from.device() == to.device(), "Buffers {} and {} lie on different devices",
           from.unique_id(), to.unique_id());
  check_region(from, whole(from));
  check_region(to, whole(to));
  for (const BufferPiece& piece : pieces) {
    TT_FATAL(from.is_valid_region({piece.from, piece.size}) &&
                 to.is_valid_region({piece.to, piece.size}),
             "Cannot copy {} B from {} of buffer {} to {} of buffer {}: they leave a buffer",
             piece.size, piece.from, from.unique_id(), piece.to, to.unique_id());
  }
  if (!was_done(copy_pieces(*impl_of(from.device()).share_backend(), snapshot_of(from),
                            snapshot_of(to), {pieces.data(), pieces.size()})))
    return false;
  LIGHT_METAL_TRACE_FUNCTION_CALL(refuse_to_record);
  return true;
}

void clear_buffer_unrecorded(Buffer& buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_region(buffer, whole(buffer));
  throw_if_error(clear_buffer(*impl_of(buffer.device()).share_backend(), snapshot_of(buffer)));
  LIGHT_METAL_TRACE_FUNCTION_CALL(refuse_to_record);
}

void read_unrecorded(const Buffer& buffer, std::span<std::byte> data) {
  throw_if_error(read_buffer(*impl_of(buffer.device()).share_backend(), snapshot_of(buffer), 0,
                             {data.data(), data.size()}));
}

void light_metal_compare(CommandQueue& cq, Buffer& buffer, std::span<std::byte> data,
                         const Golden& golden) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_enough(buffer, whole(buffer), data.size());
  read_to_compare(light_metal_call_scope, cq, buffer, data, golden);
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
