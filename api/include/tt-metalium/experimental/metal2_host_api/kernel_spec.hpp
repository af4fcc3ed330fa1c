#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/compute_hardware_config.hpp>
#include <tt-metalium/experimental/metal2_host_api/data_movement_hardware_config.hpp>
#include <tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/scratchpad_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/semaphore_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_parameter.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/group.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/strong_type.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace tt::tt_metal::experimental {

// The name of a kernel within its program.
using KernelSpecName = ttsl::StrongType<std::string, struct KernelSpecNameTag>;

// How long the names of a kernel's resources may be.
inline constexpr std::size_t MAX_ACCESSOR_NAME_LENGTH = 64;

// A kernel: its source, what it is compiled with, and the names by which it knows the resources of
// its program and its arguments. It runs on the nodes of the work units that list it. One source
// may be that of several kernels. All names that a kernel's source sees are C++ identifiers.
//
// In place of a kernel_main() the source may mark one function: then this is called with the
// arguments of its parameters' names, whichever kind these are of; template parameters are
// constants.
//
//   template <uint32_t per_step>
//   TT_KERNEL void read(uint32_t first, uint32_t count) { ... }
struct KernelSpec {
  KernelSpecName unique_id = {};

  // A file, found as CreateKernel finds it, or a text.
  struct SourceCode {
    std::string code = {};
  };
  std::variant<std::filesystem::path, SourceCode> source = {};

  uint32_t num_threads = 1;  // 1 on this generation of hardware

  bool is_data_movement_kernel() const {
    return std::holds_alternative<DataMovementHardwareConfig>(hw_config);
  }
  bool is_compute_kernel() const {
    return std::holds_alternative<ComputeHardwareConfig>(hw_config);
  }

  struct CompilerOptions {
    using IncludePaths = std::vector<std::filesystem::path>;
    using Defines = Table<std::string, std::string>;
    using OptLevel = tt::tt_metal::KernelBuildOptLevel;

    IncludePaths include_paths = {};
    Defines defines = {};
    OptLevel opt_level = OptLevel::O2;  // also of compute kernels
  };
  CompilerOptions compiler_options = {};

  // ---- Resources of the program: the kernel knows them as dfb::NAME, sem::NAME, scratch::NAME
  // ----

  // A kernel binds a dataflow buffer at most once as each of the two. The two bindings of a kernel
  // that is both may have one name.
  struct DFBBinding {
    enum class EndpointType { PRODUCER, CONSUMER };
    // How threads share entries. Here a kernel is one thread, which has them all; BLOCKED is
    // refused, and producers are STRIDED.
    enum class AccessPattern { STRIDED, ALL, BLOCKED };

    DFBSpecName dfb_spec_name = {};
    std::string accessor_name = {};
    EndpointType endpoint_type;
    AccessPattern access_pattern = AccessPattern::STRIDED;
  };
  Group<DFBBinding> dfb_bindings = {};

  // Not of compute kernels.
  struct SemaphoreBinding {
    SemaphoreSpecName semaphore_spec_name = {};
    std::string accessor_name = {};
  };
  Group<SemaphoreBinding> semaphore_bindings = {};

  struct ScratchpadBinding {
    ScratchpadSpecName scratchpad_spec_name = {};
    std::string accessor_name = {};
  };
  Group<ScratchpadBinding> scratchpad_bindings = {};

  // ---- Tensors that the program is given: tensor::NAME ----

  struct TensorBinding {
    TensorParamName tensor_parameter_name = {};
    std::string accessor_name = {};
  };
  Group<TensorBinding> tensor_bindings = {};

  // ---- Arguments: get_arg(args::NAME) ----

  // Constants of the kernel.
  using CompileTimeArgs = Table<std::string, uint32_t>;
  CompileTimeArgs compile_time_args = {};

  // Names of arguments that come with ProgramRunArgs: of each node, and common to all nodes. No two
  // arguments of a kernel, of whatever kind, have one name.
  struct RuntimeArgSchema {
    Group<std::string> runtime_arg_names = {};
    Group<std::string> common_runtime_arg_names = {};
  };
  RuntimeArgSchema runtime_arg_schema = {};

  // The kind of the kernel. Unpack modes name dataflow buffers that the kernel binds.
  std::variant<DataMovementHardwareConfig, ComputeHardwareConfig> hw_config = {};

  KernelAdvancedOptions advanced_options = {};
};

using DFBEndpointType = KernelSpec::DFBBinding::EndpointType;
using DFBAccessPattern = KernelSpec::DFBBinding::AccessPattern;
using DFBBinding = KernelSpec::DFBBinding;
using TensorBinding = KernelSpec::TensorBinding;
using SemaphoreBinding = KernelSpec::SemaphoreBinding;
using ScratchpadBinding = KernelSpec::ScratchpadBinding;

inline DFBBinding ProducerOf(DFBSpecName dfb_spec_name, std::string accessor_name) {
  return {.dfb_spec_name = std::move(dfb_spec_name),
          .accessor_name = std::move(accessor_name),
          .endpoint_type = DFBEndpointType::PRODUCER};
}
inline DFBBinding ConsumerOf(DFBSpecName dfb_spec_name, std::string accessor_name) {
  return {.dfb_spec_name = std::move(dfb_spec_name),
          .accessor_name = std::move(accessor_name),
          .endpoint_type = DFBEndpointType::CONSUMER};
}
inline DFBBinding StridedConsumerOf(DFBSpecName dfb_spec_name, std::string accessor_name) {
  return ConsumerOf(std::move(dfb_spec_name), std::move(accessor_name));
}
inline DFBBinding AllConsumerOf(DFBSpecName dfb_spec_name, std::string accessor_name) {
  DFBBinding binding = ConsumerOf(std::move(dfb_spec_name), std::move(accessor_name));
  binding.access_pattern = DFBAccessPattern::ALL;
  return binding;
}

}  // namespace tt::tt_metal::experimental
