#pragma once

#include <cstddef>
#include <cstdint>
#include <tt-metalium/device_impl.hpp>  // IWYU pragma: export
#include <tt-metalium/rtoptions.hpp>    // IWYU pragma: export
#include <tt-metalium/span.hpp>
#include <tt-metalium/tt_metal.hpp>  // IWYU pragma: export
#include <vector>

namespace tt {

// The devices that are open, whoever opened them, in the order in which they were opened. The pool
// owns nothing. Thread-safe. Errors are std::runtime_error.
class DevicePool {
 public:
  static const DevicePool& instance();

  // Opens those of the devices that are not open yet, with these parameters; devices that are open
  // stay as they are. Throws, and has opened none, when one of them cannot be opened. The options
  // after `l1_bank_remap` change nothing (CreateDevice).
  static void initialize(const std::vector<chip_id_t>& device_ids, uint8_t num_hw_cqs,
                         size_t l1_small_size, size_t trace_region_size,
                         const tt_metal::DispatchCoreConfig& dispatch_core_config,
                         tt::stl::Span<const uint32_t> l1_bank_remap = {},
                         size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE, bool init_profiler = true,
                         bool use_max_eth_core_count_on_all_devices = false,
                         bool initialize_fabric_and_dispatch_fw = true);

  std::vector<tt_metal::IDevice*> get_all_active_devices() const;
  // Throws when the device is not open; close_device() throws, too.
  tt_metal::IDevice* get_active_device(chip_id_t device_id) const;
  bool is_device_active(chip_id_t device_id) const;
  bool close_device(chip_id_t device_id) const;
  void close_devices(const std::vector<tt_metal::IDevice*>& devices) const;
};

}  // namespace tt
