#include "device/cpu/services/service_table.h"

#include "device/cpu/diagnosis/services.h"
#include "device/cpu/diagnosis/tile_checks.h"
#include "device/cpu/ethernet/services.h"
#include "device/cpu/parts/part_services.h"
#include "device/cpu/parts/tile_services.h"
#include "device/cpu/services/services.h"
#include "device/cpu/sfpu/services.h"
#include "device/cpu/tiles/services.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {
namespace {

kernel_abi::Services all_services() {
  kernel_abi::Services services{};
  fill_core_services(services);
  fill_tile_services(services);
  fill_sfpu_services(services);
  services.ethernet = &ethernet_services();
  services.diagnosis = &diagnosis_services();
  services.parts = &part_services();
  return services;
}

// The services with checks for uninitialised L1 around those of tiles. Those that move single words
// or ranges check by themselves where Context::checks says so.
struct CheckedServices {
  CheckedServices() : services(all_services()) { check_tile_services(services, tiles); }

  kernel_abi::Services services;
  kernel_abi::TileServices tiles{};
};

// The services of all parts.
struct PartsServices {
  explicit PartsServices(const kernel_abi::Services& whole)
      : parts{ServicesOfPart(kernel_abi::Part::kUnpack, whole),
              ServicesOfPart(kernel_abi::Part::kMath, whole),
              ServicesOfPart(kernel_abi::Part::kPack, whole)} {}

  const ServicesOfPart parts[kernel_abi::kComputeParts];
};

}  // namespace

const kernel_abi::Services& services_for(uint32_t checks) {
  static const kernel_abi::Services plain = all_services();
  static const CheckedServices checked;
  return (checks & kernel_abi::kCheckUninitialized) == 0 ? plain : checked.services;
}

const kernel_abi::Services& services_for(uint32_t checks, kernel_abi::Part part) {
  static const PartsServices plain(services_for(0));
  static const PartsServices checked(services_for(kernel_abi::kCheckUninitialized));
  const bool checks_reads = (checks & kernel_abi::kCheckUninitialized) != 0;
  return (checks_reads ? checked : plain).parts[static_cast<uint32_t>(part)].services;
}

}  // namespace lightmetal::device::cpu
