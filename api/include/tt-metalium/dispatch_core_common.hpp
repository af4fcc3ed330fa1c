#pragma once

#include <cstdint>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

enum class DispatchCoreType : uint32_t { WORKER = 0, ETH = 1, COUNT = 2 };
enum class DispatchCoreAxis : uint32_t { ROW = 0, COL = 1, COUNT = 2 };

// Which cores serve dispatch. The devices here need none, so the value changes nothing but what a
// device was opened with. A capture holds the type, not the axis.
class DispatchCoreConfig {
 public:
  DispatchCoreConfig() = default;
  DispatchCoreConfig(DispatchCoreType type) : type_(type) {}
  DispatchCoreConfig(DispatchCoreType type, DispatchCoreAxis axis) : type_(type), axis_(axis) {}

  DispatchCoreType get_dispatch_core_type() const { return type_; }
  void set_dispatch_core_type(DispatchCoreType type) { type_ = type; }
  DispatchCoreAxis get_dispatch_core_axis() const { return axis_; }
  void set_dispatch_core_axis(DispatchCoreAxis axis) { axis_ = axis; }

  friend bool operator==(const DispatchCoreConfig&, const DispatchCoreConfig&) = default;

 private:
  DispatchCoreType type_ = DispatchCoreType::WORKER;
  DispatchCoreAxis axis_ = DispatchCoreAxis::ROW;
};

}  // namespace tt::tt_metal
