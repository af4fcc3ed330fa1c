// Runtime arguments. Their number on a core never grows from the number that was set there first.
#include <algorithm>
#include <optional>

#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

Core core_of(const CoreCoord& core) { return {core.x(), core.y()}; }

// The core of ranges that have only one.
std::optional<Core> single_core(const CoreRanges* ranges) {
  if (ranges == nullptr || ranges->size() != 1) return std::nullopt;
  const CoreRange& range = *ranges->Get(0);
  if (range.start() != range.end()) return std::nullopt;
  return core_of(range.start());
}

template <class T>
uint64_t size_of(const flatbuffers::Vector<T>* values) {
  return values == nullptr ? 0 : values->size();
}

uint64_t size_of(const RuntimeArgs* args) { return args == nullptr ? 0 : size_of(args->args()); }
uint64_t size_of(const Words* words) { return size_of(words->words()); }

size_t index_of(const KernelState& kernel, const Core& core) {
  return size_t{core.y} * kernel.of_host().cores.end().x + core.x;
}

uint16_t num_args_on(const KernelState& kernel, const Core& core) {
  return kernel.num_args.empty() ? 0 : kernel.num_args[index_of(kernel, core)];
}

absl::Status check_core(const KernelState& kernel, absl::string_view field, const Core& core) {
  const host::Kernel& placed = kernel.of_host();
  return about(kernel.object(), field, host::check_argument_core(placed.name, placed.cores, core));
}

absl::Status check_lists(const KernelState& kernel, uint64_t cores, uint64_t lists) {
  if (cores == lists) return absl::OkStatus();
  return wrong(kernel.object(), "args", absl::StrCat(lists, " lists"), cores,
               ", one for each core");
}

}  // namespace

absl::Status Checker::check_offsets(const KernelState& kernel, const RuntimeArgs* args) const {
  for (uint32_t i = 0; i < size_of(args); ++i) {
    const RuntimeArg& arg = *args->args()->Get(i);
    if (arg.buffer() == 0) continue;
    LM_RETURN_IF_ERROR(
        about(kernel.object(), "args", bindings_.check_offset(arg.buffer(), arg.value())));
  }
  return absl::OkStatus();
}

// REQUIRES: the kernel is on the core.
absl::Status Checker::set_args(KernelState& kernel, const Core& core, uint64_t count) {
  const host::Kernel& placed = kernel.of_host();
  LM_RETURN_IF_ERROR(
      about(kernel.object(), "args",
            host::check_arguments(placed.name, core, count, num_args_on(kernel, core),
                                  kernel.num_common_args)));
  if (kernel.num_args.empty()) {
    const Core& end = placed.cores.end();
    kernel.num_args.resize(uint64_t{end.x} * end.y);
  }
  uint16_t& present = kernel.num_args[index_of(kernel, core)];
  // The first number stays: the host keeps room for so many words, and later arguments go into the
  // same room.
  if (present != 0) return absl::OkStatus();
  present = static_cast<uint16_t>(count);
  kernel.most_args = std::max(kernel.most_args, static_cast<uint32_t>(count));
  kernel.words += count;
  return kernel.charge.add(budget_, count * sizeof(uint32_t));
}

template <class Vector>
absl::Status Checker::set_args_per_core(KernelState& kernel,
                                        const flatbuffers::Vector<const CoreCoord*>* cores,
                                        const Vector* args) {
  LM_RETURN_IF_ERROR(check_lists(kernel, size_of(cores), size_of(args)));
  for (uint64_t i = 0; i < size_of(cores); ++i) {
    const Core core = core_of(*cores->Get(static_cast<uint32_t>(i)));
    LM_RETURN_IF_ERROR(check_core(kernel, "cores", core));
    LM_RETURN_IF_ERROR(set_args(kernel, core, size_of(args->Get(static_cast<uint32_t>(i)))));
  }
  return absl::OkStatus();
}

absl::Status Checker::set_args_on(KernelState& kernel, const CoreRanges* ranges, uint64_t count,
                                  const RuntimeArgs* symbols) {
  if (const std::optional<Core> core = single_core(ranges)) {  // the usual case, without a set
    LM_RETURN_IF_ERROR(check_offsets(kernel, symbols));
    LM_RETURN_IF_ERROR(check_core(kernel, "cores", *core));
    return set_args(kernel, *core, count);
  }
  LM_ASSIGN_OR_RETURN(cores, core_set_of(ranges, kernel.object(), "cores"));
  LM_RETURN_IF_ERROR(check_offsets(kernel, symbols));
  absl::Status status;
  cores.for_each([&](const Core& core) {
    if (status.ok()) status = check_core(kernel, "cores", core);
    if (status.ok()) status = set_args(kernel, core, count);
  });
  return status;
}

absl::Status Checker::check(const SetRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  return set_args_on(*kernel, call.cores(), size_of(call.args()));
}

absl::Status Checker::check(const SetRuntimeArgsSymbolic& call) {
  LM_RETURN_IF_ERROR(open_device(call.device()).status());
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  return set_args_on(*kernel, call.cores(), size_of(call.args()), call.args());
}

absl::Status Checker::check(const SetRuntimeArgsPerCore& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  return set_args_per_core(*kernel, call.cores(), call.args());
}

absl::Status Checker::check(const SetRuntimeArgsSymbolicPerCore& call) {
  LM_RETURN_IF_ERROR(open_device(call.device()).status());
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  for (uint32_t i = 0; call.args() != nullptr && i < call.args()->size(); ++i)
    LM_RETURN_IF_ERROR(check_offsets(*kernel, call.args()->Get(i)));
  return set_args_per_core(*kernel, call.cores(), call.args());
}

absl::Status Checker::set_common_args(uint64_t id, uint64_t count) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(id));
  LM_RETURN_IF_ERROR(
      about(kernel->object(), "args",
            host::check_common_arguments(kernel->of_host().name, count, kernel->num_common_args,
                                         kernel->most_args)));
  if (kernel->num_common_args == 0) kernel->num_common_args = static_cast<uint32_t>(count);
  return absl::OkStatus();
}

absl::Status Checker::check(const SetCommonRuntimeArgs& call) {
  return set_common_args(call.kernel(), size_of(call.args()));
}

absl::Status Checker::check(const SetCommonRuntimeArgsSymbolic& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  LM_RETURN_IF_ERROR(check_offsets(*kernel, call.args()));
  return set_common_args(call.kernel(), size_of(call.args()));
}

absl::Status Checker::check(const WriteRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  const Core core = core_of(*call.core());
  LM_RETURN_IF_ERROR(check_core(*kernel, "core", core));
  const uint64_t present = num_args_on(*kernel, core);
  if (size_of(call.args()) == present) return absl::OkStatus();
  return wrong(kernel->object(), "args", absl::StrCat(size_of(call.args()), " words"), present,
               ", as many as core ", text_of(core), " has");
}

absl::Status Checker::check(const WriteCommonRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  if (size_of(call.args()) == kernel->num_common_args) return absl::OkStatus();
  return wrong(kernel->object(), "args", absl::StrCat(size_of(call.args()), " words"),
               kernel->num_common_args, ", as many as the kernel has");
}

}  // namespace lightmetal::schema::semantics
