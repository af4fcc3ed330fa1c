#include "device/cpu/machine/machine.h"

#include <utility>

#include "base/cpu_profile.h"
#include "base/status.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "device/noc.h"

namespace lightmetal::device::cpu {
namespace {

// Which profiles this device can have is decided by check_cpu_profile in base/, because the
// verifier of files decides it as well and must not include device/. Here the numbers of that rule
// are tied to those of the kernel ABI.
constexpr uint32_t kArgsEnd = kernel_abi::kArgsAddress + kProcessors * kernel_abi::kArgsStride;
static_assert(cpu_limits::kNocCoordinates == kNocCoordinates);
static_assert(cpu_limits::kDramBankSize == kNocLocalMask + 1);
static_assert(cpu_limits::kL1OfDevice == kArgsEnd);
static_assert(cpu_limits::kEthernetL1Size == kernel_abi::kEthernetL1Size);
static_assert(cpu_limits::kEthernetUnreservedBase == kernel_abi::kEthernetUnreservedBase);
static_assert(cpu_limits::kCircularBuffers == kernel_abi::kMaxCircularBuffers);
static_assert(cpu_limits::kWormholeCircularBuffers == kernel_abi::kFirstCircularBuffers);
static_assert(cpu_limits::kSemaphores ==
              (kernel_abi::kArgsAddress - kernel_abi::kSemaphoreAddress) /
                  kernel_abi::kSemaphoreStride);
static_assert(cpu_limits::kRuntimeArgs == kernel_abi::kArgsStride / sizeof(uint32_t));
static_assert(kernel_abi::kArgsAddress +
                  (static_cast<uint32_t>(Processor::kEthernet) + 1) * kernel_abi::kArgsStride <=
              kernel_abi::kEthernetUnreservedBase);

}  // namespace

absl::StatusOr<std::unique_ptr<Machine>> Machine::create(const DeviceOptions& options,
                                                         const kernel_abi::Services& services,
                                                         uint32_t checks) {
  LM_RETURN_IF_ERROR(check_cpu_profile(options.profile));
  LM_ASSIGN_OR_RETURN(memory, Memory::create(options.profile));
  LM_ASSIGN_OR_RETURN(print_sink, PrintSink::from_environment(options.chip_id));
  LM_ASSIGN_OR_RETURN(event_counts, EventCounts::from_environment());
  std::unique_ptr<Machine> machine(new Machine(options, services, std::move(memory),
                                               std::move(print_sink), std::move(event_counts)));
  LM_RETURN_IF_ERROR(machine->turn_on(checks));
  return machine;
}

Machine::Machine(const DeviceOptions& options, const kernel_abi::Services& services, Memory memory,
                 PrintSink print_sink, std::unique_ptr<EventCounts> event_counts)
    : chip_id_(options.chip_id),
      profile_(options.profile),
      services_(services),
      memory_(std::move(memory)),
      print_sink_(std::move(print_sink)),
      event_counts_(std::move(event_counts)),
      endpoints_(kNocEndpoints) {
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
    endpoints_[noc_endpoint(dram_banks_.back())] = {memory_.dram(bank), profile_.dram_bank_size,
                                                    nullptr, bank};
  }
}

// Ethernet cores have no marks: reads of L1 that nothing has written are found on workers only.
absl::Status Machine::turn_on(uint32_t checks) {
  const bool wants_events = event_counts_ != nullptr || marks_zones_;
  checks_ = checks | (wants_events ? kernel_abi::kCountEvents : 0u);
  if ((checks & kernel_abi::kCheckUninitialized) == 0) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(initialised, InitialisedMemory::create(profile_));
  initialised_ = std::move(initialised);
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
