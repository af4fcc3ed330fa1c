#pragma once

#include <cstddef>
#include <memory>
#include <tt-metalium/core_types.hpp>            // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <unordered_set>

// The chips that this process can open, without one being open.
class tt_ClusterDescriptor {
 public:
  static std::unique_ptr<tt_ClusterDescriptor> create();

  const std::unordered_set<chip_id_t>& get_all_chips() const { return chips_; }
  std::size_t get_number_of_chips() const { return chips_.size(); }
  // Throws std::runtime_error when there is no such chip.
  tt::ARCH get_arch(chip_id_t chip_id) const;

 private:
  std::unordered_set<chip_id_t> chips_;
};

namespace tt::umd {

// Upstream's driver, of which only what tells about chips is here.
struct Cluster {
  static std::unique_ptr<tt_ClusterDescriptor> create_cluster_descriptor() {
    return tt_ClusterDescriptor::create();
  }
};

}  // namespace tt::umd
