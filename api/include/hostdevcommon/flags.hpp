#pragma once

#include <type_traits>

// A set of bits that an enumeration names.
template <typename E>
requires std::is_enum_v<E>
class Flags {
 public:
  using Underlying = std::underlying_type_t<E>;

  constexpr Flags() noexcept = default;
  constexpr Flags(E bit) noexcept : bits_(static_cast<Underlying>(bit)) {}
  constexpr explicit Flags(Underlying bits) noexcept : bits_(bits) {}

  constexpr Underlying raw() const noexcept { return bits_; }
  // True if any of the bits is set.
  constexpr bool test(E bit) const noexcept { return (bits_ & static_cast<Underlying>(bit)) != 0; }
  constexpr Flags& set(E bit, bool on = true) noexcept {
    const auto of_bit = static_cast<Underlying>(bit);
    bits_ = static_cast<Underlying>(on ? bits_ | of_bit : bits_ & ~of_bit);
    return *this;
  }

  friend constexpr Flags operator|(Flags a, Flags b) noexcept {
    return Flags(static_cast<Underlying>(a.bits_ | b.bits_));
  }
  friend constexpr Flags operator&(Flags a, Flags b) noexcept {
    return Flags(static_cast<Underlying>(a.bits_ & b.bits_));
  }
  friend constexpr bool operator==(const Flags&, const Flags&) = default;

 private:
  Underlying bits_ = 0;
};
