#include "api/src/programs/launch_plan.h"

#include <algorithm>
#include <map>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/objects/core_kind.h"
#include "api/src/programs/program_compile.h"
#include "api/src/support/errors.h"
#include "api/src/support/next_id.h"

namespace tt::tt_metal {

namespace device = lightmetal::device;
namespace host = lightmetal::host;

namespace {

using device::CoreKind;
using Cores = std::map<std::pair<CoreKind, CoreCoord>, device::CorePlan>;

device::CorePlan& plan_of(Cores& cores, CoreKind kind, const CoreCoord& core) {
  device::CorePlan& plan = cores[{kind, core}];
  plan.kind = kind;
  plan.core = {static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
  return plan;
}

device::CircularBufferPlan plan_of(const CircularBuffer& buffer, uint8_t index) {
  return {.index = index,
          .format = buffer.data_format(index),
          .address = buffer.address(),
          .size = buffer.size(),
          .page_size = buffer.page_size(index),
          .globally_allocated = buffer.globally_allocated()};
}

void add_circular_buffers(const ProgramState& program, Cores& cores) {
  for (auto& [key, plan] : cores) {
    const auto& [kind, core] = key;
    if (kind != CoreKind::kWorker) continue;
    for (const auto& buffer : program.circular_buffers) {
      if (!buffer->is_on_logical_core(core)) continue;
      for (const uint8_t index : buffer->local_buffer_indices()) {
        plan.circular_buffers.push_back(plan_of(*buffer, index));
      }
      for (const uint8_t index : buffer->remote_buffer_indices()) {
        plan.remote_circular_buffers.push_back(
            {.index = index,
             .config_address = buffer->config().remote_config_address(),
             .page_size = buffer->page_size(index)});
      }
    }
    // The indices come from unordered sets.
    std::ranges::sort(plan.circular_buffers, {}, &device::CircularBufferPlan::index);
    std::ranges::sort(plan.remote_circular_buffers, {}, &device::RemoteCircularBufferPlan::index);
  }
}

// Cores without a kernel get their semaphores, too: kernels of other cores may look at them.
void add_semaphores(const ProgramState& program, Cores& cores) {
  for (const Semaphore& semaphore : program.semaphores) {
    const CoreKind kind = kind_of(semaphore.core_type(), "semaphores");
    for (const CoreRange& range : semaphore.core_range_set().ranges()) {
      for (const CoreCoord& core : range) {
        plan_of(cores, kind, core)
            .semaphores.push_back({semaphore.id(), semaphore.initial_value()});
      }
    }
  }
}

void add_kernels_on_cores(const ProgramState& program, Cores& cores) {
  for (const auto& kernel : program.kernels) {
    for (const CoreCoord& core : kernel->logical_cores()) {
      plan_of(cores, kind_of(*kernel), core).kernels.push_back({.kernel = kernel->handle()});
    }
  }
}

}  // namespace

PreparedProgram::PreparedProgram(ProgramState& program, DeviceState& device)
    : device_(device), program_id_(program.id), sub_devices_(device.sub_devices().loaded()) {
  // What can be refused without work comes first. The plan is built last, from compiled kernels and
  // circular buffers that have addresses.
  check_rules(program);
  region_ = program.place_circular_buffers(device.profile());
  compile(program, device);
  build(program);
  version_ = program.layout_version();
}

void PreparedProgram::check_rules(const ProgramState& program) {
  host::Target target = target_of(device_);
  if (device_.sub_devices().is_divided()) {
    target.sub_devices = sub_devices_->core_sets;
    target.manager_id = *sub_devices_->id;
  }
  throw_if_error(host::check_grids(program.host, target));
  if (const auto found = value_or_throw(host::find_sub_device(program.host, target))) {
    sub_device_ = SubDeviceId(static_cast<uint8_t>(*found));
  }
  for (const auto& kernel : program.kernels) {
    throw_if_error(host::check_arguments(kernel->name(), kernel->state().args.max_words(), target));
  }
  throw_if_error(host::check_circular_buffers(program.host, target));
}

bool PreparedProgram::fits(const ProgramState& program) const {
  // The plan is gone when the device was closed since.
  return loaded_->get() != nullptr && version_ == program.layout_version() &&
         *sub_devices_->id == device_.sub_devices().loaded_id();
}

std::vector<device::KernelPlan> PreparedProgram::load_kernels(const ProgramState& program) {
  std::vector<device::KernelPlan> kernels;
  for (const auto& kernel : program.kernels) {
    const KernelState& state = kernel->state();
    KernelObjectPtr object = state.object_for(device_.parameters().backend);
    kernels.push_back({.kernel = device_.load(*object, state.name),
                       .processor = static_cast<device::Processor>(kernel->processor()),
                       .noc = noc_of(kernel->config()),
                       .name = state.name});
    objects_.push_back(std::move(object));
  }
  return kernels;
}

void PreparedProgram::build(const ProgramState& program) {
  Cores cores;
  add_kernels_on_cores(program, cores);
  add_semaphores(program, cores);
  add_circular_buffers(program, cores);
  auto plan = std::make_shared<device::LaunchPlan>();
  plan->id = next_unique_id<device::LaunchPlan>();
  plan->kernels = load_kernels(program);
  const bool divided = device_.sub_devices().is_divided();
  plan->lane = divided ? *sub_device_ + 1 : 0;
  // Kernels count their cores from the first core of the sub-device on which the program runs.
  const CoreCoord origin = sub_devices_->sub_device(sub_device_)
                               .cores(HalProgrammableCoreType::TENSIX)
                               .bounding_box()
                               .start_coord;
  for (auto& [core, core_plan] : cores) {
    core_plan.origin = {static_cast<uint32_t>(origin.x), static_cast<uint32_t>(origin.y)};
    plan->cores.push_back(std::move(core_plan));
  }
  add_arguments(program, *plan);
  loaded_ = device_.add_plan(std::move(plan));
}

void PreparedProgram::add_arguments(const ProgramState& program, device::LaunchPlan& plan) {
  std::vector<uint32_t> common_begin;
  for (const auto& kernel : program.kernels) {
    common_begin.push_back(add_words(kernel->state().args.common_words()));
  }
  for (device::CorePlan& core : plan.cores) {
    for (device::KernelOnCore& on_core : core.kernels) {
      const RuntimeArgsStore& args = program.kernels[on_core.kernel]->state().args;
      const RuntimeArgsStore::Words words = args.words({core.core.x, core.core.y});
      on_core.args_begin = add_words(words);
      on_core.args_count = static_cast<uint32_t>(words.size());
      on_core.common_begin = common_begin[on_core.kernel];
      on_core.common_count = static_cast<uint32_t>(args.common_words().size());
    }
  }
}

uint32_t PreparedProgram::add_words(RuntimeArgsStore::Words words) {
  const uint32_t begin = num_words_;
  if (!words.empty()) words_.push_back(words);
  num_words_ += static_cast<uint32_t>(words.size());
  return begin;
}

device::Launch PreparedProgram::launch(std::vector<uint32_t> memory) const {
  // At each launch, because buffers come and go between launches; only programs with circular
  // buffers are asked.
  if (region_.end != 0) {
    throw_if_error(host::check_region(program_id_, region_, target_of(device_),
                                      device_.lowest_occupied_l1_address({&sub_device_, 1})));
  }
  device::Launch launch{.plan = loaded_->get(), .args = std::move(memory)};
  // Another thread may have closed the device since fits() was asked.
  if (launch.plan == nullptr) device_.check_open();
  // The arguments are copied: the program may change them while the launch is in a queue.
  launch.args.clear();
  launch.args.reserve(num_words_);
  for (const RuntimeArgsStore::Words& words : words_) {
    launch.args.insert(launch.args.end(), words.begin(), words.end());
  }
  return launch;
}

const PreparedProgram& prepare(ProgramState& program, DeviceState& device) {
  std::shared_ptr<PreparedProgram>& prepared = program.prepared_for(device.unique_id());
  if (prepared == nullptr || !prepared->fits(program)) {
    prepared = std::make_shared<PreparedProgram>(program, device);
  }
  return *prepared;
}

}  // namespace tt::tt_metal
