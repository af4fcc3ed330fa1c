#pragma once

#include <optional>
#include <tt-metalium/base_types.hpp>
#include <tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>

namespace tt::tt_metal::experimental {

using ComputeUnpackModes = Table<DFBSpecName, tt::tt_metal::UnpackMode>;

// How a compute kernel uses the engines of its node. docs/compatibility.md says what of it changes
// results here.
struct ComputeHardwareConfig {
  using ComputeUnpackModes = experimental::ComputeUnpackModes;

  MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
  Precision sfpu_precision_mode = Precision::Precise;
  bool enable_32_bit_dest = false;  // DST has 32 bits an element, and half as many tiles
  bool double_buffer_dest = true;   // a step has half of DST
  // Where tiles of dataflow buffers that the kernel consumes are unpacked to. UnpackToDest of a
  // 32-bit format needs enable_32_bit_dest, and with that each Float32 buffer needs an entry.
  // Others are unpacked to the operands' registers.
  ComputeUnpackModes unpack_modes = {};

  // Wormhole and Blackhole.
  struct Compute1XXConfig {
    Precision bfp_pack_precision_mode = Precision::Approximate;
  };
  std::optional<Compute1XXConfig> config_1xx = std::nullopt;

  // Quasar, for which nothing is made here.
  struct Compute2XXConfig {};
  std::optional<Compute2XXConfig> config_2xx = std::nullopt;
};

}  // namespace tt::tt_metal::experimental
