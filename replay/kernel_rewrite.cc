#include "replay/kernel_rewrite.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "replay/kernel_replacement.h"
#include "replay/loaded_file.h"
#include "schema/verify/slicer.h"

namespace lightmetal::replay {
namespace {

using schema::Slicer;

// The commands that give the kernels to replace their objects, all that these need, and all
// devices: one of these compiles.
absl::StatusOr<Slicer::Commands> needed_by(const Slicer& slicer, const LoadOptions& options) {
  Slicer::Commands kept = slicer.none();
  absl::flat_hash_set<uint64_t> kernels;
  LM_RETURN_IF_ERROR(slicer.file().for_each_command([&](const schema::CommandView& view) {
    const schema::Command& command = *view.command;
    if (const auto* kernel = command.call_as_KernelCreate()) {
      if (replacement_for(*kernel, options.replace_kernels)) kernels.insert(kernel->id());
    } else if (const auto* binary = command.call_as_KernelBinary()) {
      kept[view.number] = kernels.contains(binary->kernel());
    } else if (command.call_type() == schema::Call::CreateDevice) {
      kept[view.number] = true;
    }
    return absl::OkStatus();
  }));
  return slicer.with_ends(slicer.with_needs(std::move(kept)));
}

}  // namespace

absl::Status for_each_replaced_kernel(const std::shared_ptr<const schema::File>& file,
                                      LoadOptions options,
                                      absl::FunctionRef<absl::Status(const ReplacedKernel&)> take) {
  LM_ASSIGN_OR_RETURN(slicer, Slicer::create(file));
  LM_ASSIGN_OR_RETURN(kept, needed_by(slicer, options));
  LM_ASSIGN_OR_RETURN(loaded, load(file, options));
  absl::Status taken;
  Executor executor(
      *file, options, loaded.golden_policy, loaded.traces,
      {.on_replaced_kernel = [&](const ReplacedKernel& kernel) { taken.Update(take(kernel)); }});
  const RunOptions run{.check_goldens = false};
  executor.begin_run(run);
  for (uint64_t number = 0; number < kept.size(); ++number) {
    if (kept[number]) LM_RETURN_IF_ERROR(executor.execute(number, *loaded.commands[number]));
  }
  LM_RETURN_IF_ERROR(executor.end_run());
  return taken;
}

}  // namespace lightmetal::replay
