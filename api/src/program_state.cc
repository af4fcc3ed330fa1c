#include "api/src/program_state.h"

#include <atomic>
#include <tt-metalium/assert.hpp>

#include "api/src/circular_buffer_allocation.h"
#include "api/src/core_kind.h"
#include "api/src/device_impl.h"
#include "base/device_profile.h"

namespace tt::tt_metal {
namespace {

// NoC coordinates have six bits: no grid is larger.
constexpr size_t kMaxCoordinate = 64;

uint64_t next_program_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

CBHandle next_circular_buffer_id() {
  static std::atomic<CBHandle> last = 0;
  return ++last;
}

void check_cores(const CoreRangeSet& cores, const char* what) {
  TT_FATAL(!cores.empty(), "A {} needs at least one core", what);
  const CoreCoord end = cores.bounding_box().end_coord;
  TT_FATAL(end.x < kMaxCoordinate && end.y < kMaxCoordinate,
           "A {} cannot be placed on core {}: no device's grid is so large", what, end);
}

bool is_data_movement(const Kernel::Config& config) {
  return std::holds_alternative<DataMovementConfig>(config);
}

// True when both kernels need a network for themselves and name the same one.
bool nocs_conflict(const Kernel::Config& a, const Kernel::Config& b) {
  if (!is_data_movement(a) || !is_data_movement(b)) return false;
  const auto& config_a = std::get<DataMovementConfig>(a);
  const auto& config_b = std::get<DataMovementConfig>(b);
  const bool dedicated = config_a.noc_mode == NOC_MODE::DM_DEDICATED_NOC ||
                         config_b.noc_mode == NOC_MODE::DM_DEDICATED_NOC;
  return dedicated && config_a.noc == config_b.noc;
}

}  // namespace

CoreRangeSet cores_of(const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores) {
  if (const auto* core = std::get_if<CoreCoord>(&cores)) return CoreRangeSet(CoreRange(*core));
  if (const auto* range = std::get_if<CoreRange>(&cores)) return CoreRangeSet(*range);
  return std::get<CoreRangeSet>(cores);
}

ProgramState::ProgramState() : id(next_program_id()) {}

void ProgramState::check_not_compiled(const char* what) const {
  TT_FATAL(!compiled, "Cannot add a {} to program {}: it has been compiled already", what, id);
}

void ProgramState::check_processors(const KernelSpec& spec) const {
  for (const std::shared_ptr<Kernel>& other : kernels) {
    const CoreRangeSet shared = other->core_range_set().intersection(spec.cores);
    if (shared.empty()) continue;
    TT_FATAL(other->processor() != processor_of(spec.config),
             "Cannot create kernel {} on processor {}: kernel {} of program {} uses it on cores {}",
             spec.source.path, name_of(processor_of(spec.config)), other->name(), id, shared);
    TT_FATAL(!nocs_conflict(other->config(), spec.config),
             "Cannot create kernel {} on NOC_{}: data movement kernel {} of program {} uses the "
             "same NOC on cores {}",
             spec.source.path, noc_of(spec.config), other->name(), id, shared);
  }
}

std::shared_ptr<Kernel> ProgramState::add_kernel(KernelSpec spec) {
  check_not_compiled("kernel");
  if (const auto* ethernet = std::get_if<EthernetConfig>(&spec.config)) {
    TT_FATAL(ethernet->processor == DataMovementProcessor::RISCV_0,
             "Cannot create kernel {} on RISCV_1: an Ethernet core has one processor, RISCV_0",
             spec.source.path);
  }
  check_cores(spec.cores, "kernel");
  check_processors(spec);
  const auto handle = static_cast<KernelHandle>(kernels.size());
  auto state = std::make_unique<KernelState>(std::move(spec), handle);
  return kernels.emplace_back(std::make_shared<Kernel>(std::move(state)));
}

void ProgramState::check_indices(const CoreRangeSet& cores,
                                 const CircularBufferConfig& config) const {
  for (const auto& other : circular_buffers) {
    const CoreRangeSet shared = other->core_ranges().intersection(cores);
    if (shared.empty()) continue;
    for (const uint8_t index : config.buffer_indices()) {
      TT_FATAL(!other->uses_buffer_index(index),
               "Invalid circular buffer index: cannot add circular buffer at index {} on cores {}, "
               "another circular buffer of program {} uses it already",
               index, shared, id);
    }
  }
}

// As on hardware, where cores have local indices from below and remote ones from above.
void ProgramState::check_remote_indices(const CoreRangeSet& cores,
                                        const CircularBufferConfig& config) const {
  const auto check = [&](const CircularBufferConfig& local, const CircularBufferConfig& remote) {
    for (const uint8_t below : local.local_buffer_indices()) {
      for (const uint8_t above : remote.remote_buffer_indices()) {
        TT_FATAL(below < above,
                 "Remote circular buffer index {} must be above local index {}, which is used on "
                 "the same cores",
                 above, below);
      }
    }
  };
  check(config, config);
  for (const auto& other : circular_buffers) {
    if (!other->core_ranges().intersects(cores)) continue;
    check(config, other->config());
    check(other->config(), config);
  }
}

CBHandle ProgramState::add_circular_buffer(const CoreRangeSet& cores,
                                           const CircularBufferConfig& config) {
  check_not_compiled("circular buffer");
  check_cores(cores, "circular buffer");
  check_complete(config);
  check_indices(cores, config);
  check_remote_indices(cores, config);
  const CBHandle handle = next_circular_buffer_id();
  circular_buffers.push_back(std::make_shared<CircularBuffer>(handle, cores, config));
  return handle;
}

uint32_t ProgramState::add_semaphore(const CoreRangeSet& cores, uint32_t initial_value,
                                     CoreType core_type) {
  check_not_compiled("semaphore");
  check_cores(cores, "semaphore");
  uint64_t taken = 0;  // one bit for each id
  const auto kind = kind_of(core_type, "semaphores");
  for (const Semaphore& other : semaphores) {
    if (kind_of(other.core_type(), "semaphores") != kind) continue;
    if (other.core_range_set().intersects(cores)) taken |= uint64_t{1} << other.id();
  }
  uint32_t free = 0;
  while (taken >> free & 1) ++free;
  TT_FATAL(free < NUM_SEMAPHORES,
           "Cannot add a semaphore on cores {}: the maximum number of semaphores ({}) is reached",
           cores, NUM_SEMAPHORES);
  semaphores.emplace_back(cores, free, initial_value, core_type);
  return free;
}

const std::shared_ptr<Kernel>& ProgramState::kernel(KernelHandle handle) const {
  TT_FATAL(handle < kernels.size(), "Expected kernel with id {} to be in program {}, which has {}",
           handle, id, kernels.size());
  return kernels[handle];
}

CircularBuffer& ProgramState::circular_buffer(CBHandle handle) const {
  for (const auto& candidate : circular_buffers) {
    if (candidate->id() == handle) return *candidate;
  }
  TT_THROW("No circular buffer with id {} exists in program {}", handle, id);
}

void ProgramState::update(CBHandle handle, const CircularBufferConfig& config) {
  CircularBuffer& target = circular_buffer(handle);
  target.config_ = config;
  if (target.globally_allocated()) target.local_address_.reset();
  ++circular_buffer_version_;
}

uint64_t ProgramState::layout_version() const {
  uint64_t version = circular_buffer_version_;  // a sum of numbers that only grow
  for (const auto& kernel : kernels) version += kernel->state().args.layout_version();
  return version;
}

std::shared_ptr<PreparedProgram>& ProgramState::prepared_for(const DeviceImpl& device) {
  for (Prepared& prepared : prepared_) {
    if (prepared.device_id == device.unique_id()) return prepared.program;
  }
  return prepared_.emplace_back(Prepared{device.unique_id(), nullptr}).program;
}

}  // namespace tt::tt_metal
