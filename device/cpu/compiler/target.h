#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/device_profile.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// What of a device's architecture a compiled kernel knows: alignments, numbers, defines.
enum class Architecture : uint8_t { kWormhole, kBlackhole };

// By DeviceProfile::arch. Whatever is not Blackhole counts as Wormhole, as it did in files from
// before there was more than one.
Architecture architecture_of(const DeviceProfile& profile);

// For what a kernel is compiled beyond running. Each combination of settings makes another object.
struct CompileSettings {
  // For a debugger that steps through the source: not optimised, with the real paths of sources.
  bool debug = false;
  // The kernel tells the device what it loads from L1 and stores there.
  bool check_uninitialized = false;
  // The architecture of the device that the kernel is for.
  Architecture architecture = Architecture::kWormhole;
  // A compute kernel also gets an object for each of its parts (lightmetal_kernel_abi_parts.h).
  bool split = false;
};

// The target of kernel objects: the backend, the device's architecture unless it is Wormhole, the
// processor's, the version of the kernel ABI ("cpu-x86_64-2", "cpu-blackhole-x86_64-4").
std::string kernel_target(Architecture architecture = Architecture::kWormhole,
                          uint32_t version = kernel_abi::kVersion);

// Whether a device of this architecture loads objects of a target: those of its ABI version and of
// older ones.
bool runs_target(absl::string_view target, Architecture architecture = Architecture::kWormhole);

}  // namespace lightmetal::device::cpu
