#pragma once

#include <tt-metalium/experimental/metal2_host_api/program_run_args.hpp>
#include <tt-metalium/experimental/metal2_host_api/program_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_parameter.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/program.hpp>
#include <unordered_map>

// Programs in the style that upstream calls Metal 2.0, as of its release 0.81.1 of October 2026: a
// ProgramSpec says what a program is, ProgramRunArgs what a launch is given. Such a program is
// changed by the functions below alone; functions of host_api.hpp and of Kernel that would add to
// it or change it, or that give out references to arguments, refuse it. Errors are
// std::runtime_error, in one sentence that names what is wrong where, and change nothing.
// `skip_validation` leaves checks out: REQUIRES then that all rules are kept.
namespace tt::tt_metal::experimental {

// A program for the devices of the mesh, with compiled kernels. Its scratchpads take L1 on all of
// them until the program ends, which waits for its launches then. Throws the compiler's messages
// for a kernel that does not compile.
Program MakeProgramFromSpec(distributed::MeshDevice& mesh_device, const ProgramSpec& spec,
                            bool skip_validation = false);

// A workload with a program for each range of devices, or with one for all devices of the mesh. A
// program with scratchpads, which lie on the devices of its range alone, is launched on no others.
// Throws as MeshWorkload::add_program for ranges that overlap.
distributed::MeshWorkload MakeMeshWorkloadFromSpecs(
    distributed::MeshDevice& mesh_device,
    const std::unordered_map<distributed::MeshCoordinateRange, ProgramSpec>& program_specs,
    bool skip_validation = false);
distributed::MeshWorkload MakeMeshWorkloadFromSpec(distributed::MeshDevice& mesh_device,
                                                   const ProgramSpec& program_spec,
                                                   bool skip_validation = false);

// Gives the program all arguments that its specification names: each argument of each kernel on
// each of its nodes, and each tensor, which must lie on all devices of the program and whose
// specification must match the declared one. A kernel without arguments may be left out. A program
// with arguments cannot be launched before.
void SetProgramRunArgs(Program& program, const ProgramRunArgs& params,
                       bool skip_validation = false);

// Changes some arguments; all others stay as they are, tensors included. A dataflow buffer in a
// tensor's memory is given other sizes only together with the tensor. Throws when SetProgramRunArgs
// has not been called.
void UpdateProgramRunArgs(Program& program, const ProgramRunArgs& params,
                          bool skip_validation = false);

// Changes all tensors, and nothing else. Throws when SetProgramRunArgs has not been called.
void UpdateTensorArgs(Program& program,
                      const Table<TensorParamName, ProgramRunArgs::TensorArgument>& tensor_args,
                      bool skip_validation = false);

}  // namespace tt::tt_metal::experimental
