// Running programs: in a queue, or beside the queues.
#include "api/src/program_launch.h"

#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/capture_calls.h"
#include "api/src/errors.h"
#include "api/src/launch_plan.h"
#include "api/src/program_compile.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

namespace device = lightmetal::device;

using lightmetal::capture::announce;
using lightmetal::capture::hand_over;

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
            capture_calls::write_runtime_args(*kernel, core, words);
          },
          [&](RuntimeArgsStore::Words words) {
            capture_calls::write_common_runtime_args(*kernel, words);
          });
    }
  }
}

void record_before_launch(const Program& program, const DeviceImpl& device) {
  record_kernel_binaries(program.state(), device);
  record_argument_writes(program.state());
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
  hand_over(
      light_metal_call_scope, blocking,
      [&](bool blocks) { capture_calls::enqueue_program(cq, program, blocks); },
      [&] {
        const uint64_t ticket = queue.push_launch(std::move(launch));
        if (!blocking) return;
        device.sub_devices().is_divided() ? queue.finish() : queue.wait(ticket);
      });
}

namespace detail {

void CompileProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  compile(program.state(), opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_kernel_binaries, program.state(), opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::compile_program, *device, program);
}

bool ConfigureDeviceWithProgram(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  launch_of(program, opened);  // checks all that a launch will
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::configure_device_with_program, *device, program);
  return true;
}

void WriteRuntimeArgsToDevice(IDevice* device, Program& program, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  launch_of(program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::write_runtime_args_to_device, *device, program);
}

void LaunchProgram(IDevice* device, Program& program, bool wait_until_cores_done, bool) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& opened = open_device_of(device);
  device::Launch launch = launch_of(program, opened);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_before_launch, program, opened);
  hand_over(
      light_metal_call_scope, wait_until_cores_done,
      [&](bool waits) { capture_calls::launch_program(*device, program, waits); },
      [&] {
        QueueWorker& worker = opened.direct_worker();
        const uint64_t ticket = worker.push(operation_of(opened, std::move(launch)));
        if (!wait_until_cores_done) return;
        worker.wait(ticket);
        throw_if_error(worker.take_error());
      });
}

void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                   bool wait_until_cores_done) {
  TT_FATAL(program != nullptr, "The program is a null pointer");
  LaunchProgram(device, *program, wait_until_cores_done);
}

void WaitProgramDone(IDevice* device, Program& program) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  QueueWorker& worker = open_device_of(device).direct_worker();
  announce(light_metal_call_scope, [&] { capture_calls::wait_program_done(*device, program); });
  worker.wait_for_all();
  throw_if_error(worker.take_error());
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::wait_program_done, *device, program);
}

}  // namespace detail
}  // namespace tt::tt_metal
