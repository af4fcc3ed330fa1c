#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/memory/buffer_bindings.h"
#include "api/src/objects/kernel_state.h"
#include "api/src/objects/program_state.h"
#include "api/src/programs/program_launch.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

// The arguments that `call` is about to change, or to give references to.
RuntimeArgsStore& args_for(const char* call, const Program& program, KernelHandle kernel) {
  program.state().check_may_change(call);
  return program.state().kernel(kernel)->state().args;
}

RuntimeArgsStore& args_for(const char* call, const std::shared_ptr<Kernel>& kernel) {
  TT_FATAL(kernel != nullptr, "The kernel is a null pointer");
  kernel->state().classic_changes->check(call);
  return kernel->state().args;
}

// Calls `visit` for each core. A single range is not made a set of: that would allocate memory.
template <typename Visit>
void for_each_core(const CoreSpec& cores, const Visit& visit) {
  if (const auto* core = std::get_if<CoreCoord>(&cores)) return visit(*core);
  const auto* const single = std::get_if<CoreRange>(&cores);
  const tt::stl::Span<const CoreRange> ranges =
      single != nullptr ? tt::stl::Span<const CoreRange>(single, 1)
                        : tt::stl::Span<const CoreRange>(std::get<CoreRangeSet>(cores).ranges());
  for (const CoreRange& range : ranges) {
    for (const CoreCoord& core : range) visit(core);
  }
}

// The words come by reference: a processor waits for the stores of pointer and size before it can
// copy both by one load.
void set_on(RuntimeArgsStore& store, const CoreSpec& cores, const RuntimeArgsStore::Words& args,
            const RuntimeArgsStore::AddressWords& addresses = {}) {
  // All cores are checked before the first is set, so that a call changes all or nothing.
  for_each_core(cores, [&](const CoreCoord& core) { store.check(core, args); });
  for_each_core(cores, [&](const CoreCoord& core) { store.set(core, args, addresses); });
}

// `addresses(i)` are those of the list for cores[i].
template <typename Addresses>
void set_each(RuntimeArgsStore& store, const std::vector<CoreCoord>& cores,
              const RuntimeArgsStore::Lists& args, const Addresses& addresses) {
  TT_FATAL(cores.size() == args.size(), "Mismatch: {} cores and {} lists of runtime args",
           cores.size(), args.size());
  store.check_each(cores, args);
  for (size_t i = 0; i < cores.size(); ++i) store.set(cores[i], args[i], addresses(i));
}

uint32_t word_of(const LightMetalArg& arg) {
  if (const uint32_t* word = std::get_if<uint32_t>(&arg)) return *word;
  const auto& [buffer, offset] = std::get<LightMetalAddress>(arg);
  TT_FATAL(buffer != nullptr, "A runtime arg is a null Buffer*");
  check_offset(*buffer, offset);
  return static_cast<uint32_t>(buffer->address() + offset);
}

std::vector<uint32_t> words_of(const LightMetalArgs& args) {
  std::vector<uint32_t> words;
  for (const LightMetalArg& arg : args) words.push_back(word_of(arg));
  return words;
}

std::vector<std::vector<uint32_t>> words_of(const std::vector<LightMetalArgs>& args) {
  std::vector<std::vector<uint32_t>> words;
  for (const LightMetalArgs& of_core : args) words.push_back(words_of(of_core));
  return words;
}

RuntimeArgsStore::AddressWords addresses_in(const LightMetalArgs& args) {
  RuntimeArgsStore::AddressWords addresses;
  for (size_t i = 0; i < args.size(); ++i) {
    if (const auto* address = std::get_if<LightMetalAddress>(&args[i])) {
      addresses.push_back({.word = i,
                           .buffer = address->buffer,
                           .buffer_id = address->buffer->unique_id(),
                           .offset = address->offset});
    }
  }
  return addresses;
}

LightMetalArgs args_of(const std::shared_ptr<RuntimeArgs>& from) {
  TT_FATAL(from != nullptr, "The runtime args are a null pointer");
  LightMetalArgs args;
  for (const auto& arg : *from) {
    if (const uint32_t* word = std::get_if<uint32_t>(&arg)) {
      args.emplace_back(*word);
    } else {
      args.emplace_back(LightMetalAddress{std::get<Buffer*>(arg)});
    }
  }
  return args;
}

// Writes the words as a program does through a reference.
void write_through(RuntimeArgsData& target, std::span<const uint32_t> args) {
  TT_FATAL(target.size() == args.size(), "{} runtime args cannot be written over {}", args.size(),
           target.size());
  std::ranges::copy(args, target.data());
}

// With `once`, throws when the kernel has common arguments.
void set_common(const Program& program, KernelHandle kernel, RuntimeArgsStore::Words args,
                bool once) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("SetCommonRuntimeArgs");
  RuntimeArgsStore& store = args_for("SetCommonRuntimeArgs", program, kernel);
  if (once) store.check_common_unset();
  store.set_common(args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetCommonRuntimeArgs>,
                                  *program.state().kernel(kernel), args);
}

}  // namespace

void SetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreSpec& core_spec,
                    stl::Span<const uint32_t> runtime_args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("SetRuntimeArgs");
  const std::shared_ptr<Kernel>& target = program.state().kernel(kernel);
  set_on(target->state().args, core_spec, runtime_args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetRuntimeArgs>, *target, cores_of(core_spec),
                                  runtime_args);
}

void SetRuntimeArgs(const Program& program, KernelHandle kernel,
                    const std::vector<CoreCoord>& core_spec,
                    const std::vector<std::vector<uint32_t>>& runtime_args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  program.state().check_may_change("SetRuntimeArgs");
  const std::shared_ptr<Kernel>& target = program.state().kernel(kernel);
  set_each(target->state().args, core_spec, runtime_args,
           [](size_t) { return RuntimeArgsStore::AddressWords(); });
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::set_runtime_args_per_core, *target, core_spec,
                                  runtime_args);
}

void SetRuntimeArgs(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                    const CoreSpec& core_spec, std::shared_ptr<RuntimeArgs> runtime_args) {
  replay_hooks::set_runtime_args(device, kernel, core_spec, args_of(runtime_args));
}

void SetRuntimeArgs(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                    const std::vector<CoreCoord>& core_spec,
                    const std::vector<std::shared_ptr<RuntimeArgs>>& runtime_args) {
  std::vector<LightMetalArgs> args;
  for (const auto& of_core : runtime_args) args.push_back(args_of(of_core));
  replay_hooks::set_runtime_args_per_core(device, kernel, core_spec, args);
}

void LightMetalSetRuntimeArgs(const Program& program, KernelHandle kernel,
                              const CoreSpec& core_spec, const LightMetalArgs& args) {
  const std::vector<uint32_t> words = words_of(args);
  const Buffer* buffer = buffer_in(args);
  if (buffer == nullptr) return SetRuntimeArgs(program, kernel, core_spec, words);
  replay_hooks::set_runtime_args(buffer->device(), program.state().kernel(kernel), core_spec, args);
}

void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id,
                          stl::Span<const uint32_t> runtime_args) {
  set_common(program, kernel_id, runtime_args, /*once=*/true);
}

RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel_id,
                                const CoreCoord& logical_core) {
  return args_for("GetRuntimeArgs", program, kernel_id).reference(logical_core);
}

std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program,
                                                          KernelHandle kernel_id) {
  return args_for("GetRuntimeArgs", program, kernel_id).references();
}

RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id) {
  return args_for("GetCommonRuntimeArgs", program, kernel_id).common_reference();
}

namespace replay_hooks {

void set_runtime_args(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                      const CoreSpec& core_spec, const LightMetalArgs& args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("SetRuntimeArgs");
  impl_of(device).check_open();
  const std::vector<uint32_t> words = words_of(args);
  set_on(args_for("SetRuntimeArgs", kernel), core_spec, words, addresses_in(args));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetRuntimeArgsSymbolic>, *device, *kernel,
                                  cores_of(core_spec), args);
}

void set_runtime_args_per_core(IDevice* device, const std::shared_ptr<Kernel>& kernel,
                               const std::vector<CoreCoord>& cores,
                               const std::vector<LightMetalArgs>& args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("SetRuntimeArgs");
  impl_of(device).check_open();
  set_each(args_for("SetRuntimeArgs", kernel), cores, words_of(args),
           [&](size_t i) { return addresses_in(args[i]); });
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::set_runtime_args_symbolic_per_core, *device,
                                  *kernel, cores, args);
}

void set_common_runtime_args(const Program& program, KernelHandle kernel,
                             stl::Span<const uint32_t> args) {
  set_common(program, kernel, args, /*once=*/false);
}

void set_common_runtime_args(Program& program, KernelHandle kernel, const LightMetalArgs& args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("SetCommonRuntimeArgs");
  const std::shared_ptr<Kernel>& target = program.state().kernel(kernel);
  const std::vector<uint32_t> words = words_of(args);
  target->state().args.set_common(words, addresses_in(args));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SetCommonRuntimeArgsSymbolic>, *target, args);
}

// A replay that is captured gives the same file only if it records these writes where they stand in
// its own file, and not before a launch: a launch into a device trace is in no file.
void write_runtime_args(Program& program, KernelHandle kernel, const CoreCoord& core,
                        std::span<const uint32_t> args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("GetRuntimeArgs");
  write_through(GetRuntimeArgs(program, kernel, core), args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_argument_writes, program.state());
}

void write_common_runtime_args(Program& program, KernelHandle kernel,
                               std::span<const uint32_t> args) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("GetCommonRuntimeArgs");
  write_through(GetCommonRuntimeArgs(program, kernel), args);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_argument_writes, program.state());
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
