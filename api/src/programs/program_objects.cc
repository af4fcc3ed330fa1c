// What is put into programs: kernels, circular buffers, semaphores, buffers. Each function makes
// the object first, which throws when a rule is broken, and records it then.
#include "api/src/programs/program_objects.h"

#include <tt-metalium/assert.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/objects/host_objects.h"
#include "api/src/objects/kernel_source.h"
#include "api/src/objects/program_state.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "base/digest.h"
#include "capture/capture.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

lightmetal::Digest digest_of_text(const std::string& text) {
  return lightmetal::digest_of(lightmetal::bytes_of(text.data(), text.size()));
}

KernelSpec spec_of(KernelText source, bool from_string, const CoreSpec& cores,
                   const Kernel::Config& config) {
  const lightmetal::Digest digest = digest_of_text(source.text);
  return {.source = std::move(source),
          .from_string = from_string,
          .digest = digest,
          .cores = cores_of(cores),
          .config = config};
}

void check_cores_of(const experimental::GlobalCircularBuffer& global, const CoreRangeSet& cores) {
  TT_FATAL(global.all_cores().contains(cores),
           "A circular buffer on cores {} needs a global circular buffer on all of them, not on {}",
           cores, global.all_cores());
}

// Throws unless pages of local indices divide the whole pages of remote ones. REQUIRES: the
// configuration has the memory of the global circular buffer.
void check_local_pages(const CircularBufferConfig& config,
                       const experimental::GlobalCircularBuffer& global) {
  throw_if_error(host::check_local_pages(host_circular_buffer(0, config), global.size()));
}

// Changes a copy of the configuration first, so that a broken rule leaves the circular buffer as it
// was.
template <typename Change>
void change(Program& program, CBHandle handle, Change change_config) {
  CircularBufferConfig config = program.state().circular_buffer(handle).config();
  change_config(config);
  program.state().update(handle, config);
}

void move_to(Program& program, CBHandle handle, const Buffer& buffer, uint32_t address_offset) {
  change(program, handle, [&](CircularBufferConfig& config) {
    config.set_globally_allocated_address_and_total_size(buffer, config.total_size(),
                                                         address_offset);
  });
}

}  // namespace

KernelHandle create_kernel_after(Program& program, std::string declarations, KernelText source,
                                 bool from_string, const CoreRangeSet& cores,
                                 const Kernel::Config& config) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("CreateKernel");
  source.declarations = std::move(declarations);
  const auto kernel =
      program.state().add_kernel(spec_of(std::move(source), from_string, cores, config));
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::create_kernel, program.state(), *kernel);
  return kernel->handle();
}

KernelHandle CreateKernel(Program& program, const std::string& file_name, const CoreSpec& core_spec,
                          const Kernel::Config& config) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("CreateKernel");
  const auto kernel = program.state().add_kernel(
      spec_of(read_kernel_file(file_name), /*from_string=*/false, core_spec, config));
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::create_kernel, program.state(), *kernel);
  return kernel->handle();
}

KernelHandle CreateKernelFromString(Program& program, const std::string& kernel_src_code,
                                    const CoreSpec& core_spec, const Kernel::Config& config) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("CreateKernelFromString");
  const auto kernel =
      program.state().add_kernel(spec_of({.path = {}, .directory = {}, .text = kernel_src_code},
                                         /*from_string=*/true, core_spec, config));
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::create_kernel, program.state(), *kernel);
  return kernel->handle();
}

CBHandle CreateCircularBuffer(Program& program, const CoreSpec& core_spec,
                              const CircularBufferConfig& config) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("CreateCircularBuffer");
  const CoreRangeSet cores = cores_of(core_spec);
  TT_FATAL(config.remote_buffer_indices().empty() && config.remote_config_address() == 0,
           "A circular buffer with remote indices needs a global circular buffer: "
           "experimental::CreateCircularBuffer");
  const CBHandle handle = program.state().add_circular_buffer(cores, config);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::create_circular_buffer, program.state(), handle,
                                  cores, config);
  return handle;
}

const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle cb_handle) {
  return program.state().circular_buffer(cb_handle).config();
}

void UpdateCircularBufferTotalSize(Program& program, CBHandle cb_handle, uint32_t total_size) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateCircularBufferTotalSize");
  change(program, cb_handle,
         [&](CircularBufferConfig& config) { config.set_total_size(total_size); });
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateCircularBufferTotalSize>,
                                  CircularBufferId{cb_handle}, total_size);
}

void UpdateCircularBufferPageSize(Program& program, CBHandle cb_handle, uint8_t buffer_index,
                                  uint32_t page_size) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateCircularBufferPageSize");
  change(program, cb_handle,
         [&](CircularBufferConfig& config) { config.set_page_size(buffer_index, page_size); });
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateCircularBufferPageSize>,
                                  CircularBufferId{cb_handle}, buffer_index, page_size);
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle,
                                        const Buffer& buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateDynamicCircularBufferAddress");
  move_to(program, cb_handle, buffer, /*address_offset=*/0);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateDynamicCircularBufferAddress>,
                                  CircularBufferId{cb_handle}, buffer);
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle, const Buffer& buffer,
                                        uint32_t address_offset) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateDynamicCircularBufferAddress");
  move_to(program, cb_handle, buffer, address_offset);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateDynamicCircularBufferAddressOffset>,
                                  CircularBufferId{cb_handle}, buffer, address_offset);
}

void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle cb_handle,
                                                    const Buffer& buffer, uint32_t total_size) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateDynamicCircularBufferAddressAndTotalSize");
  change(program, cb_handle, [&](CircularBufferConfig& config) {
    config.set_globally_allocated_address_and_total_size(buffer, total_size, /*address_offset=*/0);
  });
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateDynamicCircularBufferAddressAndTotalSize>,
                                  CircularBufferId{cb_handle}, buffer, total_size);
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle,
                                        const MeshTensor& tensor) {
  UpdateDynamicCircularBufferAddress(program, cb_handle,
                                     *tensor.mesh_buffer().get_reference_buffer());
}

void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle cb_handle,
                                                    const MeshTensor& tensor, uint32_t total_size) {
  UpdateDynamicCircularBufferAddressAndTotalSize(
      program, cb_handle, *tensor.mesh_buffer().get_reference_buffer(), total_size);
}

uint32_t CreateSemaphore(Program& program, const std::variant<CoreRange, CoreRangeSet>& core_spec,
                         uint32_t initial_value, CoreType core_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("CreateSemaphore");
  const CoreRangeSet cores =
      std::visit([](const auto& given) { return CoreRangeSet(given); }, core_spec);
  const uint32_t id = program.state().add_semaphore(cores, initial_value, core_type);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CreateSemaphore>, program.state(), cores,
                                  initial_value, core_type, id);
  return id;
}

void AssignGlobalBufferToProgram(std::shared_ptr<Buffer> buffer, Program& program) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  TT_FATAL(buffer != nullptr, "The buffer is a null pointer");
  program.state().buffers.push_back(buffer);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::AssignGlobalBufferToProgram>, *buffer,
                                  program.state());
}

namespace experimental {

CBHandle CreateCircularBuffer(Program& program, const CoreSpec& core_spec,
                              const CircularBufferConfig& config,
                              const GlobalCircularBuffer& global) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("CreateCircularBuffer");
  const CoreRangeSet cores = cores_of(core_spec);
  TT_FATAL(!config.globally_allocated_address(),
           "A circular buffer cannot be both in a buffer and in a global circular buffer");
  check_cores_of(global, cores);
  CircularBufferConfig placed = config;
  placed.set_global_circular_buffer(global);
  check_local_pages(placed, global);
  const CBHandle handle = program.state().add_circular_buffer(cores, placed);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CircularBufferCreateOnGlobal>,
                                  CircularBufferId{handle}, program.state(), cores, config, global);
  return handle;
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle,
                                        const GlobalCircularBuffer& global) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("UpdateDynamicCircularBufferAddress");
  const CircularBuffer& buffer = program.state().circular_buffer(cb_handle);
  // The rules are asked before the change, of the global circular buffer that comes.
  TT_FATAL(buffer.config().remote_config_address() != 0,
           "Circular buffer {} is in no global circular buffer", cb_handle);
  check_cores_of(global, buffer.core_ranges());
  check_local_pages(buffer.config(), global);
  change(program, cb_handle,
         [&](CircularBufferConfig& config) { config.set_global_circular_buffer(global); });
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::UpdateDynamicCircularBufferGlobal>,
                                  CircularBufferId{cb_handle}, global);
}

}  // namespace experimental

namespace detail {

std::shared_ptr<Kernel> GetKernel(const Program& program, KernelHandle kernel_id) {
  return program.state().kernel(kernel_id);
}

}  // namespace detail

namespace replay_hooks {

KernelHandle create_kernel(Program& program, const RecordedKernel& recorded,
                           const CoreRangeSet& cores, const Kernel::Config& config) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const auto kernel = program.state().add_kernel(
      {.source = {.path = recorded.source_name, .directory = {}, .text = {}},
       .from_string = recorded.from_string,
       .digest = recorded.source_digest,
       .has_source = false,
       .cores = cores,
       .config = config});
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::create_kernel, program.state(), *kernel);
  return kernel->handle();
}

void create_semaphore_with_id(Program& program, const CoreRangeSet& cores, uint32_t initial_value,
                              CoreType core_type, uint32_t id) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("CreateSemaphore");
  program.state().add_semaphore_with_id(cores, initial_value, core_type, id);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CreateSemaphoreWithId>, program.state(), cores,
                                  initial_value, core_type, id);
}

void set_kernel_object(Program& program, KernelHandle kernel,
                       std::shared_ptr<const lightmetal::device::KernelObject> object) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  Kernel& given = *program.state().kernel(kernel);
  given.state().set_given_object(object);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::kernel_binary_once, given, object);
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
