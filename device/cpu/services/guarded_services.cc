#include "device/cpu/services/guarded_services.h"

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/kernels/processor_flags.h"
#include "device/cpu/kernels/service_members.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::Services;

const Services& services_of(Context* context) {
  return *static_cast<KernelRun*>(context->fiber)->services;
}

void switch_to_kernel() {
  if (host_memory_is_guarded()) enter_kernel_code();
}

void switch_to_host() {
  if (host_memory_is_guarded()) leave_kernel_code();
  reset_processor_flags();
  reset_floating_point();
  empty_x87_registers();
}

// While it lives, a service runs: host memory is open, and the processor is set as our code expects
// it. The end restores what the caller had: a service that calls another one through its gate stays
// a service.
class ServiceScope {
 public:
  ServiceScope() : by_kernel_(host_memory_is_guarded() && is_kernel_code()), mode_(vector_mode()) {
    switch_to_host();
  }
  ~ServiceScope() {
    if (mode_ != kVectorModeAtStart) [[unlikely]]
      set_vector_mode(mode_);
    if (by_kernel_) enter_kernel_code();
  }

  ServiceScope(const ServiceScope&) = delete;
  ServiceScope& operator=(const ServiceScope&) = delete;

 private:
  const bool by_kernel_;
  const uint32_t mode_;
};

template <class Table, size_t kIndex, class Service>
struct Gate;

// Stands in place of a service, the member kIndex of a table.
template <class Table, size_t kIndex, class Result, class... Args>
struct Gate<Table, kIndex, Result(Context*, Args...)> {
  static Result call(Context* context, Args... args) {
    // A service finds the kernel by its caller's frame, so this function must have a frame.
    asm volatile("" : : "r"(__builtin_frame_address(0)));
    const ServiceScope scope;
    const Table& table = table_of<Table>(services_of(context));
    return std::get<kIndex>(members_of(table))(context, args...);
  }
};

template <class Table, size_t... kIndices>
constexpr Table gates_of(std::index_sequence<kIndices...>);

// A table of gates to all services of a machine's own table.
template <class Table>
constexpr Table kGates = gates_of<Table>(std::make_index_sequence<sizeof(Table) / sizeof(void*)>());

template <class Table, size_t kIndex, class Member>
constexpr void put_gate(Member*& member) {
  if constexpr (std::is_function_v<Member>) {
    member = Gate<Table, kIndex, Member>::call;
  } else {
    member = &kGates<std::remove_const_t<Member>>;
  }
}

template <class Table, size_t... kIndices>
constexpr Table gates_of(std::index_sequence<kIndices...>) {
  Table table{};
  (put_gate<Table, kIndices>(std::get<kIndices>(members_of(table))), ...);
  return table;
}

}  // namespace

const Services& guarded_services() { return kGates<Services>; }

void enter_guarded_kernel() {
  const auto& run = *static_cast<const KernelRun*>(kernel_abi::context()->fiber);
  const CpuKernel::Entry entry = run.kernel->entry();
  switch_to_kernel();
  entry();
  switch_to_host();
}

}  // namespace lightmetal::device::cpu
