#include "schema/semantics/profile_limits.h"

#include <bit>
#include <cstdint>

#include "base/cpu_profile.h"
#include "base/status.h"
#include "schema/semantics/cores.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

struct Limits {
  absl::string_view field;
  uint64_t value = 0;
  uint64_t least = 0;
  uint64_t most = 0;
};

absl::Status check_limits(const Object& object, const Limits& limits) {
  if (limits.least <= limits.value && limits.value <= limits.most) return absl::OkStatus();
  return wrong(object, absl::StrCat("profile.", limits.field), limits.value, limits.least, " to ",
               limits.most);
}

// round_up() and the division of memory into regions rely on powers of two.
absl::Status check_alignment(const Object& object, absl::string_view field, uint32_t value) {
  if (std::has_single_bit(value) && value <= 4096) return absl::OkStatus();
  return wrong(object, absl::StrCat("profile.", field), value, "a power of two up to 4096");
}

}  // namespace

absl::Status check_profile(const Object& object, const ::lightmetal::DeviceProfile& profile) {
  for (const Limits& limits : {
           Limits{"grid.x", profile.grid.x, 1, host::kMaxGrid},
           Limits{"grid.y", profile.grid.y, 1, host::kMaxGrid},
           Limits{"l1_size", profile.l1_size, 4096, 64 * kMiB},
           Limits{"l1_unreserved_base", profile.l1_unreserved_base, 0, profile.l1_size},
           Limits{"dram_banks", profile.dram_banks, 1, 256},
           Limits{"dram_bank_size", profile.dram_bank_size, 4096, 65536 * kMiB},
           Limits{"dram_unreserved_base", profile.dram_unreserved_base, 0, profile.dram_bank_size},
           Limits{"num_circular_buffers", profile.num_circular_buffers, 1, 256},
           Limits{"num_semaphores", profile.num_semaphores, 0, 1024},
           Limits{"max_runtime_args", profile.max_runtime_args, 0, 65536},
           Limits{"max_command_queues", profile.max_command_queues, 1, 64},
           Limits{"ethernet_cores", profile.ethernet_cores, 0, host::kMaxGrid},
           Limits{"ethernet_l1_size", profile.ethernet_l1_size, 0, 64 * kMiB},
       }) {
    LM_RETURN_IF_ERROR(check_limits(object, limits));
  }
  const absl::Status dram_cores = check_dram_cores(profile);
  if (!dram_cores.ok()) return not_now(object, dram_cores.message());
  LM_RETURN_IF_ERROR(check_alignment(object, "l1_alignment", profile.l1_alignment));
  return check_alignment(object, "dram_alignment", profile.dram_alignment);
}

}  // namespace lightmetal::schema::semantics
