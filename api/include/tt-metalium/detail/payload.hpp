#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <variant>

class bfloat16;

// What stands behind the templates of host_api.hpp and tt_metal.hpp: payloads as bytes with their
// element type. Programs do not call these functions.
namespace tt::tt_metal {

class Buffer;
class CommandQueue;
struct BufferRegion;

namespace detail {

// The element type of a payload; Bytes when the program does not say. The numbers are those of
// schema::ElementType.
enum class PayloadType : uint8_t { Bytes, UInt8, UInt16, Int32, UInt32, Float32, BFloat16 };

template <typename T>
constexpr PayloadType payload_type() {
  static_assert(std::is_trivially_copyable_v<T>, "a payload is copied byte by byte");
  if constexpr (std::is_same_v<T, uint8_t>) return PayloadType::UInt8;
  if constexpr (std::is_same_v<T, uint16_t>) return PayloadType::UInt16;
  if constexpr (std::is_same_v<T, int32_t>) return PayloadType::Int32;
  if constexpr (std::is_same_v<T, uint32_t>) return PayloadType::UInt32;
  if constexpr (std::is_same_v<T, float>) return PayloadType::Float32;
  if constexpr (std::is_same_v<T, bfloat16>) return PayloadType::BFloat16;
  return PayloadType::Bytes;
}
template <typename T>
inline constexpr PayloadType payload_type_of = payload_type<T>();

// Throws std::runtime_error for a null pointer.
Buffer& buffer_of(
    const std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>& buffer);

// How many elements of `element_size` bytes `size` bytes are. Throws std::runtime_error when they
// are not whole elements: a read would write behind the last one.
size_t num_elements(size_t size, size_t element_size);

// REQUIRES: as many bytes at `target` as are read. `size` is how many bytes there are at `source`.
// shard_bytes() is the size of a shard without the padding between its pages. Throw
// std::runtime_error.
void enqueue_read_buffer(CommandQueue& cq, Buffer& buffer, void* target, PayloadType type,
                         bool blocking);
void enqueue_read_sub_buffer(CommandQueue& cq, Buffer& buffer, void* target,
                             const BufferRegion& region, PayloadType type, bool blocking);
void enqueue_write_buffer(CommandQueue& cq, Buffer& buffer, const void* source, size_t size,
                          PayloadType type, bool blocking);
void enqueue_write_sub_buffer(CommandQueue& cq, Buffer& buffer, const void* source, size_t size,
                              const BufferRegion& region, PayloadType type, bool blocking);
void write_to_buffer(Buffer& buffer, const void* source, size_t size, PayloadType type);
void read_from_buffer(Buffer& buffer, void* target, PayloadType type);
size_t shard_bytes(const Buffer& buffer);
void read_shard(Buffer& buffer, void* target, uint32_t shard, PayloadType type);

}  // namespace detail
}  // namespace tt::tt_metal
