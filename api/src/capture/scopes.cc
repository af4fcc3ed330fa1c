#include "api/src/capture/scopes.h"

#include <cstdint>
#include <string_view>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>

#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "base/mutex.h"
#include "base/timeline.h"
#include "capture/capture.h"
#include "capture/session.h"
#include "host/scopes.h"

namespace tt::tt_metal {
namespace {

namespace timeline = lightmetal::timeline;

struct Scopes {
  lightmetal::host::Scopes open;
  std::vector<int64_t> begins;  // of those that are open
};

constinit lightmetal::Mutex g_mutex;
Scopes& scopes() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_mutex) {
  static auto& scopes = *new Scopes;
  return scopes;
}

// How long a scope took. Only captures that say where they come from have it: otherwise equal
// programs give equal files.
struct Duration {
  uint64_t nanoseconds;
};
[[maybe_unused]] uint64_t field(lightmetal::capture::Encoder&, const Duration& duration) {
  return lightmetal::capture::records_origin() ? duration.nanoseconds : 0;
}

// Ends the innermost scope, and returns how long it was open.
Duration end_innermost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_mutex) {
  std::string name = scopes().open.open().empty() ? "" : scopes().open.open().back();
  throw_if_error(scopes().open.end());
  const int64_t begin = scopes().begins.back(), end = timeline::now();
  scopes().begins.pop_back();
  const auto depth = static_cast<uint32_t>(scopes().begins.size());
  timeline::add({.kind = timeline::Kind::kScope,
                 .begin = begin,
                 .end = end,
                 .depth = depth,
                 .name = std::move(name)});
  return {static_cast<uint64_t>(end - begin)};
}

}  // namespace

// The lock is held while a call is recorded, so that the file has the scopes in the order in which
// the rule saw them: otherwise an end could come before its beginning.
void LightMetalScopeBegin(std::string_view name) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  lightmetal::MutexLock lock(&g_mutex);
  throw_if_error(scopes().open.begin(name));
  scopes().begins.push_back(timeline::now());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ScopeBegin>,
                                  absl::string_view(name.data(), name.size()));
}

void LightMetalScopeEnd() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  lightmetal::MutexLock lock(&g_mutex);
  const Duration duration = end_innermost();
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ScopeEnd>, duration);
}

std::vector<std::string> open_scopes() {
  lightmetal::MutexLock lock(&g_mutex);
  return scopes().open.open();
}

}  // namespace tt::tt_metal
