#include "device/cpu/diagnosis/circular_buffer_protocol.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/status.h"

namespace lightmetal::device::cpu {
namespace {

// Takes `pages` of those that an earlier call announced.
absl::Status take(uint32_t index, uint32_t pages, uint32_t* announced, const char* does,
                  const char* how) {
  if (pages <= *announced) {
    *announced -= pages;
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrFormat("circular buffer %d: %s %d %s, but has %s only %d", index, does, pages,
                      pages == 1 ? "page" : "pages", how, *announced));
}

absl::Status check_divides(uint32_t index, uint32_t pages, uint32_t num_pages, const char* does) {
  if (pages == 0 || num_pages % pages == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("circular buffer %d: %s %d pages at once, which do not divide its %d", index,
                      does, pages, num_pages));
}

}  // namespace

absl::Status CircularBufferProtocol::note(kernel_abi::CircularBufferCall call, uint32_t index,
                                          uint32_t pages, uint32_t num_pages) {
  Pages& known = pages_[index];
  switch (call) {
    case kernel_abi::CircularBufferCall::kWait:
      known.waited = std::max(known.waited, pages);
      break;
    case kernel_abi::CircularBufferCall::kReserve:
      known.reserved = std::max(known.reserved, pages);
      break;
    case kernel_abi::CircularBufferCall::kPop:
      LM_RETURN_IF_ERROR(take(index, pages, &known.waited, "pops", "waited for"));
      return check_divides(index, pages, num_pages, "pops");
    case kernel_abi::CircularBufferCall::kPush:
      LM_RETURN_IF_ERROR(take(index, pages, &known.reserved, "pushes", "reserved"));
      return check_divides(index, pages, num_pages, "pushes");
  }
  return absl::OkStatus();
}

}  // namespace lightmetal::device::cpu
