#include "host/scopes.h"

#include "host/refusal.h"

namespace lightmetal::host {

absl::Status Scopes::begin(std::string_view name) {
  if (name.size() > kLongestScopeName) {
    return refuse("Cannot begin a scope with a name of ", name.size(), " bytes: at most ",
                  kLongestScopeName, " are allowed");
  }
  if (open_.size() == kMostOpenScopes) {
    return refuse_now("Cannot begin a scope inside ", kMostOpenScopes,
                      " others: no more can be open");
  }
  open_.emplace_back(name);
  return absl::OkStatus();
}

absl::Status Scopes::end() {
  if (open_.empty()) return refuse_now("Cannot end a scope: none is open");
  open_.pop_back();
  return absl::OkStatus();
}

}  // namespace lightmetal::host
