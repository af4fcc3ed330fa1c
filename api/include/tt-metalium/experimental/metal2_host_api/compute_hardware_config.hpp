#pragma once

#include <optional>
#include <tt-metalium/base_types.hpp>
#include <tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>

namespace tt::tt_metal::experimental {

using ComputeUnpackModes = Table<DFBSpecName, tt::tt_metal::UnpackMode>;
using ComputeUnpackToDestModes = Table<DFBSpecName, tt::tt_metal::UnpackToDestMode>;

// How a compute kernel uses the engines of its node. docs/compatibility.md says what of it changes
// results here.
struct ComputeHardwareConfig {
  using ComputeUnpackModes = experimental::ComputeUnpackModes;
  using UnpackToDestModes = ComputeUnpackToDestModes;

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

  // The fields of June 2026. One that is set counts in place of its successor above.
  std::optional<MathFidelity> math_fidelity = std::nullopt;
  std::optional<bool> fp32_dest_acc_en = std::nullopt;
  std::optional<bool> dst_full_sync_en = std::nullopt;
  bool unpack_to_dest_en = false;  // of Quasar
  std::optional<bool> bfp8_pack_precise = std::nullopt;
  std::optional<bool> math_approx_mode = std::nullopt;
  bool enable_2x_src_format = false;  // of Quasar
  // Buffers that have no entry are unpacked to the operands' registers, whatever their format.
  ComputeUnpackToDestModes unpack_to_dest_mode = {};
};

// The configurations of July 2026, one for each generation of hardware. Each of them is a
// ComputeHardwareConfig where one is expected. The fields of the month's first half follow those of
// its second half; one that is set counts in place of its successor.
struct ComputeGen1Config {
  MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
  Precision sfpu_precision_mode = Precision::Precise;
  Precision bfp_pack_precision_mode = Precision::Approximate;
  bool enable_32_bit_dest = false;
  bool double_buffer_dest = true;
  ComputeUnpackModes unpack_modes = {};

  std::optional<MathFidelity> math_fidelity = std::nullopt;
  std::optional<bool> fp32_dest_acc_en = std::nullopt;
  std::optional<bool> dst_full_sync_en = std::nullopt;
  std::optional<bool> math_approx_mode = std::nullopt;
  std::optional<bool> bfp8_pack_precise = std::nullopt;
  ComputeUnpackToDestModes unpack_to_dest_mode = {};

  operator ComputeHardwareConfig() const;
};

struct ComputeGen2Config {
  MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
  Precision sfpu_precision_mode = Precision::Precise;
  bool enable_32_bit_dest = false;
  bool double_buffer_dest = true;
  ComputeUnpackModes unpack_modes = {};
  bool enable_2x_src_register = false;

  std::optional<MathFidelity> math_fidelity = std::nullopt;
  std::optional<bool> fp32_dest_acc_en = std::nullopt;
  std::optional<bool> dst_full_sync_en = std::nullopt;
  std::optional<bool> math_approx_mode = std::nullopt;
  bool enable_2x_src_format = false;
  bool unpack_to_dest_en = false;
  ComputeUnpackToDestModes unpack_to_dest_mode = {};

  operator ComputeHardwareConfig() const;
};

}  // namespace tt::tt_metal::experimental
