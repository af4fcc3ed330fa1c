#include "api/src/program_compile.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <thread>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "api/src/capture_calls.h"
#include "api/src/device_impl.h"
#include "api/src/errors.h"
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

// Where cores of one kernel have different circular buffers at an index, the one that was created
// last counts.
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

device::KernelSource source_of(const ProgramState& program, const Kernel& kernel) {
  const KernelText& text = kernel.state().spec.source;
  device::KernelSource source{.name = kernel.is_from_string() ? "<string>" : text.path,
                              .text = text.text,
                              .directory = text.directory,
                              .processor = static_cast<device::Processor>(kernel.processor()),
                              .noc = noc_of(kernel.config()),
                              .compile_args = kernel.compile_time_args(),
                              .defines = kernel.defines(),
                              .circular_buffers = formats_of(program, kernel.core_range_set())};
  if (const auto* compute = std::get_if<ComputeConfig>(&kernel.config())) {
    source.math_fidelity = static_cast<uint8_t>(compute->math_fidelity);
    source.fp32_dest_acc_en = compute->fp32_dest_acc_en;
    source.dst_full_sync_en = compute->dst_full_sync_en;
    source.math_approx_mode = compute->math_approx_mode;
  }
  return source;
}

void check_compilable(const Kernel& kernel, const DeviceImpl& device) {
  TT_FATAL(kernel.processor() != KernelProcessor::ETHERNET,
           "Kernel {} is for an Ethernet core: device {} has none", kernel.name(), device.id());
  TT_FATAL(kernel.state().spec.has_source,
           "Kernel {} was created without its source and has been given no object", kernel.name());
}

std::vector<std::shared_ptr<Kernel>> uncompiled(const ProgramState& program,
                                                const DeviceImpl& device) {
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (const auto& kernel : program.kernels) {
    if (kernel->state().object_for(device.parameters().backend)) continue;
    check_compilable(*kernel, device);
    kernels.push_back(kernel);
  }
  return kernels;
}

using Compiled = absl::StatusOr<device::KernelObject>;

// Compiles each source; one thread beside the caller's shares the work.
std::vector<Compiled> compile_all(device::Device& backend,
                                  const std::vector<device::KernelSource>& sources) {
  std::vector<Compiled> compiled(sources.size(), absl::UnknownError("not compiled"));
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < sources.size(); i = next++)
      compiled[i] = backend.compile(sources[i]);
  };
  std::jthread helper;
  if (sources.size() > 1) helper = std::jthread(work);
  work();
  if (helper.joinable()) helper.join();
  return compiled;
}

}  // namespace

void compile(ProgramState& program, DeviceImpl& device) {
  const std::vector<std::shared_ptr<Kernel>> kernels = uncompiled(program, device);
  std::vector<device::KernelSource> sources;
  for (const auto& kernel : kernels) sources.push_back(source_of(program, *kernel));
  std::vector<Compiled> compiled = compile_all(*device.backend(), sources);
  for (size_t i = 0; i < kernels.size(); ++i) {
    auto object = std::make_shared<device::KernelObject>(value_or_throw(std::move(compiled[i])));
    kernels[i]->state().set_object_for(device.parameters().backend, std::move(object));
  }
  program.compiled = true;
}

void record_kernel_binaries(const ProgramState& program, const DeviceImpl& device) {
  if constexpr (lightmetal::capture::kEnabled) {
    for (const auto& kernel : program.kernels) {
      const KernelObjectPtr object = kernel->state().object_for(device.parameters().backend);
      if (kernel->state().needs_binary_record(object))
        capture_calls::kernel_binary(*kernel, *object);
    }
  }
}

}  // namespace tt::tt_metal
