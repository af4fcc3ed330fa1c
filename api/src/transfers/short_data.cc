#include "api/src/transfers/short_data.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/math.hpp>

namespace tt::tt_metal {
namespace {

bool is_strict() {
  const char* checks = std::getenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
  return checks != nullptr && *checks != '\0' && std::string_view(checks) != "none";
}

}  // namespace

bool is_short_and_allowed(const Buffer& buffer, const BufferRegion& region, size_t given) {
  if (given >= region.size || is_strict()) return false;
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return true;
  log_warning(LogMetal,
              "A vector of {} B is written to {} B of buffer {}: the rest of the last page that it "
              "reaches becomes zeros (this is said once; LIGHTMETAL_CPU_DEVICE_CHECKS makes it an "
              "error)",
              given, region.size, buffer.unique_id());
  return true;
}

BufferRegion reached(const Buffer& buffer, const BufferRegion& region, size_t size) {
  return {region.offset, std::min(round_up(DeviceAddr{size}, buffer.page_size()), region.size)};
}

}  // namespace tt::tt_metal
