#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>
#include <vector>

// Operators of one reader, one writer and, unless they only move data, one compute kernel, which
// know their resources by name.
namespace lightmetal::testing {

// What a node does of work in equal units.
struct Share {
  tt::tt_metal::experimental::NodeCoord node;
  uint32_t first = 0, count = 0;
};

// `units` over that many nodes of the first row, as evenly as it goes; the first have one more.
// REQUIRES: at least as many units as nodes.
std::vector<Share> shares_of(uint32_t units, uint32_t nodes);

using Arguments = tt::tt_metal::experimental::Table<std::string, uint32_t>;

// A buffer, a tensor or a scratchpad has one name in the program and in its kernels, but for those
// that a kernel has another name for.
struct OperatorKernel {
  std::string source;
  std::vector<std::string> consumes = {}, produces = {};  // names of buffers; both, if in both
  std::vector<std::string> tensors = {};
  std::vector<std::string> scratchpads = {};
  Arguments constants = {};
  std::function<Arguments(const Share&)> arguments = [](const Share&) { return Arguments{}; };
  std::map<std::string, std::string> renamed = {};  // the program's name, the kernel's
  std::string tensor_sequence = {};                 // the name of all tensors in their order
  // Constants and arguments without names: those of each node, those of all.
  std::vector<uint32_t> constant_varargs = {}, common_varargs = {};
  std::function<std::vector<uint32_t>(const Share&)> varargs = [](const Share&) {
    return std::vector<uint32_t>{};
  };

  const std::string& name_of(const std::string& resource) const {
    const auto own = renamed.find(resource);
    return own == renamed.end() ? resource : own->second;
  }
};

// `tiles` of 32x32 elements.
tt::tt_metal::experimental::DataflowBufferSpec buffer_of(
    const std::string& name, uint32_t tiles, tt::DataFormat format = tt::DataFormat::Float16_b);

struct SpecifiedOperator {
  OperatorKernel reader;
  std::optional<OperatorKernel> compute = std::nullopt;
  OperatorKernel writer;
  tt::tt_metal::experimental::Group<tt::tt_metal::experimental::DataflowBufferSpec> buffers;
  std::vector<std::pair<std::string, const tt::tt_metal::MeshTensor*>> tensors = {};
  std::vector<Share> shares;
  tt::tt_metal::experimental::KernelSpec::CompilerOptions::Defines defines = {};  // of all kernels
  tt::tt_metal::experimental::Group<tt::tt_metal::experimental::ScratchpadSpec> scratchpads = {};
  tt::tt_metal::experimental::ComputeHardwareConfig config = {};
};

// Makes the program, and enqueues it once.
void launch(tt::tt_metal::distributed::MeshDevice& mesh, const SpecifiedOperator& specified);

// The bits of a number as kernels take them: of a float, and of two equal bfloat16 in one word.
uint32_t float_bits(float value);
uint32_t bfloat16_pair(float value);

}  // namespace lightmetal::testing
