#pragma once

#include "lightmetal/args.h"
#ifdef COMPILE_FOR_TRISC
#include "compute_kernel_api/common.h"
#endif

// Arguments by name. The host's build puts a constant for each name before the kernel, in namespace
// args; get_arg(args::name) is found through its type.

// An entry function of which the host's build makes kernel_main.
#define TT_KERNEL static FORCE_INLINE

namespace experimental {

// One of this kernel on this core, and one of the kernel on all its cores.
template <typename T>
struct RtaArg {
  uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
  uint32_t byte_offset;
};
// A compile-time one.
template <typename T>
struct CtaVal {
  T value;
};

template <typename T>
FORCE_INLINE T get_arg(RtaArg<T> arg) {
  return get_arg_val<T>(static_cast<int>(arg.byte_offset / sizeof(uint32_t)));
}
template <typename T>
FORCE_INLINE T get_arg(CrtaArg<T> arg) {
  return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / sizeof(uint32_t)));
}
template <typename T>
FORCE_INLINE constexpr T get_arg(CtaVal<T> arg) {
  return arg.value;
}

}  // namespace experimental
