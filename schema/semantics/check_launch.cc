// Programs that run.
#include <algorithm>

#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint64_t kPlanBytesOnCore = 128;  // about what a plan has for each thing on a core

absl::Status check_args(const ProgramState& program, const host::Target& target) {
  for (const auto& kernel : program.kernels) {
    const uint64_t words = uint64_t{kernel->most_args} + kernel->num_common_args;
    LM_RETURN_IF_ERROR(host::check_arguments(kernel->of_host().name, words, target));
  }
  return absl::OkStatus();
}

// Places the circular buffers again after each change of one; `version` says whether there was a
// change.
absl::Status fit_circular_buffers(const ProgramState& program, const host::Target& target,
                                  ProgramState::Fitted& fitted) {
  const uint64_t version = program.host.layout().version;
  if (fitted.version == version) return absl::OkStatus();
  LM_RETURN_IF_ERROR(host::check_circular_buffers(program.host, target));
  LM_ASSIGN_OR_RETURN(
      region, host::place_circular_buffers(program.host, target.profile, [](size_t, uint32_t) {}));
  fitted.region = std::move(region);
  fitted.version = version;
  return absl::OkStatus();
}

// The bytes of the plan that the host makes for a launch on a device.
uint64_t plan_bytes(const host::Program& program) {
  uint64_t on_cores = 0;
  for (const host::Kernel& kernel : program.kernels()) on_cores += kernel.cores.count();
  for (const host::CircularBuffer& buffer : program.circular_buffers()) {
    on_cores += uint64_t{buffer.cores.count()} * buffer.indices().count();
  }
  for (const CoreKind kind : {CoreKind::kWorker, CoreKind::kEthernet}) {
    for (const auto& [id, cores] : program.semaphores(kind)) on_cores += cores.count();
  }
  return on_cores * kPlanBytesOnCore;
}

// Where the lowest buffer begins that circular buffers may meet: in the memory of the sub-device,
// or behind it in that of the whole device.
std::optional<uint64_t> lowest_buffer(const DeviceState& device, std::optional<size_t> sub_device) {
  std::optional<uint64_t> lowest;
  if (sub_device.has_value() && !device.loaded->memory.empty()) {
    lowest = device.loaded->memory[*sub_device]->l1.lowest_allocated();
  }
  return lowest.has_value() ? lowest : device.memory->l1.lowest_allocated();
}

}  // namespace

host::Target target_of(const DeviceState& device) {
  host::Target target{.device_id = device.id,
                      .profile = device.profile,
                      .l1_small_size = device.l1_small_size,
                      .manager_id = device.loaded_id()};
  if (device.is_divided()) target.sub_devices = device.loaded->sub_devices;
  return target;
}

absl::Status Checker::check_compiled(ProgramState& program) {
  for (const auto& kernel : program.kernels) {
    if (kernel->has_object) continue;
    return not_now(kernel->object(), "it is launched or compiled, expected a KernelBinary before");
  }
  program.host.set_compiled();
  return absl::OkStatus();
}

absl::StatusOr<ProgramState::Fitted> Checker::make_fitted(const ProgramState& program,
                                                          const DeviceState& device) {
  ProgramState::Fitted fitted;
  fitted.device = device.id;
  fitted.manager = device.loaded_id();
  const host::Target target = target_of(device);
  LM_RETURN_IF_ERROR(host::check_grids(program.host, target));
  LM_ASSIGN_OR_RETURN(sub_device, host::find_sub_device(program.host, target));
  fitted.sub_device = sub_device;
  LM_RETURN_IF_ERROR(fit_circular_buffers(program, target, fitted));
  LM_RETURN_IF_ERROR(fitted.charge.add(budget_, plan_bytes(program.host)));
  return fitted;
}

absl::StatusOr<const ProgramState::Fitted*> Checker::fit(ProgramState& program,
                                                         const DeviceState& device) {
  auto found = std::find_if(program.fitted.begin(), program.fitted.end(),
                            [&](const auto& fitted) { return fitted.device == device.id; });
  if (found != program.fitted.end() && found->manager == device.loaded_id()) {
    LM_RETURN_IF_ERROR(fit_circular_buffers(program, target_of(device), *found));
    return &*found;
  }
  // What was found for another manager of this device, or for a device that is closed, does not
  // hold any more.
  std::erase_if(program.fitted, [&](const ProgramState::Fitted& fitted) {
    return fitted.device == device.id || !devices_.has(fitted.device);
  });
  LM_ASSIGN_OR_RETURN(fitted, make_fitted(program, device));
  return &program.fitted.emplace_back(std::move(fitted));
}

absl::Status Checker::launch(uint64_t device_id, uint64_t program_id) {
  LM_ASSIGN_OR_RETURN(device, open_device(device_id));
  LM_ASSIGN_OR_RETURN(program, programs_.find(program_id));
  if (!program->host.is_compiled()) LM_RETURN_IF_ERROR(check_compiled(*program));
  const host::Target target = target_of(*device);
  LM_RETURN_IF_ERROR(check_args(*program, target));
  LM_ASSIGN_OR_RETURN(fitted, fit(*program, *device));
  LM_RETURN_IF_ERROR(host::check_region(program->id, fitted->region, target,
                                        lowest_buffer(*device, fitted->sub_device)));
  note_memory(*device, fitted->region.end);
  return absl::OkStatus();
}

// Counts the arguments of a launch for a queue that is stuck: only there can launches pile up
// without end.
absl::Status Checker::hold_args(const Queue& queue, uint64_t program_id) {
  if (!queue.state().is_stuck()) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(program, programs_.find(program_id));
  uint64_t words = 0;
  for (const auto& kernel : program->kernels) words += kernel->words + kernel->num_common_args;
  return queue.state().held.add(budget_, words * sizeof(uint32_t));
}

absl::Status Checker::check(const EnqueueProgram& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_RETURN_IF_ERROR(launch(call.device(), call.program()));
  LM_RETURN_IF_ERROR(hold_args(on, call.program()));
  return block_if(call.blocking(), on);
}

absl::Status Checker::check(const CompileProgram& call) {
  LM_RETURN_IF_ERROR(open_device(call.device()).status());
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  return check_compiled(*program);
}

absl::Status Checker::check(const ConfigureDeviceWithProgram& call) {
  return launch(call.device(), call.program());
}

absl::Status Checker::check(const WriteRuntimeArgsToDevice& call) {
  return launch(call.device(), call.program());
}

absl::Status Checker::check(const LaunchProgram& call) {
  return launch(call.device(), call.program());
}

absl::Status Checker::check(const WaitProgramDone& call) {
  return open_device(call.device()).status();
}

}  // namespace lightmetal::schema::semantics
