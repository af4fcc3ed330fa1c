#pragma once

#include <string_view>
#include <tt-metalium/lightmetal_capture_utils.hpp>

namespace lightmetal {

// A scope of the program from here to the end of the block. Scopes inside of it end before it.
class Scope {
 public:
  explicit Scope(std::string_view name) { tt::tt_metal::LightMetalScopeBegin(name); }
  ~Scope() { tt::tt_metal::LightMetalScopeEnd(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

}  // namespace lightmetal
