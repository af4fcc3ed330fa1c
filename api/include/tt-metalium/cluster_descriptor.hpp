#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <tt-metalium/boards.hpp>                // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tt::umd {

// The chips that this process can open, without one being open. The host reaches each by itself, so
// each is its own MMIO device. Calls that name a chip throw std::runtime_error if there is none of
// that number.
class ClusterDescriptor {
 public:
  template <typename T>
  using ByChip = std::unordered_map<ChipId, T>;
  using Chips = std::unordered_set<ChipId>;
  using EthernetEnd = std::tuple<ChipId, EthernetChannel>;

  static std::unique_ptr<ClusterDescriptor> create();
  // The part of `full_cluster_desc` with these chips, or all of it. Ethernet cores that lead to
  // other chips lead nowhere.
  static std::unique_ptr<ClusterDescriptor> create_constrained_cluster_descriptor(
      const ClusterDescriptor* full_cluster_desc, const Chips& target_chip_ids = {});

  const Chips& get_all_chips() const { return chips_; }
  std::size_t get_number_of_chips() const { return chips_.size(); }
  // In ascending order.
  std::vector<ChipId> get_chips_local_first(const Chips& chips) const;
  tt::ARCH get_arch() const;
  tt::ARCH get_arch(ChipId chip_id) const;

  // The board of the chip that the devices' profile describes. A board has one chip, and the
  // chip's number is in the lower bits of the board's id.
  BoardType get_board_type(ChipId chip_id) const;
  uint64_t get_board_id_for_chip(ChipId chip) const;
  Chips get_board_chips(uint64_t board_id) const;
  Chips get_chips_from_same_boards(const Chips& chips) const;
  uint8_t get_asic_location(ChipId chip_id) const;
  const ByChip<uint64_t>& get_chip_unique_ids() const { return ids_; }
  HarvestingMasks get_harvesting_masks(ChipId chip_id) const;
  const ByChip<bool>& get_noc_translation_table_en() const { return translated_; }

  // Column and row of the torus that the chips form.
  const ByChip<EthCoord>& get_chip_locations() const { return locations_; }
  EthCoord get_chip_location(ChipId chip) const;

  const ByChip<ChipId>& get_chips_with_mmio() const { return own_; }
  const ByChip<Chips>& get_chips_grouped_by_closest_mmio() const { return groups_; }
  ChipId get_closest_mmio_capable_chip(ChipId chip) const;
  bool is_chip_mmio_capable(ChipId chip_id) const;
  bool is_chip_remote(ChipId chip_id) const { return !is_chip_mmio_capable(chip_id); }

  // The wires between Ethernet cores, from both ends.
  const ByChip<std::unordered_map<EthernetChannel, EthernetEnd>>& get_ethernet_connections() const {
    return wires_;
  }
  bool ethernet_core_has_active_ethernet_link(ChipId local_chip,
                                              EthernetChannel local_ethernet_channel) const;
  // Throws std::runtime_error if the core has no wire.
  EthernetEnd get_chip_and_channel_of_remote_ethernet_core(
      ChipId local_chip, EthernetChannel local_ethernet_channel) const;
  // The cores at either end of each wire between two chips.
  std::vector<std::tuple<EthernetChannel, EthernetChannel>>
  get_directly_connected_ethernet_channels_between_chips(const ChipId& first,
                                                         const ChipId& second) const;
  std::set<uint32_t> get_active_eth_channels(ChipId chip_id) const;
  std::set<uint32_t> get_idle_eth_channels(ChipId chip_id) const;

 private:
  void add(ChipId chip, const Chips& all);
  void check(ChipId chip) const;

  Chips chips_;
  ByChip<uint64_t> ids_;
  ByChip<bool> translated_;
  ByChip<EthCoord> locations_;
  ByChip<ChipId> own_;
  ByChip<Chips> groups_;
  ByChip<std::unordered_map<EthernetChannel, EthernetEnd>> wires_;
};

using tt_ClusterDescriptor = ClusterDescriptor;

}  // namespace tt::umd

// The driver's names until September 2025.
using tt_ClusterDescriptor = tt::umd::ClusterDescriptor;
using tt::umd::ClusterDescriptor;
