// Launching programs: in a queue, or beside the queues.
#include "api/src/programs/program_launch.h"

#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/programs/launch_plan.h"
#include "api/src/programs/program_compile.h"
#include "api/src/replay_hooks.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

namespace device = lightmetal::device;

Operation operation_of(DeviceImpl& on, device::Launch launch) {
  return [backend = on.backend().get(), launch = std::move(launch)] {
    return backend->launch(launch);
  };
}

DeviceImpl& open_device_of(IDevice* device) {
  DeviceImpl& opened = impl_of(device);
  opened.check_open();
  return opened;
}

const PreparedProgram& prepare_on(DeviceImpl& device, Program& program) {
  ProgramState& state = program.state();
  if (state.specified != nullptr) state.specified->check_may_launch(device);
  return prepare(state, device);
}

}  // namespace

device::Launch launch_of(Program& program, DeviceImpl& device) {
  return prepare_on(device, program).launch();
}

TracedLaunch traced_launch_of(Program& program, DeviceImpl& device) {
  const PreparedProgram& prepared = prepare_on(device, program);
  return {.launch = prepared.launch(), .objects = prepared.objects()};
}

void record_argument_writes(const ProgramState& program) {
  if constexpr (lightmetal::capture::kEnabled) {
    for (const auto& kernel : program.kernels) {
      kernel->state().args.report_writes(
          [&](const CoreCoord& core, RuntimeArgsStore::Words words) {
            record_if_known<schema::WriteRuntimeArgs>(*kernel, core, words);
          },
          [&](RuntimeArgsStore::Words words) {
            record_if_known<schema::WriteCommonRuntimeArgs>(*kernel, words);
          });
    }
  }
}

void record_before_launch(const Program& program, const DeviceImpl& device) {
  // This order is that in which a replay records: it writes arguments when it comes to their
  // command, and loads kernels at the launch.
  record_argument_writes(program.state());
  record_kernel_binaries(program.state(), &device);
}

void EnqueueProgram(CommandQueue& cq, Program& program, bool blocking) {
  replay_hooks::enqueue_program(cq, program, impl_of(cq).waits(blocking));
}

void replay_hooks::enqueue_program(CommandQueue& cq, Program& program, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueProgram");
  CommandQueueImpl& queue = impl_of(cq);
  DeviceImpl& device = impl_of(*queue.device());
  device.check_open();
  // The launch becomes part of the device trace, which is recorded when the trace ends; only
  // changed arguments are recorded now.
  if (queue.is_tracing()) {
    queue.add_to_trace(traced_launch_of(program, device));
    LIGHT_METAL_TRACE_FUNCTION_CALL(record_argument_writes, program.state());
    return;
  }
  // The launch is made first: should the program not compile or not fit, nothing of it has been
  // recorded.
  const PreparedProgram& prepared = prepare_on(device, program);
  device::Launch launch = prepared.launch(queue.spare_words().take());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, device);
  if (program.state().specified != nullptr)
    program.state().specified->note_launch(cq, prepared.sub_device());
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, wait_of(blocking));
  call.announces = true;
  Operation operation = queue.operation_of(std::move(launch));
  if (blocking) operation = queue.and_wait(std::move(operation));
  run_as<schema::EnqueueProgram>(queue.order(), call, std::move(operation), cq, program,
                                 Blocks{blocking});
}

namespace detail {

void CompileProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  compile(program.state(), opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_kernel_binaries, program.state(), &opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CompileProgram>, *device, program);
}

bool ConfigureDeviceWithProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  launch_of(program, opened);  // makes a launch to check all that a launch checks
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ConfigureDeviceWithProgram>, *device, program);
  return true;
}

void WriteRuntimeArgsToDevice(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  launch_of(program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteRuntimeArgsToDevice>, *device, program);
}

void LaunchProgram(IDevice* device, Program& program, bool wait_until_cores_done, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  device::Launch launch = launch_of(program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  if (program.state().specified != nullptr && !wait_until_cores_done)
    program.state().specified->note_direct_launch(opened);
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, wait_of(wait_until_cores_done));
  call.announces = true;
  call.program = &program;
  call.device = device;
  run_as<schema::LaunchProgram>(opened.direct_order(), call,
                                operation_of(opened, std::move(launch)), *device, program,
                                Blocks{wait_until_cores_done});
}

void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                   bool wait_until_cores_done, bool force_slow_dispatch) {
  TT_FATAL(program != nullptr, "The program is a null pointer");
  LaunchProgram(device, *program, wait_until_cores_done, force_slow_dispatch);
}

void WaitProgramDone(IDevice* device, Program& program, bool /*read_device_profiler_results*/) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kWait, QueueWait::kUntilDone);
  call.announces = true;
  call.program = &program;
  call.device = device;
  run_as<schema::WaitProgramDone>(open_device_of(device).direct_order(), call, nullptr, *device,
                                  program);
}

}  // namespace detail
}  // namespace tt::tt_metal
