// The chips of this process as upstream's driver describes them. All of it follows from how many
// chips there are, the device profile, and the wires between them.
#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/cluster_descriptor.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/host_api.hpp>

#include "api/src/values/process_profile.h"
#include "device/ethernet.h"

namespace tt::umd {
namespace {

constexpr int kColumns = lightmetal::device::kWiredChips / 2;
constexpr uint64_t kN150 = 0x18;  // the bits of a board's id that say which board it is
constexpr uint64_t kP150 = 0x40;

// The wires of a chip that lead to chips of `all`.
std::unordered_map<EthernetChannel, ClusterDescriptor::EthernetEnd> wires_of(
    ChipId chip, const ClusterDescriptor::Chips& all) {
  std::unordered_map<EthernetChannel, ClusterDescriptor::EthernetEnd> wires;
  const uint32_t cores =
      std::min(lightmetal::device::kWiredCores, tt_metal::process_profile().ethernet_cores);
  for (uint32_t core = 0; core < cores; ++core) {
    const auto end = lightmetal::device::other_ethernet_end({chip, core});
    if (end && end->core < cores && all.contains(end->chip))
      wires[static_cast<EthernetChannel>(core)] = {end->chip, static_cast<int>(end->core)};
  }
  return wires;
}

}  // namespace

std::unique_ptr<ClusterDescriptor> ClusterDescriptor::create() {
  Chips all;
  for (int chip = 0; static_cast<std::size_t>(chip) < tt_metal::GetNumAvailableDevices(); ++chip)
    all.insert(chip);
  auto descriptor = std::make_unique<ClusterDescriptor>();
  for (const ChipId chip : all) descriptor->add(chip, all);
  return descriptor;
}

std::unique_ptr<ClusterDescriptor> ClusterDescriptor::create_constrained_cluster_descriptor(
    const ClusterDescriptor* full_cluster_desc, const Chips& target_chip_ids) {
  const Chips& wanted = target_chip_ids.empty() ? full_cluster_desc->chips_ : target_chip_ids;
  auto descriptor = std::make_unique<ClusterDescriptor>();
  for (const ChipId chip : wanted) {
    full_cluster_desc->check(chip);
    descriptor->add(chip, wanted);
  }
  return descriptor;
}

void ClusterDescriptor::add(ChipId chip, const Chips& all) {
  const uint64_t board = tt_metal::hal::get_arch() == tt::ARCH::BLACKHOLE ? kP150 : kN150;
  chips_.insert(chip);
  ids_[chip] = board << 36 | static_cast<uint64_t>(chip);
  translated_[chip] = true;
  locations_[chip] = {0, chip % kColumns, chip / kColumns, 0, 0};
  own_[chip] = chip;
  groups_[chip] = {chip};
  wires_[chip] = wires_of(chip, all);
}

void ClusterDescriptor::check(ChipId chip) const {
  TT_FATAL(chips_.contains(chip), "There is no chip {}: {} chips are available", chip,
           chips_.size());
}

std::vector<ChipId> ClusterDescriptor::get_chips_local_first(const Chips& chips) const {
  std::vector<ChipId> sorted(chips.begin(), chips.end());
  std::sort(sorted.begin(), sorted.end());
  for (const ChipId chip : sorted) check(chip);
  return sorted;
}

tt::ARCH ClusterDescriptor::get_arch() const { return tt_metal::hal::get_arch(); }

tt::ARCH ClusterDescriptor::get_arch(ChipId chip_id) const {
  check(chip_id);
  return get_arch();
}

BoardType ClusterDescriptor::get_board_type(ChipId chip_id) const {
  return get_board_type_from_board_id(get_board_id_for_chip(chip_id));
}

uint64_t ClusterDescriptor::get_board_id_for_chip(ChipId chip) const {
  check(chip);
  return ids_.at(chip);
}

ClusterDescriptor::Chips ClusterDescriptor::get_board_chips(uint64_t board_id) const {
  for (const auto& [chip, id] : ids_) {
    if (id == board_id) return {chip};
  }
  TT_THROW("There is no board {:#x}", board_id);
}

ClusterDescriptor::Chips ClusterDescriptor::get_chips_from_same_boards(const Chips& chips) const {
  for (const ChipId chip : chips) check(chip);
  return chips;
}

uint8_t ClusterDescriptor::get_asic_location(ChipId chip_id) const {
  check(chip_id);
  return 0;
}

HarvestingMasks ClusterDescriptor::get_harvesting_masks(ChipId chip_id) const {
  check(chip_id);
  return {};
}

EthCoord ClusterDescriptor::get_chip_location(ChipId chip) const {
  check(chip);
  return locations_.at(chip);
}

ChipId ClusterDescriptor::get_closest_mmio_capable_chip(ChipId chip) const {
  check(chip);
  return chip;
}

bool ClusterDescriptor::is_chip_mmio_capable(ChipId chip_id) const {
  check(chip_id);
  return true;
}

bool ClusterDescriptor::ethernet_core_has_active_ethernet_link(
    ChipId local_chip, EthernetChannel local_ethernet_channel) const {
  check(local_chip);
  return wires_.at(local_chip).contains(local_ethernet_channel);
}

ClusterDescriptor::EthernetEnd ClusterDescriptor::get_chip_and_channel_of_remote_ethernet_core(
    ChipId local_chip, EthernetChannel local_ethernet_channel) const {
  TT_FATAL(ethernet_core_has_active_ethernet_link(local_chip, local_ethernet_channel),
           "Ethernet core {} of chip {} leads nowhere", local_ethernet_channel, local_chip);
  return wires_.at(local_chip).at(local_ethernet_channel);
}

std::vector<std::tuple<EthernetChannel, EthernetChannel>>
ClusterDescriptor::get_directly_connected_ethernet_channels_between_chips(
    const ChipId& first, const ChipId& second) const {
  check(first);
  check(second);
  std::vector<std::tuple<EthernetChannel, EthernetChannel>> found;
  for (const auto& [core, end] : wires_.at(first)) {
    if (std::get<0>(end) == second) found.emplace_back(core, std::get<1>(end));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::set<uint32_t> ClusterDescriptor::get_active_eth_channels(ChipId chip_id) const {
  check(chip_id);
  std::set<uint32_t> cores;
  for (const auto& [core, end] : wires_.at(chip_id)) cores.insert(static_cast<uint32_t>(core));
  return cores;
}

std::set<uint32_t> ClusterDescriptor::get_idle_eth_channels(ChipId chip_id) const {
  const std::set<uint32_t> active = get_active_eth_channels(chip_id);
  std::set<uint32_t> cores;
  for (uint32_t core = 0; core < tt_metal::process_profile().ethernet_cores; ++core) {
    if (!active.contains(core)) cores.insert(core);
  }
  return cores;
}

}  // namespace tt::umd
