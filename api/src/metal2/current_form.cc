// Specifications as programs of June and July 2026 write them.
#include "api/src/metal2/current_form.h"

#include <tt-metalium/assert.hpp>
#include <utility>

namespace tt::tt_metal::experimental {
namespace {

using OneXX = ComputeHardwareConfig::Compute1XXConfig;
using MovementOneXX = DataMovementHardwareConfig::DataMovement1XXConfig;

Precision precise_if(bool precise) { return precise ? Precision::Precise : Precision::Approximate; }

UnpackMode mode_of(UnpackToDestMode mode) {
  return mode == UnpackToDestMode::UnpackToDestFp32 ? UnpackMode::UnpackToDest
                                                    : UnpackMode::UnpackToSrc;
}

// The fields that both configurations of July have.
template <typename Config>
ComputeHardwareConfig common_fields(const Config& config) {
  return {.fpu_math_fidelity = config.fpu_math_fidelity,
          .sfpu_precision_mode = config.sfpu_precision_mode,
          .enable_32_bit_dest = config.enable_32_bit_dest,
          .double_buffer_dest = config.double_buffer_dest,
          .unpack_modes = config.unpack_modes,
          .math_fidelity = config.math_fidelity,
          .fp32_dest_acc_en = config.fp32_dest_acc_en,
          .dst_full_sync_en = config.dst_full_sync_en,
          .math_approx_mode = config.math_approx_mode,
          .unpack_to_dest_mode = config.unpack_to_dest_mode};
}

// A kernel that says by the fields of June where its buffers are unpacked to says it of all of
// them: what has no entry goes to the registers.
void move_unpack_modes(ComputeHardwareConfig& config, const Group<DFBBinding>& bindings) {
  if (!config.fp32_dest_acc_en && config.unpack_to_dest_mode.empty()) return;
  for (const auto& [buffer, mode] : std::exchange(config.unpack_to_dest_mode, {}))
    config.unpack_modes[buffer] = mode_of(mode);
  for (const DFBBinding& binding : bindings) {
    if (binding.endpoint_type == DFBEndpointType::CONSUMER)
      config.unpack_modes.insert({binding.dfb_spec_name, UnpackMode::UnpackToSrc});
  }
}

void move_fields(ComputeHardwareConfig& config, const Group<DFBBinding>& bindings) {
  move_unpack_modes(config, bindings);
  const auto take = [](auto& optional, auto&& set) {
    if (const auto value = std::exchange(optional, std::nullopt)) set(*value);
  };
  take(config.math_fidelity, [&](MathFidelity value) { config.fpu_math_fidelity = value; });
  take(config.fp32_dest_acc_en, [&](bool value) { config.enable_32_bit_dest = value; });
  take(config.dst_full_sync_en, [&](bool value) { config.double_buffer_dest = !value; });
  take(config.math_approx_mode,
       [&](bool value) { config.sfpu_precision_mode = precise_if(!value); });
  take(config.bfp8_pack_precise, [&](bool value) {
    config.config_1xx = OneXX{.bfp_pack_precision_mode = precise_if(value)};
  });
}

void move_fields(DataMovementHardwareConfig& config) {
  using Role = DataMovementHardwareConfig::RoleHint;
  if (!config.config_1xx) config.config_1xx = std::exchange(config.gen1_config, std::nullopt);
  if (!config.config_2xx) config.config_2xx = std::exchange(config.gen2_config, std::nullopt);
  const Role role = std::exchange(config.role, Role::UNSPECIFIED);
  if (config.config_1xx || role == Role::UNSPECIFIED) return;
  const DataMovementHardwareConfig suited = role == Role::READER
                                                ? CreateReaderGen1DataMovementConfig()
                                                : CreateWriterGen1DataMovementConfig();
  config.config_1xx = suited.config_1xx;
}

void move_fields(KernelSpec& kernel) {
  if (auto* compute = std::get_if<ComputeHardwareConfig>(&kernel.hw_config))
    move_fields(*compute, kernel.dfb_bindings);
  if (auto* movement = std::get_if<DataMovementHardwareConfig>(&kernel.hw_config))
    move_fields(*movement);
}

void move_fields(TensorParameter& tensor) {
  const auto [enqueue_invariant, padded, dynamic] = std::exchange(tensor.advanced_options, {});
  tensor.relaxations.match_padded_shape_only |= padded;
  tensor.relaxations.dynamic_tensor_shape |= dynamic;
}

}  // namespace

ComputeGen1Config::operator ComputeHardwareConfig() const {
  ComputeHardwareConfig config = common_fields(*this);
  config.config_1xx = OneXX{.bfp_pack_precision_mode = bfp_pack_precision_mode};
  config.bfp8_pack_precise = bfp8_pack_precise;
  return config;
}

ComputeGen2Config::operator ComputeHardwareConfig() const {
  ComputeHardwareConfig config = common_fields(*this);
  config.config_2xx.emplace();
  return config;
}

ProgramSpec metal2::in_current_form(ProgramSpec spec) {
  TT_FATAL(spec.cross_node_dataflow_buffers.empty() && spec.remote_dataflow_buffers.empty(),
           "Program \"{}\" has dataflow buffers between nodes, which are not there", spec.name);
  for (const DataflowBufferSpec& buffer : spec.dataflow_buffers) {
    TT_FATAL(!buffer.unpack_face_geometry_metadata.has_value(),
             "Dataflow buffer \"{}\" of program \"{}\" has faces of its own: there are those of "
             "its tile",
             *buffer.unique_id, spec.name);
  }
  for (KernelSpec& kernel : spec.kernels) move_fields(kernel);
  for (TensorParameter& tensor : spec.tensor_parameters) move_fields(tensor);
  return spec;
}

}  // namespace tt::tt_metal::experimental
