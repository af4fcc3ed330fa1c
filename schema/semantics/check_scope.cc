// Scopes.
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {

absl::Status Checker::check(const ScopeBegin& call) {
  return scopes_.begin(call.name()->string_view());
}

absl::Status Checker::check(const ScopeEnd&) { return scopes_.end(); }

}  // namespace lightmetal::schema::semantics
