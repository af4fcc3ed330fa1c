#pragma once

#include "lightmetal/sfpi_lanes.h"

// SFPI: kernels that compute on DST themselves, 32 elements at a time. Vectors 2 i and 2 i + 1 of a
// face hold its rows 4 i to 4 i + 3, the even columns and the odd ones, as on the device. Whole
// numbers are in two's complement; floats follow IEEE 754.
namespace sfpi {

class vFloat;
class vInt;
class vUInt;

// Of a comparison: the lanes where it holds.
class vBool {
 public:
  FORCE_INLINE vBool(lightmetal::kernel::IntLanes lanes) : lanes_(lanes) {}
  FORCE_INLINE lightmetal::kernel::IntLanes lanes() const { return lanes_; }

  friend FORCE_INLINE vBool operator&&(vBool a, vBool b) { return a.lanes_ & b.lanes_; }
  friend FORCE_INLINE vBool operator||(vBool a, vBool b) { return a.lanes_ | b.lanes_; }
  friend FORCE_INLINE vBool operator!(vBool a) { return ~a.lanes_; }

 private:
  lightmetal::kernel::IntLanes lanes_;
};

// A number that 16 bits can hold: with 5 bits of exponent (a) or 8 (b). Floats are truncated to it;
// whole numbers are its bits.
class s2vFloat16 {
 public:
  FORCE_INLINE operator float() const { return value_; }

 protected:
  FORCE_INLINE explicit s2vFloat16(float value) : value_(value) {}

 private:
  float value_;
};
class s2vFloat16a : public s2vFloat16 {
 public:
  FORCE_INLINE s2vFloat16a(float value)
      : s2vFloat16(lightmetal::kernel::float_of(lightmetal::kernel::bits_of(value) & 0xffffe000)) {}
  FORCE_INLINE s2vFloat16a(double value) : s2vFloat16a(static_cast<float>(value)) {}
  FORCE_INLINE s2vFloat16a(uint32_t bits) : s2vFloat16(lightmetal::kernel::float16_value(bits)) {}
  FORCE_INLINE s2vFloat16a(int32_t bits) : s2vFloat16a(static_cast<uint32_t>(bits)) {}
};
class s2vFloat16b : public s2vFloat16 {
 public:
  FORCE_INLINE s2vFloat16b(float value)
      : s2vFloat16(lightmetal::kernel::float_of(lightmetal::kernel::bits_of(value) & 0xffff0000)) {}
  FORCE_INLINE s2vFloat16b(double value) : s2vFloat16b(static_cast<float>(value)) {}
  FORCE_INLINE s2vFloat16b(uint32_t bits) : s2vFloat16(lightmetal::kernel::float_of(bits << 16)) {}
  FORCE_INLINE s2vFloat16b(int32_t bits) : s2vFloat16b(static_cast<uint32_t>(bits)) {}
};

// Assignments change the lanes that are on; initialisations all lanes.
class vFloat {
 public:
  using Lanes = lightmetal::kernel::FloatLanes;

  FORCE_INLINE vFloat() = default;
  FORCE_INLINE vFloat(Lanes lanes) : lanes_(lanes) {}
  FORCE_INLINE vFloat(float value) : lanes_(Lanes{} + value) {}
  FORCE_INLINE vFloat(double value) : vFloat(static_cast<float>(value)) {}
  FORCE_INLINE vFloat(int value) : vFloat(static_cast<float>(value)) {}
  FORCE_INLINE vFloat(s2vFloat16 value) : vFloat(static_cast<float>(value)) {}
  FORCE_INLINE vFloat(const vFloat&) = default;
  FORCE_INLINE vFloat& operator=(const vFloat& other) {
    lightmetal::kernel::assign(lanes_, other.lanes_);
    return *this;
  }
  FORCE_INLINE Lanes lanes() const { return lanes_; }

  FORCE_INLINE vFloat operator-() const {
    return reinterpret_cast<Lanes>(reinterpret_cast<lightmetal::kernel::UIntLanes>(lanes_) ^
                                   0x80000000u);
  }
  FORCE_INLINE vFloat& operator+=(vFloat b) { return *this = lanes_ + b.lanes_; }
  FORCE_INLINE vFloat& operator-=(vFloat b) { return *this = lanes_ - b.lanes_; }
  FORCE_INLINE vFloat& operator*=(vFloat b) { return *this = lanes_ * b.lanes_; }

  friend FORCE_INLINE vFloat operator+(vFloat a, vFloat b) { return a.lanes_ + b.lanes_; }
  friend FORCE_INLINE vFloat operator-(vFloat a, vFloat b) { return a.lanes_ - b.lanes_; }
  friend FORCE_INLINE vFloat operator*(vFloat a, vFloat b) { return a.lanes_ * b.lanes_; }
  friend FORCE_INLINE vBool operator==(vFloat a, vFloat b) { return a.lanes_ == b.lanes_; }
  friend FORCE_INLINE vBool operator!=(vFloat a, vFloat b) { return a.lanes_ != b.lanes_; }
  friend FORCE_INLINE vBool operator<(vFloat a, vFloat b) { return a.lanes_ < b.lanes_; }
  friend FORCE_INLINE vBool operator<=(vFloat a, vFloat b) { return a.lanes_ <= b.lanes_; }
  friend FORCE_INLINE vBool operator>(vFloat a, vFloat b) { return a.lanes_ > b.lanes_; }
  friend FORCE_INLINE vBool operator>=(vFloat a, vFloat b) { return a.lanes_ >= b.lanes_; }

 private:
  Lanes lanes_;
};

// What vInt and vUInt share. `Lanes` is signed or unsigned, and so are comparisons and shifts to
// the right; everything wraps.
template <typename Self, typename Lanes_>
class WholeLanes {
 public:
  using Lanes = Lanes_;

  FORCE_INLINE WholeLanes() = default;
  FORCE_INLINE WholeLanes(Lanes lanes) : lanes_(lanes) {}
  FORCE_INLINE WholeLanes(const WholeLanes&) = default;
  FORCE_INLINE WholeLanes& operator=(const WholeLanes& other) {
    lightmetal::kernel::assign(lanes_, other.lanes_);
    return *this;
  }
  FORCE_INLINE Lanes lanes() const { return lanes_; }

  FORCE_INLINE Self operator~() const { return Self(~lanes_); }
  FORCE_INLINE Self operator-() const { return Self(wrapped(Unsigned{} - words(*this))); }
  FORCE_INLINE Self& operator+=(Self b) { return set(self() + b); }
  FORCE_INLINE Self& operator-=(Self b) { return set(self() - b); }
  FORCE_INLINE Self& operator&=(Self b) { return set(self() & b); }
  FORCE_INLINE Self& operator|=(Self b) { return set(self() | b); }
  FORCE_INLINE Self& operator^=(Self b) { return set(self() ^ b); }
  FORCE_INLINE Self& operator<<=(uint32_t amount) { return set(self() << amount); }
  FORCE_INLINE Self& operator>>=(uint32_t amount) { return set(self() >> amount); }
  FORCE_INLINE Self& operator++() { return set(self() + Self(1)); }
  FORCE_INLINE Self& operator--() { return set(self() - Self(1)); }

  friend FORCE_INLINE Self operator+(Self a, Self b) { return Self(wrapped(words(a) + words(b))); }
  friend FORCE_INLINE Self operator-(Self a, Self b) { return Self(wrapped(words(a) - words(b))); }
  friend FORCE_INLINE Self operator&(Self a, Self b) { return Self(a.lanes_ & b.lanes_); }
  friend FORCE_INLINE Self operator|(Self a, Self b) { return Self(a.lanes_ | b.lanes_); }
  friend FORCE_INLINE Self operator^(Self a, Self b) { return Self(a.lanes_ ^ b.lanes_); }
  // REQUIRES: amount < 32.
  friend FORCE_INLINE Self operator<<(Self a, uint32_t amount) {
    return Self(wrapped(words(a) << amount));
  }
  friend FORCE_INLINE Self operator>>(Self a, uint32_t amount) {
    return Self(a.lanes_ >> static_cast<int32_t>(amount));
  }
  friend FORCE_INLINE vBool operator==(Self a, Self b) { return on(a.lanes_ == b.lanes_); }
  friend FORCE_INLINE vBool operator!=(Self a, Self b) { return on(a.lanes_ != b.lanes_); }
  friend FORCE_INLINE vBool operator<(Self a, Self b) { return on(a.lanes_ < b.lanes_); }
  friend FORCE_INLINE vBool operator<=(Self a, Self b) { return on(a.lanes_ <= b.lanes_); }
  friend FORCE_INLINE vBool operator>(Self a, Self b) { return on(a.lanes_ > b.lanes_); }
  friend FORCE_INLINE vBool operator>=(Self a, Self b) { return on(a.lanes_ >= b.lanes_); }

 private:
  using Unsigned = lightmetal::kernel::UIntLanes;

  static FORCE_INLINE Unsigned words(const WholeLanes& a) {
    return reinterpret_cast<Unsigned>(a.lanes_);
  }
  static FORCE_INLINE Lanes wrapped(Unsigned words) { return reinterpret_cast<Lanes>(words); }
  template <typename Comparison>
  static FORCE_INLINE vBool on(Comparison lanes) {
    return reinterpret_cast<lightmetal::kernel::IntLanes>(lanes);
  }
  FORCE_INLINE Self& self() { return static_cast<Self&>(*this); }
  FORCE_INLINE Self& set(Self value) {
    lightmetal::kernel::assign(lanes_, value.lanes());
    return self();
  }

  Lanes lanes_;
};

class vInt : public WholeLanes<vInt, lightmetal::kernel::IntLanes> {
 public:
  using WholeLanes::WholeLanes;
  FORCE_INLINE vInt() = default;
  FORCE_INLINE vInt(int32_t value) : WholeLanes(Lanes{} + value) {}
  FORCE_INLINE vInt(uint32_t value) : vInt(static_cast<int32_t>(value)) {}
  FORCE_INLINE vInt(vUInt other);
};
class vUInt : public WholeLanes<vUInt, lightmetal::kernel::UIntLanes> {
 public:
  using WholeLanes::WholeLanes;
  FORCE_INLINE vUInt() = default;
  FORCE_INLINE vUInt(uint32_t value) : WholeLanes(Lanes{} + value) {}
  FORCE_INLINE vUInt(int32_t value) : vUInt(static_cast<uint32_t>(value)) {}
  FORCE_INLINE explicit vUInt(vInt other);
};

// The same bits as another type.
template <typename To, typename From>
FORCE_INLINE To reinterpret(From value) {
  return To(reinterpret_cast<typename To::Lanes>(value.lanes()));
}

FORCE_INLINE vInt::vInt(vUInt other) : vInt(reinterpret<vInt>(other)) {}
FORCE_INLINE vUInt::vUInt(vInt other) : vUInt(reinterpret<vUInt>(other)) {}

// A vector of DST. In arithmetic it is a vFloat; vInt and vUInt take its bits.
class vDReg {
 public:
  FORCE_INLINE explicit vDReg(uint32_t vector) : vector_(vector) {}

  FORCE_INLINE operator vFloat() const { return read<vFloat>(); }
  FORCE_INLINE operator vInt() const { return read<vInt>(); }
  FORCE_INLINE operator vUInt() const { return read<vUInt>(); }

  FORCE_INLINE vDReg& operator=(vFloat value) {
    return write(value, lightmetal::kernel_abi::DstUse::kWriteFloats);
  }
  FORCE_INLINE vDReg& operator=(vInt value) {
    return write(value, lightmetal::kernel_abi::DstUse::kWriteIntegers);
  }
  FORCE_INLINE vDReg& operator=(vUInt value) {
    return write(value, lightmetal::kernel_abi::DstUse::kWriteIntegers);
  }
  FORCE_INLINE vDReg& operator=(float value) { return *this = vFloat(value); }
  FORCE_INLINE vDReg& operator=(double value) { return *this = vFloat(value); }
  FORCE_INLINE vDReg& operator=(s2vFloat16 value) { return *this = vFloat(value); }
  FORCE_INLINE vDReg& operator=(const vDReg& other) { return *this = vFloat(other); }
  FORCE_INLINE vDReg& operator+=(vFloat b) { return *this = vFloat(*this) + b; }
  FORCE_INLINE vDReg& operator-=(vFloat b) { return *this = vFloat(*this) - b; }
  FORCE_INLINE vDReg& operator*=(vFloat b) { return *this = vFloat(*this) * b; }

  FORCE_INLINE vFloat operator-() const { return -vFloat(*this); }
  FORCE_INLINE vFloat operator+(vFloat b) const { return vFloat(*this) + b; }
  FORCE_INLINE vFloat operator-(vFloat b) const { return vFloat(*this) - b; }
  FORCE_INLINE vFloat operator*(vFloat b) const { return vFloat(*this) * b; }
  FORCE_INLINE vBool operator==(vFloat b) const { return vFloat(*this) == b; }
  FORCE_INLINE vBool operator!=(vFloat b) const { return vFloat(*this) != b; }
  FORCE_INLINE vBool operator<(vFloat b) const { return vFloat(*this) < b; }
  FORCE_INLINE vBool operator<=(vFloat b) const { return vFloat(*this) <= b; }
  FORCE_INLINE vBool operator>(vFloat b) const { return vFloat(*this) > b; }
  FORCE_INLINE vBool operator>=(vFloat b) const { return vFloat(*this) >= b; }
  friend FORCE_INLINE vFloat operator+(float a, const vDReg& b) { return vFloat(a) + vFloat(b); }
  friend FORCE_INLINE vFloat operator-(float a, const vDReg& b) { return vFloat(a) - vFloat(b); }
  friend FORCE_INLINE vFloat operator*(float a, const vDReg& b) { return vFloat(a) * vFloat(b); }

 private:
  template <typename Type>
  FORCE_INLINE Type read() const {
    return Type(reinterpret_cast<typename Type::Lanes>(lightmetal::kernel::read_vector(vector_)));
  }
  template <typename Type>
  FORCE_INLINE vDReg& write(Type value, lightmetal::kernel_abi::DstUse use) {
    lightmetal::kernel::write_vector(
        vector_, reinterpret_cast<lightmetal::kernel::IntLanes>(value.lanes()), use);
    return *this;
  }

  uint32_t vector_;
};

// dst_reg[i]: vector i from where the function that is being applied to a face has been set;
// dst_reg++ goes on by one vector.
class DstRegister {
 public:
  FORCE_INLINE vDReg operator[](int i) const { return vDReg(lightmetal::kernel::dst_vector + i); }
  FORCE_INLINE void operator++() const { ++lightmetal::kernel::dst_vector; }
  FORCE_INLINE void operator++(int) const { ++lightmetal::kernel::dst_vector; }
  FORCE_INLINE void operator+=(int vectors) const { lightmetal::kernel::dst_vector += vectors; }
};
inline constexpr DstRegister dst_reg;

inline constexpr float vConst0 = 0.0f;
inline constexpr float vConst1 = 1.0f;
inline constexpr float vConstNeg1 = -1.0f;
inline constexpr float vConst0p8373 = 0.837300003f;
// To be set by kernels.
inline float vConstFloatPrgm0 = 0.0f;
inline float vConstFloatPrgm1 = 0.0f;
inline float vConstFloatPrgm2 = 0.0f;
inline int32_t vConstIntPrgm0 = 0;
inline int32_t vConstIntPrgm1 = 0;
inline int32_t vConstIntPrgm2 = 0;

}  // namespace sfpi

// Conditions switch lanes off for the assignments within them.
#define v_if(condition)                         \
  {                                             \
    lightmetal::kernel::LaneScope lane_scope__; \
    lane_scope__.narrow(sfpi::vBool(condition).lanes());
#define v_elseif(condition)   \
  lane_scope__.other_lanes(); \
  lane_scope__.narrow(sfpi::vBool(condition).lanes());
#define v_else lane_scope__.other_lanes();
#define v_endif }
#define v_block \
  {             \
    lightmetal::kernel::LaneScope lane_scope__;
#define v_and(condition) lane_scope__.narrow(sfpi::vBool(condition).lanes())
#define v_endblock }

#include "lightmetal/sfpi_functions.h"
