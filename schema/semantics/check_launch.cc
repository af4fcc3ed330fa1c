// Programs that run.
#include <algorithm>

#include "base/round.h"
#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint64_t kPlanBytesOnCore = 128;  // of a launch's plan, for each thing on a core, about

bool is_ethernet(const KernelState& kernel) { return kernel.processor == Processor::Ethernet; }

absl::Status check_fits(const Object& object, absl::string_view what, const CoreSet& cores,
                        const Core& grid) {
  if (cores.fits(grid)) return absl::OkStatus();
  return not_now(object, "its ", what, " has cores up to before ", text_of(cores.end()),
                 ", expected cores of the device's grid of ", text_of(grid));
}

absl::Status check_grid(const ProgramState& program, const DeviceState& device) {
  const Object object = program.object();
  for (const auto& kernel : program.kernels) {
    const Core grid = is_ethernet(*kernel) ? device.ethernet_grid() : device.profile.grid;
    LM_RETURN_IF_ERROR(check_fits(object, kernel->object().text(), kernel->cores, grid));
  }
  for (const auto& buffer : program.circular_buffers) {
    LM_RETURN_IF_ERROR(
        check_fits(object, buffer->object().text(), buffer->cores, device.profile.grid));
  }
  for (const auto& [id, cores] : program.worker_semaphores) {
    LM_RETURN_IF_ERROR(
        check_fits(object, absl::StrCat("semaphore ", id), cores, device.profile.grid));
  }
  for (const auto& [id, cores] : program.ethernet_semaphores) {
    LM_RETURN_IF_ERROR(
        check_fits(object, absl::StrCat("Ethernet semaphore ", id), cores, device.ethernet_grid()));
  }
  return absl::OkStatus();
}

absl::Status check_args(const ProgramState& program, const DeviceState& device) {
  for (const auto& kernel : program.kernels) {
    const uint32_t words = kernel->most_args + kernel->num_common_args;
    if (words <= device.profile.max_runtime_args) continue;
    return not_now(kernel->object(), "it has ", words, " runtime arguments, expected at most ",
                   device.profile.max_runtime_args, " on this device");
  }
  return absl::OkStatus();
}

// The one sub-device that has all kernels, when the device is divided.
absl::StatusOr<std::optional<size_t>> sub_device_of(const ProgramState& program,
                                                    const DeviceState& device) {
  if (!device.is_divided()) return std::nullopt;
  CoreSet kernels, others;
  for (const auto& kernel : program.kernels) {
    if (is_ethernet(*kernel)) {
      return not_now(kernel->object(),
                     "it is for an Ethernet core, expected cores of a sub-device");
    }
    kernels.add(kernel->cores);
  }
  for (const auto& [id, cores] : program.worker_semaphores) others.add(cores);
  for (const auto& [id, cores] : program.ethernet_semaphores) others.add(cores);
  const auto& sub_devices = device.loaded->sub_devices;
  const auto found = std::find_if(sub_devices.begin(), sub_devices.end(),
                                  [&](const CoreSet& cores) { return cores.contains(kernels); });
  if (found == sub_devices.end() || !found->contains(others)) {
    return not_now(program.object(), "its kernels and semaphores are not on one of the ",
                   sub_devices.size(), " sub-devices that are loaded");
  }
  return static_cast<size_t>(found - sub_devices.begin());
}

absl::Status check_pages(const CircularBufferState& buffer) {
  for (uint32_t index = 0; index < kNumCircularBuffers; ++index) {
    const uint32_t page_size = buffer.page_sizes[index];
    if (page_size == 0 || buffer.total_size % page_size == 0) continue;
    return not_now(buffer.object(), "its total size is ", buffer.total_size,
                   ", expected a multiple of the page size ", page_size, " of index ", index);
  }
  return absl::OkStatus();
}

// Where the circular buffers end that lie one behind the other, on each core from the base on.
class Stack {
 public:
  explicit Stack(const DeviceState& device)
      : base_(device.profile.l1_unreserved_base),
        alignment_(device.profile.l1_alignment),
        grid_(device.profile.grid),
        ends_(uint64_t{grid_.x} * grid_.y, base_) {}

  // Returns where it ends. REQUIRES: its cores lie in the grid.
  uint64_t add(const CircularBufferState& buffer) {
    uint64_t begin = base_;
    for_each(buffer, [&](uint64_t& end) { begin = std::max(begin, end); });
    const uint64_t end = begin + buffer.total_size;
    for_each(buffer, [&](uint64_t& of_core) { of_core = round_up(end, alignment_); });
    return end;
  }

 private:
  template <class Function>
  void for_each(const CircularBufferState& buffer, Function function) {
    buffer.cores.for_each(
        [&](const Core& core) { function(ends_[uint64_t{core.y} * grid_.x + core.x]); });
  }

  const uint64_t base_;
  const uint64_t alignment_;
  const Core grid_;
  std::vector<uint64_t> ends_;
};

absl::StatusOr<uint64_t> end_of_circular_buffers(const ProgramState& program,
                                                 const DeviceState& device) {
  if (program.circular_buffers.empty()) return 0;
  Stack stack(device);
  uint64_t highest = 0;
  const uint64_t l1_end = device.profile.l1_size - device.l1_small_size;
  for (const auto& buffer : program.circular_buffers) {
    LM_RETURN_IF_ERROR(check_pages(*buffer));
    const bool given = buffer->given_address.has_value();
    const uint64_t end = given ? *buffer->given_address + buffer->total_size : stack.add(*buffer);
    if (end > (given ? device.profile.l1_size : l1_end)) {
      return not_now(buffer->object(), "it would end at ", end, ", expected at most ",
                     given ? device.profile.l1_size : l1_end, ", the end of L1");
    }
    if (!given) highest = std::max(highest, end);
  }
  return highest;
}

// Of the plan that the host makes for a device.
uint64_t plan_bytes(const ProgramState& program) {
  uint64_t on_cores = 0;
  for (const auto& kernel : program.kernels) on_cores += kernel->cores.count();
  for (const auto& buffer : program.circular_buffers) {
    const auto indices = std::count_if(buffer->page_sizes.begin(), buffer->page_sizes.end(),
                                       [](uint32_t page_size) { return page_size != 0; });
    on_cores += buffer->cores.count() * static_cast<uint64_t>(indices);
  }
  for (const auto& [id, cores] : program.worker_semaphores) on_cores += cores.count();
  return on_cores * kPlanBytesOnCore;
}

std::optional<uint64_t> lowest_buffer(const DeviceState& device, std::optional<size_t> sub_device) {
  std::optional<uint64_t> lowest;
  if (sub_device.has_value() && !device.loaded->memory.empty()) {
    lowest = device.loaded->memory[*sub_device]->lowest_allocated();
  }
  return lowest.has_value() ? lowest : device.l1->lowest_allocated();
}

// Circular buffers grow up from below, buffers down from above.
absl::Status check_below_buffers(const ProgramState& program, const ProgramState::Fitted& fitted,
                                 const DeviceState& device) {
  if (fitted.circular_buffers_end == 0) return absl::OkStatus();
  const std::optional<uint64_t> lowest = lowest_buffer(device, fitted.sub_device);
  if (!lowest.has_value() || fitted.circular_buffers_end <= *lowest) return absl::OkStatus();
  return not_now(program.object(), "its circular buffers end at ", fitted.circular_buffers_end,
                 ", expected at most ", *lowest, ", where a buffer in L1 begins");
}

}  // namespace

absl::Status Checker::check_compiled(ProgramState& program) {
  for (const auto& kernel : program.kernels) {
    if (kernel->has_object) continue;
    return not_now(kernel->object(), "it is launched or compiled, expected a KernelBinary before");
  }
  program.compiled = true;
  return absl::OkStatus();
}

absl::StatusOr<ProgramState::Fitted> Checker::make_fitted(const ProgramState& program,
                                                          const DeviceState& device) {
  ProgramState::Fitted fitted;
  fitted.device = device.id;
  fitted.manager = device.loaded_id();
  fitted.version = program.version;
  LM_RETURN_IF_ERROR(check_grid(program, device));
  LM_ASSIGN_OR_RETURN(sub_device, sub_device_of(program, device));
  LM_ASSIGN_OR_RETURN(end, end_of_circular_buffers(program, device));
  LM_RETURN_IF_ERROR(fitted.charge.add(budget_, plan_bytes(program)));
  fitted.sub_device = sub_device;
  fitted.circular_buffers_end = end;
  return fitted;
}

absl::StatusOr<const ProgramState::Fitted*> Checker::fit(ProgramState& program,
                                                         const DeviceState& device) {
  auto found = std::find_if(program.fitted.begin(), program.fitted.end(),
                            [&](const auto& fitted) { return fitted.device == device.id; });
  if (found != program.fitted.end() && found->version == program.version &&
      found->manager == device.loaded_id()) {
    return &*found;
  }
  std::erase_if(program.fitted, [&](const ProgramState::Fitted& fitted) {
    return fitted.device == device.id || !devices_.has(fitted.device);
  });
  LM_ASSIGN_OR_RETURN(fitted, make_fitted(program, device));
  return &program.fitted.emplace_back(std::move(fitted));
}

absl::Status Checker::launch(uint64_t device_id, uint64_t program_id) {
  LM_ASSIGN_OR_RETURN(device, open_device(device_id));
  LM_ASSIGN_OR_RETURN(program, programs_.find(program_id));
  if (!program->compiled) LM_RETURN_IF_ERROR(check_compiled(*program));
  LM_RETURN_IF_ERROR(check_args(*program, *device));
  LM_ASSIGN_OR_RETURN(fitted, fit(*program, *device));
  return check_below_buffers(*program, *fitted, *device);
}

absl::Status Checker::check(const EnqueueProgram& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_RETURN_IF_ERROR(launch(call.device(), call.program()));
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
