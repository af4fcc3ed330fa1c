// Programs that run.
#include <algorithm>

#include "absl/types/span.h"
#include "base/round.h"
#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint64_t kPlanBytesOnCore = 128;  // of a launch's plan, for each thing on a core, about

bool is_ethernet(const KernelState& kernel) { return kernel.processor == Processor::Ethernet; }

// `what` and `id` name a part of the program. A program has many, so that a text of each would take
// longer than all else.
absl::Status check_fits(const ProgramState& program, absl::string_view what, uint64_t id,
                        const CoreSet& cores, const Core& grid) {
  if (cores.fits(grid)) return absl::OkStatus();
  return not_now(program.object(), "its ", what, " ", id, " has cores up to before ",
                 text_of(cores.end()), ", expected cores of the device's grid of ", text_of(grid));
}

absl::Status check_grid(const ProgramState& program, const DeviceState& device) {
  const Core workers = device.profile.grid;
  for (const auto& kernel : program.kernels) {
    const Core grid = is_ethernet(*kernel) ? device.ethernet_grid() : workers;
    LM_RETURN_IF_ERROR(check_fits(program, "kernel", kernel->id, kernel->cores, grid));
  }
  for (const auto& buffer : program.circular_buffers) {
    LM_RETURN_IF_ERROR(check_fits(program, "circular buffer", buffer->id, buffer->cores, workers));
  }
  for (const auto& [id, cores] : program.worker_semaphores) {
    LM_RETURN_IF_ERROR(check_fits(program, "semaphore", id, cores, workers));
  }
  for (const auto& [id, cores] : program.ethernet_semaphores) {
    LM_RETURN_IF_ERROR(
        check_fits(program, "Ethernet semaphore", id, cores, device.ethernet_grid()));
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

absl::Status do_not_divide(const CircularBufferState& buffer) {
  uint32_t index = 0;
  while (buffer.page_sizes[index] == 0 || buffer.total_size % buffer.page_sizes[index] == 0) {
    ++index;
  }
  return not_now(buffer.object(), "its total size is ", buffer.total_size,
                 ", expected a multiple of the page size ", buffer.page_sizes[index], " of index ",
                 index);
}

// Where the circular buffers end that lie one behind the other, on each core from the base on.
class Stack {
 public:
  explicit Stack(const ::lightmetal::DeviceProfile& profile)
      : alignment_(profile.l1_alignment),
        ends_(size_t{kMaxGrid} * kMaxGrid, profile.l1_unreserved_base) {}

  // Returns where it ends.
  uint64_t add(absl::Span<const uint16_t> cores, uint32_t size) {
    uint64_t begin = 0;
    for (const uint16_t core : cores) begin = std::max(begin, ends_[core]);
    const uint64_t aligned_end = round_up(begin + size, alignment_);
    for (const uint16_t core : cores) ends_[core] = aligned_end;
    return begin + size;
  }

 private:
  const uint64_t alignment_;
  std::vector<uint64_t> ends_;  // by number_in_largest_grid()
};

// REQUIRES: check_grid().
absl::StatusOr<uint64_t> end_of_circular_buffers(const ProgramState& program,
                                                 const DeviceState& device) {
  if (program.layout.entries.empty()) return 0;
  Stack stack(device.profile);
  uint64_t highest = 0;
  size_t cores_begin = 0;
  const auto cores = absl::MakeConstSpan(program.layout.cores);
  const uint64_t l1_end = device.profile.l1_size - device.l1_small_size;
  for (size_t i = 0; i < program.layout.entries.size(); ++i) {
    const CircularBufferLayout::Entry& entry = program.layout.entries[i];
    if (!entry.pages_divide_it) return do_not_divide(*program.circular_buffers[i]);
    const auto its_cores = cores.subspan(cores_begin, entry.cores_end - cores_begin);
    cores_begin = entry.cores_end;
    const bool given = entry.given_address.has_value();
    const uint64_t end =
        given ? *entry.given_address + entry.total_size : stack.add(its_cores, entry.total_size);
    if (end > (given ? device.profile.l1_size : l1_end)) {
      return not_now(program.circular_buffers[i]->object(), "it would end at ", end,
                     ", expected at most ", given ? device.profile.l1_size : l1_end,
                     ", the end of L1");
    }
    if (!given) highest = std::max(highest, end);
  }
  return highest;
}

// Again after every change of a circular buffer.
absl::Status fit_circular_buffers(const ProgramState& program, const DeviceState& device,
                                  ProgramState::Fitted& fitted) {
  if (fitted.version == program.layout.version) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(end, end_of_circular_buffers(program, device));
  fitted.circular_buffers_end = end;
  fitted.version = program.layout.version;
  return absl::OkStatus();
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
  LM_RETURN_IF_ERROR(check_grid(program, device));
  LM_ASSIGN_OR_RETURN(sub_device, sub_device_of(program, device));
  fitted.sub_device = sub_device;
  LM_RETURN_IF_ERROR(fit_circular_buffers(program, device, fitted));
  LM_RETURN_IF_ERROR(fitted.charge.add(budget_, plan_bytes(program)));
  return fitted;
}

absl::StatusOr<const ProgramState::Fitted*> Checker::fit(ProgramState& program,
                                                         const DeviceState& device) {
  auto found = std::find_if(program.fitted.begin(), program.fitted.end(),
                            [&](const auto& fitted) { return fitted.device == device.id; });
  if (found != program.fitted.end() && found->manager == device.loaded_id()) {
    LM_RETURN_IF_ERROR(fit_circular_buffers(program, device, *found));
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

// Only a queue that waits for an event has more of them than a device is slow.
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
