#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lightmetal {

// In which order a device runs the kernels of a launch, as far as the hardware leaves it open.
struct Schedule {
  enum class Kind : uint8_t {
    // As it comes: cores run at the same time, on as many threads as there are.
    Free,
    // One order, which is a function of the program alone.
    Fixed,
    // One of the orders that the hardware may take, which is a function of the program and `seed`.
    Random
  };

  Kind kind = Kind::Free;
  uint64_t seed = 0;  // of Random
  // Unpacking, math and packing of a compute kernel run as three processors, as far ahead of each
  // other as circular buffers and DST allow. Otherwise one processor does all three in turn.
  bool split = false;

  // Accepts "free", "fixed" or "random:SEED", each also with ",split" at its end, and "split",
  // which is "free,split". Returns InvalidArgument, with the expected forms, for any other text.
  static absl::StatusOr<Schedule> parse(absl::string_view text);

  // The text that parse() takes for this schedule.
  std::string text() const;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

}  // namespace lightmetal
