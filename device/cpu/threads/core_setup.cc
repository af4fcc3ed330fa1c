#include "device/cpu/threads/core_setup.h"

#include <cstring>

#include "absl/base/dynamic_annotations.h"
#include "device/cpu/diagnosis/services.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/cpu/services/guarded_services.h"
#include "device/cpu/services/service_table.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

void set_up_place(Machine& machine, const KernelPlan& plan, const CorePlan& core_plan,
                  Context& context) {
  const DeviceProfile& profile = machine.profile();
  const Core core = core_plan.core;
  const Core noc = core_plan.kind == CoreKind::kEthernet
                       ? noc_coordinate_of_ethernet(profile, core.y)
                       : noc_coordinate_of_worker(profile, core);
  context.logical_x = core.x;
  context.logical_y = core.y;
  context.origin_x = core_plan.origin.x;
  context.origin_y = core_plan.origin.y;
  context.noc_x = noc.x;
  context.noc_y = noc.y;
  context.processor = static_cast<uint32_t>(plan.processor);
  context.noc = plan.noc;
  context.grid_x = profile.grid.x;
  context.grid_y = profile.grid.y;
}

void set_up_banks(const Machine& machine, Context& context) {
  context.num_dram_banks = static_cast<uint32_t>(machine.dram_banks().size());
  context.num_l1_banks = static_cast<uint32_t>(machine.l1_banks().size());
  context.dram_banks = machine.dram_banks().data();
  context.l1_banks = machine.l1_banks().data();
  context.dram_alignment = machine.profile().dram_alignment;
  context.l1_alignment = machine.profile().l1_alignment;
}

const uint32_t* write_args(const Launch& launch, uint32_t begin, uint32_t count, uint32_t address,
                           std::byte* l1) {
  std::byte* target = l1 + address;
  if (count != 0) {
    copy_device_memory(target, reinterpret_cast<const std::byte*>(launch.args.data() + begin),
                       count * 4);
  }
  return reinterpret_cast<const uint32_t*>(target);
}

void set_up_args(const Launch& launch, const KernelOnCore& kernel, CoreState& core,
                 Context& context) {
  context.args_address = kernel_abi::kArgsAddress + context.processor * kernel_abi::kArgsStride;
  context.common_args_address = context.args_address + kernel.args_count * 4;
  context.args_count = kernel.args_count;
  context.common_args_count = kernel.common_count;
  context.args =
      write_args(launch, kernel.args_begin, kernel.args_count, context.args_address, core.l1);
  context.common_args = write_args(launch, kernel.common_begin, kernel.common_count,
                                   context.common_args_address, core.l1);
}

void set_up_circular_buffers(const CorePlan& plan, CoreState& core, Context& context) {
  for (const CircularBufferPlan& buffer : plan.circular_buffers) {
    if (buffer.globally_allocated) core.globally_allocated |= uint64_t{1} << buffer.index;
    kernel_abi::circular_buffer_at(context, buffer.index) = {
        .base = buffer.address,
        .limit = buffer.address + buffer.size,
        .page_size = buffer.page_size,
        .num_pages = buffer.size / buffer.page_size,
        .read_ptr = buffer.address,
        .write_ptr = buffer.address,
        .tile_bytes = tile_bytes(buffer.format),
        .format = static_cast<uint32_t>(buffer.format),
        .packed_tiles = 0,
        .tile_shape = 0,
        .counters = &core.counters[buffer.index]};
  }
}

// Local circular buffers that lie in the memory of a remote one begin at the remote one's next
// page, and span all of its whole pages. The words in L1 are the program's, and may be no
// configuration: one that does not fit a local buffer, or L1, changes nothing, and the kernels find
// out: services rely on circular buffers that end in L1 (place_in).
void align_local_circular_buffers(const CorePlan& plan, const RemoteCircularBufferPlan& remote,
                                  const CoreState& core, Context& context) {
  const auto word = [&](kernel_abi::RemoteConfig field) {
    const uint32_t address = remote.config_address + static_cast<uint32_t>(field) * 4;
    return WordWaiters::word(core.l1, address).load();
  };
  const uint32_t start = word(kernel_abi::RemoteConfig::kFifoStart);
  const uint32_t size =
      word(kernel_abi::RemoteConfig::kFifoSize) / remote.page_size * remote.page_size;
  const uint32_t position = word(kernel_abi::RemoteConfig::kFifoPointer) - start;
  const uint32_t next = (position + remote.page_size - 1) / remote.page_size * remote.page_size;
  for (const CircularBufferPlan& local : plan.circular_buffers) {
    if (local.address != start || size == 0 || size % local.page_size != 0) continue;
    if (size > core.l1_size - start) continue;  // `start` lies in L1, since the local buffer does
    kernel_abi::CircularBuffer& buffer = kernel_abi::circular_buffer_at(context, local.index);
    buffer.limit = start + size;
    buffer.num_pages = size / local.page_size;
    buffer.read_ptr = buffer.write_ptr = start + (next >= size ? 0 : next);
  }
}

void set_up_remote_circular_buffers(const CorePlan& plan, const CoreState& core, Context& context) {
  for (const RemoteCircularBufferPlan& buffer : plan.remote_circular_buffers) {
    kernel_abi::remote_circular_buffer_at(context, buffer.index) = {
        .config_address = buffer.config_address, .page_size = buffer.page_size};
    align_local_circular_buffers(plan, buffer, core, context);
  }
}

// DST is not cleared: the tile services clear a tile that nobody has written when it is read.
void set_up_dst(KernelRun& run) {
  if (run.dst == nullptr) {
    run.dst.reset(
        static_cast<float*>(::operator new(KernelRun::kDstBytes, KernelRun::kDstAlignment)));
    if (host_memory_is_guarded()) allow_kernels(run.dst.get(), KernelRun::kDstBytes);
  }
  run.context().dst = run.dst.get();
}

}  // namespace

void set_up_semaphores(Machine& machine, const LaunchPlan& plan) {
  for (const CorePlan& core : plan.cores) {
    std::byte* l1 = machine.core_of(core).l1;
    for (const SemaphorePlan& semaphore : core.semaphores) {
      const uint32_t address =
          kernel_abi::kSemaphoreAddress + semaphore.id * kernel_abi::kSemaphoreStride;
      WordWaiters::word(l1, address).store(semaphore.initial_value, std::memory_order_release);
    }
  }
}

void set_up_core(CoreState& core) {
  core.counters = {};
  core.runs = {};
  core.running = 0;
  core.globally_allocated = 0;
  if (core.parts != nullptr) core.parts->reset();
  // Kernels of other cores may read the zeros meanwhile, and find the same bytes before and after.
  ABSL_ANNOTATE_IGNORE_WRITES_BEGIN();
  std::memset(core.l1 + kernel_abi::kZerosAddress, 0, kernel_abi::kZerosSize);
  ABSL_ANNOTATE_IGNORE_WRITES_END();
}

void set_up_kernel(Machine& machine, const Launch& launch, const CorePlan& plan,
                   const KernelOnCore& kernel, KernelRun& run) {
  const KernelPlan& kernel_plan = launch.plan->kernels[kernel.kernel];
  Context& context = run.context();
  context = {};
  const bool guarded = kernels_are_confined();
  run.services =
      run.part.has_value() ? &services_for(machine.checks(), *run.part) : &machine.services();
  context.services = guarded ? &guarded_services() : run.services;
  context.l1_base = reinterpret_cast<uint64_t>(run.core->l1);
  context.fiber = &run;
  set_up_place(machine, kernel_plan, plan, context);
  set_up_banks(machine, context);
  set_up_args(launch, kernel, *run.core, context);
  set_up_circular_buffers(plan, *run.core, context);
  set_up_remote_circular_buffers(plan, *run.core, context);
  if (kernel_plan.processor == Processor::kCompute) set_up_dst(run);
  if (run.part == kernel_abi::Part::kMath) run.core->parts->dst = context.dst;
  run.plan = &kernel_plan;
  run.kernel = static_cast<const CpuKernel*>(kernel_plan.kernel.get());
  if (run.part.has_value()) run.kernel = run.kernel->part(*run.part);
  run.fault = {};
  run.failure = absl::OkStatus();
  run.waits_at = {};
  run.under_way = false;
  run.saw_start = (machine.checks() & kernel_abi::kCheckStart) != 0;
  context.num_semaphores = machine.profile().num_semaphores;
  context.num_circular_buffers = machine.profile().num_circular_buffers;
  context.l1_size = static_cast<uint32_t>(run.core->l1_size);
  // Kernels of ABI version 1 call nothing at their barriers, so transfers that are delayed until a
  // barrier would never be done.
  if (run.kernel->version() >= 2) context.checks = machine.checks();
  // A kernel that is to delay transfers calls the device at all points where others may come first.
  if (run.schedule != nullptr && run.kernel->version() >= 2)
    context.checks |= kernel_abi::kDelayTransfers;
  // Zones and events are those of the part that does the math, so that they count once.
  if (run.part.has_value() && *run.part != kernel_abi::Part::kMath)
    context.checks &= ~uint32_t{kernel_abi::kCountEvents};
  if (context.checks != 0) begin_diagnosis(run, *launch.plan);
  run.state = KernelRun::State::kReady;
  run.fiber->start(guarded ? enter_guarded_kernel : run.kernel->entry());
}

}  // namespace lightmetal::device::cpu
