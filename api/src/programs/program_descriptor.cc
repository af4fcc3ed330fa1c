// Programs from descriptors. A program is made by the functions that a program of the classic API
// calls, each of which records itself: a capture does not tell the two apart.
#include <algorithm>
#include <map>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>

#include "absl/hash/hash.h"
#include "api/src/objects/program_state.h"
#include "api/src/replay_hooks.h"

namespace tt::tt_metal {
namespace {

// ---- Arguments with buffers ----

using Arg = KernelDescriptor::BufferArg;
using TensorArg = KernelDescriptor::TensorArg;

Buffer* buffer_of(const MeshTensor& tensor) { return tensor.mesh_buffer().get_reference_buffer(); }

template <class Args>
std::vector<Arg> with_buffers(const Args& args) {
  std::vector<Arg> result;
  for (const TensorArg& arg : args) {
    const auto* tensor = std::get_if<1>(&arg);
    result.push_back(tensor != nullptr ? Arg(buffer_of(*tensor)) : Arg(std::get<uint32_t>(arg)));
  }
  return result;
}

// The words of the arguments now. Calls bind(index, buffer) for each buffer among them.
template <class Args, class Bind>
std::vector<uint32_t> words_of(const Args& args, Bind bind) {
  std::vector<uint32_t> words;
  words.reserve(args.size());
  for (const Arg& arg : args) {
    Buffer* const* buffer = std::get_if<Buffer*>(&arg);
    const bool binds = buffer != nullptr && *buffer != nullptr;
    if (binds) bind(static_cast<uint32_t>(words.size()), *buffer);
    words.push_back(binds ? (*buffer)->address() : buffer ? 0 : std::get<uint32_t>(arg));
  }
  return words;
}

template <class Args>
void add_args(KernelDescriptor& kernel, const CoreCoord& core, const Args& args) {
  kernel.runtime_args.emplace_back(core, words_of(args, [&](uint32_t index, Buffer* buffer) {
                                     kernel.buffer_bindings.push_back({core, index, buffer});
                                   }));
}

template <class Args>
void add_common_args(KernelDescriptor& kernel, const Args& args) {
  std::vector<uint32_t>& all = kernel.common_runtime_args;
  const auto before = static_cast<uint32_t>(all.size());
  const auto words = words_of(args, [&](uint32_t index, Buffer* buffer) {
    kernel.common_buffer_bindings.push_back({before + index, buffer});
  });
  all.insert(all.end(), words.begin(), words.end());
}

LightMetalArgs args_of(const std::vector<uint32_t>& words) { return {words.begin(), words.end()}; }

void bind_buffer(LightMetalArgs& args, uint32_t index, Buffer* buffer) {
  if (buffer == nullptr || index >= args.size()) return;
  const uint32_t* word = std::get_if<uint32_t>(&args[index]);
  if (word != nullptr && *word == buffer->address()) args[index] = LightMetalAddress{buffer};
}

void set_words(Program& program, KernelHandle handle, const KernelDescriptor& kernel) {
  std::vector<CoreCoord> cores;
  std::vector<std::vector<uint32_t>> words;
  for (const auto& [core, of_core] : kernel.runtime_args) {
    cores.push_back(core);
    words.push_back(of_core);
  }
  SetRuntimeArgs(program, handle, cores, words);
}

void set_bound(Program& program, KernelHandle handle, const KernelDescriptor& kernel,
               IDevice* device) {
  std::multimap<CoreCoord, const BufferBinding*> bindings;
  for (const BufferBinding& binding : kernel.buffer_bindings)
    bindings.emplace(binding.core, &binding);
  std::vector<CoreCoord> cores;
  std::vector<LightMetalArgs> args;
  for (const auto& [core, words] : kernel.runtime_args) {
    cores.push_back(core);
    args.push_back(args_of(words));
    const auto [first, last] = bindings.equal_range(core);
    for (auto binding = first; binding != last; ++binding)
      bind_buffer(args.back(), binding->second->arg_idx, binding->second->buffer);
  }
  replay_hooks::set_runtime_args_per_core(device, program.get_kernel(handle), cores, args);
}

void set_common(Program& program, KernelHandle handle, const KernelDescriptor& kernel) {
  if (kernel.common_runtime_args.empty()) return;
  if (kernel.common_buffer_bindings.empty())
    return replay_hooks::set_common_runtime_args(program, handle, kernel.common_runtime_args);
  LightMetalArgs args = args_of(kernel.common_runtime_args);
  for (const CommonBufferBinding& binding : kernel.common_buffer_bindings)
    bind_buffer(args, binding.arg_idx, binding.buffer);
  replay_hooks::set_common_runtime_args(program, handle, args);
}

void set_args(Program& program, KernelHandle handle, const KernelDescriptor& kernel) {
  const auto bound = std::ranges::find_if(kernel.buffer_bindings, [](const BufferBinding& binding) {
    return binding.buffer != nullptr;
  });
  if (bound != kernel.buffer_bindings.end()) {
    set_bound(program, handle, kernel, bound->buffer->device());
  } else if (!kernel.runtime_args.empty()) {
    set_words(program, handle, kernel);
  }
  set_common(program, handle, kernel);
}

// ---- Kernels ----

template <class Config>
Config with_settings(Config config, const KernelDescriptor& kernel) {
  config.compile_args = kernel.compile_time_args;
  config.defines = {kernel.defines.begin(), kernel.defines.end()};
  config.named_compile_args = {kernel.named_compile_time_args.begin(),
                               kernel.named_compile_time_args.end()};
  config.opt_level = kernel.opt_level.value_or(config.opt_level);
  config.compiler_include_paths = kernel.compiler_include_paths;
  return config;
}

DataMovementConfig bare_config(const ReaderConfigDescriptor&) { return ReaderDataMovementConfig(); }
DataMovementConfig bare_config(const WriterConfigDescriptor&) { return WriterDataMovementConfig(); }
DataMovementConfig bare_config(const DataMovementConfigDescriptor& config) {
  return {.processor = config.processor, .noc = config.noc, .noc_mode = config.noc_mode};
}
ComputeConfig bare_config(const ComputeConfigDescriptor& config) {
  return {.math_fidelity = config.math_fidelity,
          .fp32_dest_acc_en = config.fp32_dest_acc_en,
          .dst_full_sync_en = config.dst_full_sync_en,
          .unpack_to_dest_mode = config.unpack_to_dest_mode,
          .bfp8_pack_precise = config.bfp8_pack_precise,
          .math_approx_mode = config.math_approx_mode};
}
EthernetConfig bare_config(const EthernetConfigDescriptor& config) {
  return {.eth_mode = config.eth_mode, .noc = config.noc, .processor = config.processor};
}

void add_kernel(Program& program, const KernelDescriptor& kernel) {
  const Kernel::Config config = std::visit(
      [&](const auto& kind) -> Kernel::Config { return with_settings(bare_config(kind), kernel); },
      kernel.config);
  const KernelHandle handle =
      kernel.source_type == KernelDescriptor::SourceType::FILE_PATH
          ? CreateKernel(program, kernel.kernel_source, kernel.core_ranges, config)
          : CreateKernelFromString(program, kernel.kernel_source, kernel.core_ranges, config);
  set_args(program, handle, kernel);
}

// ---- Circular buffers ----

void set_format(const CircularBufferConfig::Builder& index, const CBFormatDescriptor& format) {
  index.set_data_format(format.data_format).set_page_size(format.page_size);
  if (!format.tile) return;
  index.set_tile_dims(Tile({format.tile->height, format.tile->width}, format.tile->transpose));
}

void add_circular_buffer(Program& program, const CBDescriptor& buffer) {
  const CircularBufferConfig config(buffer);
  if (buffer.global_circular_buffer == nullptr) {
    CreateCircularBuffer(program, buffer.core_ranges, config);
  } else {
    experimental::CreateCircularBuffer(program, buffer.core_ranges, config,
                                       *buffer.global_circular_buffer);
  }
}

// Null where every launch finds memory.
const Buffer* memory_of(const CBDescriptor& buffer) {
  TT_FATAL(buffer.buffer == nullptr || buffer.tensor == nullptr,
           "A circular buffer lies in a buffer or in a tensor, not in both");
  return buffer.tensor != nullptr ? buffer_of(*buffer.tensor) : buffer.buffer;
}

void move_to_buffer(Program& program, CBHandle handle, const CBDescriptor& buffer) {
  const Buffer* memory = memory_of(buffer);
  if (memory == nullptr) return;
  if (buffer.address_offset == 0)
    return UpdateDynamicCircularBufferAddress(program, handle, *memory);
  UpdateDynamicCircularBufferAddress(program, handle, *memory, buffer.address_offset);
}

// ---- Descriptors ----

CoreRangeSet cores_used_by(const ProgramDescriptor& descriptor) {
  CoreRangeSet cores;
  const auto add = [&](const auto& all) {
    for (const auto& one : all) cores = cores.merge(one.core_ranges);
  };
  add(descriptor.kernels);
  add(descriptor.cbs);
  add(descriptor.semaphores);
  return cores;
}

template <class List>
void append(List& to, const List& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Returns the lowest id that no semaphore of this kind of core has on any of the cores.
std::optional<uint32_t> free_semaphore_id(const ProgramDescriptor::SemaphoreDescriptors& semaphores,
                                          const CoreRangeSet& cores, CoreType core_type) {
  const auto is_taken = [&](uint32_t id) {
    return std::ranges::any_of(semaphores, [&](const SemaphoreDescriptor& semaphore) {
      return semaphore.id == id && semaphore.core_type == core_type &&
             semaphore.core_ranges.intersects(cores);
    });
  };
  for (uint32_t id = 0; id < NUM_SEMAPHORES; ++id) {
    if (!is_taken(id)) return id;
  }
  return std::nullopt;
}

// What absl::Hash takes in of descriptors.

template <class H>
H hash_of(H state, const CoreRangeSet& cores) {
  return H::combine(std::move(state), std::hash<CoreRangeSet>()(cores));
}

template <class H>
H hash_of(H state, const KernelDescriptor::ConfigDescriptor& config) {
  state = H::combine(std::move(state), config.index());
  if (const auto* mover = std::get_if<DataMovementConfigDescriptor>(&config)) {
    return H::combine(std::move(state), mover->processor, mover->noc, mover->noc_mode);
  }
  if (const auto* compute = std::get_if<ComputeConfigDescriptor>(&config)) {
    return H::combine(std::move(state), compute->math_fidelity, compute->fp32_dest_acc_en,
                      compute->dst_full_sync_en, compute->unpack_to_dest_mode,
                      compute->bfp8_pack_precise, compute->math_approx_mode);
  }
  if (const auto* ethernet = std::get_if<EthernetConfigDescriptor>(&config)) {
    return H::combine(std::move(state), ethernet->eth_mode, ethernet->noc, ethernet->processor);
  }
  return state;
}

template <class H>
H hash_of(H state, const KernelDescriptor& kernel) {
  state = hash_of(std::move(state), kernel.core_ranges);
  state = hash_of(std::move(state), kernel.config);
  state =
      H::combine(std::move(state), kernel.kernel_source, kernel.source_type,
                 kernel.compile_time_args, kernel.named_compile_time_args, kernel.defines,
                 kernel.opt_level, kernel.common_runtime_args.size(), kernel.runtime_args.size());
  for (const auto& [core, words] : kernel.runtime_args)
    state = H::combine(std::move(state), core.x, core.y, words.size());
  for (const std::filesystem::path& path : kernel.compiler_include_paths)
    state = H::combine(std::move(state), path.string());
  return state;
}

template <class H>
H hash_of(H state, const CBDescriptor& buffer) {
  state = hash_of(std::move(state), buffer.core_ranges);
  state = H::combine(std::move(state), buffer.total_size, buffer.address_offset,
                     buffer.buffer != nullptr || buffer.tensor != nullptr,
                     buffer.global_circular_buffer != nullptr);
  for (const auto* formats : {&buffer.format_descriptors, &buffer.remote_format_descriptors}) {
    state = H::combine(std::move(state), formats->size());
    for (const CBFormatDescriptor& format : *formats) {
      const TileDescriptor tile = format.tile.value_or(TileDescriptor());
      state = H::combine(std::move(state), format.buffer_index, format.data_format,
                         format.page_size, tile.height, tile.width, tile.transpose);
    }
  }
  return state;
}

template <class H>
H hash_of(H state, const SemaphoreDescriptor& semaphore) {
  state = hash_of(std::move(state), semaphore.core_ranges);
  return H::combine(std::move(state), semaphore.id, semaphore.core_type, semaphore.initial_value);
}

// A descriptor as absl::Hash sees it.
struct Hashed {
  const ProgramDescriptor& descriptor;

  template <class H>
  friend H AbslHashValue(H state, const Hashed& hashed) {
    const auto add = [&](const auto& all) {
      state = H::combine(std::move(state), all.size());
      for (const auto& one : all) state = hash_of(std::move(state), one);
    };
    add(hashed.descriptor.kernels);
    add(hashed.descriptor.cbs);
    add(hashed.descriptor.semaphores);
    return state;
  }
};

}  // namespace

Program::Program(const ProgramDescriptor& descriptor) : Program() {
  for (const SemaphoreDescriptor& semaphore : descriptor.semaphores) {
    replay_hooks::create_semaphore_with_id(*this, semaphore.core_ranges, semaphore.initial_value,
                                           semaphore.core_type, semaphore.id);
  }
  for (const CBDescriptor& buffer : descriptor.cbs) add_circular_buffer(*this, buffer);
  for (const KernelDescriptor& kernel : descriptor.kernels) add_kernel(*this, kernel);
}

void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor) {
  program.state().check_may_change("apply_descriptor_runtime_args");
  const auto& buffers = program.circular_buffers();
  TT_FATAL(
      descriptor.kernels.size() <= program.num_kernels() && descriptor.cbs.size() <= buffers.size(),
      "A descriptor of {} kernels and {} circular buffers cannot be applied to a program of {} and "
      "{}",
      descriptor.kernels.size(), descriptor.cbs.size(), program.num_kernels(), buffers.size());
  for (size_t i = 0; i < descriptor.kernels.size(); ++i)
    set_args(program, static_cast<KernelHandle>(i), descriptor.kernels[i]);
  for (size_t i = 0; i < descriptor.cbs.size(); ++i)
    move_to_buffer(program, buffers[i]->id(), descriptor.cbs[i]);
}

ProgramDescriptor merge_program_descriptors(const std::vector<ProgramDescriptor>& descriptors) {
  ProgramDescriptor merged;
  CoreRangeSet taken;
  for (const ProgramDescriptor& descriptor : descriptors) {
    const CoreRangeSet cores = cores_used_by(descriptor);
    TT_FATAL(!taken.intersects(cores), "Program descriptors cannot be merged: they share cores {}",
             taken.intersection(cores));
    taken = taken.merge(cores);
    append(merged.kernels, descriptor.kernels);
    append(merged.semaphores, descriptor.semaphores);
    append(merged.cbs, descriptor.cbs);
  }
  return merged;
}

uint32_t ProgramDescriptor::add_semaphore(CoreRangeSet core_ranges, uint32_t initial_value,
                                          CoreType core_type) {
  const auto id = free_semaphore_id(semaphores, core_ranges, core_type);
  TT_FATAL(id.has_value(), "Each of the {} semaphores is taken on one of the cores {}",
           NUM_SEMAPHORES, core_ranges);
  semaphores.push_back({*id, core_type, std::move(core_ranges), initial_value});
  return *id;
}

std::optional<uint32_t> ProgramDescriptor::find_available_semaphore_id(const CoreCoord& core,
                                                                       CoreType core_type) const {
  return free_semaphore_id(semaphores, CoreRangeSet(CoreRange(core)), core_type);
}

TileDescriptor::TileDescriptor(const Tile& tile)
    : TileDescriptor(tile.get_height(), tile.get_width(), tile.get_transpose_of_faces()) {}

CircularBufferConfig::CircularBufferConfig(const CBDescriptor& descriptor)
    : CircularBufferConfig(descriptor.total_size) {
  for (const CBFormatDescriptor& format : descriptor.format_descriptors)
    set_format(index(format.buffer_index), format);
  for (const CBFormatDescriptor& format : descriptor.remote_format_descriptors)
    set_format(remote_index(format.buffer_index), format);
  const Buffer* memory = memory_of(descriptor);
  if (memory == nullptr) {
    set_address_offset(descriptor.address_offset);
    return;
  }
  set_globally_allocated_address_and_total_size(*memory, total_size_, descriptor.address_offset);
}

// ---- KernelDescriptor ----

void KernelDescriptor::RTArgList::push_back(const MeshTensor& tensor) {
  args_.emplace_back(buffer_of(tensor));
}

void KernelDescriptor::emplace_runtime_args(const CoreCoord& core,
                                            std::initializer_list<uint32_t> args) {
  runtime_args.emplace_back(core, args);
}
void KernelDescriptor::emplace_runtime_args(const CoreCoord& core,
                                            std::initializer_list<Arg> args) {
  add_args(*this, core, args);
}
void KernelDescriptor::emplace_runtime_args(const CoreCoord& core, const std::vector<Arg>& args) {
  add_args(*this, core, args);
}
void KernelDescriptor::emplace_runtime_args(const CoreCoord& core,
                                            std::initializer_list<TensorArg> args) {
  add_args(*this, core, with_buffers(args));
}
void KernelDescriptor::emplace_runtime_args(const CoreCoord& core,
                                            const std::vector<TensorArg>& args) {
  add_args(*this, core, with_buffers(args));
}
void KernelDescriptor::emplace_runtime_args(const CoreCoord& core, const RTArgList& args) {
  add_args(*this, core, args.args_);
}

void KernelDescriptor::emplace_common_runtime_args(std::initializer_list<uint32_t> args) {
  common_runtime_args.insert(common_runtime_args.end(), args);
}
void KernelDescriptor::emplace_common_runtime_args(std::initializer_list<Arg> args) {
  add_common_args(*this, args);
}
void KernelDescriptor::emplace_common_runtime_args(std::initializer_list<TensorArg> args) {
  add_common_args(*this, with_buffers(args));
}
void KernelDescriptor::emplace_common_runtime_args(const RTArgList& args) {
  add_common_args(*this, args.args_);
}

}  // namespace tt::tt_metal

std::size_t std::hash<tt::tt_metal::TileDescriptor>::operator()(
    const tt::tt_metal::TileDescriptor& tile) const noexcept {
  return absl::HashOf(tile.height, tile.width, tile.transpose);
}

std::size_t std::hash<tt::tt_metal::ProgramDescriptor>::operator()(
    const tt::tt_metal::ProgramDescriptor& descriptor) const noexcept {
  if (descriptor.custom_program_hash) return *descriptor.custom_program_hash;
  return absl::HashOf(tt::tt_metal::Hashed{descriptor});
}
