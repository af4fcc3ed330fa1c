#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/core.h"
#include "host/core_set.h"

namespace lightmetal::host {

inline constexpr uint8_t kNumNocs = 2;

const char* name_of(Processor processor);  // "RISCV_0"

// Which cores TT-Metalium means by the number of a core type. `what` ("semaphores") is on no cores
// of other types: InvalidArgument.
absl::StatusOr<CoreKind> kind_of_core_type(uint8_t core_type, absl::string_view what);

// A kernel as the other kernels of its program meet it.
struct Kernel {
  // The network that a data movement kernel uses.
  struct Noc {
    uint8_t number = 0;      // less than kNumNocs
    bool dedicated = false;  // no other data movement kernel may use it on the same core
  };

  std::string name = {};  // in errors
  CoreSet cores = {};
  Processor processor = Processor::kRiscv0;
  std::optional<Noc> noc = {};
};

// ---- Runtime arguments ----
// Those that were first set on a core fix their number there: later ones may be fewer, not more.

// The most that there may be of a core's own arguments and common ones together, whatever the
// device: a program meets this limit before it meets a device.
uint32_t most_arguments();

// `kernel` is placed on the core.
absl::Status check_argument_core(absl::string_view kernel, const CoreSet& cores, const Core& core);
// It may have `count` arguments on the core, where there are `before` of them (0: none yet), and
// `common` ones.
absl::Status check_arguments(absl::string_view kernel, const Core& core, uint64_t count,
                             uint64_t before, uint64_t common);
// It may have `count` common arguments, where there are `before` of them, and at most `most` on one
// of its cores.
absl::Status check_common_arguments(absl::string_view kernel, uint64_t count, uint64_t before,
                                    uint64_t most);

}  // namespace lightmetal::host
