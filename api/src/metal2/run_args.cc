// What specified programs are given, and values that hold it.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <utility>

#include "api/src/metal2/check_run_args.h"
#include "api/src/metal2/made_program.h"

namespace tt::tt_metal::experimental {
namespace {

using metal2::MadeProgram;

// Adds the entries of one table to another.
template <typename K, typename V, typename What>
void merge(Table<K, V>& to, const Table<K, V>& from, bool skip_validation, const What& what) {
  for (const auto& entry : from) {
    TT_FATAL(to.insert(entry).second || skip_validation,
             "Arguments cannot be merged: {} \"{}\" is given twice", what, entry.first);
  }
}

void merge(Table<NodeCoord, uint32_t>& to, const Table<NodeCoord, uint32_t>& from,
           bool skip_validation, const std::string& name) {
  for (const auto& entry : from) {
    TT_FATAL(to.insert(entry).second || skip_validation,
             "Arguments cannot be merged: {} is given twice for node {}", name, entry.first);
  }
}

void merge(KernelRunArgs& to, const KernelRunArgs& from, bool skip_validation) {
  const std::string kernel = "kernel \"" + *to.kernel + "\"";
  for (const auto& [name, values] : from.runtime_arg_values)
    merge(to.runtime_arg_values[name], values, skip_validation,
          kernel + ", argument \"" + name + "\"");
  merge(to.common_runtime_arg_values, from.common_runtime_arg_values, skip_validation,
        kernel + ", common argument");
  merge(to.advanced_options.runtime_varargs, from.advanced_options.runtime_varargs, skip_validation,
        kernel + ", varargs of node");
  const auto& common = from.advanced_options.common_runtime_varargs;
  if (common.empty()) return;
  auto& all_common = to.advanced_options.common_runtime_varargs;
  TT_FATAL(all_common.empty() || skip_validation,
           "Arguments cannot be merged: {}, common varargs are given twice", kernel);
  if (all_common.empty()) all_common = common;
}

void merge(ProgramRunArgs& to, const ProgramRunArgs& from, bool skip_validation) {
  for (const KernelRunArgs& of_kernel : from.kernel_run_args) {
    const auto known =
        std::ranges::find(to.kernel_run_args, of_kernel.kernel, &KernelRunArgs::kernel);
    if (known == to.kernel_run_args.end()) {
      to.kernel_run_args.push_back(of_kernel);
    } else {
      merge(*known, of_kernel, skip_validation);
    }
  }
  merge(to.tensor_args, from.tensor_args, skip_validation, "tensor");
  for (const DFBRunOverrides& sizes : from.dfb_run_overrides) {
    const bool is_known = std::ranges::find(to.dfb_run_overrides, sizes.dfb,
                                            &DFBRunOverrides::dfb) != to.dfb_run_overrides.end();
    TT_FATAL(!is_known || skip_validation,
             "Arguments cannot be merged: sizes of dataflow buffer \"{}\" are given twice",
             sizes.dfb);
    if (!is_known) to.dfb_run_overrides.push_back(sizes);
  }
}

}  // namespace

void SetProgramRunArgs(Program& program, const ProgramRunArgs& params, bool skip_validation) {
  MadeProgram& made = MadeProgram::of(program, "SetProgramRunArgs");
  if (!skip_validation) metal2::check_run_args(made, params, /*complete=*/true);
  made.apply(program, params);
  made.note_complete();
}

void UpdateProgramRunArgs(Program& program, const ProgramRunArgs& params, bool skip_validation) {
  MadeProgram& made = MadeProgram::of(program, "UpdateProgramRunArgs");
  made.check_was_given_arguments("UpdateProgramRunArgs");
  if (!skip_validation) metal2::check_run_args(made, params, /*complete=*/false);
  made.apply(program, params);
}

void UpdateTensorArgs(Program& program,
                      const Table<TensorParamName, ProgramRunArgs::TensorArgument>& tensor_args,
                      bool skip_validation) {
  MadeProgram& made = MadeProgram::of(program, "UpdateTensorArgs");
  made.check_was_given_arguments("UpdateTensorArgs");
  const ProgramRunArgs params{.tensor_args = tensor_args};
  if (!skip_validation) metal2::check_tensor_args(made, params, /*complete=*/true);
  made.apply(program, params);
}

ProgramRunArgs MergeProgramRunArgs(ProgramRunArgs base, stl::Span<const ProgramRunArgs> rest,
                                   bool skip_validation) {
  for (const ProgramRunArgs& each : rest) merge(base, each, skip_validation);
  return base;
}

}  // namespace tt::tt_metal::experimental
