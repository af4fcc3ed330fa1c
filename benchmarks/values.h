#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// What a benchmark cannot go on without: these throw.
namespace lightmetal::bench {

inline void require_ok(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

template <class Value>
Value value_of(absl::StatusOr<Value> value) {
  require_ok(value.status());
  return *std::move(value);
}

}  // namespace lightmetal::bench
