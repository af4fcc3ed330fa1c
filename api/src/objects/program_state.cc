#include "api/src/objects/program_state.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/objects/core_kind.h"
#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "api/src/support/next_id.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

host::Kernel host_kernel(const KernelState& kernel, host::CoreSet cores) {
  return {.name = kernel.name,
          .cores = std::move(cores),
          .processor = static_cast<lightmetal::Processor>(processor_of(kernel.spec.config))};
}

}  // namespace

CoreRangeSet cores_of(const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores) {
  if (const auto* core = std::get_if<CoreCoord>(&cores)) return CoreRangeSet(CoreRange(*core));
  if (const auto* range = std::get_if<CoreRange>(&cores)) return CoreRangeSet(*range);
  return std::get<CoreRangeSet>(cores);
}

ProgramState::ProgramState()
    : id(next_unique_id<ProgramState>()),
      classic_changes(std::make_shared<ClassicChanges>(id)),
      host(id) {}

void ProgramState::specify(std::unique_ptr<SpecifiedProgram> as) {
  specified = std::move(as);
  classic_changes->forbid();
}

std::shared_ptr<Kernel> ProgramState::add_kernel(KernelSpec spec) {
  if (const auto* ethernet = std::get_if<EthernetConfig>(&spec.config)) {
    TT_FATAL(ethernet->processor == DataMovementProcessor::RISCV_0,
             "Cannot create kernel {} on RISCV_1: an Ethernet core has one processor, RISCV_0",
             spec.source.path);
  }
  // Before anything is kept for each of the cores: a set of cores from a file may be too large.
  host::CoreSet cores = host_cores(spec.cores, "kernel");
  const auto handle = static_cast<KernelHandle>(kernels.size());
  auto state = std::make_unique<KernelState>(std::move(spec), handle, classic_changes);
  // The rules come first: nothing is added when they throw.
  throw_if_error(host.add_kernel(host_kernel(*state, std::move(cores))).status());
  return kernels.emplace_back(std::make_shared<Kernel>(std::move(state)));
}

CBHandle ProgramState::add_circular_buffer(const CoreRangeSet& cores,
                                           const CircularBufferConfig& config) {
  const CBHandle handle = next_unique_id<CircularBuffer>();
  host::CircularBuffer buffer = host_circular_buffer(handle, config);
  buffer.cores = host_cores(cores, "circular buffer");
  throw_if_error(host.add_circular_buffer(std::move(buffer)).status());
  circular_buffers.push_back(std::make_shared<CircularBuffer>(handle, cores, config));
  return handle;
}

uint32_t ProgramState::add_semaphore(const CoreRangeSet& cores, uint32_t initial_value,
                                     CoreType core_type) {
  const uint32_t id = value_or_throw(
      host.add_semaphore(host_cores(cores, "semaphore"), kind_of(core_type, "semaphores")));
  semaphores.emplace_back(cores, id, initial_value, core_type);
  return id;
}

void ProgramState::add_semaphore_with_id(const CoreRangeSet& cores, uint32_t initial_value,
                                         CoreType core_type, uint32_t id) {
  throw_if_error(host.add_semaphore_with_id(host_cores(cores, "semaphore"),
                                            kind_of(core_type, "semaphores"), id));
  semaphores.emplace_back(cores, id, initial_value, core_type);
}

const std::shared_ptr<Kernel>& ProgramState::kernel(KernelHandle handle) const {
  TT_FATAL(handle < kernels.size(), "Expected kernel with id {} to be in program {}, which has {}",
           handle, id, kernels.size());
  return kernels[handle];
}

size_t ProgramState::number_of(CBHandle handle) const {
  const auto found = std::ranges::find_if(
      circular_buffers, [&](const auto& candidate) { return candidate->id() == handle; });
  TT_FATAL(found != circular_buffers.end(), "No circular buffer with id {} exists in program {}",
           handle, id);
  return static_cast<size_t>(found - circular_buffers.begin());
}

CircularBuffer& ProgramState::circular_buffer(CBHandle handle) const {
  return *circular_buffers[number_of(handle)];
}

void ProgramState::update(CBHandle handle, const CircularBufferConfig& config) {
  const size_t number = number_of(handle);
  CircularBuffer& target = *circular_buffers[number];
  target.config_ = config;
  // It lies in the memory that it was given now.
  if (target.globally_allocated()) target.local_address_.reset();
  host::CircularBuffer changed = host_circular_buffer(handle, config);
  changed.cores = host.circular_buffer(number).cores;
  host.change_circular_buffer(number, std::move(changed));
}

host::CircularBufferRegion ProgramState::place_circular_buffers(
    const lightmetal::DeviceProfile& profile) {
  return value_or_throw(
      host::place_circular_buffers(host, profile, [&](size_t number, uint32_t address) {
        circular_buffers[number]->local_address_ = address;
      }));
}

uint64_t ProgramState::layout_version() const {
  // a sum of numbers that only grow changes when any of them does
  uint64_t version = host.layout().version;
  for (const auto& kernel : kernels) version += kernel->state().args.layout_version();
  return version;
}

std::shared_ptr<PreparedProgram>& ProgramState::prepared_for(uint64_t device_id) {
  for (Prepared& prepared : prepared_) {
    if (prepared.device_id == device_id) return prepared.program;
  }
  return prepared_.emplace_back(Prepared{device_id, nullptr}).program;
}

}  // namespace tt::tt_metal
