// Running programs: in a queue, or beside the queues.
#include "api/src/program_launch.h"

#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/launch_plan.h"
#include "api/src/program_compile.h"
#include "api/src/record.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

namespace device = lightmetal::device;

using Says = QueueCall::Says;

QueueWorker::Operation operation_of(DeviceImpl& on, device::Launch launch) {
  return [backend = on.backend().get(), launch = std::move(launch)] {
    return backend->launch(launch);
  };
}

DeviceImpl& open_device_of(IDevice* device) {
  DeviceImpl& opened = impl_of(device);
  opened.check_open();
  return opened;
}

}  // namespace

device::Launch launch_of(Program& program, DeviceImpl& device) {
  return prepare(program.state(), device).launch();
}

TracedLaunch traced_launch_of(Program& program, DeviceImpl& device) {
  const PreparedProgram& prepared = prepare(program.state(), device);
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
  // In the order of a replay that is captured: it writes arguments when it comes to them, and loads
  // kernels at the launch.
  record_argument_writes(program.state());
  record_kernel_binaries(program.state(), device);
}

void EnqueueProgram(CommandQueue& cq, Program& program, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  DeviceImpl& device = queue.device_impl();
  device.check_open();
  if (queue.is_tracing()) {
    queue.add_to_trace(traced_launch_of(program, device));
    LIGHT_METAL_TRACE_FUNCTION_CALL(record_argument_writes, program.state());
    return;
  }
  device::Launch launch = launch_of(program, device);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, device);
  const auto record_as = [&](Says says) {
    if (says != Says::kAwaited) {
      record<schema::EnqueueProgram>(cq, program, blocking && QueueCall::waits(says));
    }
  };
  QueueCall call(light_metal_call_scope, wait_of(blocking), record_as);
  call.announces = true;
  call.has_effect = true;
  QueueWorker::Operation operation = queue.operation_of(std::move(launch));
  queue.run(call, blocking ? queue.and_wait(std::move(operation)) : std::move(operation));
}

namespace detail {

void CompileProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  compile(program.state(), opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_kernel_binaries, program.state(), opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CompileProgram>, *device, program);
}

bool ConfigureDeviceWithProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  launch_of(program, opened);  // checks all that a launch will
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
  const auto record_as = [&](Says says) {
    if (says == Says::kAwaited) return record<schema::WaitProgramDone>(*device, program);
    record<schema::LaunchProgram>(*device, program,
                                  wait_until_cores_done && QueueCall::waits(says));
  };
  QueueCall call(light_metal_call_scope, wait_of(wait_until_cores_done), record_as);
  call.announces = true;
  call.has_effect = true;
  opened.direct_order().run(call, operation_of(opened, std::move(launch)));
}

void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                   bool wait_until_cores_done) {
  TT_FATAL(program != nullptr, "The program is a null pointer");
  LaunchProgram(device, *program, wait_until_cores_done);
}

void WaitProgramDone(IDevice* device, Program& program) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const auto record_as = [&](Says says) {
    if (says != Says::kGiven && says != Says::kFailed) {
      record<schema::WaitProgramDone>(*device, program);
    }
  };
  QueueCall call(light_metal_call_scope, QueueWait::kUntilDone, record_as);
  call.announces = true;
  open_device_of(device).direct_order().run(call, nullptr);
}

}  // namespace detail
}  // namespace tt::tt_metal
