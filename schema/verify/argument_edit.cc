#include "schema/verify/argument_edit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "schema/commands/encode.h"
#include "schema/commands/kernel_name.h"
#include "schema/text.h"
#include "schema/verify/nearest_command.h"

namespace lightmetal::schema {
namespace {

// Of one trace. A file that shares lists between cores could ask for any number.
constexpr uint64_t kMostTracedWords = uint64_t{64} << 20;

}  // namespace

void ArgumentEditor::learn_name(const std::string& name) {
  if (name.empty()) return;
  names_.insert(name);
  names_.insert(name.substr(name.rfind('/') + 1));
}

void ArgumentEditor::learn(const KernelCreate& kernel) {
  Kernel& known = kernels_[kernel.id()];
  known.name = text_of(kernel.source_name());
  learn_name(known.name);
  for (size_t edit = 0; edit < edits_.size(); ++edit) {
    if (!names_kernel(edits_[edit].kernel, kernel)) continue;
    known.edits.push_back(edit);
    matches_[edit].names_kernel = true;
  }
}

absl::StatusOr<ArgumentEditor::Edited> ArgumentEditor::edited(uint64_t number,
                                                              const Command& command) {
  if (edits_.empty()) return Edited();
  if (const KernelCreate* kernel = command.call_as_KernelCreate()) learn(*kernel);
  if (const LoadTrace* trace = command.call_as_LoadTrace()) return edited_trace(number, *trace);
  std::optional<ArgumentLists> lists = argument_lists_of(command);
  if (!lists.has_value()) return Edited();
  const auto kernel = kernels_.find(lists->kernel);
  if (kernel == kernels_.end() || !change(kernel->second, number, *lists)) return Edited();
  return lists->encoded();
}

bool ArgumentEditor::change(const Kernel& kernel, uint64_t number, ArgumentLists& lists) {
  bool changed = false;
  for (const size_t edit : kernel.edits) {
    const ArgumentEdit& wanted = edits_[edit];
    if (wanted.is_common != lists.is_common) continue;
    const uint64_t asked = wanted.command.value_or(number);
    take_nearer(number, asked, matches_[edit].nearest_command);
    if (number != asked) continue;
    if (wanted.core.has_value() && lists.lists.front().is_for(*wanted.core)) lists.split();
    for (ArgumentList& list : lists.lists)
      changed |= change_list(edit, kernel.name, number, lists, list);
  }
  return changed;
}

bool ArgumentEditor::change_list(size_t edit, const std::string& name, uint64_t number,
                                 const ArgumentLists& lists, ArgumentList& list) {
  const ArgumentEdit& wanted = edits_[edit];
  ArgumentMatch& match = matches_[edit];
  if (wanted.core.has_value() && !list.is_for(*wanted.core)) {
    match.other_cores = list.cores_text();
    return false;
  }
  match.is_set = true;
  match.most = std::max<uint64_t>(match.most, list.args.size());
  if (wanted.index >= list.args.size()) return false;
  RuntimeArgT& arg = list.args[wanted.index];
  ++match.changes;
  if (++num_changes_ <= kListedChanges) {
    changes_.push_back({.command = number,
                        .call = EnumNameCall(lists.call),
                        .kernel = lists.kernel,
                        .name = name,
                        .cores = list.cores_text(),
                        .index = wanted.index,
                        .was_buffer = arg.buffer,
                        .was = arg.value,
                        .is = wanted.value});
  }
  arg.buffer = 0;
  arg.value = wanted.value;
  return true;
}

// ---- Device traces ----

ArgumentEditor::Kernel ArgumentEditor::traced(const TraceKernel& kernel) {
  Kernel known{text_of(kernel.name()), {}};
  learn_name(known.name);
  for (size_t edit = 0; edit < edits_.size(); ++edit) {
    if (!names_kernel(edits_[edit].kernel, kernel)) continue;
    known.edits.push_back(edit);
    matches_[edit].names_kernel = true;
  }
  return known;
}

absl::StatusOr<ArgumentEditor::Edited> ArgumentEditor::edited_trace(uint64_t number,
                                                                    const LoadTrace& call) {
  LoadTraceT trace;
  call.UnPackTo(&trace);
  const uint64_t changes_before = num_changes_;
  uint64_t words = 0;
  for (uint32_t i = 0; i < trace.content->launches.size(); ++i) {
    TraceLaunchT& launch = *trace.content->launches[i];
    std::vector<Kernel> kernels;
    if (const auto* all = call.content()->launches()->Get(i)->kernels())
      for (const TraceKernel* kernel : *all) kernels.push_back(traced(*kernel));
    for (const auto& core : launch.cores) {
      for (TraceKernelOnCore& kernel : core->kernels) {
        edit_traced(number, kernels[kernel.kernel()], *core->core, kernel, launch);
        if (words + launch.args.size() <= kMostTracedWords) continue;
        return absl::ResourceExhaustedError(absl::StrCat("the device trace of command ", number,
                                                         " would have more than ", kMostTracedWords,
                                                         " words of arguments"));
      }
    }
    words += launch.args.size();
  }
  if (num_changes_ == changes_before) return Edited();
  return Edited(encoded_call(std::move(trace)));
}

// Lists may be shared between the cores of a launch, so that a changed one is a new one.
void ArgumentEditor::edit_traced(uint64_t number, const Kernel& known, const CoreCoord& core,
                                 TraceKernelOnCore& kernel, TraceLaunchT& launch) {
  if (known.edits.empty()) return;
  const auto edit = [&](bool is_common, uint32_t begin, uint32_t count) {
    ArgumentLists lists{.call = Call::LoadTrace, .is_common = is_common, .lists = {{}}};
    ArgumentList& list = lists.lists.front();
    if (!is_common) list.cores = {CoreRange(core, core)};
    for (uint32_t i = begin; i < begin + count; ++i)
      list.args.emplace_back().value = launch.args[i];
    if (!change(known, number, lists)) return begin;
    const auto at = static_cast<uint32_t>(launch.args.size());
    for (const RuntimeArgT& arg : list.args) launch.args.push_back(arg.value);
    return at;
  };
  const uint32_t args = edit(false, kernel.args_begin(), kernel.args_count());
  const uint32_t common = edit(true, kernel.common_begin(), kernel.common_count());
  kernel =
      TraceKernelOnCore(kernel.kernel(), args, kernel.args_count(), common, kernel.common_count());
}

}  // namespace lightmetal::schema
