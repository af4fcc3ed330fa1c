#include "api/src/metal2/check_run_args.h"

#include <algorithm>
#include <set>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "api/src/metal2/check_spec.h"
#include "api/src/objects/host_objects.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

// The rules of one kernel's arguments. Refers to what it is given.
class KernelArgsCheck {
 public:
  KernelArgsCheck(const MadeProgram& program, const MadeKernel& kernel, bool complete)
      : kernel_(kernel),
        complete_(complete),
        where_("Program \"" + program.name + "\", kernel \"" + *kernel.name + "\"") {}

  void run(const KernelRunArgs& args) const {
    for (const auto& [name, values] : args.runtime_arg_values) check_values(name, values);
    for (const auto& [name, value] : args.common_runtime_arg_values) {
      TT_FATAL(kernel_.common_args.contains(name), "{} has no common argument \"{}\"", where_,
               name);
    }
    check_varargs(args.advanced_options);
    if (complete_) check_all_there(args);
  }

 private:
  void check_node(const NodeCoord& node) const {
    TT_FATAL(kernel_.number_of_node.contains(node),
             "{} is given arguments for node {}, on which it does not run", where_, node);
  }

  void check_values(const std::string& name, const Table<NodeCoord, uint32_t>& values) const {
    TT_FATAL(kernel_.runtime_args.contains(name), "{} has no argument \"{}\"", where_, name);
    for (const auto& [node, value] : values) check_node(node);
    TT_FATAL(!complete_ || values.size() == kernel_.nodes.size(),
             "{} is given argument \"{}\" for {} nodes: it runs on {}", where_, name, values.size(),
             kernel_.nodes.size());
  }

  void check_varargs(const AdvancedKernelRunArgs& args) const {
    for (const auto& [node, values] : args.runtime_varargs) {
      check_node(node);
      const uint32_t expected = kernel_.num_varargs[kernel_.number_of_node.at(node)];
      TT_FATAL(values.size() == expected, "{} is given {} varargs for node {}: it has {}", where_,
               values.size(), node, expected);
    }
    const size_t common = args.common_runtime_varargs.size();
    TT_FATAL(common == kernel_.num_common_varargs || (!complete_ && common == 0),
             "{} is given {} common varargs: it has {}", where_, common,
             kernel_.num_common_varargs);
  }

  void check_all_there(const KernelRunArgs& args) const {
    for (const auto& [name, word] : kernel_.runtime_args) {
      TT_FATAL(args.runtime_arg_values.contains(name), "{} is given no argument \"{}\"", where_,
               name);
    }
    for (const auto& [name, word] : kernel_.common_args) {
      TT_FATAL(args.common_runtime_arg_values.contains(name),
               "{} is given no common argument \"{}\"", where_, name);
    }
    for (size_t i = 0; i < kernel_.nodes.size(); ++i) {
      TT_FATAL(kernel_.num_varargs[i] == 0 ||
                   args.advanced_options.runtime_varargs.contains(kernel_.nodes[i]),
               "{} is given no varargs for node {}: it has {}", where_, kernel_.nodes[i],
               kernel_.num_varargs[i]);
    }
  }

  const MadeKernel& kernel_;
  const bool complete_;
  const std::string where_;
};

void check_kernel_args(const MadeProgram& program, const Group<KernelRunArgs>& all, bool complete) {
  std::vector<bool> given(program.kernels.size());
  for (const KernelRunArgs& args : all) {
    const auto number = program.number_of_kernel.find(*args.kernel);
    TT_FATAL(number != program.number_of_kernel.end(),
             "Program \"{}\" is given arguments of kernel \"{}\", which it does not have",
             program.name, args.kernel);
    TT_FATAL(!given[number->second], "Program \"{}\" is given arguments of kernel \"{}\" twice",
             program.name, args.kernel);
    given[number->second] = true;
    KernelArgsCheck(program, program.kernels[number->second], complete).run(args);
  }
  if (!complete) return;
  for (size_t i = 0; i < given.size(); ++i) {
    const KernelRunArgs none{.kernel = program.kernels[i].name};
    if (!given[i]) KernelArgsCheck(program, program.kernels[i], complete).run(none);
  }
}

// Throws unless the tensor lies on each device that the program was made for.
void check_devices(const MadeProgram& program, const TensorParamName& parameter,
                   const distributed::MeshBuffer& tensor) {
  const distributed::MeshCoordinateRange parts(tensor.mesh_shape());
  for (const IDevice* device : program.devices) {
    const bool lies_there =
        std::ranges::any_of(parts, [&](const distributed::MeshCoordinate& coord) {
          return tensor.get_device_buffer(coord)->device() == device;
        });
    TT_FATAL(lies_there,
             "Program \"{}\", tensor parameter \"{}\" is given a tensor of another mesh device: it "
             "does not lie on device {}, for which the program was made",
             program.name, parameter, device->id());
  }
}

void check_tensor(const MadeProgram& program, const MadeTensor& parameter,
                  const MeshTensor& tensor) {
  const TensorParameter& declared = parameter.declared;
  check_devices(program, declared.unique_id, tensor.mesh_buffer());
  TT_FATAL(
      tensorspecs_match_with_relaxation(declared.spec, tensor.tensor_spec(), declared.relaxations),
      "Program \"{}\", tensor parameter \"{}\" is {} of {} in {}: the tensor is {} of {} in {}",
      program.name, declared.unique_id, declared.spec.data_type(), declared.spec.logical_shape(),
      declared.spec.memory_config(), tensor.dtype(), tensor.logical_shape(),
      tensor.memory_config());
  if (!declared.relaxations.dynamic_tensor_shape) return;
  TT_FATAL(TensorAccessorArgs(tensor, parameter.at_run_time).get_compile_time_args() ==
               parameter.constant_words,
           "Program \"{}\", tensor parameter \"{}\" is given a tensor of {}, whose pages lie in "
           "other shards than those of {}",
           program.name, declared.unique_id, tensor.logical_shape(), declared.spec.logical_shape());
}

// The sizes that dataflow buffers have from now on, by number.
std::vector<MadeBuffer> resized(const MadeProgram& program,
                                const Group<DFBRunOverrides>& overrides) {
  std::vector<MadeBuffer> buffers = program.buffers;
  std::set<std::string> given;
  for (const DFBRunOverrides& sizes : overrides) {
    const auto number = program.number_of_buffer.find(*sizes.dfb);
    TT_FATAL(number != program.number_of_buffer.end(),
             "Program \"{}\" is given sizes of dataflow buffer \"{}\", which it does not have",
             program.name, sizes.dfb);
    TT_FATAL(given.insert(*sizes.dfb).second,
             "Program \"{}\" is given sizes of dataflow buffer \"{}\" twice", program.name,
             sizes.dfb);
    MadeBuffer& buffer = buffers[number->second];
    buffer.entry_size = sizes.entry_size.value_or(buffer.entry_size);
    buffer.num_entries = sizes.num_entries.value_or(buffer.num_entries);
    check_sizes("Program \"" + program.name + "\", dataflow buffer \"" + *sizes.dfb + "\"",
                buffer.entry_size, buffer.num_entries);
  }
  return buffers;
}

void check_buffers(const MadeProgram& program, const ProgramRunArgs& args) {
  if (args.dfb_run_overrides.empty() && args.tensor_args.empty()) return;
  const std::vector<MadeBuffer> buffers = resized(program, args.dfb_run_overrides);
  std::set<CBHandle> given;  // aliases are one circular buffer
  for (const DFBRunOverrides& sizes : args.dfb_run_overrides)
    given.insert(buffers[program.number_of_buffer.at(*sizes.dfb)].circular_buffer);
  for (const MadeBuffer& buffer : buffers) {
    for (const MadeBuffer& alias : buffers) {
      TT_FATAL(alias.circular_buffer != buffer.circular_buffer ||
                   alias.total_size() == buffer.total_size(),
               "Program \"{}\", dataflow buffer \"{}\" is given {} B and its alias \"{}\" {} B",
               program.name, buffer.name, buffer.total_size(), alias.name, alias.total_size());
    }
    if (!buffer.tensor) continue;
    const TensorParamName& parameter = program.tensors[*buffer.tensor].declared.unique_id;
    const TensorArgument* tensor = args.tensor_args.get(parameter);
    // The tensor that it had may be gone.
    TT_FATAL(tensor != nullptr || !given.contains(buffer.circular_buffer),
             "Program \"{}\", dataflow buffer \"{}\" is given sizes without tensor \"{}\", in "
             "whose memory it lies",
             program.name, buffer.name, parameter);
    if (tensor == nullptr) continue;
    const uint64_t room =
        rules_of_buffer(*mesh_tensor_of(*tensor).mesh_buffer().get_reference_buffer())
            .room_for_circular_buffer();
    TT_FATAL(buffer.total_size() <= room,
             "Program \"{}\", dataflow buffer \"{}\" has {} B: tensor \"{}\" has room for {} B on "
             "a node",
             program.name, buffer.name, buffer.total_size(), parameter, room);
  }
}

}  // namespace

void check_tensor_args(const MadeProgram& program, const ProgramRunArgs& args, bool complete) {
  for (const auto& [parameter, argument] : args.tensor_args) {
    const auto number = program.number_of_tensor.find(*parameter);
    TT_FATAL(number != program.number_of_tensor.end(),
             "Program \"{}\" is given tensor \"{}\", which is none of its parameters", program.name,
             parameter);
    check_tensor(program, program.tensors[number->second], mesh_tensor_of(argument));
  }
  check_buffers(program, args);
  if (!complete) return;
  for (const MadeTensor& tensor : program.tensors) {
    TT_FATAL(args.tensor_args.contains(tensor.declared.unique_id),
             "Program \"{}\" is given no tensor \"{}\"", program.name, tensor.declared.unique_id);
  }
}

void check_run_args(const MadeProgram& program, const ProgramRunArgs& args, bool complete) {
  check_kernel_args(program, args.kernel_run_args, complete);
  check_tensor_args(program, args, complete);
}

}  // namespace tt::tt_metal::experimental::metal2
