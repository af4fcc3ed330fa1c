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
#include <tt-metalium/mesh_device_view.hpp>
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

// Devices in a grid that work as one.
//
// A unit mesh is its device: id() is the device's, get_device() gives the mesh itself, and a
// function that takes an IDevice* takes the mesh. create_unit_mesh(), create_unit_meshes() and
// create() of 1x1 make unit meshes. A submesh of 1x1 is none: it has an id() of its own, no
// device's, and get_device() gives the device; but a function that takes an IDevice* takes it for
// its device. Of a mesh of several devices, an IDevice's
// queries answer for its first device, which is as all others; what changes something is done on
// all of them, or refused: get_device() gives the devices for that. Its id() is no device's. A mesh
// of several devices is no IDevice* to the functions of host_api.hpp, except for GlobalSemaphore.
//
// The last shared_ptr closes the mesh, as close() does; an error of that close goes to the log.
// Buffers, programs and workloads may outlive the mesh. As with every device, a closed mesh answers
// only is_initialized() and what cannot change. Thread-safe. Errors are std::runtime_error.
class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice> {
 public:
  ~MeshDevice() override;
  MeshDevice(const MeshDevice&) = delete;
  MeshDevice& operator=(const MeshDevice&) = delete;

  // Open the devices as CreateDevice does: all of them, or none when it throws. All owners of one
  // device share it, however often it was created. A mesh of 1x1 is a unit mesh. The L1 of kernels
  // needs no room of its own here: `worker_l1_size` changes nothing.
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
  // A unit mesh for each id; the meshes have nothing to do with each other.
  static std::map<int, std::shared_ptr<MeshDevice>> create_unit_meshes(
      const std::vector<int>& device_ids, size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
      size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, size_t num_command_queues = 1,
      const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
      tt::stl::Span<const uint32_t> l1_bank_remap = {},
      size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

  const MeshShape& shape() const { return view_->shape(); }
  size_t num_devices() const { return devices_.size(); }
  // These throw unless the mesh has two dimensions.
  size_t num_rows() const { return view_->num_rows(); }
  size_t num_cols() const { return view_->num_cols(); }
  std::vector<IDevice*> get_devices() const { return devices_; }  // in row-major order
  DeviceIds get_device_ids() const;
  // These throw when the mesh has no such device.
  IDevice* get_device(chip_id_t physical_device_id) const;
  IDevice* get_device(const MeshCoordinate& coord) const {
    return devices_.at(coord.to_linear_index(shape()));
  }
  IDevice* get_device(size_t row_idx, size_t col_idx) const;
  std::shared_ptr<MeshDevice> get_mesh_device() override { return weak_from_this().lock(); }
  using IDevice::get_optimal_dram_bank_to_logical_worker_assignment;
  // That of one device.
  std::vector<CoreCoord> get_optimal_dram_bank_to_logical_worker_assignment(
      NOC noc, const MeshCoordinate& coord) const {
    return get_device(coord)->get_optimal_dram_bank_to_logical_worker_assignment(noc);
  }
  // Always true: no device belongs to another host. Throws when the mesh has no such device.
  bool is_local(const MeshCoordinate& coord) const { return view_->is_local(coord); }
  bool is_remote_only() const { return false; }
  // The devices by their places; valid until reshape().
  const MeshDeviceView& get_view() const { return *view_; }
  // Gives the devices new places, in the same row-major order. Buffers, tensors, events and
  // workloads that were made before keep the coordinates that they have: transfers take those.
  // Throws unless the new shape has as many devices. REQUIRES: no other thread uses the mesh
  // meanwhile.
  void reshape(const MeshShape& new_shape);

  // A mesh of devices of this one, from `offset` on (from the first device, when there is none). It
  // has queues of its own names, which are those of the devices: work of both meshes on one device
  // runs in the order in which it was enqueued. A buffer of one mesh takes memory from the other.
  // The submesh keeps this mesh open as long as it lives, unless this mesh was made by CreateDevice
  // and so has no owner. Throws when the submesh does not lie in this mesh.
  std::shared_ptr<MeshDevice> create_submesh(
      const MeshShape& submesh_shape, const std::optional<MeshCoordinate>& offset = std::nullopt);
  // Divides the mesh into as many submeshes as there is room for, in row-major order. Throws unless
  // the shape divides this mesh's.
  std::vector<std::shared_ptr<MeshDevice>> create_submeshes(const MeshShape& submesh_shape);
  // The submeshes that live; they have an order, that of their creation.
  std::vector<std::shared_ptr<MeshDevice>> get_submeshes() const;
  // Null for a mesh that is no submesh.
  const std::shared_ptr<MeshDevice>& get_parent_mesh() const { return parent_; }
  bool is_parent_mesh() const { return parent_ == nullptr; }
  // There is one host with one mesh.
  int get_system_mesh_id() const { return 0; }

  // The queue of that number; the one that the thread has pushed last, or else queue 0, when none
  // is named. It lives as long as the mesh, that of a unit mesh as long as the process. Throws when
  // the mesh is closed or has no such queue.
  MeshCommandQueue& mesh_command_queue(std::optional<uint8_t> cq_id = std::nullopt) const;
  // Waits for all queues of all devices.
  void quiesce_devices();

  // Device traces; the functions of host_api.hpp say what a trace is. A trace of a mesh is one on
  // each of its devices, all with one id; a device that no workload of the trace used has an empty
  // one. An id that the program gives must be no trace's, and is not given again. A trace that
  // cannot begin or end on one of the devices is on none, and one that a device lacks is launched
  // on none.
  MeshTraceId begin_mesh_trace(uint8_t cq_id);
  void begin_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id);
  void end_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id);
  void replay_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id, bool blocking);
  void release_mesh_trace(const MeshTraceId& trace_id);
  // The newer form names the queue.
  MeshTraceId begin_mesh_trace(MeshCommandQueue& mesh_cq);
  void begin_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id);
  void end_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id);
  void replay_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id, bool blocking);

  std::string to_string() const;

  // For the implementation. The device of a mesh of one; throws for a mesh of several.
  IDevice& only_device() const;

 protected:
  const std::vector<IDevice*>& devices() const { return devices_; }

  // The mesh of one device, which is the object that is being made.
  explicit MeshDevice(uint8_t num_command_queues);
  // A mesh of devices that are there already. REQUIRES: there are shape.mesh_size() of them, and at
  // least one.
  MeshDevice(const MeshShape& shape, std::vector<IDevice*> devices,
             std::shared_ptr<MeshDevice> parent);

 private:
  void make_queues(uint8_t count);

  const std::vector<IDevice*> devices_;  // in row-major order
  std::unique_ptr<MeshDeviceView> view_;
  const std::shared_ptr<MeshDevice> parent_;
  std::vector<std::unique_ptr<MeshCommandQueue>> queues_;
  mutable std::mutex submeshes_mutex_;
  std::vector<std::weak_ptr<MeshDevice>> submeshes_;  // guarded by the mutex
};

std::ostream& operator<<(std::ostream& out, const MeshDevice& mesh_device);

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

// On a mesh of several devices it is one word at one address of each device's cores.
GlobalSemaphore CreateGlobalSemaphore(distributed::MeshDevice& device, const CoreRangeSet& cores,
                                      uint32_t initial_value,
                                      BufferType buffer_type = BufferType::L1);

}  // namespace tt::tt_metal
