// Executes commands about runtime arguments.
#include <vector>

#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

}  // namespace

absl::StatusOr<tm::LightMetalArgs> Executor::runtime_args(const schema::RuntimeArgs* args) {
  tm::LightMetalArgs result;
  if (args == nullptr || args->args() == nullptr) return result;
  for (const schema::RuntimeArg* arg : *args->args()) {
    if (arg->buffer() == 0) {
      result.emplace_back(arg->value());
      continue;
    }
    // The command may be executed again after the end of the buffer.
    if (const auto ended = placement_.address_of_ended(arg->buffer()); ended.has_value()) {
      result.emplace_back(static_cast<uint32_t>(*ended + arg->value()));
      continue;
    }
    LM_ASSIGN_OR_RETURN(named, buffer(arg->buffer()));
    result.emplace_back(tm::LightMetalAddress{named, arg->value()});
  }
  return result;
}

absl::Status Executor::execute(const schema::SetRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  tm::SetRuntimeArgs(*target->program, target->handle, spec_of(call.cores()), span_of(call.args()));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SetRuntimeArgsPerCore& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  std::vector<std::vector<uint32_t>> args;
  if (call.args() != nullptr) {
    for (const schema::Words* words : *call.args()) args.push_back(words_of(words->words()));
  }
  tm::SetRuntimeArgs(*target->program, target->handle, cores_of(call.cores()), args);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SetRuntimeArgsSymbolic& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  LM_ASSIGN_OR_RETURN(args, runtime_args(call.args()));
  hooks::set_runtime_args(of_device, target->kernel, spec_of(call.cores()), args);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SetRuntimeArgsSymbolicPerCore& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  std::vector<tm::LightMetalArgs> all;
  if (call.args() != nullptr) {
    for (const schema::RuntimeArgs* of_core : *call.args()) {
      LM_ASSIGN_OR_RETURN(args, runtime_args(of_core));
      all.push_back(std::move(args));
    }
  }
  hooks::set_runtime_args_per_core(of_device, target->kernel, cores_of(call.cores()), all);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SetCommonRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  hooks::set_common_runtime_args(*target->program, target->handle, span_of(call.args()));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SetCommonRuntimeArgsSymbolic& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  LM_ASSIGN_OR_RETURN(args, runtime_args(call.args()));
  hooks::set_common_runtime_args(*target->program, target->handle, args);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::WriteRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  hooks::write_runtime_args(*target->program, target->handle, core_of(*call.core()),
                            span_of(call.args()));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::WriteCommonRuntimeArgs& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  hooks::write_common_runtime_args(*target->program, target->handle, span_of(call.args()));
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
