// Programs, kernels and semaphores.
#include <algorithm>

#include "base/status.h"
#include "schema/blob.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint8_t kNumNocs = 2;
constexpr uint8_t kNumNocModes = 2;
constexpr uint8_t kDedicatedNoc = 0;
constexpr uint8_t kNumEthernetModes = 3;
// What the host keeps for each core of a kernel, a circular buffer or a semaphore, about.
constexpr uint64_t kBytesOnCore = 160;
// Besides that, for a place in the largest grid.
constexpr uint64_t kBytesInGrid = 16;

absl::Status check_less(const Object& object, absl::string_view field, uint32_t value,
                        uint32_t end) {
  if (value < end) return absl::OkStatus();
  return wrong(object, field, value, "less than ", end);
}

// What the configuration of a kernel says, for all kinds of kernels.
struct KernelPlace {
  Processor processor = Processor::Riscv0;
  bool moves_data = false;
  uint8_t noc = 0;
  bool needs_noc_for_itself = false;
};

absl::StatusOr<KernelPlace> place_of(const Object& object, const DataMovementConfig& config) {
  if (config.processor() != Processor::Riscv0 && config.processor() != Processor::Riscv1) {
    return wrong(object, "config.processor", EnumNameProcessor(config.processor()),
                 "Riscv0 or Riscv1");
  }
  LM_RETURN_IF_ERROR(check_less(object, "config.noc", config.noc(), kNumNocs));
  LM_RETURN_IF_ERROR(check_less(object, "config.noc_mode", config.noc_mode(), kNumNocModes));
  return KernelPlace{config.processor(), true, config.noc(), config.noc_mode() == kDedicatedNoc};
}

absl::StatusOr<KernelPlace> place_of(const Object& object, const ComputeConfig& config) {
  const uint8_t fidelity = config.math_fidelity();  // TT-Metalium's numbers
  if (fidelity != 0 && fidelity != 2 && fidelity != 3 && fidelity != 4) {
    return wrong(object, "config.math_fidelity", static_cast<int>(fidelity), "0, 2, 3 or 4");
  }
  return KernelPlace{.processor = Processor::Compute};
}

absl::StatusOr<KernelPlace> place_of(const Object& object, const EthernetConfig& config) {
  if (config.processor() != Processor::Riscv0) {
    return wrong(object, "config.processor", EnumNameProcessor(config.processor()),
                 "Riscv0, the one processor of an Ethernet core");
  }
  LM_RETURN_IF_ERROR(check_less(object, "config.noc", config.noc(), kNumNocs));
  LM_RETURN_IF_ERROR(check_less(object, "config.eth_mode", config.eth_mode(), kNumEthernetModes));
  return KernelPlace{.processor = Processor::Ethernet};
}

absl::StatusOr<KernelPlace> place_of(const KernelCreate& call) {
  const Object object{"kernel", call.id()};
  if (const auto* config = call.config_as_ComputeConfig()) return place_of(object, *config);
  if (const auto* config = call.config_as_EthernetConfig()) return place_of(object, *config);
  return place_of(object, *call.config_as_DataMovementConfig());
}

// Takes a place on cores of the program.
absl::Status take(const KernelPlace& place, const KernelState& kernel, ProgramState& program) {
  CoreSet& processor = program.processors[static_cast<size_t>(place.processor)];
  if (processor.intersects(kernel.cores)) {
    return wrong(kernel.object(), "cores", absl::StrCat("a set of ", kernel.cores.count()),
                 "cores whose processor ", EnumNameProcessor(place.processor),
                 " no other kernel of the program has");
  }
  processor.add(kernel.cores);
  if (!place.moves_data) return absl::OkStatus();
  const CoreSet& used =
      place.needs_noc_for_itself ? program.nocs[place.noc] : program.dedicated_nocs[place.noc];
  if (used.intersects(kernel.cores)) {
    return wrong(kernel.object(), "config.noc", static_cast<int>(place.noc),
                 "a network that no other kernel of the program uses on its cores");
  }
  program.nocs[place.noc].add(kernel.cores);
  if (place.needs_noc_for_itself) program.dedicated_nocs[place.noc].add(kernel.cores);
  return absl::OkStatus();
}

// TT-Metalium's numbers of the core types that have semaphores.
enum class CoreType : uint8_t {
  kActiveEthernet = 2,
  kIdleEthernet = 3,
  kTensix = 5,
  kEthernet = 8,
  kWorker = 9
};

absl::StatusOr<bool> is_ethernet(const Object& object, uint8_t core_type) {
  switch (static_cast<CoreType>(core_type)) {
    case CoreType::kWorker:
    case CoreType::kTensix:
      return false;
    case CoreType::kEthernet:
    case CoreType::kActiveEthernet:
    case CoreType::kIdleEthernet:
      return true;
  }
  return wrong(object, "core_type", static_cast<int>(core_type), "worker or Ethernet cores");
}

}  // namespace

absl::Status Checker::check_cores(const Object& object, const CoreSet& cores) {
  if (!cores.empty()) return absl::OkStatus();
  return wrong(object, "cores", "empty", "at least one core");
}

absl::Status Checker::check(const ProgramCreate& call) {
  auto program = std::make_shared<ProgramState>();
  program->id = call.id();
  return add(programs_, std::move(program));
}

absl::Status Checker::check(const ProgramDestroy& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  for (const auto& kernel : program->kernels) kernels_.remove(kernel->id);
  for (const auto& buffer : program->circular_buffers) circular_buffers_.remove(buffer->id);
  programs_.remove(call.program());
  return absl::OkStatus();
}

absl::Status Checker::check(const KernelCreate& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  auto kernel = std::make_shared<KernelState>();
  kernel->id = call.id();
  kernel->program = program.get();
  const Object object = kernel->object();
  if (program->compiled)
    return not_now(program->object(), "a kernel is added after it was compiled");
  if (call.handle() != program->kernels.size()) {
    return wrong(object, "handle", call.handle(), program->kernels.size(),
                 ", the number of kernels that the program has");
  }
  LM_ASSIGN_OR_RETURN(place, place_of(call));
  LM_ASSIGN_OR_RETURN(cores, CoreSet::of(call.cores(), object, "cores"));
  LM_RETURN_IF_ERROR(check_cores(object, cores));
  kernel->cores = cores;
  kernel->processor = place.processor;
  LM_RETURN_IF_ERROR(take(place, *kernel, *program));
  LM_RETURN_IF_ERROR(kernel->charge.add(
      budget_,
      cores.count() * kBytesOnCore + uint64_t{cores.end().x} * cores.end().y * kBytesInGrid));
  program->kernels.push_back(kernel);
  return add(kernels_, std::move(kernel));
}

// A replay takes each out of the file once for each target.
absl::Status Checker::keep_kernel_object(const flatbuffers::String& target, const BlobRef& object) {
  if (!kernel_objects_.emplace(target.str(), to_digest(object.digest())).second) {
    return absl::OkStatus();
  }
  return budget_.take(object.size() + target.size() + kObjectBytes);
}

absl::Status Checker::check(const KernelBinary& call) {
  LM_ASSIGN_OR_RETURN(kernel, kernels_.find(call.kernel()));
  if (call.target() == nullptr || call.target()->size() == 0) {
    return wrong(kernel->object(), "target", "empty", "what the object is for");
  }
  if (call.object()->size() == 0) return wrong(kernel->object(), "object", "empty", "a kernel");
  kernel->has_object = true;
  return keep_kernel_object(*call.target(), *call.object());
}

absl::Status Checker::check(const CreateSemaphore& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  const Object object = program->object();
  if (program->compiled) return not_now(object, "a semaphore is added after it was compiled");
  LM_ASSIGN_OR_RETURN(cores, CoreSet::of(call.cores(), object, "cores"));
  LM_RETURN_IF_ERROR(check_cores(object, cores));
  LM_ASSIGN_OR_RETURN(ethernet, is_ethernet(object, call.core_type()));
  auto& taken = ethernet ? program->ethernet_semaphores : program->worker_semaphores;
  uint32_t free = 0;
  while (free < kNumSemaphores && taken[free].intersects(cores)) ++free;
  if (call.semaphore_id() != free || free == kNumSemaphores) {
    return wrong(object, "semaphore_id", call.semaphore_id(), free,
                 ", the first that is free on all of its cores, and less than ", kNumSemaphores);
  }
  taken[free].add(cores);
  return program->charge.add(budget_, kBytesOfCores + cores.count() * kBytesOnCore);
}

absl::Status Checker::check(const AssignGlobalBufferToProgram& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  program->buffers.push_back(std::move(buffer));
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
