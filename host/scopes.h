#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

// Rules for scopes, the named parts of a program, one inside the other.
namespace lightmetal::host {

inline constexpr size_t kMostOpenScopes = 256;
inline constexpr size_t kLongestScopeName = 1024;  // bytes

class Scopes {
 public:
  // InvalidArgument for a name that is too long, FailedPrecondition when too many are open.
  absl::Status begin(std::string_view name);
  // Ends the scope that began last. FailedPrecondition when none is open.
  absl::Status end();

  // Those that are open, the outermost first.
  const std::vector<std::string>& open() const { return open_; }

 private:
  std::vector<std::string> open_;
};

}  // namespace lightmetal::host
