#pragma once

#include <cstddef>
#include <memory>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/memory_pin.hpp>
#include <tt-metalium/overloaded.hpp>
#include <tt-metalium/span.hpp>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tt::tt_metal {

// Elements of one type in memory of the host, its own or borrowed. Copies share the elements. Not
// thread-safe for writes to them.
class HostBuffer {
 public:
  HostBuffer() = default;  // holds nothing, of no type
  template <typename T>
  explicit HostBuffer(const std::shared_ptr<std::vector<T>>& data)
      : HostBuffer(tt::stl::Span<T>(*data), MemoryPin(data)) {}
  template <typename T>
  explicit HostBuffer(std::vector<T>&& data)
      : HostBuffer(std::make_shared<std::vector<T>>(std::move(data))) {}
  template <typename T>
  explicit HostBuffer(const std::vector<T>& data)
      : HostBuffer(std::make_shared<std::vector<T>>(data)) {}
  // Borrowed elements, which live as long as the pin.
  template <typename T>
  HostBuffer(tt::stl::Span<T> borrowed_data, MemoryPin pin)
      : pin_(std::move(pin)),
        bytes_(
            reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(borrowed_data.data())),
            borrowed_data.size_bytes()),
        type_(&typeid(T)) {
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied byte by byte");
  }

  tt::stl::Span<std::byte> view_bytes() & noexcept { return bytes_; }
  tt::stl::Span<const std::byte> view_bytes() const& noexcept { return bytes_; }
  tt::stl::Span<std::byte> view_bytes() && noexcept = delete;
  tt::stl::Span<const std::byte> view_bytes() const&& noexcept = delete;

  // Throw std::runtime_error unless the elements are of type T.
  template <typename T>
  tt::stl::Span<T> view_as() & {
    check_type(typeid(T));
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <typename T>
  tt::stl::Span<const T> view_as() const& {
    check_type(typeid(T));
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <typename T>
  tt::stl::Span<T> view_as() && = delete;
  template <typename T>
  tt::stl::Span<const T> view_as() const&& = delete;

  MemoryPin pin() const { return pin_; }

  void swap(HostBuffer& other) noexcept { std::swap(*this, other); }

  // Equal bytes, whatever their type.
  friend bool operator==(const HostBuffer& a, const HostBuffer& b) noexcept;

 private:
  void check_type(const std::type_info& asked) const;

  MemoryPin pin_;
  tt::stl::Span<std::byte> bytes_;
  const std::type_info* type_ = nullptr;
};

}  // namespace tt::tt_metal
