#pragma once

#include "internal/llk_metadata.h"
#include "lightmetal/tensor_accessor_args.h"

namespace tensor_accessor {

// The name by which a kernel knows a tensor of its program: static arguments from compile-time
// argument CTA_OFFSET on; its address is the common runtime argument at byte ADDR_CRTA_OFFSET, and
// its other common runtime arguments follow that.
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
  static constexpr uint32_t kAddressArg = ADDR_CRTA_OFFSET / sizeof(uint32_t);
  using args_t = TensorAccessorArgs<CTA_OFFSET, kAddressArg + 1>;
  static constexpr args_t args{};
  static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;

  explicit constexpr TensorBindingToken(binding_details::LLKMetadata llk = {}) noexcept
      : llk_metadata_(llk) {}

  constexpr const binding_details::LLKMetadata& llk_metadata() const { return llk_metadata_; }

 private:
  binding_details::LLKMetadata llk_metadata_;
};

// The name of a tensor that the host left out. Never made: only its type is looked at.
struct NullTensorBindingToken {
  NullTensorBindingToken() = delete;
  NullTensorBindingToken(const NullTensorBindingToken&) = delete;
  NullTensorBindingToken& operator=(const NullTensorBindingToken&) = delete;
};

}  // namespace tensor_accessor
