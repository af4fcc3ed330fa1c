#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tt-metalium/mesh_device.hpp>
#include <unordered_set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace tt::tt_metal::distributed {

// A mesh that is no device itself: one of several devices, or a submesh. It asks its first device
// what all devices answer alike, and does on all devices what changes them. Thread-safe.
class MeshOfDevices final : public MeshDevice {
 public:
  // A mesh that opened its devices: `owners` keep them open. REQUIRES: there are shape.mesh_size()
  // of them, at least one.
  MeshOfDevices(const MeshShape& shape, std::vector<std::shared_ptr<MeshDevice>> owners);
  // A submesh; its devices are the parent's. `parent` is null where the parent has no owner.
  MeshOfDevices(const MeshShape& shape, std::vector<IDevice*> devices,
                std::shared_ptr<MeshDevice> parent);
  ~MeshOfDevices() override;

  int id() const override { return id_; }
  bool is_initialized() const override;
  bool close() override;

  // Sub-devices: every device has the managers, the mesh names them as its first device does.
  SubDeviceManagerId create_sub_device_manager(tt::stl::Span<const SubDevice> sub_devices,
                                               DeviceAddr local_l1_size) override;
  SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice> sub_devices,
                                               DeviceAddr local_l1_size) override;
  void remove_sub_device_manager(SubDeviceManagerId manager) override;
  void load_sub_device_manager(SubDeviceManagerId manager) override;
  void clear_loaded_sub_device_manager() override;
  void set_sub_device_stall_group(tt::stl::Span<const SubDeviceId> sub_device_ids) override;
  void reset_sub_device_stall_group() override;

  void synchronize() override;
  void begin_trace(uint8_t cq_id, uint32_t trace_id) override;
  void end_trace(uint8_t cq_id, uint32_t trace_id) override;
  void replay_trace(uint8_t cq_id, uint32_t trace_id, bool block_on_device,
                    bool block_on_worker_thread) override;
  void release_trace(uint32_t trace_id) override;
  // These are one device's: they throw for a mesh of several.
  CommandQueue& command_queue(size_t cq_id) override { return only_device().command_queue(cq_id); }
  const CommandQueue& command_queue(size_t cq_id) const override;
  void load_trace(uint8_t cq_id, uint32_t trace_id, const TraceDescriptor& trace_desc) override;
  std::shared_ptr<TraceBuffer> get_trace(uint32_t trace_id) override;

  void enable_program_cache() override;
  void clear_program_cache() override;
  void disable_and_clear_program_cache() override;
  void enable_async(bool) override {}

  // What differs from device to device: these throw for a mesh of several.
  std::unordered_set<chip_id_t> get_ethernet_connected_device_ids() const override {
    return only_device().get_ethernet_connected_device_ids();
  }
  std::unordered_set<CoreCoord> get_active_ethernet_cores(bool skip_reserved) const override {
    return only_device().get_active_ethernet_cores(skip_reserved);
  }
  bool is_active_ethernet_core(CoreCoord core, bool skip_reserved) const override {
    return only_device().is_active_ethernet_core(core, skip_reserved);
  }
  std::unordered_set<CoreCoord> get_inactive_ethernet_cores() const override {
    return only_device().get_inactive_ethernet_cores();
  }
  bool is_inactive_ethernet_core(CoreCoord core) const override {
    return only_device().is_inactive_ethernet_core(core);
  }
  std::tuple<chip_id_t, CoreCoord> get_connected_ethernet_core(CoreCoord core) const override {
    return only_device().get_connected_ethernet_core(core);
  }
  std::vector<CoreCoord> get_ethernet_sockets(chip_id_t chip_id) const override {
    return only_device().get_ethernet_sockets(chip_id);
  }

  // What all devices answer alike, as far as buffers are the mesh's own.
  tt::ARCH arch() const override { return first().arch(); }
  uint8_t num_hw_cqs() const override { return first().num_hw_cqs(); }
  bool is_mmio_capable() const override { return first().is_mmio_capable(); }
  const std::shared_ptr<Allocator>& allocator() const override { return first().allocator(); }
  const std::shared_ptr<Allocator>& allocator(SubDeviceId id) const override {
    return first().allocator(id);
  }
  int get_clock_rate_mhz() const override { return first().get_clock_rate_mhz(); }
  int num_dram_channels() const override { return first().num_dram_channels(); }
  uint32_t l1_size_per_core() const override { return first().l1_size_per_core(); }
  uint32_t dram_size_per_channel() const override { return first().dram_size_per_channel(); }
  uint32_t num_banks(const BufferType& type) const override { return first().num_banks(type); }
  uint32_t bank_size(const BufferType& type) const override { return first().bank_size(type); }
  uint32_t dram_channel_from_bank_id(uint32_t bank_id) const override {
    return first().dram_channel_from_bank_id(bank_id);
  }
  CoreCoord logical_core_from_dram_channel(uint32_t channel) const override {
    return first().logical_core_from_dram_channel(channel);
  }
  uint32_t dram_channel_from_logical_core(const CoreCoord& core) const override {
    return first().dram_channel_from_logical_core(core);
  }
  CoreCoord dram_core_from_dram_channel(uint32_t channel) const override {
    return first().dram_core_from_dram_channel(channel);
  }
  uint32_t dram_channel_from_virtual_core(const CoreCoord& core) const override {
    return first().dram_channel_from_virtual_core(core);
  }
  int32_t bank_offset(BufferType type, uint32_t bank_id) const override {
    return first().bank_offset(type, bank_id);
  }
  CoreCoord logical_core_from_bank_id(uint32_t bank_id) const override {
    return first().logical_core_from_bank_id(bank_id);
  }
  std::vector<uint32_t> bank_ids_from_dram_channel(uint32_t channel) const override {
    return first().bank_ids_from_dram_channel(channel);
  }
  std::vector<uint32_t> bank_ids_from_logical_core(BufferType type,
                                                   const CoreCoord& core) const override {
    return first().bank_ids_from_logical_core(type, core);
  }
  DeviceAddr get_base_allocator_addr(const HalMemType& type) const override {
    return first().get_base_allocator_addr(type);
  }
  uint32_t get_allocator_alignment(const HalMemType& type) const override {
    return first().get_allocator_alignment(type);
  }
  uint32_t get_allocator_alignment() const override { return first().get_allocator_alignment(); }
  std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const override {
    return first().lowest_occupied_compute_l1_address();
  }
  std::optional<DeviceAddr> lowest_occupied_compute_l1_address(
      tt::stl::Span<const SubDeviceId> ids) const override {
    return first().lowest_occupied_compute_l1_address(ids);
  }
  size_t get_l1_small_size() const override { return first().get_l1_small_size(); }
  size_t get_trace_region_size() const override { return first().get_trace_region_size(); }

  CoreCoord virtual_noc0_coordinate(uint8_t noc_index, CoreCoord coord) const override {
    return first().virtual_noc0_coordinate(noc_index, coord);
  }
  CoreCoord grid_size() const override { return first().grid_size(); }
  CoreCoord logical_grid_size() const override { return first().logical_grid_size(); }
  CoreCoord dram_grid_size() const override { return first().dram_grid_size(); }
  CoreCoord compute_with_storage_grid_size() const override {
    return first().compute_with_storage_grid_size();
  }
  CoreCoord worker_core_from_logical_core(const CoreCoord& core) const override {
    return first().worker_core_from_logical_core(core);
  }
  std::vector<CoreCoord> worker_cores_from_logical_cores(
      const std::vector<CoreCoord>& cores) const override {
    return first().worker_cores_from_logical_cores(cores);
  }
  CoreCoord virtual_core_from_logical_core(const CoreCoord& core,
                                           const CoreType& type) const override {
    return first().virtual_core_from_logical_core(core, type);
  }
  HalProgrammableCoreType get_programmable_core_type(CoreCoord core) const override {
    return first().get_programmable_core_type(core);
  }
  HalMemType get_mem_type_of_core(CoreCoord core) const override {
    return first().get_mem_type_of_core(core);
  }
  CoreCoord logical_core_from_worker_core(const CoreCoord& core) const override {
    return first().logical_core_from_worker_core(core);
  }
  using MeshDevice::get_optimal_dram_bank_to_logical_worker_assignment;
  std::vector<CoreCoord> get_optimal_dram_bank_to_logical_worker_assignment(NOC noc) override {
    return first().get_optimal_dram_bank_to_logical_worker_assignment(noc);
  }
  const std::set<CoreCoord>& storage_only_cores() const override {
    return first().storage_only_cores();
  }
  const std::set<CoreCoord>& ethernet_cores() const override { return first().ethernet_cores(); }
  CoreCoord ethernet_core_from_logical_core(const CoreCoord& core) const override {
    return first().ethernet_core_from_logical_core(core);
  }
  std::vector<CoreCoord> ethernet_cores_from_logical_cores(
      const std::vector<CoreCoord>& cores) const override {
    return first().ethernet_cores_from_logical_cores(cores);
  }
  CoreCoord logical_core_from_ethernet_core(const CoreCoord& core) const override {
    return first().logical_core_from_ethernet_core(core);
  }
  uint32_t get_noc_unicast_encoding(uint8_t noc_index, const CoreCoord& core) const override {
    return first().get_noc_unicast_encoding(noc_index, core);
  }
  uint32_t get_noc_multicast_encoding(uint8_t noc_index, const CoreRange& cores) const override {
    return first().get_noc_multicast_encoding(noc_index, cores);
  }

  SubDeviceManagerId get_active_sub_device_manager_id() const override {
    return first().get_active_sub_device_manager_id();
  }
  SubDeviceManagerId get_default_sub_device_manager_id() const override {
    return first().get_default_sub_device_manager_id();
  }
  CoreRangeSet worker_cores(HalProgrammableCoreType type, SubDeviceId id) const override {
    return first().worker_cores(type, id);
  }
  uint32_t num_worker_cores(HalProgrammableCoreType type, SubDeviceId id) const override {
    return first().num_worker_cores(type, id);
  }
  uint32_t num_virtual_eth_cores(SubDeviceId id) override {
    return first().num_virtual_eth_cores(id);
  }
  const std::vector<SubDeviceId>& get_sub_device_ids() const override {
    return first().get_sub_device_ids();
  }
  const std::vector<SubDeviceId>& get_sub_device_stall_group() const override {
    return first().get_sub_device_stall_group();
  }
  uint32_t num_sub_devices() const override { return first().num_sub_devices(); }
  uint32_t get_trace_buffers_size() const override { return first().get_trace_buffers_size(); }
  size_t num_program_cache_entries() override { return first().num_program_cache_entries(); }

 private:
  IDevice& first() const { return *devices().front(); }
  // The ids of a manager on the devices. Throws when the mesh has no such manager.
  std::vector<SubDeviceManagerId> managers(SubDeviceManagerId manager) const;
  // Calls `load` with the number of each device, to load that device's id, when all devices have
  // come to rest. When one of them throws, all have the managers that they had, with the stall
  // groups of managers that are loaded anew.
  using LoadOn = std::function<void(size_t device)>;
  void load_on_all(const std::vector<SubDeviceManagerId>& ids, const LoadOn& load);

  const int id_;
  const std::vector<std::shared_ptr<MeshDevice>> owners_;  // of unit meshes; none for a submesh
  std::atomic<bool> closed_ = false;
  mutable lightmetal::Mutex mutex_;
  // By the first device's id: the ids of all devices.
  std::map<SubDeviceManagerId, std::vector<SubDeviceManagerId>> managers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal::distributed
