#include <set>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "api/src/devices/device_impl.h"
#include "api/src/objects/host_objects.h"
#include "api/src/objects/program_state.h"
#include "api/src/programs/launch_plan.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/values/process_profile.h"
#include "capture/capture.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

Program::Program() : state_(std::make_unique<ProgramState>()) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LiveObjects<ProgramState>::add(state_->id, state_.get());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ProgramCreate>, *state_);
}

Program::~Program() { destroy(); }

Program::Program(Program&& other) noexcept = default;

Program& Program::operator=(Program&& other) noexcept {
  if (this == &other) return *this;
  destroy();
  state_ = std::move(other.state_);
  return *this;
}

void Program::destroy() noexcept {
  if (moved_from()) return;
  if (state_->specified != nullptr) state_->specified->wait_for_launches(*this);
  {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY();
    LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::program_destroy, *state_);
    LiveObjects<ProgramState>::remove(state_->id);
  }
  // After the scope: the end of a buffer that the program kept alive is a call of its own.
  state_.reset();
}

ProgramState& Program::state() const {
  TT_FATAL(!moved_from(), "The program was moved from: it holds nothing any more");
  return *state_;
}

uint64_t Program::get_id() const { return state().id; }
uint64_t Program::get_runtime_id() const { return state().runtime_id; }
void Program::set_runtime_id(uint64_t id) { state().runtime_id = id; }
size_t Program::num_kernels() const { return state().kernels.size(); }
std::shared_ptr<Kernel> Program::get_kernel(KernelHandle handle) const {
  return state().kernel(handle);
}
const std::vector<std::shared_ptr<CircularBuffer>>& Program::circular_buffers() const {
  return state().circular_buffers;
}
uint32_t Program::get_cb_size(IDevice*, CoreCoord logical_core, CoreType) const {
  uint32_t size = 0;
  for (const auto& buffer : circular_buffers()) {
    const bool counts = !buffer->globally_allocated() && buffer->is_on_logical_core(logical_core);
    if (counts) size += buffer->size();
  }
  return size;
}

const std::vector<Semaphore>& Program::semaphores() const { return state().semaphores; }
size_t Program::num_semaphores() const { return state().semaphores.size(); }

std::vector<std::vector<CoreCoord>> Program::logical_cores() const {
  std::set<CoreCoord> workers, ethernet;
  for (const auto& kernel : state().kernels) {
    auto& cores = kernel->processor() == KernelProcessor::ETHERNET ? ethernet : workers;
    cores.insert(kernel->logical_cores().begin(), kernel->logical_cores().end());
  }
  std::vector<std::vector<CoreCoord>> by_kind = {{workers.begin(), workers.end()}};
  if (!ethernet.empty()) by_kind.push_back({ethernet.begin(), ethernet.end()});
  return by_kind;
}

void Program::compile(IDevice* device, bool force_slow_dispatch) {
  detail::CompileProgram(device, *this, force_slow_dispatch);
}

bool Program::is_compiled() const { return state().host.is_compiled(); }
bool Program::is_finalized() const { return state().is_prepared(); }

void Program::allocate_circular_buffers(const IDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  state().place_circular_buffers(impl_of(*device).profile());
}

void Program::allocate_circular_buffers() { state().place_circular_buffers(process_profile()); }

void Program::validate_circular_buffer_region(const IDevice* device) const {
  detail::ValidateCircularBufferRegion(*this, device);
}

Program CreateProgram() { return Program(); }

namespace detail {

void ValidateCircularBufferRegion(const Program& program, const IDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  // The region below is computed without giving addresses, so the program stays as it is.
  for (const auto& buffer : program.circular_buffers()) buffer->address();  // throws without one
  const DeviceImpl& impl = impl_of(*device);
  const host::Program& rules = program.state().host;
  const host::CircularBufferRegion region =
      value_or_throw(host::place_circular_buffers(rules, impl.profile(), [](size_t, uint32_t) {}));
  std::vector<SubDeviceId> sub_devices;
  for (const SubDeviceId id : device->get_sub_device_ids()) {
    const CoreRangeSet cores = device->worker_cores(HalProgrammableCoreType::TENSIX, id);
    if (host_cores(cores, "sub-device").intersects(region.cores)) sub_devices.push_back(id);
  }
  throw_if_error(host::check_region(rules.id(), region, target_of(impl),
                                    impl.lowest_occupied_compute_l1_address(sub_devices)));
}

}  // namespace detail

namespace detail {

std::shared_ptr<CircularBuffer> GetCircularBuffer(const Program& program, CBHandle id) {
  for (const auto& candidate : program.circular_buffers()) {
    if (candidate->id() == id) return candidate;
  }
  TT_THROW("No circular buffer with id {} exists in program {}", id, program.get_id());
}

}  // namespace detail
}  // namespace tt::tt_metal
