#include "host/event.h"

#include <algorithm>

#include "host/refusal.h"

namespace lightmetal::host {

uint64_t EventProgress::record() {
  pending_.insert(++recorded_);
  return recorded_;
}

uint64_t awaited_by_queue(uint64_t recorded) { return std::max<uint64_t>(recorded, 1); }

absl::Status check_awaited_by_host(uint64_t recorded) {
  if (recorded > 0) return absl::OkStatus();
  return refuse_now("Cannot synchronize with an event that was never recorded");
}

}  // namespace lightmetal::host
