// Programs, as commands that make them anew.
#include <algorithm>
#include <memory>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/src/capture/snapshot_parts.h"
#include "api/src/devices/device_registry.h"
#include "api/src/memory/live_handles.h"
#include "api/src/objects/program_state.h"
#include "api/src/programs/program_compile.h"
#include "api/src/programs/program_launch.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/support/live_objects.h"

namespace tt::tt_metal::snapshot {
namespace {

using lightmetal::capture::Kind;
using lightmetal::capture::knows;

// ---- Circular buffers ----

constexpr uint32_t kSmallestPage = 16;  // bytes that every index can have

void copy_index(const CircularBufferConfig& from, uint8_t index, CircularBufferConfig& to) {
  const bool remote = from.remote_buffer_indices().contains(index);
  const auto builder = remote ? to.remote_index(index) : to.index(index);
  if (from.page_sizes()[index]) builder.set_page_size(*from.page_sizes()[index]);
  if (from.data_formats()[index]) builder.set_data_format(*from.data_formats()[index]);
  if (from.tiles()[index]) builder.set_tile_dims(*from.tiles()[index]);
}

// The configuration without the memory that it was given.
CircularBufferConfig without_memory(const CircularBufferConfig& config) {
  CircularBufferConfig bare(config.total_size());
  for (const uint8_t index : config.buffer_indices()) copy_index(config, index, bare);
  return bare;
}

bool is_in_global_buffer(const CircularBuffer& buffer) {
  return buffer.config().remote_config_address() != 0;
}

// Visits the global circular buffer in which `buffer` lies, unless that is gone.
void visit_global_buffer_of(
    const CircularBuffer& buffer,
    absl::FunctionRef<void(const experimental::GlobalCircularBuffer&)> visit) {
  for_each_global_circular_buffer(
      [&](const experimental::GlobalCircularBuffer& global, const Buffer&) {
        const uint64_t memory = global.cb_buffer().unique_id();
        if (memory == buffer.config().globally_allocated_buffer_id()) visit(global);
      });
}

// True when `buffer` lies in a buffer that has ended before it.
bool buffer_is_gone(const CircularBuffer& buffer) {
  const uint64_t id = buffer.config().globally_allocated_buffer_id();
  return id != 0 && !knows(BufferId{id});
}

// Makes the circular buffer on a view that takes the place of the buffer that is gone. The view
// ends again at once: a circular buffer keeps the address alone.
void record_at_address(const ProgramState& program, const CircularBuffer& buffer,
                       const CircularBufferConfig& config, IDevice* device) {
  const DeviceAddr page_size = device->allocator()->get_alignment(BufferType::L1);
  const auto view = Buffer::create(
      device, buffer.address(), config.globally_allocated_buffer_size(), page_size, BufferType::L1);
  capture_calls::buffer_create(*view);
  CircularBufferConfig on_view = config;
  on_view.set_globally_allocated_address_and_total_size(*view, config.total_size(),
                                                        /*address_offset=*/0);
  capture_calls::create_circular_buffer(program, buffer.id(), buffer.core_ranges(), on_view);
  record<schema::BufferDestroy>(*view);
}

void record_with(const ProgramState& program, const CircularBuffer& buffer,
                 const CircularBufferConfig& config) {
  if (is_in_global_buffer(buffer)) {
    visit_global_buffer_of(buffer, [&](const experimental::GlobalCircularBuffer& global) {
      record<schema::CircularBufferCreateOnGlobal>(CircularBufferId{buffer.id()}, program,
                                                   buffer.core_ranges(), without_memory(config),
                                                   global);
    });
  } else if (buffer_is_gone(buffer)) {
    record_at_address(program, buffer, config, open_devices().front());
  } else {
    capture_calls::create_circular_buffer(program, buffer.id(), buffer.core_ranges(), config);
  }
}

bool is_divided_into_pages(const CircularBufferConfig& config) {
  return std::ranges::all_of(config.buffer_indices(), [&](uint8_t index) {
    return config.total_size() % *config.page_sizes()[index] == 0;
  });
}

// Makes a circular buffer whose sizes do not divide, as a program has it between two updates. No
// creation can say that, so the circular buffer is made small and brought to its sizes by updates,
// each of which divides.
void record_by_updates(const ProgramState& program, const CircularBuffer& buffer) {
  CircularBufferConfig smallest = buffer.config();
  smallest.set_total_size(kSmallestPage);
  for (const uint8_t index : smallest.buffer_indices()) {
    smallest.set_page_size(index, kSmallestPage);
  }
  record_with(program, buffer, smallest);
  for (const uint8_t index : smallest.buffer_indices()) {
    const uint32_t page_size = buffer.page_size(index);
    record<schema::UpdateCircularBufferTotalSize>(CircularBufferId{buffer.id()}, page_size);
    record<schema::UpdateCircularBufferPageSize>(CircularBufferId{buffer.id()}, index, page_size);
  }
  record<schema::UpdateCircularBufferTotalSize>(CircularBufferId{buffer.id()}, buffer.size());
}

void record_circular_buffer(const ProgramState& program, const CircularBuffer& buffer) {
  if (is_divided_into_pages(buffer.config())) {
    record_with(program, buffer, buffer.config());
  } else {
    record_by_updates(program, buffer);
  }
}

// ---- Kernels ----

// The words of all cores that have any, core by core.
struct Arguments {
  std::vector<CoreCoord> cores;
  std::vector<std::vector<uint32_t>> words;
};

Arguments arguments_of(const Kernel& kernel) {
  Arguments arguments;
  for (const CoreCoord& core : kernel.logical_cores()) {
    std::vector<uint32_t> words = kernel.runtime_args(core);
    if (words.empty()) continue;
    arguments.cores.push_back(core);
    arguments.words.push_back(std::move(words));
  }
  return arguments;
}

// True when the word is still the address of the buffer, which the capture knows.
bool is_address(const std::vector<uint32_t>& words, const RuntimeArgsStore::AddressWord& address) {
  return knows(BufferId{address.buffer_id}) &&
         words[address.word] == static_cast<uint32_t>(address.buffer->address() + address.offset);
}

// The words, with buffers in the places of their addresses.
LightMetalArgs with_buffers(const std::vector<uint32_t>& words,
                            const RuntimeArgsStore::AddressWords& addresses) {
  LightMetalArgs args(words.begin(), words.end());
  for (const RuntimeArgsStore::AddressWord& address : addresses) {
    if (is_address(words, address))
      args[address.word] = LightMetalAddress{address.buffer, address.offset};
  }
  return args;
}

void record_unique(const Kernel& kernel) {
  const Arguments arguments = arguments_of(kernel);
  if (arguments.cores.empty()) return;
  const Buffer* buffer = nullptr;
  std::vector<LightMetalArgs> args;
  for (size_t i = 0; i < arguments.cores.size(); ++i) {
    args.push_back(
        with_buffers(arguments.words[i], kernel.state().args.address_words(arguments.cores[i])));
    if (buffer == nullptr) buffer = buffer_in(args.back());
  }
  if (buffer == nullptr) {
    capture_calls::set_runtime_args_per_core(kernel, arguments.cores, arguments.words);
  } else {
    capture_calls::set_runtime_args_symbolic_per_core(*buffer->device(), kernel, arguments.cores,
                                                      args);
  }
}

void record_common(const Kernel& kernel) {
  const std::vector<uint32_t> words = kernel.common_runtime_args();
  if (words.empty()) return;
  const LightMetalArgs args = with_buffers(words, kernel.state().args.common_address_words());
  if (buffer_in(args) == nullptr) {
    record<schema::SetCommonRuntimeArgs>(kernel, words);
  } else {
    record<schema::SetCommonRuntimeArgsSymbolic>(kernel, args);
  }
}

void record_arguments(Kernel& kernel) {
  // What was written through references is part of the words, and needs no command of its own.
  kernel.state().args.report_writes([](const CoreCoord&, RuntimeArgsStore::Words) {},
                                    [](RuntimeArgsStore::Words) {});
  record_unique(kernel);
  record_common(kernel);
}

void record_kernel(const ProgramState& program, Kernel& kernel) {
  capture_calls::create_kernel(program, kernel);
  for (const KernelObjectPtr& object : kernel.state().objects()) {
    kernel.state().needs_binary_record(object);  // the next launch need not record it again
    capture_calls::kernel_binary(kernel, *object);
  }
}

// ---- Programs ----

// False when a circular buffer of the program lies in memory that no command can name any more.
bool can_be_recorded(const ProgramState& program) {
  return std::ranges::all_of(program.circular_buffers, [](const auto& buffer) {
    if (!is_in_global_buffer(*buffer)) return !buffer_is_gone(*buffer) || !open_devices().empty();
    bool is_known = false;
    visit_global_buffer_of(*buffer, [&](const experimental::GlobalCircularBuffer& global) {
      is_known = knows(object_of(global));
    });
    return is_known;
  });
}

void record_program(const ProgramState& program) {
  if (!can_be_recorded(program)) return;
  record<schema::ProgramCreate>(program);
  for (const auto& kernel : program.kernels) record_kernel(program, *kernel);
  for (const auto& buffer : program.circular_buffers) record_circular_buffer(program, *buffer);
  for (const Semaphore& semaphore : program.semaphores) {
    record<schema::CreateSemaphoreWithId>(program, semaphore.core_range_set(),
                                          semaphore.initial_value(), semaphore.core_type(),
                                          semaphore.id());
  }
  // Arguments come after the program's objects, as programs set them.
  for (const auto& kernel : program.kernels) record_arguments(*kernel);
  for (const auto& buffer : program.buffers) {
    if (knows(object_of(*buffer))) record<schema::AssignGlobalBufferToProgram>(*buffer, program);
  }
}

}  // namespace

void record_pending_of_programs() {
  LiveObjects<ProgramState>::for_each([](const ProgramState& program) {
    bool is_known = false;
    lightmetal::capture::for_each_capture([&] {
      if (!knows(object_of(program))) return;
      is_known = true;
      record_kernel_binaries(program, /*device=*/nullptr);
    });
    if (is_known) record_argument_writes(program);
  });
}

void record_programs() {
  LiveObjects<ProgramState>::for_each([](const ProgramState& program) { record_program(program); });
}

void record_left_out_programs() {
  LiveObjects<ProgramState>::for_each([](const ProgramState& program) {
    const auto is_gone = [](const auto& buffer) { return buffer_is_gone(*buffer); };
    if (knows(object_of(program)) || !std::ranges::any_of(program.circular_buffers, is_gone))
      return;
    record_program(program);
  });
}

}  // namespace tt::tt_metal::snapshot
