// Programs, kernels and semaphores.
#include <algorithm>

#include "base/status.h"
#include "schema/file/blob.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint8_t kNumNocModes = 2;
constexpr uint8_t kNumEthernetModes = 3;
// About what the host keeps for each core of a kernel, a circular buffer or a semaphore, in bytes.
constexpr uint64_t kBytesOnCore = 160;
// About what it keeps besides for each place of the grid that a kernel's cores span.
constexpr uint64_t kBytesInGrid = 16;

// For values of an enumeration of the host API: no program has given another one.
absl::Status check_less(const Object& object, absl::string_view field, uint32_t value,
                        uint32_t end) {
  if (value < end) return absl::OkStatus();
  return of_files_alone(wrong(object, field, value, "less than ", end));
}

// A kernel as its configuration describes it: without its cores and its name.
using Place = absl::StatusOr<host::Kernel>;

Place place_of(const Object& object, const DataMovementConfig& config) {
  if (config.processor() != Processor::Riscv0 && config.processor() != Processor::Riscv1) {
    return of_files_alone(wrong(object, "config.processor", EnumNameProcessor(config.processor()),
                                "Riscv0 or Riscv1"));
  }
  LM_RETURN_IF_ERROR(check_less(object, "config.noc", config.noc(), host::kNumNocs));
  LM_RETURN_IF_ERROR(check_less(object, "config.noc_mode", config.noc_mode(), kNumNocModes));
  return host::Kernel{.processor = static_cast<::lightmetal::Processor>(config.processor())};
}

Place place_of(const Object& object, const ComputeConfig& config) {
  const uint8_t fidelity = config.math_fidelity();  // TT-Metalium's numbers
  if (fidelity != 0 && fidelity != 2 && fidelity != 3 && fidelity != 4) {
    return of_files_alone(
        wrong(object, "config.math_fidelity", static_cast<int>(fidelity), "0, 2, 3 or 4"));
  }
  return host::Kernel{.processor = ::lightmetal::Processor::kCompute};
}

Place place_of(const Object& object, const EthernetConfig& config) {
  if (config.processor() != Processor::Riscv0) {
    return wrong(object, "config.processor", EnumNameProcessor(config.processor()),
                 "Riscv0, the one processor of an Ethernet core");
  }
  LM_RETURN_IF_ERROR(check_less(object, "config.noc", config.noc(), host::kNumNocs));
  LM_RETURN_IF_ERROR(check_less(object, "config.eth_mode", config.eth_mode(), kNumEthernetModes));
  return host::Kernel{.processor = ::lightmetal::Processor::kEthernet};
}

Place place_of(const KernelCreate& call) {
  const Object object{"kernel", call.id()};
  if (const auto* config = call.config_as_ComputeConfig()) return place_of(object, *config);
  if (const auto* config = call.config_as_EthernetConfig()) return place_of(object, *config);
  return place_of(object, *call.config_as_DataMovementConfig());
}

}  // namespace

absl::Status Checker::charge_tables(ProgramState& program, size_t sets_before, uint64_t more) {
  const uint64_t new_sets = program.host.num_core_sets() - sets_before;
  return program.charge.add(budget_, new_sets * kBytesOfCores + more);
}

absl::Status Checker::check(const ProgramCreate& call) {
  return add(programs_, std::make_shared<ProgramState>(call.id()));
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
  LM_ASSIGN_OR_RETURN(place, place_of(call));
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.cores(), object, "cores"));
  place.name = absl::StrCat(call.id());
  place.cores = cores;
  const absl::StatusOr<size_t> number = program->host.add_kernel(std::move(place));
  LM_RETURN_IF_ERROR(about(object, number.status()));
  kernel->number = *number;
  if (call.handle() != kernel->number) {
    return wrong(object, "handle", call.handle(), kernel->number,
                 ", the number of kernels that the program has");
  }
  LM_RETURN_IF_ERROR(kernel->charge.add(
      budget_,
      cores.count() * kBytesOnCore + uint64_t{cores.end().x} * cores.end().y * kBytesInGrid));
  program->kernels.push_back(kernel);
  return add(kernels_, std::move(kernel));
}

// A replay takes each object out of the file once for each target, and keeps it to the end.
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
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.cores(), object, "cores"));
  const auto kind = host::kind_of_core_type(call.core_type(), "semaphores");
  LM_RETURN_IF_ERROR(about(object, "core_type", kind.status()));
  const size_t sets_before = program->host.num_core_sets();
  const absl::StatusOr<uint32_t> id = program->host.add_semaphore(cores, *kind);
  LM_RETURN_IF_ERROR(about(object, id.status()));
  if (call.semaphore_id() != *id) {
    return wrong(object, "semaphore_id", call.semaphore_id(), *id,
                 ", the first that is free on all of its cores");
  }
  return charge_tables(*program, sets_before, cores.count() * kBytesOnCore);
}

absl::Status Checker::check(const CreateSemaphoreWithId& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  const Object object = program->object();
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.cores(), object, "cores"));
  const auto kind = host::kind_of_core_type(call.core_type(), "semaphores");
  LM_RETURN_IF_ERROR(about(object, "core_type", kind.status()));
  const size_t sets_before = program->host.num_core_sets();
  LM_RETURN_IF_ERROR(
      about(object, program->host.add_semaphore_with_id(cores, *kind, call.semaphore_id())));
  return charge_tables(*program, sets_before, cores.count() * kBytesOnCore);
}

absl::Status Checker::check(const AssignGlobalBufferToProgram& call) {
  LM_ASSIGN_OR_RETURN(program, programs_.find(call.program()));
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  program->buffers.push_back(std::move(buffer));
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
