#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <functional>
#include <ostream>
#include <type_traits>
#include <utility>

namespace tt::stl {

// A value with a type of its own: values of equal types but different tags do not mix. Compared,
// hashed and printed as the value.
template <typename Value, typename Tag>
class StrongType {
 public:
  using value_type = Value;
  using tag_type = Tag;

  constexpr StrongType() = default;
  constexpr explicit StrongType(Value value) : value_(std::move(value)) {}

  constexpr const Value& operator*() const noexcept { return value_; }
  constexpr const Value& get() const noexcept { return value_; }

  friend constexpr auto operator<=>(const StrongType&, const StrongType&) = default;
  friend std::ostream& operator<<(std::ostream& os, const StrongType& strong) {
    return os << strong.value_;
  }

 private:
  Value value_{};
};

template <typename T>
struct is_strong_type : std::false_type {};
template <typename Value, typename Tag>
struct is_strong_type<StrongType<Value, Tag>> : std::true_type {};
template <typename T>
inline constexpr bool is_strong_type_v = is_strong_type<T>::value;

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl

template <typename Value, typename Tag>
struct std::hash<tt::stl::StrongType<Value, Tag>> {
  std::size_t operator()(const tt::stl::StrongType<Value, Tag>& strong) const noexcept {
    return std::hash<Value>{}(*strong);
  }
};

template <typename Value, typename Tag>
struct fmt::formatter<tt::stl::StrongType<Value, Tag>> : fmt::formatter<Value> {
  template <typename Context>
  auto format(const tt::stl::StrongType<Value, Tag>& strong, Context& context) const {
    return fmt::formatter<Value>::format(*strong, context);
  }
};
