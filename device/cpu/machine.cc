#include "device/cpu/machine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "device/cpu/diagnosis/services.h"
#include "device/cpu/diagnosis/tile_checks.h"
#include "device/cpu/ethernet/services.h"
#include "device/cpu/kernel_headers/lightmetal_kernel_abi_ethernet.h"
#include "device/cpu/services.h"
#include "device/cpu/sfpu/services.h"
#include "device/cpu/tiles/services.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

absl::Status check_limit(const char* what, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the device profile's ", what, " is ", value,
                                                 "; the CPU device takes ", least, " to ", most));
}

absl::Status check_grid(const DeviceProfile& profile) {
  // One row is left for the DRAM banks.
  const uint32_t last_x = kNocCoordinates - 1;
  LM_RETURN_IF_ERROR(check_limit("first_worker.x", profile.first_worker.x, 0, last_x));
  LM_RETURN_IF_ERROR(check_limit("first_worker.y", profile.first_worker.y, 0, last_x - 1));
  const uint32_t rows =
      kNocCoordinates - profile.first_worker.y - (profile.first_worker.y == 0 ? 1 : 0);
  LM_RETURN_IF_ERROR(
      check_limit("grid.x", profile.grid.x, 1, kNocCoordinates - profile.first_worker.x));
  LM_RETURN_IF_ERROR(check_limit("grid.y", profile.grid.y, 1, rows));
  return check_limit("dram_banks", profile.dram_banks, 1, kNocCoordinates);
}

bool shares_coordinates(const DeviceProfile& profile) {
  for (uint32_t index = 0; index < profile.ethernet_cores; ++index) {
    const Core noc = noc_coordinate_of_ethernet(profile, index);
    const Core logical{noc.x - profile.first_worker.x, noc.y - profile.first_worker.y};
    if (logical.x < profile.grid.x && logical.y < profile.grid.y) return true;
    if (noc.x < profile.dram_banks && noc == noc_coordinate_of_dram_bank(profile, noc.x))
      return true;
  }
  return false;
}

// Kernels know the sizes as constants.
absl::Status check_ethernet(const DeviceProfile& profile) {
  using namespace kernel_abi;
  if (profile.ethernet_cores == 0) return absl::OkStatus();
  LM_RETURN_IF_ERROR(
      check_limit("first_ethernet.y", profile.first_ethernet.y, 0, kNocCoordinates - 1));
  LM_RETURN_IF_ERROR(
      check_limit("first_ethernet.x", profile.first_ethernet.x, 0, kNocCoordinates - 1));
  LM_RETURN_IF_ERROR(check_limit("ethernet_cores", profile.ethernet_cores, 1,
                                 kNocCoordinates - profile.first_ethernet.x));
  LM_RETURN_IF_ERROR(
      check_limit("ethernet_l1_size", profile.ethernet_l1_size, kEthernetL1Size, kEthernetL1Size));
  LM_RETURN_IF_ERROR(check_limit("ethernet_unreserved_base", profile.ethernet_unreserved_base,
                                 kEthernetUnreservedBase, kEthernetUnreservedBase));
  if (!shares_coordinates(profile)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the device profile's first_ethernet (", profile.first_ethernet.x, ", ",
      profile.first_ethernet.y, ") puts Ethernet cores where workers or DRAM banks are"));
}

}  // namespace

absl::Status check_profile(const DeviceProfile& profile) {
  using namespace kernel_abi;
  constexpr uint64_t kArgsEnd = kArgsAddress + kProcessors * kArgsStride;
  static_assert(kArgsAddress + (static_cast<uint32_t>(Processor::kEthernet) + 1) * kArgsStride <=
                kEthernetUnreservedBase);
  LM_RETURN_IF_ERROR(check_grid(profile));
  LM_RETURN_IF_ERROR(check_ethernet(profile));
  LM_RETURN_IF_ERROR(check_limit("dram_bank_size", profile.dram_bank_size, 1, kNocLocalMask + 1));
  LM_RETURN_IF_ERROR(check_limit("l1_size", profile.l1_size, kArgsEnd, uint64_t{2} << 30));
  LM_RETURN_IF_ERROR(
      check_limit("l1_unreserved_base", profile.l1_unreserved_base, kArgsEnd, profile.l1_size));
  LM_RETURN_IF_ERROR(
      check_limit("num_circular_buffers", profile.num_circular_buffers, 0, kMaxCircularBuffers));
  LM_RETURN_IF_ERROR(check_limit("num_semaphores", profile.num_semaphores, 0,
                                 (kArgsAddress - kSemaphoreAddress) / kSemaphoreStride));
  return check_limit("max_runtime_args", profile.max_runtime_args, 0, kArgsStride / 4);
}

absl::StatusOr<std::unique_ptr<Machine>> Machine::create(const DeviceOptions& options) {
  LM_RETURN_IF_ERROR(check_profile(options.profile));
  LM_ASSIGN_OR_RETURN(memory, Memory::create(options.profile));
  LM_ASSIGN_OR_RETURN(print_sink, PrintSink::from_environment(options.chip_id));
  LM_ASSIGN_OR_RETURN(event_counts, EventCounts::from_environment());
  return std::unique_ptr<Machine>(new Machine(options.profile, std::move(memory),
                                              std::move(print_sink), std::move(event_counts)));
}

Machine::Machine(DeviceProfile profile, Memory memory, PrintSink print_sink,
                 std::unique_ptr<EventCounts> event_counts)
    : profile_(std::move(profile)),
      memory_(std::move(memory)),
      print_sink_(std::move(print_sink)),
      event_counts_(std::move(event_counts)),
      endpoints_(kNocEndpoints) {
  fill_core_services(services_);
  fill_tile_services(services_);
  fill_sfpu_services(services_);
  services_.ethernet = &ethernet_services();
  services_.diagnosis = &diagnosis_services();
  for (uint32_t bank = 0; bank < num_l1_banks(profile_); ++bank) {
    const Core core = core_of_l1_bank(profile_, bank);
    const Core noc = noc_coordinate_of_worker(profile_, core);
    add_core(CoreKind::kWorker, core, noc, memory_.l1(core));
    l1_banks_.push_back(noc_address(noc, 0));
  }
  for (uint32_t index = 0; index < profile_.ethernet_cores; ++index) {
    add_core(CoreKind::kEthernet, {0, index}, noc_coordinate_of_ethernet(profile_, index),
             memory_.ethernet_l1(index));
  }
  for (uint32_t bank = 0; bank < profile_.dram_banks; ++bank) {
    dram_banks_.push_back(noc_address(noc_coordinate_of_dram_bank(profile_, bank), 0));
    endpoints_[noc_endpoint(dram_banks_.back())] = {memory_.dram(bank), profile_.dram_bank_size};
  }
}

absl::Status Machine::turn_on(uint32_t checks) {
  checks_ = checks | (event_counts_ == nullptr ? 0u : kernel_abi::kCountEvents);
  if ((checks & kernel_abi::kCheckUninitialized) == 0) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(initialised, InitialisedMemory::create(profile_));
  initialised_ = std::move(initialised);
  check_tile_services(services_, tile_services_);
  for (CoreState& core : cores_) core.initialised = initialised_.marks(core.core);
  return absl::OkStatus();
}

void Machine::add_core(CoreKind kind, Core core, Core noc, std::byte* l1) {
  const bool worker = kind == CoreKind::kWorker;
  const uint64_t size = worker ? profile_.l1_size : profile_.ethernet_l1_size;
  const uint64_t unreserved =
      worker ? profile_.l1_unreserved_base : profile_.ethernet_unreserved_base;
  CoreState& state = (worker ? cores_ : ethernet_cores_)
                         .emplace_back(kind, core, l1, size, static_cast<uint32_t>(unreserved),
                                       profile_.num_semaphores * kernel_abi::kSemaphoreStride);
  endpoints_[noc_endpoint(noc_address(noc, 0))] = {state.memory, size, &state};
}

}  // namespace lightmetal::device::cpu
