#pragma once

#include <tuple>
#include <utility>

#include "lightmetal/tensor_accessor.h"

// Several tensors at once. In a header of its own because <tuple> takes a while to compile.

namespace lightmetal::kernel {

template <uint32_t kCount, uint32_t kCtaOffset>
constexpr auto accessor_args_from() {
  if constexpr (kCount == 0) {
    return std::tuple<>();
  } else {
    using First = TensorAccessorArgs<kCtaOffset>;
    return std::tuple_cat(std::tuple<First>(),
                          accessor_args_from<kCount - 1, First::next_compile_time_args_offset()>());
  }
}

}  // namespace lightmetal::kernel

// The arguments of tensors whose compile-time arguments follow each other from CTA_OFFSET on.
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
  return lightmetal::kernel::accessor_args_from<NUM_TENSORS, CTA_OFFSET>();
}

// The addresses are this kernel's arguments from an index on.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args,
                                uint32_t address_rt_arg_index_start) {
  return std::apply(
      [index = address_rt_arg_index_start](const auto&... each) mutable {
        return std::tuple{
            TensorAccessor(each, get_arg_val<uint32_t>(static_cast<int>(index++)))...};
      },
      args);
}

// As of late 2025: the page sizes are compile-time arguments from an index on.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args,
                                uint32_t address_rt_arg_index_start,
                                uint32_t page_size_ct_arg_index_start) {
  return std::apply(
      [address = address_rt_arg_index_start,
       page_size = page_size_ct_arg_index_start](const auto&... each) mutable {
        return std::tuple{TensorAccessor(each, get_arg_val<uint32_t>(static_cast<int>(address++)),
                                         lightmetal::kernel::compile_time_arg(page_size++))...};
      },
      args);
}

template <typename... Tokens>
auto make_tensor_accessors(const std::tuple<Tokens...>& tokens) {
  return std::apply([](const auto&... token) { return std::tuple{TensorAccessor(token)...}; },
                    tokens);
}

template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
  return std::apply(
      [](const auto&... accessor) {
        return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{
            AbstractTensorAccessorWrapper(accessor)...};
      },
      accessors);
}
