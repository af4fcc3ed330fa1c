#pragma once

#include <cstddef>
#include <cstdint>
#include <hostdevcommon/common_values.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/env_lib.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace tt::tt_metal {

class Allocator;
class CommandQueue;
struct TraceBuffer;
struct TraceDescriptor;
namespace distributed {
class MeshDevice;
}

// An open device. CreateDevice makes it and CloseDevice ends it; the pointer stays valid to the end
// of the process, so that buffers may outlive the device, but a closed device answers only
// is_initialized() and what cannot change. Sizes and addresses are in bytes. Thread-safe. Errors
// are std::runtime_error.
class IDevice {
 public:
  virtual ~IDevice() = default;

  virtual tt::ARCH arch() const = 0;
  virtual chip_id_t id() const = 0;
  virtual uint8_t num_hw_cqs() const = 0;
  virtual bool is_initialized() const = 0;
  // True: the host reaches each device directly, not through another one.
  virtual bool is_mmio_capable() const = 0;

  // Memory.
  virtual const std::shared_ptr<Allocator>& allocator() const = 0;
  // The clock of the chip that the profile describes; nothing here runs at that speed.
  virtual int get_clock_rate_mhz() const = 0;

  // DRAM channels are numbered from 0, and each is one bank; L1 banks are the cores of the compute
  // grid, row by row. These throw when there is no such core or bank; a DRAM channel that does not
  // exist has no bank ids.
  virtual int num_dram_channels() const = 0;
  virtual uint32_t l1_size_per_core() const = 0;
  virtual uint32_t dram_size_per_channel() const = 0;
  virtual uint32_t num_banks(const BufferType& buffer_type) const = 0;
  virtual uint32_t bank_size(const BufferType& buffer_type) const = 0;
  virtual uint32_t dram_channel_from_bank_id(uint32_t bank_id) const = 0;
  virtual CoreCoord logical_core_from_dram_channel(uint32_t dram_channel) const = 0;
  virtual uint32_t dram_channel_from_logical_core(const CoreCoord& logical_core) const = 0;
  // The NoC coordinate of the channel's bank, as on the chip. Upstream has it until early 2025.
  virtual CoreCoord dram_core_from_dram_channel(uint32_t dram_channel) const = 0;
  // The inverse of virtual_core_from_logical_core for DRAM cores. Throws when no DRAM channel is
  // there.
  virtual uint32_t dram_channel_from_virtual_core(const CoreCoord& virtual_core) const = 0;
  virtual int32_t bank_offset(BufferType buffer_type, uint32_t bank_id) const = 0;
  virtual CoreCoord logical_core_from_bank_id(uint32_t bank_id) const = 0;
  virtual std::vector<uint32_t> bank_ids_from_dram_channel(uint32_t dram_channel) const = 0;
  virtual std::vector<uint32_t> bank_ids_from_logical_core(BufferType buffer_type,
                                                           const CoreCoord& logical_core) const = 0;
  virtual DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const = 0;
  virtual uint32_t get_allocator_alignment(const HalMemType& mem_type) const = 0;
  // The larger of the alignments of L1 and DRAM.
  virtual uint32_t get_allocator_alignment() const = 0;
  // The lowest L1 address that a buffer occupies on any core, or on a core of those sub-devices;
  // none while there is no L1 buffer.
  virtual std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const = 0;
  virtual std::optional<DeviceAddr> lowest_occupied_compute_l1_address(
      tt::stl::Span<const SubDeviceId> sub_device_ids) const = 0;
  // What the device was opened with, in bytes per bank.
  virtual size_t get_l1_small_size() const = 0;
  virtual size_t get_trace_region_size() const = 0;

  // Cores. Worker cores have the NoC coordinates that kernels use; programs must treat them as
  // opaque. They are the same on both networks.
  virtual CoreCoord virtual_noc0_coordinate(uint8_t noc_index, CoreCoord coord) const = 0;
  // grid_size() reaches from NoC coordinate (0, 0) to the last worker; the logical grid and the
  // compute grid are the worker cores alone; the DRAM grid is one row of channels.
  virtual CoreCoord grid_size() const = 0;
  virtual CoreCoord logical_grid_size() const = 0;
  virtual CoreCoord dram_grid_size() const = 0;
  virtual CoreCoord compute_with_storage_grid_size() const = 0;
  // The NoC coordinate of a worker core, or of a core of any type. Throws when there is no such
  // core.
  virtual CoreCoord worker_core_from_logical_core(const CoreCoord& logical_core) const = 0;
  virtual std::vector<CoreCoord> worker_cores_from_logical_cores(
      const std::vector<CoreCoord>& logical_cores) const = 0;
  virtual CoreCoord virtual_core_from_logical_core(const CoreCoord& logical_coord,
                                                   const CoreType& core_type) const = 0;
  // These take a coordinate that virtual_core_from_logical_core gave. A DRAM core has only a memory
  // type: the first of the two throws for it. Both throw when nothing is there.
  virtual HalProgrammableCoreType get_programmable_core_type(CoreCoord virtual_core) const = 0;
  virtual HalMemType get_mem_type_of_core(CoreCoord virtual_core) const = 0;
  // The address and the size in bytes of a region of L1 on such a core. Throw for a DRAM core.
  uint64_t get_dev_addr(CoreCoord virtual_core, HalL1MemAddrType addr_type) const {
    return hal.get_dev_addr(get_programmable_core_type(virtual_core), addr_type);
  }
  uint64_t get_dev_size(CoreCoord virtual_core, HalL1MemAddrType addr_type) const {
    return hal.get_dev_size(get_programmable_core_type(virtual_core), addr_type);
  }
  // The inverse of worker_core_from_logical_core. Throws when no worker is there.
  virtual CoreCoord logical_core_from_worker_core(const CoreCoord& worker_core) const = 0;
  // For each DRAM bank a logical worker core that is as near to it as any, for requests through
  // that network. The cores differ as long as there are enough of them. Here no core is nearer than
  // another, on either network. (Upstream asks for the network since 2025, and has no default.)
  virtual std::vector<CoreCoord> get_optimal_dram_bank_to_logical_worker_assignment(
      NOC noc = NOC::NOC_0) = 0;
  // Logical cores that hold data and run no kernels: there are none.
  virtual const std::set<CoreCoord>& storage_only_cores() const = 0;

  // Ethernet cores have the logical coordinates (0, 0), (0, 1), ... Active ones have a wire to an
  // Ethernet core of another device that can be opened (GetNumAvailableDevices); none is reserved.
  // A wire carries data while both devices are open.
  virtual const std::set<CoreCoord>& ethernet_cores() const = 0;  // all logical ones
  virtual CoreCoord ethernet_core_from_logical_core(const CoreCoord& logical_core) const = 0;
  virtual std::vector<CoreCoord> ethernet_cores_from_logical_cores(
      const std::vector<CoreCoord>& logical_cores) const = 0;
  virtual CoreCoord logical_core_from_ethernet_core(const CoreCoord& ethernet_core) const = 0;
  virtual std::unordered_set<chip_id_t> get_ethernet_connected_device_ids() const = 0;
  virtual std::unordered_set<CoreCoord> get_active_ethernet_cores(
      bool skip_reserved_tunnel_cores = false) const = 0;
  virtual bool is_active_ethernet_core(CoreCoord logical_core,
                                       bool skip_reserved_tunnel_cores = false) const = 0;
  virtual std::unordered_set<CoreCoord> get_inactive_ethernet_cores() const = 0;
  virtual bool is_inactive_ethernet_core(CoreCoord logical_core) const = 0;
  // The other end of an active core's wire. Throws for a core that is not active.
  virtual std::tuple<chip_id_t, CoreCoord> get_connected_ethernet_core(
      CoreCoord eth_core) const = 0;
  // The cores with wires to a device: the n-th leads to the n-th that the other device gives for
  // this one. Throws when no wire leads to the device.
  virtual std::vector<CoreCoord> get_ethernet_sockets(chip_id_t connected_chip_id) const = 0;

  // The coordinate bits of a NoC address; both networks use the same.
  virtual uint32_t get_noc_unicast_encoding(uint8_t noc_index, const CoreCoord& core) const = 0;
  virtual uint32_t get_noc_multicast_encoding(uint8_t noc_index, const CoreRange& cores) const = 0;

  // Sub-devices. A manager is one way to divide the device into groups of cores that do not
  // overlap. At first a default manager is loaded, whose only sub-device is the whole grid. While
  // another manager is loaded:
  //   - The cores of a program lie in one sub-device. Programs on different sub-devices run at the
  //     same time; programs on one sub-device run one after the other.
  //   - Each sub-device has the low `local_l1_size` bytes of its cores' L1 to itself, for sharded
  //     buffers that name it. All other buffers lie above.
  //   - Reads, writes, events and blocking calls of a queue wait for the programs that the queue
  //     has enqueued on the sub-devices which the call names, or else on those of the stall group.
  // REQUIRES: one thread at a time changes managers and the stall group, and no other thread uses
  // the device meanwhile.
  virtual SubDeviceManagerId create_sub_device_manager(tt::stl::Span<const SubDevice> sub_devices,
                                                       DeviceAddr local_l1_size) = 0;
  virtual SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice> sub_devices,
                                                       DeviceAddr local_l1_size) = 0;
  // Throws when the manager is loaded.
  virtual void remove_sub_device_manager(SubDeviceManagerId sub_device_manager_id) = 0;
  // These wait for all queues. They throw when a buffer lies in the memory of a sub-device, when a
  // device trace is being captured, and (load) when a buffer lies where sub-devices' memory would.
  virtual void load_sub_device_manager(SubDeviceManagerId sub_device_manager_id) = 0;
  virtual void clear_loaded_sub_device_manager() = 0;
  virtual SubDeviceManagerId get_active_sub_device_manager_id() const = 0;
  virtual SubDeviceManagerId get_default_sub_device_manager_id() const = 0;
  // The memory of a sub-device; of the whole device while the default manager is loaded. Throws
  // when the sub-device has none of its own.
  virtual const std::shared_ptr<Allocator>& allocator(SubDeviceId sub_device_id) const = 0;
  // References are valid until another manager is loaded.
  virtual CoreRangeSet worker_cores(HalProgrammableCoreType core_type,
                                    SubDeviceId sub_device_id) const = 0;
  virtual uint32_t num_worker_cores(HalProgrammableCoreType core_type,
                                    SubDeviceId sub_device_id) const = 0;
  // The number of a sub-device's Ethernet cores: none, since sub-devices hold worker cores.
  virtual uint32_t num_virtual_eth_cores(SubDeviceId sub_device_id) = 0;
  virtual const std::vector<SubDeviceId>& get_sub_device_ids() const = 0;
  virtual const std::vector<SubDeviceId>& get_sub_device_stall_group() const = 0;
  virtual void set_sub_device_stall_group(tt::stl::Span<const SubDeviceId> sub_device_ids) = 0;
  virtual void reset_sub_device_stall_group() = 0;
  virtual uint32_t num_sub_devices() const = 0;

  // Queues and traces. The functions of host_api.hpp say what the functions of traces do.
  virtual CommandQueue& command_queue(size_t cq_id = 0) = 0;
  virtual const CommandQueue& command_queue(size_t cq_id = 0) const = 0;
  // Waits for all queues.
  virtual void synchronize() = 0;
  virtual void begin_trace(uint8_t cq_id, uint32_t trace_id) = 0;
  virtual void end_trace(uint8_t cq_id, uint32_t trace_id) = 0;
  virtual void replay_trace(uint8_t cq_id, uint32_t trace_id, bool block_on_device,
                            bool block_on_worker_thread = false) = 0;
  virtual void release_trace(uint32_t trace_id) = 0;
  virtual void load_trace(uint8_t cq_id, uint32_t trace_id, const TraceDescriptor& trace_desc) = 0;
  // Null when the device has no such trace.
  virtual std::shared_ptr<TraceBuffer> get_trace(uint32_t trace_id) = 0;
  virtual uint32_t get_trace_buffers_size() const = 0;

  // The program cache belongs to operation libraries; a device only keeps the switch.
  virtual void enable_program_cache() = 0;
  virtual void clear_program_cache() = 0;
  virtual void disable_and_clear_program_cache() = 0;
  virtual size_t num_program_cache_entries() = 0;
  // Changes nothing: calls reach the queues from the caller's thread whatever is set here.
  virtual void enable_async(bool enable) = 0;

  // As CloseDevice.
  // The mesh that this device is: of a unit mesh's device that mesh, whatever larger meshes have
  // the device, too. Null for a device of CreateDevice that has no owner.
  virtual std::shared_ptr<distributed::MeshDevice> get_mesh_device() = 0;
  virtual bool close() = 0;
};

}  // namespace tt::tt_metal

// Upstream's header brings these along. They need IDevice, so they stand at the end.
#include <tt-metalium/allocator.hpp>                // IWYU pragma: export
#include <tt-metalium/circular_buffer_types.hpp>    // IWYU pragma: export
#include <tt-metalium/command_queue_interface.hpp>  // IWYU pragma: export
#include <tt-metalium/constants.hpp>                // IWYU pragma: export
#include <tt-metalium/kernel_types.hpp>             // IWYU pragma: export
#include <tt-metalium/math.hpp>                     // IWYU pragma: export
#include <tt-metalium/program_impl.hpp>             // IWYU pragma: export
#include <tt-metalium/semaphore.hpp>                // IWYU pragma: export
#include <tt-metalium/tile.hpp>                     // IWYU pragma: export
#include <tt-metalium/tt_align.hpp>                 // IWYU pragma: export
#include <tt-metalium/util.hpp>                     // IWYU pragma: export
