#include "device/cpu/ethernet/links.h"

#include "device/cpu/machine/core_state.h"

namespace lightmetal::device::cpu {

Links::Links(Machine& machine, int chip_id) {
  for (uint32_t index = 0; index < machine.profile().ethernet_cores; ++index) {
    CoreState& core = machine.ethernet_core(index);
    core.place = {chip_id, index};
    LinkEnd* end = LinkEnd::find(core.place);
    if (end == nullptr || !end->attach(core)) continue;
    core.link = end;
    attached_.push_back(end);
  }
}

Links::~Links() {
  for (LinkEnd* end : attached_) end->detach();
}

LaunchLinks::LaunchLinks(Machine& machine, const LaunchPlan& plan, LinkUser& launch) {
  for (const CorePlan& core : plan.cores) {
    if (core.kind != CoreKind::kEthernet || core.kernels.empty()) continue;
    LinkEnd* end = machine.core_of(core).link;
    if (end == nullptr) continue;
    end->begin_launch(launch);
    ends_.push_back(end);
  }
}

// The kernels at this end have ended, so its channels may be cleared; those of the other end only
// when no kernel of another launch uses them.
void LaunchLinks::end(bool failed) {
  for (LinkEnd* end : ends_) {
    end->end_launch();
    if (!failed) continue;
    end->clear_channels();
    if (!end->other().in_use()) end->other().clear_channels();
  }
}

}  // namespace lightmetal::device::cpu
