#pragma once

#include <optional>
#include <type_traits>

namespace tt::stl {

// A reference that may be to nothing.
template <typename T>
class optional_reference {
 public:
  constexpr optional_reference() noexcept = default;
  constexpr optional_reference(std::nullopt_t) noexcept {}
  constexpr optional_reference(T& value) noexcept : value_(&value) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*>
  constexpr optional_reference(std::optional<U>& value) noexcept
      : value_(value ? &*value : nullptr) {}
  template <typename U>
  requires std::is_convertible_v<const U*, T*>
  constexpr optional_reference(const std::optional<U>& value) noexcept
      : value_(value ? &*value : nullptr) {}

  constexpr bool has_value() const noexcept { return value_ != nullptr; }
  constexpr explicit operator bool() const noexcept { return has_value(); }
  // REQUIRES, here and below: has_value().
  constexpr T& value() const { return *value_; }
  constexpr T& operator*() const { return *value_; }
  constexpr T* operator->() const { return value_; }
  constexpr void reset() noexcept { value_ = nullptr; }

  // References to the same object, or to nothing both.
  friend constexpr bool operator==(const optional_reference&, const optional_reference&) = default;

 private:
  T* value_ = nullptr;
};

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
