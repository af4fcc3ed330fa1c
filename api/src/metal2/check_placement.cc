// The rules of what is placed together on nodes, and check_spec() itself.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tt-metalium/assert.hpp>

#include "api/src/metal2/check_spec.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

using DataMovement1XX = DataMovementHardwareConfig::DataMovement1XXConfig;

// The rules of one work unit. Refers to the specification.
class WorkUnitCheck {
 public:
  WorkUnitCheck(const ResolvedSpec& resolved, const WorkUnitSpec& unit)
      : resolved_(resolved),
        unit_(unit),
        where_("Program \"" + resolved.spec.name + "\", work unit \"" + unit.name + "\"") {
    for (const KernelSpecName& name : unit.kernels)
      kernels_.push_back(&resolved.spec.kernels[resolved.number_of(name)]);
  }

  void run(const NodeRangeSet& nodes, const NodeCoord& grid) const {
    TT_FATAL(!unit_.kernels.empty(), "{} has no kernel", where_);
    std::set<std::string> names;
    for (const KernelSpecName& name : unit_.kernels)
      TT_FATAL(names.insert(*name).second, "{} lists kernel \"{}\" twice", where_, name);
    TT_FATAL(!nodes.empty(), "{} has no nodes", where_);
    TT_FATAL(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}).contains(nodes),
             "{} has nodes {}: the grid has {} columns and {} rows", where_, nodes, grid.x, grid.y);
    check_processors();
    for (const DataflowBufferSpec& buffer : resolved_.spec.dataflow_buffers) check_ends(buffer);
    for (const ScratchpadSpec& pad : resolved_.spec.scratchpads) check_owner(pad);
  }

 private:
  void check_processors() const {
    size_t compute = 0;
    std::vector<const DataMovement1XX*> movers;
    for (const KernelSpec* kernel : kernels_) {
      const auto* movement = std::get_if<DataMovementHardwareConfig>(&kernel->hw_config);
      if (movement == nullptr) ++compute;
      if (movement != nullptr) movers.push_back(&*movement->config_1xx);
    }
    TT_FATAL(compute <= 1, "{} has {} compute kernels: at most one runs on a node", where_,
             compute);
    TT_FATAL(movers.size() <= 2, "{} has {} data movement kernels: at most two run on a node",
             where_, movers.size());
    if (movers.size() == 2) check_movers(*movers[0], *movers[1]);
  }

  void check_movers(const DataMovement1XX& a, const DataMovement1XX& b) const {
    TT_FATAL(a.processor != b.processor,
             "{} has two data movement kernels on RISCV_{}: each needs a processor of its own",
             where_, static_cast<int>(a.processor));
    TT_FATAL(a.noc_mode == b.noc_mode,
             "{} has data movement kernels with different NoC modes: a node has one", where_);
    TT_FATAL(a.noc_mode != NOC_MODE::DM_DEDICATED_NOC || a.noc != b.noc,
             "{} has two data movement kernels on NOC_{}, which each wants for itself", where_,
             static_cast<int>(a.noc));
  }

  void check_ends(const DataflowBufferSpec& buffer) const {
    size_t producers = 0, consumers = 0;
    for (const KernelSpec* kernel : kernels_) {
      for (const DFBBinding& binding : kernel->dfb_bindings) {
        if (binding.dfb_spec_name != buffer.unique_id) continue;
        ++(binding.endpoint_type == DFBEndpointType::PRODUCER ? producers : consumers);
      }
    }
    if (producers + consumers == 0) return;
    const bool may_have_more = buffer.advanced_options.allow_instance_multi_binding;
    const auto fits = [&](size_t ends) { return ends == 1 || (may_have_more && ends > 1); };
    TT_FATAL(
        fits(producers) && fits(consumers),
        "{} has {} producers and {} consumers of dataflow buffer \"{}\": one of each is needed",
        where_, producers, consumers, buffer.unique_id);
  }

  void check_owner(const ScratchpadSpec& pad) const {
    const auto owners = std::ranges::count_if(kernels_, [&](const KernelSpec* kernel) {
      return std::ranges::find(kernel->scratchpad_bindings, pad.unique_id,
                               &ScratchpadBinding::scratchpad_spec_name) !=
             kernel->scratchpad_bindings.end();
    });
    TT_FATAL(owners <= 1, "{} has {} kernels that bind scratchpad \"{}\": it is one kernel's own",
             where_, owners, pad.unique_id);
  }

  const ResolvedSpec& resolved_;
  const WorkUnitSpec& unit_;
  const std::string where_;
  std::vector<const KernelSpec*> kernels_;
};

// Throws when a node has more of something than `limit`. `nodes` are those of each of them.
void check_count(const ProgramSpec& spec, const char* what, const std::vector<NodeRangeSet>& nodes,
                 uint32_t limit) {
  std::map<NodeCoord, uint32_t> counts;
  for (const NodeRangeSet& of_one : nodes) {
    for (const NodeCoord& node : corerange_to_cores(of_one)) {
      TT_FATAL(++counts[node] <= limit, "Program \"{}\" has more than {} {} on node {}", spec.name,
               limit, what, node);
    }
  }
}

void check_work_units(const ResolvedSpec& resolved, const NodeCoord& grid) {
  const ProgramSpec& spec = resolved.spec;
  NodeRangeSet taken;
  for (size_t i = 0; i < spec.work_units.size(); ++i) {
    const NodeRangeSet& nodes = resolved.work_unit_nodes[i];
    WorkUnitCheck(resolved, spec.work_units[i]).run(nodes, grid);
    TT_FATAL(!taken.intersects(nodes),
             "Program \"{}\", work unit \"{}\" has nodes {} in common with others", spec.name,
             spec.work_units[i].name, taken.intersection(nodes));
    taken = taken.merge(nodes);
  }
}

}  // namespace

void check_placement(const ResolvedSpec& resolved, const NodeLimits& limits) {
  const ProgramSpec& spec = resolved.spec;
  TT_FATAL(!spec.kernels.empty(), "Program \"{}\" has no kernel", spec.name);
  TT_FATAL(!spec.work_units.empty(), "Program \"{}\" has no work unit", spec.name);
  check_work_units(resolved, limits.grid);
  for (size_t i = 0; i < spec.kernels.size(); ++i) {
    TT_FATAL(!resolved.kernel_nodes[i].empty(), "Program \"{}\", kernel \"{}\" is in no work unit",
             spec.name, spec.kernels[i].unique_id);
  }
  std::vector<NodeRangeSet> semaphore_nodes;
  for (const SemaphoreSpec& semaphore : spec.semaphores) {
    semaphore_nodes.push_back(nodes_of(semaphore.target_nodes));
    TT_FATAL(!semaphore_nodes.back().empty(), "Program \"{}\", semaphore \"{}\" has no nodes",
             spec.name, semaphore.unique_id);
  }
  check_count(spec, "semaphores", semaphore_nodes, limits.semaphores);
  check_count(spec, "dataflow buffers", resolved.dataflow_buffer_nodes, limits.dataflow_buffers);
}

void check_spec(const ResolvedSpec& resolved, const NodeLimits& limits) {
  check_kernels(resolved);
  check_memory(resolved);
  check_placement(resolved, limits);
}

}  // namespace tt::tt_metal::experimental::metal2
