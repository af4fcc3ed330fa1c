// Executes scopes.
#include <tt-metalium/lightmetal_capture_utils.hpp>

#include "api/src/devices/replay_drain.h"
#include "base/timeline.h"
#include "replay/executor.h"

namespace lightmetal::replay {

absl::Status Executor::execute(const schema::ScopeBegin& call) {
  wait_at_scope();
  tt::tt_metal::LightMetalScopeBegin(call.name()->string_view());
  ++open_scopes_;
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ScopeEnd&) {
  wait_at_scope();
  tt::tt_metal::LightMetalScopeEnd();
  --open_scopes_;
  return absl::OkStatus();
}

// In a timeline the work of a scope lies in it. Gives up where a queue waits for what comes later
// in the file.
void Executor::wait_at_scope() {
  if (!timeline::is_on()) return;
  for (const auto& [id, object] : objects_.devices) {
    if (!tt::tt_metal::replay_hooks::wait_patiently(*object.device)) break;
  }
}

// A run that ends inside of scopes, as one of an incomplete file may, leaves none open.
void Executor::end_scopes() {
  for (; open_scopes_ != 0; --open_scopes_) tt::tt_metal::LightMetalScopeEnd();
}

}  // namespace lightmetal::replay
