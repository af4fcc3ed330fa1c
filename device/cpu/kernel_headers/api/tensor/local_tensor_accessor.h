#pragma once

#include <array>
#include <tuple>

#include "api/core_local_mem.h"
#include "api/tensor/tensor_binding_token.h"

// This core's shard of a tensor as an array, and as endpoint of the NoC.
template <typename T>
class LocalTensorAccessor {
 public:
  template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
  [[nodiscard]] explicit LocalTensorAccessor(
      tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> token) noexcept
      : LocalTensorAccessor(get_common_arg_val<uint32_t>(decltype(token)::kAddressArg)) {}
  [[nodiscard]] explicit LocalTensorAccessor(
      const tensor_accessor::NullTensorBindingToken&) noexcept
      : LocalTensorAccessor(uint32_t{0}) {}
  [[nodiscard]] explicit LocalTensorAccessor(uint32_t bank_base_address) noexcept
      : memory_(bank_base_address) {}

  [[nodiscard]] T& operator[](uint32_t index) const { return memory_[index]; }
  [[nodiscard]] uint32_t get_bank_base_address() const noexcept {
    return static_cast<uint32_t>(memory_.get_address());
  }
  [[nodiscard]] CoreLocalMem<T> local_mem() const noexcept { return memory_; }
  [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
    return (memory_ + offset).scoped_lock(num_elements);
  }

 private:
  CoreLocalMem<T> memory_;
};

#ifndef COMPILE_FOR_TRISC

template <typename T>
struct noc_traits_t<LocalTensorAccessor<T>>
    : lightmetal::kernel::LocalTraits<noc_traits_t<LocalTensorAccessor<T>>,
                                      LocalTensorAccessor<T>> {
  static FORCE_INLINE uint32_t read_pointer(const LocalTensorAccessor<T>& shard) {
    return shard.get_bank_base_address();
  }
  static FORCE_INLINE uint32_t write_pointer(const LocalTensorAccessor<T>& shard) {
    return read_pointer(shard);
  }
};

#endif

template <typename T, typename... Tokens>
std::array<LocalTensorAccessor<T>, sizeof...(Tokens)> make_local_tensor_accessors(
    const std::tuple<Tokens...>& tokens) {
  return std::apply(
      [](const auto&... token) {
        return std::array<LocalTensorAccessor<T>, sizeof...(Tokens)>{
            LocalTensorAccessor<T>(token)...};
      },
      tokens);
}
