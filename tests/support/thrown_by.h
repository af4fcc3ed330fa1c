#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace lightmetal::testing {

// Calls `call` and returns the text of the std::runtime_error that it throws; empty when it throws
// none.
inline std::string thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace lightmetal::testing
