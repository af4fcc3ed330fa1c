#pragma once

// Which of a compute kernel's processors this object is for: on hardware one unpacks, one does the
// math, one packs. An object that is for one of them is a part (lightmetal_kernel_abi_parts.h). The
// object of a kernel that is not split is for all three, and so is, here, a data movement kernel.
namespace lightmetal::kernel {

#if defined(TRISC_UNPACK) && defined(TRISC_MATH) && defined(TRISC_PACK)
inline constexpr bool kIsPart = false, kUnpacks = true, kDoesMath = true, kPacks = true;
#elif defined(TRISC_UNPACK)
inline constexpr bool kIsPart = true, kUnpacks = true, kDoesMath = false, kPacks = false;
#elif defined(TRISC_MATH)
inline constexpr bool kIsPart = true, kUnpacks = false, kDoesMath = true, kPacks = false;
#elif defined(TRISC_PACK)
inline constexpr bool kIsPart = true, kUnpacks = false, kDoesMath = false, kPacks = true;
#else
inline constexpr bool kIsPart = false, kUnpacks = true, kDoesMath = true, kPacks = true;
#endif

}  // namespace lightmetal::kernel
