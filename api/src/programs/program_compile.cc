#include "api/src/programs/program_compile.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>
#include <thread>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "api/src/devices/device_impl.h"
#include "api/src/devices/device_state.h"
#include "api/src/objects/kernel_source.h"
#include "api/src/record/capture_calls.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

namespace device = lightmetal::device;

device::CircularBufferFormat format_of(const CircularBuffer& buffer, uint8_t index) {
  device::CircularBufferFormat format{.index = index, .format = buffer.data_format(index)};
  if (const std::optional<Tile>& tile = buffer.tile(index)) {
    format.tile_height = tile->get_height();
    format.tile_width = tile->get_width();
  }
  return format;
}

// The formats of the circular buffers that a kernel's cores have, by index; they are compile-time
// constants of the kernel. Where cores of one kernel have different circular buffers at an index,
// the one that was created last counts.
std::vector<device::CircularBufferFormat> formats_of(const ProgramState& program,
                                                     const CoreRangeSet& cores) {
  std::map<uint8_t, device::CircularBufferFormat> formats;
  for (const auto& buffer : program.circular_buffers) {
    if (!buffer->core_ranges().intersects(cores)) continue;
    for (const uint8_t index : buffer->buffer_indices()) formats[index] = format_of(*buffer, index);
  }
  std::vector<device::CircularBufferFormat> sorted;
  for (const auto& [index, format] : formats) sorted.push_back(format);
  return sorted;
}

std::map<std::string, uint32_t> named_args_of(const Kernel::Config& config) {
  return std::visit(
      [](const auto& given) {
        return std::map<std::string, uint32_t>(given.named_compile_args.begin(),
                                               given.named_compile_args.end());
      },
      config);
}

std::vector<std::string> include_folders_of(const Kernel::Config& config) {
  std::vector<std::string> folders;
  std::visit(
      [&](const auto& given) {
        for (const std::filesystem::path& path : given.compiler_include_paths)
          folders.push_back(std::filesystem::absolute(path).string());
      },
      config);
  return folders;
}

device::KernelSource source_of(const ProgramState& program, const Kernel& kernel) {
  const KernelText& text = kernel.state().spec.source;
  device::KernelSource source{.name = kernel.is_from_string() ? "<string>" : text.path,
                              .text = text.text,
                              .directory = text.directory,
                              .declarations = text.declarations,
                              .processor = static_cast<device::Processor>(kernel.processor()),
                              .noc = noc_of(kernel.config()),
                              .compile_args = kernel.compile_time_args(),
                              .defines = kernel.defines(),
                              .named_compile_args = named_args_of(kernel.config()),
                              .include_paths = include_folders_of(kernel.config()),
                              .circular_buffers = formats_of(program, kernel.core_range_set())};
  if (const auto* compute = std::get_if<ComputeConfig>(&kernel.config())) {
    source.math_fidelity = static_cast<uint8_t>(compute->math_fidelity);
    source.fp32_dest_acc_en = compute->fp32_dest_acc_en;
    source.dst_full_sync_en = compute->dst_full_sync_en;
    source.math_approx_mode = compute->math_approx_mode;
  }
  const auto* movement = std::get_if<DataMovementConfig>(&kernel.config());
  if (movement != nullptr && movement->noc_mode == NOC_MODE::DM_DYNAMIC_NOC)
    source.defines.try_emplace("NOC_MODE", "DM_DYNAMIC_NOC");
  const auto* ethernet = std::get_if<EthernetConfig>(&kernel.config());
  if (ethernet != nullptr && ethernet->eth_mode == Eth::IDLE)
    source.defines.try_emplace("COMPILE_FOR_IDLE_ERISC", "1");
  return source;
}

void check_compilable(const Kernel& kernel, const DeviceState& device) {
  TT_FATAL(kernel.processor() != KernelProcessor::ETHERNET || device.profile().ethernet_cores != 0,
           "Kernel {} is for an Ethernet core: device {} has none", kernel.name(),
           device.parameters().chip_id);
  TT_FATAL(kernel.state().spec.has_source,
           "Kernel {} was created without its source and has been given no object", kernel.name());
}

std::vector<std::shared_ptr<Kernel>> uncompiled(const ProgramState& program,
                                                const DeviceState& device) {
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (const auto& kernel : program.kernels) {
    if (kernel->state().object_for(device.parameters().backend)) continue;
    check_compilable(*kernel, device);
    kernels.push_back(kernel);
  }
  return kernels;
}

using Compiled = absl::StatusOr<device::KernelObject>;

// Runs `work` on this thread and on `others` more; on fewer where the system gives no more threads.
void run_on_threads(size_t others, const std::function<void()>& work) {
  std::vector<std::jthread> threads;  // joined at the end of the function
  try {
    while (threads.size() < others) threads.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
}

// Compiles each source, on all processors of the host. Threads take the next source until there is
// none; each writes its own result, so they need no lock.
std::vector<Compiled> compile_all(device::Device& backend,
                                  const std::vector<device::KernelSource>& sources) {
  std::vector<Compiled> compiled(sources.size(), absl::UnknownError("not compiled"));
  std::atomic<size_t> next = 0;
  const size_t threads =
      std::min<size_t>(sources.size(), std::max(1u, std::thread::hardware_concurrency()));
  if (threads == 0) return compiled;
  run_on_threads(threads - 1, [&] {
    for (size_t i = next++; i < sources.size(); i = next++)
      compiled[i] = backend.compile(sources[i]);
  });
  return compiled;
}

// Kernels that are compiled from equal sources, which are compiled once.
struct Task {
  device::KernelSource source;
  std::vector<std::shared_ptr<Kernel>> kernels;
};

// The tasks in the order of the kernels, so that the first error is that of the first kernel.
std::vector<Task> tasks_of(const ProgramState& program, const DeviceState& device) {
  std::vector<Task> tasks;
  for (const auto& kernel : uncompiled(program, device)) {
    device::KernelSource source = source_of(program, *kernel);
    const auto same = std::ranges::find(tasks, source, &Task::source);
    if (same == tasks.end()) {
      tasks.push_back({std::move(source), {kernel}});
    } else {
      same->kernels.push_back(kernel);
    }
  }
  return tasks;
}

}  // namespace

void compile(ProgramState& program, DeviceState& device) {
  const std::vector<Task> tasks = tasks_of(program, device);
  std::vector<device::KernelSource> sources;
  for (const Task& task : tasks) sources.push_back(task.source);
  std::vector<Compiled> compiled = compile_all(*device.share_backend(), sources);
  absl::Status first_error;
  for (size_t i = 0; i < tasks.size(); ++i) {
    first_error.Update(compiled[i].status());
    if (!compiled[i].ok()) continue;
    const auto object = std::make_shared<device::KernelObject>(*std::move(compiled[i]));
    for (const auto& kernel : tasks[i].kernels)
      kernel->state().set_object_for(device.parameters().backend, object);
  }
  throw_if_error(first_error);
  // Only when all is well: a program whose kernel does not compile can still be changed.
  program.host.set_compiled();
}

namespace replay_hooks {

std::shared_ptr<const device::KernelObject> compile_kernel_from(const std::string& path,
                                                                const Program& program,
                                                                KernelHandle kernel,
                                                                IDevice& device) {
  const ProgramState& state = program.state();
  const KernelText text = read_kernel_file(path);
  device::KernelSource source = source_of(state, *state.kernel(kernel));
  source.name = text.path;
  source.text = text.text;
  source.directory = text.directory;
  return std::make_shared<device::KernelObject>(
      value_or_throw(impl_of(device).share_backend()->compile(source)));
}

}  // namespace replay_hooks

void record_kernel_binaries(const ProgramState& program, const DeviceState* device) {
  if constexpr (lightmetal::capture::kEnabled) {
    for (const auto& kernel : program.kernels) {
      const KernelState& state = kernel->state();
      if (device != nullptr) {
        capture_calls::kernel_binary_once(*kernel, state.object_for(device->parameters().backend));
        continue;
      }
      for (const KernelObjectPtr& object : state.objects()) {
        capture_calls::kernel_binary_once(*kernel, object);
      }
    }
  }
}

}  // namespace tt::tt_metal
