#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <tt-metalium/cluster_descriptor.hpp>    // IWYU pragma: export
#include <tt-metalium/core_coord.hpp>            // IWYU pragma: export
#include <tt-metalium/core_coordinates.hpp>      // IWYU pragma: export
#include <tt-metalium/core_types.hpp>            // IWYU pragma: export
#include <tt-metalium/rtoptions.hpp>             // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <tt-metalium/xy_pair.hpp>               // IWYU pragma: export
#include <utility>
#include <vector>

// The chips of this host, as upstream's programs and test fixtures ask for them without a device:
// by the names of upstream's driver (the headers of umd/ include this one), and of the library on
// top of it. All of it is thread-safe.

namespace tt::umd {

// Upstream's driver; only the part that tells about chips is here.
struct Cluster {
  static std::unique_ptr<ClusterDescriptor> create_cluster_descriptor() {
    return ClusterDescriptor::create();
  }
};

}  // namespace tt::umd

// What upstream's driver asks a simulator of the chip about itself. There is no simulator here:
// tt::llrt::RunTimeOptions says so, and get_arch_name throws std::runtime_error.
class tt_SimulationDeviceInit {
 public:
  explicit tt_SimulationDeviceInit(std::filesystem::path simulator)
      : simulator_(std::move(simulator)) {}

  tt::ARCH get_arch_name() const;

 private:
  std::filesystem::path simulator_;
};

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
  // The board of the chip that the devices' profile describes.
  BoardType get_board_type(chip_id_t /*chip_id*/) const {
    return arch() == tt::ARCH::BLACKHOLE ? BoardType::P150 : BoardType::N150;
  }
  bool is_galaxy_cluster() const { return false; }

  // Ethernet cores route nothing for others: there is nothing to tell them.
  void set_internal_routing_info_for_ethernet_cores(bool /*enable*/) const {}
  // Writes beside the queues have taken effect when they return.
  void dram_barrier(chip_id_t /*chip_id*/) const {}
  void l1_barrier(chip_id_t /*chip_id*/) const {}

  // Read and write memory of an open device as llrt::read_hex_vec_from_core() and
  // llrt::write_hex_vec_to_core() do.
  std::vector<uint32_t> read_core(chip_id_t chip_id, const CoreCoord& core, uint64_t address,
                                  uint32_t size) const;
  void read_core(std::vector<uint32_t>& words, uint32_t size, const tt_cxy_pair& core,
                 uint64_t address) const;
  void write_core(chip_id_t chip_id, const CoreCoord& core, const std::vector<uint32_t>& words,
                  uint64_t address) const;
  // REQUIRES: `size` bytes at `data` are readable. `size` is a multiple of four.
  void write_core(const void* data, uint32_t size, const tt_cxy_pair& core, uint64_t address) const;
};

}  // namespace tt
