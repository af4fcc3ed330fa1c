#pragma once

#include <string>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_spec_relaxations.hpp>
#include <tt-metalium/strong_type.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>

namespace tt::tt_metal::experimental {

// The name of a tensor parameter within its program.
using TensorParamName = ttsl::StrongType<std::string, struct TensorParamNameTag>;

// A tensor that a program is given with its arguments: how it is laid out on each device. Belongs
// to the caller, unlike dataflow buffers and semaphores.
struct TensorParameter {
  TensorParamName unique_id = {};
  TensorSpec spec;
  TensorSpecRelaxations relaxations = {};
  TensorParameterAdvancedOptions advanced_options = {};  // what is set in it is relaxed, too
};

}  // namespace tt::tt_metal::experimental
