#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>

namespace tt::stl {

// A std::span that also binds to a braced list: f({1, 2, 3}) for f(Span<const uint32_t>). Refers to
// its elements, never owns them: a list's elements live until the end of the full expression, so a
// Span made from one is a parameter, not a member.
template <typename T, std::size_t Extent = std::dynamic_extent>
class Span : public std::span<T, Extent> {
  using Base = std::span<T, Extent>;

 public:
  using Base::Base;

  constexpr Span() noexcept = default;
  constexpr Span(const Base& span) noexcept : Base(span) {}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr Span(std::initializer_list<std::remove_cv_t<T>> list) noexcept
      requires(std::is_const_v<T>&& Extent == std::dynamic_extent)
      : Base(list.begin(), list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};

using std::as_bytes;
using std::as_writable_bytes;
using std::dynamic_extent;

template <typename Range>
Span(Range&&) -> Span<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;
template <typename T>
Span(T*, std::size_t) -> Span<T>;

// A view of any contiguous range. Upstream's later names are in lower case.
template <typename Range>
constexpr auto MakeSpan(Range& range) noexcept {
  return Span<std::remove_reference_t<std::ranges::range_reference_t<Range&>>>(range);
}
template <typename Range>
constexpr auto make_span(Range& range) noexcept {
  return MakeSpan(range);
}
template <typename Range>
constexpr auto MakeConstSpan(const Range& range) noexcept {
  return Span<std::remove_reference_t<std::ranges::range_reference_t<const Range&>>>(range);
}
template <typename Range>
constexpr auto make_const_span(const Range& range) noexcept {
  return MakeConstSpan(range);
}

}  // namespace tt::stl

// Upstream's later name of the namespace.
namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl

template <typename T, std::size_t Extent>
inline constexpr bool std::ranges::enable_borrowed_range<tt::stl::Span<T, Extent>> = true;
template <typename T, std::size_t Extent>
inline constexpr bool std::ranges::enable_view<tt::stl::Span<T, Extent>> = true;
