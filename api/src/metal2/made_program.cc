#include "api/src/metal2/made_program.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/live_objects.h"
#include "api/src/work/event_progress.h"
#include "api/src/work/queue_order.h"
#include "capture/capture.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

// Write what is given over the kernel's words. Return whether there was anything.
bool write_words(MadeKernel& made, const KernelRunArgs& args) {
  for (const auto& [name, values] : args.runtime_arg_values) {
    const auto word = made.runtime_args.find(name);
    if (word == made.runtime_args.end()) continue;
    for (const auto& [node, value] : values) {
      const auto number = made.number_of_node.find(node);
      if (number != made.number_of_node.end()) made.words[number->second][word->second] = value;
    }
  }
  for (const auto& [node, values] : args.advanced_options.runtime_varargs) {
    const auto number = made.number_of_node.find(node);
    if (number == made.number_of_node.end()) continue;
    std::vector<uint32_t>& of_node = made.words[number->second];
    const size_t first = made.runtime_args.size();
    std::copy_n(values.begin(), std::min(values.size(), of_node.size() - first),
                of_node.begin() + static_cast<ptrdiff_t>(first));
  }
  return !args.runtime_arg_values.empty() || !args.advanced_options.runtime_varargs.empty();
}

bool write_common(MadeKernel& made, const KernelRunArgs& args) {
  for (const auto& [name, value] : args.common_runtime_arg_values) {
    const auto word = made.common_args.find(name);
    if (word != made.common_args.end()) made.common[word->second] = value;
  }
  const auto& varargs = args.advanced_options.common_runtime_varargs;
  std::copy_n(varargs.begin(), std::min<size_t>(varargs.size(), made.num_common_varargs),
              made.common.begin() + made.first_common_vararg);
  return !args.common_runtime_arg_values.empty() || !varargs.empty();
}

// Gives the kernel the words: as plain ones, when no buffer is among them.
void give_common(Program& program, KernelHandle kernel, const LightMetalArgs& args) {
  const bool symbolic = std::ranges::any_of(
      args, [](const auto& arg) { return std::holds_alternative<LightMetalAddress>(arg); });
  if (symbolic) return replay_hooks::set_common_runtime_args(program, kernel, args);
  std::vector<uint32_t> words;
  for (const auto& arg : args) words.push_back(std::get<uint32_t>(arg));
  replay_hooks::set_common_runtime_args(program, kernel, words);
}

}  // namespace

MadeProgram& MadeProgram::of(const Program& program, const char* call) {
  // Whatever is specified is a MadeProgram.
  auto* const made = static_cast<MadeProgram*>(program.state().specified.get());
  TT_FATAL(made != nullptr,
           "{} needs a program that was made from a ProgramSpec: program {} was made by the calls "
           "of the classic API, which change it",
           call, program.get_id());
  return *made;
}

void MadeProgram::check_may_launch(const IDevice& device) const {
  TT_FATAL(was_given_arguments_ || !needs_arguments,
           "Program \"{}\" cannot be launched: SetProgramRunArgs has not given it its arguments",
           name);
  TT_FATAL(scratchpads.empty() || std::ranges::find(devices, &device) != devices.end(),
           "Program \"{}\" cannot be launched on device {}, for which it was not made: its "
           "scratchpads are not there",
           name, device.id());
}

// ---- Launches that use scratchpads ----

void MadeProgram::note_launch(CommandQueue& queue, SubDeviceId sub_device) {
  if (scratchpads.empty()) return;
  DeviceImpl& device = impl_of(*queue.device());
  const Launched launched{&device, queue.id(), device.sub_devices().loaded_id(), sub_device};
  if (std::ranges::find(launched_, launched) == launched_.end()) launched_.push_back(launched);
}

void MadeProgram::note_direct_launch(IDevice& device) {
  if (scratchpads.empty()) return;
  if (std::ranges::find(launched_directly_, &device) == launched_directly_.end())
    launched_directly_.push_back(&device);
}

void MadeProgram::wait_for_launches(const Program& program) noexcept {
  try {
    for (const Launched& launched : launched_) wait_for_queue(launched);
    for (IDevice* device : launched_directly_) wait_beside_queues(*device, program);
  } catch (const std::exception& error) {
    // What ends cannot refuse to end. The queue still has the launch's error, if it is one.
    log_warning(tt::LogMetal, "Program \"{}\" ends while a launch may use its scratchpads: {}",
                name, error.what());
  }
}

// By an event, so that an error of the queue stays for the program's next call that waits.
void MadeProgram::wait_for_queue(const Launched& launched) {
  const DeviceImpl& device = impl_of(*launched.device);
  if (!device.is_of_this_process() || !device.is_open()) return;
  CommandQueueImpl& queue = device.queue(launched.queue);
  if (queue.is_tracing() || device.sub_devices().loaded_id() != launched.manager) return;
  const auto event = std::make_shared<Event>();
  EnqueueRecordEvent(queue, event, {&launched.sub_device, 1});
  event->progress()->wait(event->progress()->recorded());
  EventQuery(event);  // says that what follows relies on it
}

void MadeProgram::wait_beside_queues(IDevice& device, const Program& program) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("WaitProgramDone");
  DeviceImpl& impl = impl_of(device);
  if (!impl.is_of_this_process() || !impl.is_open()) return;
  impl.direct_worker().wait_for_all();
  if (impl.direct_worker().has_error()) return;
  if (light_metal_call_scope.records()) record_effects_of_all_but(nullptr);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WaitProgramDone>, device, program);
}

void MadeProgram::check_was_given_arguments(const char* call) const {
  TT_FATAL(was_given_arguments_,
           "{} changes arguments of program \"{}\", which SetProgramRunArgs has not given any",
           call, name);
}

MadeProgram::Fresh MadeProgram::bind(const Table<TensorParamName, TensorArgument>& given) {
  Fresh fresh(tensors.size());
  for (const auto& [parameter, argument] : given) {
    const auto number = number_of_tensor.find(*parameter);
    if (number == number_of_tensor.end()) continue;
    MadeTensor& tensor = tensors[number->second];
    const MeshTensor& mesh_tensor = mesh_tensor_of(argument);
    tensor.buffer = mesh_tensor.mesh_buffer().get_reference_buffer();
    tensor.buffer_id = tensor.buffer->unique_id();
    tensor.address = static_cast<uint32_t>(tensor.buffer->address());
    if (tensor.num_runtime_words != 0) {
      tensor.runtime_words =
          TensorAccessorArgs(mesh_tensor, tensor.at_run_time).get_common_runtime_args();
      tensor.runtime_words.resize(tensor.num_runtime_words);
    }
    fresh[number->second] = true;
  }
  return fresh;
}

// A circular buffer is resized by calls each of which leaves pages that divide it: it is as large
// as one entry while the size of its entries changes.
void MadeProgram::resize(Program& program, const MadeBuffer& first) {
  const CBHandle handle = first.circular_buffer;
  const auto set_total_size = [&](uint32_t total_size) {
    if (!first.tensor) return UpdateCircularBufferTotalSize(program, handle, total_size);
    UpdateDynamicCircularBufferAddressAndTotalSize(program, handle, *tensors[*first.tensor].buffer,
                                                   total_size);
  };
  for (const MadeBuffer& buffer : buffers) {
    if (buffer.circular_buffer != handle) continue;
    set_total_size(buffer.entry_size);
    UpdateCircularBufferPageSize(program, handle, buffer.index, buffer.entry_size);
  }
  set_total_size(static_cast<uint32_t>(first.total_size()));
}

void MadeProgram::place(Program& program, const Fresh& fresh,
                        const Group<DFBRunOverrides>& overrides) {
  std::vector<CBHandle> resized;
  for (const DFBRunOverrides& sizes : overrides) {
    const auto number = number_of_buffer.find(*sizes.dfb);
    if (number == number_of_buffer.end()) continue;
    MadeBuffer& buffer = buffers[number->second];
    buffer.entry_size = sizes.entry_size.value_or(buffer.entry_size);
    buffer.num_entries = sizes.num_entries.value_or(buffer.num_entries);
    resized.push_back(buffer.circular_buffer);
  }
  for (const MadeBuffer& buffer : buffers) {
    const CBHandle handle = buffer.circular_buffer;
    if (std::erase(resized, handle) != 0) {
      resize(program, buffer);
    } else if (buffer.tensor && fresh[*buffer.tensor]) {
      const MadeTensor& tensor = tensors[*buffer.tensor];
      const auto& config = detail::GetCircularBuffer(program, handle)->config();
      // A launch is prepared anew when a circular buffer was changed, so it is left where it is.
      if (config.globally_allocated_buffer_id() == tensor.buffer_id) continue;
      UpdateDynamicCircularBufferAddress(program, handle, *tensor.buffer);
    }
  }
}

void MadeProgram::set_common(Program& program, MadeKernel& kernel, const Fresh& fresh) {
  for (const MadeKernel::TensorWords& words : kernel.tensors) {
    const MadeTensor& tensor = tensors[words.tensor];
    auto word = kernel.common.begin() + words.first_word;
    // A tensor that is kept from before may have ended, as long as nothing is launched with it.
    if (fresh[words.tensor] || LiveObjects<Buffer>::has(tensor.buffer_id)) {
      *word = LightMetalAddress{tensor.buffer};
    } else {
      *word = tensor.address;
    }
    std::ranges::copy(tensor.runtime_words, word + 1);
  }
  give_common(program, kernel.handle, kernel.common);
}

void MadeProgram::apply(Program& program, const ProgramRunArgs& args) {
  const ClassicChanges::Allowed own(*program.state().classic_changes);
  const Fresh fresh = bind(args.tensor_args);
  place(program, fresh, args.dfb_run_overrides);
  std::vector<bool> common_changed(kernels.size());
  for (const KernelRunArgs& of_kernel : args.kernel_run_args) {
    const auto number = number_of_kernel.find(*of_kernel.kernel);
    if (number == number_of_kernel.end()) continue;
    MadeKernel& kernel = kernels[number->second];
    if (write_words(kernel, of_kernel))
      SetRuntimeArgs(program, kernel.handle, kernel.nodes, kernel.words);
    common_changed[number->second] = write_common(kernel, of_kernel);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    const bool has_fresh = std::ranges::any_of(
        kernels[i].tensors, [&](const auto& words) { return fresh[words.tensor]; });
    if (has_fresh || common_changed[i]) set_common(program, kernels[i], fresh);
  }
}

void MadeProgram::apply_scratchpads(Program& program, const MadeKernel& kernel) {
  give_common(program, kernel.handle, kernel.common);
}

}  // namespace tt::tt_metal::experimental::metal2
