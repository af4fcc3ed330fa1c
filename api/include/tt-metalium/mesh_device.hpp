#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <hostdevcommon/common_values.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/mesh_config.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_trace_id.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tt::tt_metal::distributed {

class MeshCommandQueue;

using DeviceIds = std::vector<int>;

// Devices in a grid that work as one. Here a mesh has one device (a unit mesh) and is that device:
// id() is the device's, get_device() gives the mesh itself, and a function that takes an IDevice*
// takes the mesh. Meshes of more devices are refused.
//
// The last shared_ptr closes the mesh, as close() does; an error of that close goes to the log.
// Buffers, programs and workloads may outlive the mesh. As with every device, a closed mesh answers
// only is_initialized() and what cannot change. Thread-safe. Errors are std::runtime_error.
class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice> {
 public:
  ~MeshDevice() override;
  MeshDevice(const MeshDevice&) = delete;
  MeshDevice& operator=(const MeshDevice&) = delete;

  // Work as CreateDevice. All owners of one device share it, however often it was created. The L1
  // of kernels needs no room of its own here: `worker_l1_size` changes nothing.
  static std::shared_ptr<MeshDevice> create(
      const MeshDeviceConfig& config, size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
      size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, size_t num_command_queues = 1,
      const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
      tt::stl::Span<const uint32_t> l1_bank_remap = {},
      size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
  static std::shared_ptr<MeshDevice> create_unit_mesh(
      int device_id, size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
      size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, size_t num_command_queues = 1,
      const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
      tt::stl::Span<const uint32_t> l1_bank_remap = {},
      size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
  // A unit mesh for each id; the meshes have nothing to do with each other. Either all of them are
  // opened or none is.
  static std::map<int, std::shared_ptr<MeshDevice>> create_unit_meshes(
      const std::vector<int>& device_ids, size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
      size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, size_t num_command_queues = 1,
      const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
      tt::stl::Span<const uint32_t> l1_bank_remap = {},
      size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

  const MeshShape& shape() const { return shape_; }
  size_t num_devices() const { return devices_.size(); }
  // For a mesh with two dimensions.
  size_t num_rows() const { return shape_[0]; }
  size_t num_cols() const { return shape_[1]; }
  std::vector<IDevice*> get_devices() const { return devices_; }  // in row-major order
  DeviceIds get_device_ids() const;
  // These throw when the mesh has no such device.
  IDevice* get_device(chip_id_t physical_device_id) const;
  IDevice* get_device(const MeshCoordinate& coord) const;
  IDevice* get_device(size_t row_idx, size_t col_idx) const;
  // Always true: no device belongs to another host. Throws when the mesh has no such device.
  bool is_local(const MeshCoordinate& coord) const;

  // The queue of that number, queue 0 when none is named. It lives as long as the process. Throws
  // when the mesh is closed or has no such queue.
  MeshCommandQueue& mesh_command_queue(std::optional<uint8_t> cq_id = std::nullopt) const;
  // Waits for all queues.
  void quiesce_devices();

  // Device traces; the functions of host_api.hpp say what a trace is.
  MeshTraceId begin_mesh_trace(uint8_t cq_id);
  void begin_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id);
  void end_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id);
  void replay_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id, bool blocking);
  void release_mesh_trace(const MeshTraceId& trace_id);

  std::string to_string() const;

 protected:
  // The mesh of one device, which is the object that is being made.
  explicit MeshDevice(uint8_t num_command_queues);

 private:
  const MeshShape shape_;
  const std::vector<IDevice*> devices_;  // in row-major order
  std::vector<std::unique_ptr<MeshCommandQueue>> queues_;
};

std::ostream& operator<<(std::ostream& out, const MeshDevice& mesh_device);

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

GlobalSemaphore CreateGlobalSemaphore(distributed::MeshDevice& device, const CoreRangeSet& cores,
                                      uint32_t initial_value,
                                      BufferType buffer_type = BufferType::L1);

}  // namespace tt::tt_metal
