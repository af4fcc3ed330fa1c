#pragma once

#include <exception>
#include <string>

#include "absl/status/status.h"
#include "api/src/support/sentence_of.h"

namespace lightmetal::replay {

// The host API throws; a replay returns errors.
template <class Function>
absl::Status without_exceptions(Function&& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return absl::InternalError(std::string(tt::tt_metal::sentence_of(error.what())));
  }
}

}  // namespace lightmetal::replay
