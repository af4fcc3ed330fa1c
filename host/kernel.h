#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/core.h"
#include "host/core_set.h"

namespace lightmetal::host {

inline constexpr uint8_t kNumNocs = 2;

const char* name_of(Processor processor);  // "RISCV_0"

// The kind of core that TT-Metalium means by the number of a core type. InvalidArgument for a type
// whose cores have no `what` ("semaphores").
absl::StatusOr<CoreKind> kind_of_core_type(uint8_t core_type, absl::string_view what);

// The properties of a kernel by which it can conflict with the other kernels of its program.
struct Kernel {
  std::string name = {};  // the name by which errors name the kernel
  CoreSet cores = {};
  Processor processor = Processor::kRiscv0;
};

// The arguments that are first set on a core fix their number there: later ones may be fewer, never
// more. All rules return InvalidArgument.

// The most arguments that a kernel may have on a core, its own and the common ones together. The
// number holds for every device, because a program sets arguments before it meets a device; it is
// that of the default profile.
uint32_t most_arguments();

// `kernel`, which is placed on `cores`, runs on the core.
absl::Status check_argument_core(absl::string_view kernel, const CoreSet& cores, const Core& core);
// `kernel` may get `count` arguments on the core, where it has `before` (0: none yet) and `common`
// common ones.
absl::Status check_arguments(absl::string_view kernel, const Core& core, uint64_t count,
                             uint64_t before, uint64_t common);
// A program sets the common arguments of `kernel` once, where it has `before` (0: none yet), and
// changes them in place. Files of earlier versions set them again.
absl::Status check_common_arguments_unset(absl::string_view kernel, uint64_t before);
// `kernel` may get `count` common arguments, where it has `before` (0: none yet) and no core has
// more than `most` of its own.
absl::Status check_common_arguments(absl::string_view kernel, uint64_t count, uint64_t before,
                                    uint64_t most);

}  // namespace lightmetal::host
