#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/trace_buffer.hpp>
#include <unordered_set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "api/src/devices/command_queue_impl.h"
#include "api/src/devices/device_state.h"
#include "base/mutex.h"

namespace tt::tt_metal {

// The logical coordinates of the Ethernet cores.
std::set<CoreCoord> all_ethernet_cores(const lightmetal::DeviceProfile& profile);

// An open device: its queues and traces on top of its state, and the public interface. Closing the
// device ends queues and traces; the object stays to the end of the process. A device is a mesh of
// one: create_unit_mesh gives it out with an owner. Thread-safe. Errors are std::runtime_error.
class DeviceImpl final : public distributed::MeshDevice, public DeviceState {
 public:
  // Opens the backend. Throws std::runtime_error when that fails.
  explicit DeviceImpl(DeviceParameters parameters);
  ~DeviceImpl() override;

  // For the implementation. Throws when the device is closed or has no such queue.
  CommandQueueImpl& queue(size_t cq_id) const;
  // The thread for launches beside the queues, made when it is first asked for.
  QueueWorker& direct_worker();
  QueueOrder& direct_order();
  // The orders of the queues, and that of launches beside them if there were any. None in a forked
  // child.
  std::vector<QueueOrder*> orders();
  void add_trace(uint32_t trace_id, std::shared_ptr<TraceDescriptor> trace);
  std::shared_ptr<TraceDescriptor> trace(uint32_t trace_id) const;  // null when there is none
  void remove_trace(uint32_t trace_id);
  // Throws what a replay of the trace on that queue would throw before it launches anything; a
  // capture has that as a failure of `call`.
  void check_replays(uint8_t cq_id, uint32_t trace_id, const char* call) const;
  std::map<uint32_t, std::shared_ptr<TraceDescriptor>> traces() const;
  // True when nothing is left to do in the queues, on the sub-devices and beside the queues.
  bool is_idle();
  // Held by who enqueues and then waits for the errors of it (replay_hooks::turn_of()).
  lightmetal::Mutex& turn() { return turn_; }
  // Held by a call on several devices while it enqueues (MeshTurn).
  lightmetal::Mutex& mesh_turn() { return mesh_turn_; }
  // Ends queues, kernels, traces and backend. Returns the first error that nobody has seen. Does
  // nothing in a forked child.
  absl::Status shut_down();

  // IDevice.
  tt::ARCH arch() const override;
  chip_id_t id() const override { return parameters().chip_id; }
  uint8_t num_hw_cqs() const override { return parameters().num_hw_cqs; }
  bool is_initialized() const override { return is_open(); }
  bool is_mmio_capable() const override { return true; }
  const std::shared_ptr<Allocator>& allocator() const override;
  int get_clock_rate_mhz() const override { return 1000; }
  int num_dram_channels() const override;
  uint32_t l1_size_per_core() const override;
  uint32_t dram_size_per_channel() const override;
  uint32_t num_banks(const BufferType& buffer_type) const override;
  uint32_t bank_size(const BufferType& buffer_type) const override;
  uint32_t dram_channel_from_bank_id(uint32_t bank_id) const override;
  CoreCoord logical_core_from_dram_channel(uint32_t dram_channel) const override;
  uint32_t dram_channel_from_logical_core(const CoreCoord& logical_core) const override;
  CoreCoord dram_core_from_dram_channel(uint32_t dram_channel) const override;
  uint32_t dram_channel_from_virtual_core(const CoreCoord& virtual_core) const override;
  CoreCoord virtual_noc0_coordinate(uint8_t noc_index, CoreCoord coord) const override;
  int32_t bank_offset(BufferType buffer_type, uint32_t bank_id) const override;
  CoreCoord logical_core_from_bank_id(uint32_t bank_id) const override;
  std::vector<uint32_t> bank_ids_from_dram_channel(uint32_t dram_channel) const override;
  std::vector<uint32_t> bank_ids_from_logical_core(BufferType buffer_type,
                                                   const CoreCoord& logical_core) const override;
  DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const override;
  uint32_t get_allocator_alignment(const HalMemType& mem_type) const override;
  uint32_t get_allocator_alignment() const override;
  std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const override;
  std::optional<DeviceAddr> lowest_occupied_compute_l1_address(
      tt::stl::Span<const SubDeviceId> sub_device_ids) const override;
  size_t get_l1_small_size() const override { return parameters().l1_small_size; }
  size_t get_trace_region_size() const override { return parameters().trace_region_size; }

  CoreCoord grid_size() const override;
  CoreCoord logical_grid_size() const override;
  CoreCoord dram_grid_size() const override;
  CoreCoord compute_with_storage_grid_size() const override;
  CoreCoord worker_core_from_logical_core(const CoreCoord& logical_core) const override;
  std::vector<CoreCoord> worker_cores_from_logical_cores(
      const std::vector<CoreCoord>& logical_cores) const override;
  CoreCoord virtual_core_from_logical_core(const CoreCoord& logical_coord,
                                           const CoreType& core_type) const override;
  HalProgrammableCoreType get_programmable_core_type(CoreCoord virtual_core) const override;
  HalMemType get_mem_type_of_core(CoreCoord virtual_core) const override;
  CoreCoord logical_core_from_worker_core(const CoreCoord& worker_core) const override;
  using MeshDevice::get_optimal_dram_bank_to_logical_worker_assignment;
  std::vector<CoreCoord> get_optimal_dram_bank_to_logical_worker_assignment(NOC noc) override;
  const std::set<CoreCoord>& storage_only_cores() const override { return storage_only_cores_; }
  const std::set<CoreCoord>& ethernet_cores() const override { return ethernet_cores_; }
  CoreCoord ethernet_core_from_logical_core(const CoreCoord& logical_core) const override;
  std::vector<CoreCoord> ethernet_cores_from_logical_cores(
      const std::vector<CoreCoord>& logical_cores) const override;
  CoreCoord logical_core_from_ethernet_core(const CoreCoord& ethernet_core) const override;
  std::unordered_set<chip_id_t> get_ethernet_connected_device_ids() const override;
  std::unordered_set<CoreCoord> get_active_ethernet_cores(
      bool skip_reserved_tunnel_cores) const override;
  bool is_active_ethernet_core(CoreCoord logical_core,
                               bool skip_reserved_tunnel_cores) const override;
  std::unordered_set<CoreCoord> get_inactive_ethernet_cores() const override;
  bool is_inactive_ethernet_core(CoreCoord logical_core) const override;
  std::tuple<chip_id_t, CoreCoord> get_connected_ethernet_core(CoreCoord eth_core) const override;
  std::vector<CoreCoord> get_ethernet_sockets(chip_id_t connected_chip_id) const override;
  uint32_t get_noc_unicast_encoding(uint8_t noc_index, const CoreCoord& core) const override;
  uint32_t get_noc_multicast_encoding(uint8_t noc_index, const CoreRange& cores) const override;

  CoreRangeSet worker_cores(HalProgrammableCoreType core_type,
                            SubDeviceId sub_device_id) const override;
  uint32_t num_worker_cores(HalProgrammableCoreType core_type,
                            SubDeviceId sub_device_id) const override;
  uint32_t num_virtual_eth_cores(SubDeviceId sub_device_id) override;
  SubDeviceManagerId create_sub_device_manager(tt::stl::Span<const SubDevice> sub_devices,
                                               DeviceAddr local_l1_size) override;
  SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice> sub_devices,
                                               DeviceAddr local_l1_size) override;
  void remove_sub_device_manager(SubDeviceManagerId id) override;
  void load_sub_device_manager(SubDeviceManagerId id) override;
  void clear_loaded_sub_device_manager() override;
  SubDeviceManagerId get_active_sub_device_manager_id() const override;
  SubDeviceManagerId get_default_sub_device_manager_id() const override;
  const std::shared_ptr<Allocator>& allocator(SubDeviceId sub_device_id) const override;
  const std::vector<SubDeviceId>& get_sub_device_ids() const override;
  const std::vector<SubDeviceId>& get_sub_device_stall_group() const override;
  void set_sub_device_stall_group(tt::stl::Span<const SubDeviceId> sub_device_ids) override;
  void reset_sub_device_stall_group() override;
  uint32_t num_sub_devices() const override;

  CommandQueue& command_queue(size_t cq_id) override { return queue(cq_id); }
  const CommandQueue& command_queue(size_t cq_id) const override { return queue(cq_id); }
  void synchronize() override;
  void begin_trace(uint8_t cq_id, uint32_t trace_id) override;
  void end_trace(uint8_t cq_id, uint32_t trace_id) override;
  void replay_trace(uint8_t cq_id, uint32_t trace_id, bool block_on_device,
                    bool block_on_worker_thread) override;
  void release_trace(uint32_t trace_id) override;
  void load_trace(uint8_t cq_id, uint32_t trace_id, const TraceDescriptor& trace_desc) override;
  std::shared_ptr<TraceBuffer> get_trace(uint32_t trace_id) override;
  uint32_t get_trace_buffers_size() const override { return 0; }

  void enable_program_cache() override { program_cache_enabled_ = true; }
  void clear_program_cache() override {}  // it is empty
  void disable_and_clear_program_cache() override { program_cache_enabled_ = false; }
  size_t num_program_cache_entries() override { return 0; }
  void enable_async(bool) override {}
  bool close() override;

 private:
  void check_dram_channel(uint32_t channel) const;
  void check_worker(const CoreCoord& logical_core) const;
  void check_ethernet(const CoreCoord& logical_core) const;
  // Waits for the queues and for launches beside them, and throws the first error. Throws while a
  // device trace is captured.
  void come_to_rest();
  // Steps of shut_down().
  absl::Status stop_direct_worker();
  void forget_traces();

  const std::set<CoreCoord> ethernet_cores_ = all_ethernet_cores(profile());
  const std::set<CoreCoord> storage_only_cores_;
  std::vector<std::unique_ptr<CommandQueueImpl>> queues_;
  std::atomic<bool> program_cache_enabled_ = false;

  lightmetal::Mutex turn_;
  lightmetal::Mutex mesh_turn_;
  mutable lightmetal::Mutex mutex_;
  std::unique_ptr<QueueWorker> direct_worker_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<QueueOrder> direct_order_ ABSL_GUARDED_BY(mutex_);
  std::map<uint32_t, std::shared_ptr<TraceDescriptor>> traces_ ABSL_GUARDED_BY(mutex_);
};

// The device, and of a mesh of one device that device. REQUIRES: this library made it, as it makes
// all devices. Throw for a mesh of several devices, and for a null pointer.
DeviceImpl& impl_of(IDevice* device);
inline DeviceImpl& impl_of(IDevice& device) {
  return static_cast<DeviceImpl&>(static_cast<distributed::MeshDevice&>(device).only_device());
}
inline const DeviceImpl& impl_of(const IDevice& device) {
  return static_cast<DeviceImpl&>(
      static_cast<const distributed::MeshDevice&>(device).only_device());
}
// The devices of a mesh, which a device is, too. Throws for a null pointer.
std::vector<IDevice*> devices_of(IDevice* device);

}  // namespace tt::tt_metal
