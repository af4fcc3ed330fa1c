#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {

// Sets the services of the table from dst_acquire on: what compute kernels do with tiles. The
// services use the context that they are given, the L1 behind it and its other services (fail), and
// hold no state. What they cannot do right fails the launch.
//
// DST is float, whatever the kernel's fp32_dest_acc_en and math fidelity: these two cost precision
// on hardware, and here only decide how many tiles DST has. Integer formats keep their bits through
// DST: copying, transposing and packing them to an integer format is exact, arithmetic on them is
// integer_operands.h's, reducing them fails. Packing to a narrower format rounds to nearest, ties
// to even (block formats: ties away from zero); packing an integer that does not fit fails. Results
// depend on the operands and the processor's vector instructions only.
void fill_tile_services(kernel_abi::Services& services);

// The services of lightmetal_kernel_abi_tiles.h, to which fill_tile_services() points, too.
const kernel_abi::TileServices& tile_services();

}  // namespace lightmetal::device::cpu
