#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/timeline.h"

namespace lightmetal::bench {

// How many programs devices run in one more round of what was timed. REQUIRES: the devices were
// opened after timeline::enable().
inline uint64_t launches_in(const std::function<size_t()>& round) {
  timeline::start();
  round();
  uint64_t launches = 0;
  for (const timeline::Span& span : timeline::take().spans)
    launches += span.kind == timeline::Kind::kLaunch ? 1 : 0;
  return launches;
}

}  // namespace lightmetal::bench
