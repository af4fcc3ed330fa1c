#pragma once

#include <cstdint>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <utility>
#include <vector>

#include "tests/random_programs/program_host.h"

// Programs from specifications, whose arguments have names.
namespace random_programs {

namespace metal2 = tm::experimental;

// The names of the words that other programs get by their numbers.
inline const std::vector<std::string>& argument_names() {
  static const std::vector<std::string> names = {"first", "step",  "end",  "size",
                                                 "word4", "word5", "word6"};
  return names;
}

// A kernel of a specification: its text, and how many of argument_names() it gets.
struct NamedKernel {
  const char* text;
  size_t arguments;
};
inline std::vector<NamedKernel> named_kernels_of(Kind kind) {
  switch (kind) {
    case Kind::kSum:
      return {{kernels::kNamedSumReader, 6}, {kernels::kNamedSumWriter, 5}};
    case Kind::kCount:
      return {{kernels::kNamedCount, 5}};
    case Kind::kSignal:
      return {{kernels::kNamedSignal, 7}};
    default:
      return {};
  }
}

inline metal2::KernelSpecName name_of_kernel(size_t number) {
  return metal2::KernelSpecName{"kernel" + std::to_string(number)};
}

inline metal2::KernelSpec spec_of(const CreateProgram& of, size_t number) {
  const NamedKernel named = named_kernels_of(of.kind)[number];
  const KernelPart part = kernels_of(of)[number];
  metal2::KernelSpec spec{.unique_id = name_of_kernel(number),
                          .source = metal2::KernelSpec::SourceCode{named.text},
                          .hw_config = part.reader ? metal2::CreateReaderGen1DataMovementConfig()
                                                   : metal2::CreateWriterGen1DataMovementConfig()};
  for (size_t i = 0; i < part.compile_args.size(); ++i) {
    spec.compile_time_args["flag" + std::to_string(i)] = part.compile_args[i];
  }
  for (size_t i = 0; i < named.arguments; ++i) {
    spec.runtime_arg_schema.runtime_arg_names.push_back(argument_names()[i]);
  }
  spec.runtime_arg_schema.common_runtime_arg_names = {"amount"};
  if (of.kind != Kind::kSum) return spec;
  for (const char* name : {"of_a", "of_b"}) {
    const metal2::DFBSpecName buffer{name};
    spec.dfb_bindings.push_back(number == 0 ? metal2::ProducerOf(buffer, name)
                                            : metal2::ConsumerOf(buffer, name));
  }
  return spec;
}

inline metal2::ProgramSpec spec_of(const CreateProgram& of) {
  metal2::ProgramSpec spec{.name = "random"};
  metal2::WorkUnitSpec unit{.name = "unit", .target_nodes = range_of(of.cores)};
  for (size_t i = 0; i < named_kernels_of(of.kind).size(); ++i) {
    spec.kernels.push_back(spec_of(of, i));
    unit.kernels.push_back(name_of_kernel(i));
  }
  if (of.kind == Kind::kSum) {
    for (const char* name : {"of_a", "of_b"}) {
      spec.dataflow_buffers.push_back({.unique_id = metal2::DFBSpecName{name},
                                       .entry_size = kScratchPage,
                                       .num_entries = 1,
                                       .data_format_metadata = tt::DataFormat::UInt32});
    }
  }
  spec.work_units = {std::move(unit)};
  return spec;
}

// Arguments for a kernel: the words of each core, in the order of argument_names().
inline metal2::ProgramRunArgs named_arguments(const CreateProgram& of, size_t kernel,
                                              const std::vector<tm::CoreCoord>& cores,
                                              const std::vector<std::vector<uint32_t>>& words,
                                              uint32_t amount) {
  metal2::KernelRunArgs args{.kernel = name_of_kernel(kernel)};
  for (size_t i = 0; i < named_kernels_of(of.kind)[kernel].arguments; ++i) {
    for (size_t core = 0; core < cores.size(); ++core) {
      args.runtime_arg_values[argument_names()[i]][cores[core]] = words[core].at(i);
    }
  }
  args.common_runtime_arg_values["amount"] = amount;
  metal2::ProgramRunArgs all;
  all.kernel_run_args.push_back(std::move(args));
  return all;
}

// Arguments of 0 for all kernels, as those that a program begins with.
inline metal2::ProgramRunArgs first_arguments(const CreateProgram& of) {
  const std::vector<tm::CoreCoord> cores = cores_of(of.cores);
  const std::vector<std::vector<uint32_t>> zeros(cores.size(),
                                                 std::vector<uint32_t>(argument_names().size()));
  metal2::ProgramRunArgs all;
  for (size_t i = 0; i < named_kernels_of(of.kind).size(); ++i) {
    all.kernel_run_args.push_back(
        std::move(named_arguments(of, i, cores, zeros, 0).kernel_run_args[0]));
  }
  return all;
}

}  // namespace random_programs
