#include "api/src/transfers/payload_transfer.h"

#include <algorithm>
#include <cstring>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/devices/device_impl.h"
#include "api/src/memory/buffer_io.h"
#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "api/src/work/queue_record.h"
#include "base/status.h"
#include "host/buffer.h"
#include "schema/storage/mapped_file.h"
#include "schema/types_generated.h"

namespace tt::tt_metal {
namespace {

using lightmetal::Bytes;

// The numbers of both enumerations are one list, so that element_type() can be a cast.
static_assert(element_type(detail::PayloadType::Bytes) == lightmetal::schema::ElementType::Bytes);
static_assert(element_type(detail::PayloadType::UInt8) == lightmetal::schema::ElementType::UInt8);
static_assert(element_type(detail::PayloadType::UInt16) == lightmetal::schema::ElementType::UInt16);
static_assert(element_type(detail::PayloadType::Int32) == lightmetal::schema::ElementType::Int32);
static_assert(element_type(detail::PayloadType::UInt32) == lightmetal::schema::ElementType::UInt32);
static_assert(element_type(detail::PayloadType::Float32) ==
              lightmetal::schema::ElementType::Float32);
static_assert(element_type(detail::PayloadType::BFloat16) ==
              lightmetal::schema::ElementType::BFloat16);

void check_buffer(const CommandQueueImpl& queue, const Buffer& buffer) {
  const lightmetal::host::Buffer rules = rules_of_buffer(buffer);
  throw_if_error(lightmetal::host::check_in_queue(rules, buffer.device() == queue.device(),
                                                  buffer.device()->id(), queue.device()->id()));
  throw_if_error(lightmetal::host::check_allocated(rules, buffer.is_allocated()));
}

std::shared_ptr<const void> copy_of(Bytes bytes) {
  std::shared_ptr<std::byte[]> copy = std::make_shared_for_overwrite<std::byte[]>(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return copy;
}

// Writes a large payload piece by piece, and gives each piece back when it is written: all of a
// mapped file that was read counts as this process's memory until then.
absl::Status write_pieces(lightmetal::device::Device& backend, const BufferLayoutSnapshot& layout,
                          uint64_t offset, Bytes bytes, const std::shared_ptr<const void>& owner) {
  constexpr uint64_t kPiece = uint64_t{32} << 20;
  if (bytes.size() <= kPiece) return write_buffer(backend, layout, offset, bytes);
  const uint64_t most = std::max<uint64_t>(kPiece / layout.page_size, 1) * layout.page_size;
  for (uint64_t done = 0; done < bytes.size(); done += most) {
    const Bytes piece = bytes.subspan(done, most);
    LM_RETURN_IF_ERROR(write_buffer(backend, layout, offset + done, piece));
    lightmetal::schema::release_part(owner, piece);
  }
  return absl::OkStatus();
}

}  // namespace

void check_region(const Buffer& buffer, const BufferRegion& region) {
  throw_if_error(
      lightmetal::host::check_transfer(rules_of_buffer(buffer), region.offset, region.size));
}

void check_enough(const Buffer& buffer, const BufferRegion& region, size_t size) {
  TT_FATAL(size >= region.size,
           "Bounds-error -- Source size {} B is smaller than the {} B to be "
           "written to buffer {} of {} B",
           size, region.size, buffer.unique_id(), buffer.size());
}

WriteSource kept(const lightmetal::capture::CallScope& scope, const WriteSource& source,
                 uint64_t size, bool blocking) {
  // A copy of so many bytes costs a small part of what recording them does.
  constexpr uint64_t kMostCopied = uint64_t{4} << 20;
  const Bytes given = source.bytes.first(size);
  const bool returns_before = !blocking && !source.stays;
  const bool is_recorded = scope.records() && size <= kMostCopied;
  if (source.is_fixed || !(returns_before || is_recorded)) {
    return {.bytes = given, .is_fixed = source.is_fixed, .owner = source.owner};
  }
  std::shared_ptr<const void> copy = copy_of(given);
  const Bytes bytes = lightmetal::bytes_of(copy.get(), size);
  return {.bytes = bytes, .is_fixed = true, .owner = std::move(copy), .given = given};
}

Operation write_region(const lightmetal::capture::CallScope& scope, CommandQueue& cq,
                       const Buffer& buffer, const BufferRegion& region, WriteSource& source,
                       bool blocking) {
  CommandQueueImpl& queue = impl_of(cq);
  queue.check_accepts("Writes");
  check_buffer(queue, buffer);
  check_region(buffer, region);
  check_enough(buffer, region, source.bytes.size());
  TT_FATAL(source.bytes.data() != nullptr || region.size == 0,
           "The data to write are a null pointer");
  source = kept(scope, source, region.size, blocking);
  return queue.behind_launches(
      [backend = queue.device_state().backend().get(), layout = snapshot_of(buffer),
       offset = region.offset, bytes = source.bytes,
       owner = source.owner] { return write_pieces(*backend, layout, offset, bytes, owner); });
}

Operation read_region(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                      std::span<std::byte> target) {
  CommandQueueImpl& queue = impl_of(cq);
  queue.check_accepts("Reads");
  check_buffer(queue, buffer);
  check_region(buffer, region);
  TT_FATAL(target.data() != nullptr || region.size == 0, "The place to read to is a null pointer");
  return queue.behind_launches(
      [backend = queue.device_state().backend().get(), layout = snapshot_of(buffer),
       offset = region.offset,
       target = absl::MakeSpan(target.data(), static_cast<size_t>(region.size))] {
        return read_buffer(*backend, layout, offset, target);
      });
}

void read_to_compare(const lightmetal::capture::CallScope& scope, CommandQueue& cq, Buffer& buffer,
                     std::span<std::byte> target, const replay_hooks::Golden& golden) {
  QueueCall call(scope, QueueCall::Kind::kComparison, QueueWait::kUntilDone);
  call.reads = true;
  run_as<schema::LightMetalCompare>(
      impl_of(cq).order(), call, read_region(cq, buffer, whole(buffer), target), cq, buffer,
      Embedded{golden.bytes}, golden.type, golden.is_user_data, golden.policy);
}

}  // namespace tt::tt_metal
