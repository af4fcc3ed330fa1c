#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/core.h"

namespace lightmetal {

// Everything about a device that a recorded program can have relied on: a file carries the profile
// of each device that it uses, and is replayed only on a device with an equal one. The defaults are
// Wormhole B0's (n150: the last row of its 8x9 grid serves dispatch); blackhole_profile() is the
// other generation's. Sizes and addresses are in bytes. A profile is plain data and may be
// nonsense: base/cpu_profile.h says what the CPU device takes.
struct DeviceProfile {
  std::string arch = "wormhole_b0";
  Core grid{8, 8};  // size of the compute grid, columns by rows
  uint64_t l1_size = 1'499'136;
  uint64_t l1_unreserved_base = 0x19000;  // circular buffers grow up from here
  uint32_t l1_alignment = 16;
  uint32_t dram_banks = 12;
  uint64_t dram_bank_size = uint64_t{1} << 30;
  uint64_t dram_unreserved_base = 32;
  uint32_t dram_alignment = 32;
  uint32_t num_circular_buffers = 32;
  uint32_t num_semaphores = 16;     // per core
  uint32_t max_runtime_args = 341;  // words, unique and common together, per kernel and core
  Core first_worker{18, 18};  // NoC coordinate of logical core (0, 0); the others follow in rows
  uint32_t max_command_queues = 2;
  // Ethernet cores have the logical coordinates (0, 0), (0, 1), ... A profile of a file from before
  // there were any has none.
  uint32_t ethernet_cores = 8;
  uint64_t ethernet_l1_size = 0x40000;
  uint64_t ethernet_unreserved_base = 0x8000;  // programs may use their L1 from here
  Core first_ethernet{18, 16};  // NoC coordinate of the first; the others follow in its row
  // The NoC coordinate of each DRAM bank. Empty in a profile from before there were any:
  // noc_coordinate_of_dram_bank() says where the banks are then. On Wormhole, each channel has
  // three endpoints and serves two banks; these are the endpoints that its workers use.
  std::vector<Core> dram_cores = {{0, 11}, {0, 1}, {0, 5}, {0, 7}, {5, 1}, {5, 11},
                                  {5, 2},  {5, 9}, {5, 8}, {5, 3}, {5, 5}, {5, 7}};

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

// The names of architectures, as DeviceProfile::arch has them.
inline constexpr char kWormhole[] = "wormhole_b0";
inline constexpr char kBlackhole[] = "blackhole";

// Blackhole with nothing harvested (p150), whose last column of the 14x10 grid serves dispatch.
// What is the chip's comes from TT-Metalium's public descriptions of it, as the ttnn package 0.81.1
// has them: soc_descriptors/blackhole_140_arch.yaml (L1 and DRAM sizes, and for each DRAM bank the
// endpoint that workers use on NoC 0), core_descriptors/blackhole_140_arch.yaml (the compute grid),
// noc_parameters.h of blackhole (alignments), circular_buffer_constants.h (circular buffers). What
// is ours: the chip's workers lie on both sides of columns 8 and 9 of the NoC and here in one
// rectangle away from its DRAM; Ethernet cores are as many as on the other profile, with the same
// L1.
DeviceProfile blackhole_profile();

// The profile of an architecture by its name; none for a name that is not known.
std::optional<DeviceProfile> profile_named(absl::string_view arch);

}  // namespace lightmetal
