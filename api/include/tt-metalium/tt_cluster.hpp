#pragma once

#include <umd/device/device_api_metal.h>                // IWYU pragma: export
#include <umd/device/types/cluster_descriptor_types.h>  // IWYU pragma: export

#include <cstddef>
#include <set>
#include <tt-metalium/core_coord.hpp>            // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <unordered_set>

namespace tt {

// The chips that this process can open, as upstream's programs and test fixtures ask for them. The
// host reaches each by itself, so each is its own MMIO device.
class Cluster {
 public:
  static const Cluster& instance();

  tt::ARCH arch() const;
  std::size_t number_of_devices() const;
  std::size_t number_of_user_devices() const { return number_of_devices(); }
  std::size_t number_of_pci_devices() const { return number_of_devices(); }
  std::set<chip_id_t> all_chip_ids() const;
  std::set<chip_id_t> user_exposed_chip_ids() const { return all_chip_ids(); }
  std::set<chip_id_t> mmio_chip_ids() const { return all_chip_ids(); }
  chip_id_t get_associated_mmio_device(chip_id_t chip_id) const { return chip_id; }
  // Of the chip that the devices' profile describes.
  BoardType get_board_type(chip_id_t /*chip_id*/) const { return BoardType::N150; }
  bool is_galaxy_cluster() const { return false; }

  // Ethernet cores route nothing for others: there is nothing to tell them.
  void set_internal_routing_info_for_ethernet_cores(bool /*enable*/) const {}
  // Writes beside the queues have taken effect when they return.
  void dram_barrier(chip_id_t /*chip_id*/) const {}
  void l1_barrier(chip_id_t /*chip_id*/) const {}
};

}  // namespace tt
