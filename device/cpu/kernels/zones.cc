#include "device/cpu/kernels/zones.h"

#include "absl/strings/str_cat.h"
#include "base/zone_marks.h"

namespace lightmetal::device::cpu {
namespace {

// TT-Metalium's names. Compute kernels run on one processor here, which stands for the three.
struct Names {
  const char* processor;
  const char* kernel_zone;
};
Names names_of(Processor processor) {
  switch (processor) {
    case Processor::kRiscv0:
      return {"BRISC", "BRISC-KERNEL"};
    case Processor::kRiscv1:
      return {"NCRISC", "NCRISC-KERNEL"};
    case Processor::kCompute:
      return {"TRISC_1", "TRISC-KERNEL"};
    case Processor::kEthernet:
      return {"ERISC", "ERISC-KERNEL"};
  }
  return {"UNKNOWN", "KERNEL"};
}

}  // namespace

void mark_zone(const KernelRun& run, int chip, absl::string_view zone, bool begins) {
  zone_marks::add({.chip = chip,
                   .core = {run.context().noc_x, run.context().noc_y},
                   .processor = names_of(run.plan->processor).processor,
                   .zone = std::string(zone),
                   .begins = begins,
                   .kernel = run.plan->name});
}

void mark_whole_kernel(const KernelRun& run, int chip, bool begins) {
  mark_zone(run, chip, names_of(run.plan->processor).kernel_zone, begins);
}

}  // namespace lightmetal::device::cpu
