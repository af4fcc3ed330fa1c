#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"
#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {

// The tables of one part. `services` points to the other two, so the struct must not be copied.
struct ServicesOfPart {
  // `whole` are the services of kernels that are not in parts. They compute, and must outlive this
  // struct; the machine's services must be the same ones.
  ServicesOfPart(kernel_abi::Part part, const kernel_abi::Services& whole);
  ServicesOfPart(const ServicesOfPart&) = delete;
  ServicesOfPart& operator=(const ServicesOfPart&) = delete;

  kernel_abi::Services services;
  kernel_abi::TileServices tiles;
  kernel_abi::SfpuServices sfpu;
};

}  // namespace lightmetal::device::cpu
