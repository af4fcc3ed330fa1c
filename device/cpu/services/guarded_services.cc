#include "device/cpu/services/guarded_services.h"

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/kernels/processor_flags.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::DiagnosisServices;
using kernel_abi::EthernetServices;
using kernel_abi::Services;
using kernel_abi::SfpuServices;
using kernel_abi::TileServices;

const Services& services_of(Context* context) {
  return static_cast<KernelRun*>(context->fiber)->worker->machine().services();
}

// The machine's own table of each kind.
const Services& own(const Services& services, Services*) { return services; }
const TileServices& own(const Services& services, TileServices*) { return *services.tiles; }
const SfpuServices& own(const Services& services, SfpuServices*) { return *services.sfpu; }
const DiagnosisServices& own(const Services& services, DiagnosisServices*) {
  return *services.diagnosis;
}
const EthernetServices& own(const Services& services, EthernetServices*) {
  return *services.ethernet;
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

// While a service runs: host memory is open and the processor set as our code expects it. A service
// that calls another one is not left by that.
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

template <auto kMember>
struct Gate;

template <class Table, class Result, class... Args, Result (*Table::*kMember)(Context*, Args...)>
struct Gate<kMember> {
  static Result call(Context* context, Args... args) {
    // A service finds the kernel by its caller's frame: so this has one.
    asm volatile("" : : "r"(__builtin_frame_address(0)));
    const ServiceScope scope;
    return (own(services_of(context), static_cast<Table*>(nullptr)).*kMember)(context, args...);
  }
  static void put_into(Table& table) { table.*kMember = call; }
};

template <auto kMember, class Table>
void guard(Table& table) {
  Gate<kMember>::put_into(table);
}

TileServices guarded_tile() {
  TileServices table{};
  guard<&TileServices::binary_tiles_broadcast>(table);
  guard<&TileServices::copy_tile_broadcast>(table);
  guard<&TileServices::reduce_tile>(table);
  guard<&TileServices::reduce_rows>(table);
  guard<&TileServices::transpose_tile>(table);
  guard<&TileServices::transpose_dst>(table);
  guard<&TileServices::matmul_block>(table);
  guard<&TileServices::tilize>(table);
  guard<&TileServices::untilize>(table);
  guard<&TileServices::pack_untilize>(table);
  return table;
}
// A service that is missing here would be a null pointer.
static_assert(sizeof(TileServices) == 10 * sizeof(void*));

SfpuServices guarded_sfpu() {
  SfpuServices table{};
  guard<&SfpuServices::dst_values>(table);
  guard<&SfpuServices::unary>(table);
  guard<&SfpuServices::binary>(table);
  guard<&SfpuServices::ternary>(table);
  guard<&SfpuServices::integer_unary>(table);
  guard<&SfpuServices::integer_binary>(table);
  guard<&SfpuServices::where>(table);
  guard<&SfpuServices::mask>(table);
  guard<&SfpuServices::fill>(table);
  guard<&SfpuServices::copy>(table);
  guard<&SfpuServices::typecast>(table);
  guard<&SfpuServices::cumulative_sum>(table);
  guard<&SfpuServices::random>(table);
  guard<&SfpuServices::dropout>(table);
  return table;
}
// A service that is missing here would be a null pointer.
static_assert(sizeof(SfpuServices) == 14 * sizeof(void*));

DiagnosisServices guarded_diagnosis() {
  DiagnosisServices table{};
  guard<&DiagnosisServices::noc_barrier>(table);
  guard<&DiagnosisServices::count_event>(table);
  guard<&DiagnosisServices::circular_buffer_call>(table);
  guard<&DiagnosisServices::semaphore_used>(table);
  guard<&DiagnosisServices::l1_loaded>(table);
  guard<&DiagnosisServices::l1_stored>(table);
  guard<&DiagnosisServices::tolerate>(table);
  return table;
}
// A service that is missing here would be a null pointer.
static_assert(sizeof(DiagnosisServices) == 7 * sizeof(void*));

EthernetServices guarded_ethernet() {
  EthernetServices table{};
  guard<&EthernetServices::send>(table);
  guard<&EthernetServices::write_word>(table);
  guard<&EthernetServices::wait_for_word>(table);
  return table;
}
// A service that is missing here would be a null pointer.
static_assert(sizeof(EthernetServices) == 3 * sizeof(void*));

Services guarded_core() {
  Services table{};
  guard<&Services::cb_wait_front>(table);
  guard<&Services::cb_reserve_back>(table);
  guard<&Services::noc_read>(table);
  guard<&Services::noc_write>(table);
  guard<&Services::noc_multicast>(table);
  guard<&Services::noc_write_word>(table);
  guard<&Services::noc_increment>(table);
  guard<&Services::semaphore_wait>(table);
  guard<&Services::yield>(table);
  guard<&Services::print>(table);
  guard<&Services::fail>(table);
  guard<&Services::dst_acquire>(table);
  guard<&Services::copy_tile>(table);
  guard<&Services::pack_tile>(table);
  guard<&Services::binary_tiles>(table);
  guard<&Services::binary_dest_reuse>(table);
  guard<&Services::matmul_tiles>(table);
  guard<&Services::unary_tile>(table);
  guard<&Services::pack_relu>(table);
  static const TileServices tiles = guarded_tile();
  static const SfpuServices sfpu = guarded_sfpu();
  static const DiagnosisServices diagnosis = guarded_diagnosis();
  static const EthernetServices ethernet = guarded_ethernet();
  table.tiles = &tiles;
  table.sfpu = &sfpu;
  table.diagnosis = &diagnosis;
  table.ethernet = &ethernet;
  return table;
}
// A service that is missing here would be a null pointer.
static_assert(sizeof(Services) == 23 * sizeof(void*));

}  // namespace

const Services& guarded_services() {
  static const Services services = guarded_core();
  return services;
}

void enter_guarded_kernel() {
  const auto& run = *static_cast<const KernelRun*>(kernel_abi::context()->fiber);
  const CpuKernel::Entry entry = run.kernel->entry();
  switch_to_kernel();
  entry();
  switch_to_host();
}

}  // namespace lightmetal::device::cpu
