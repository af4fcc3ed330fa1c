#pragma once

#include <optional>
#include <tt-metalium/device.hpp>
#include <vector>

#include "base/mutex.h"
#include "capture/call_gate.h"

namespace tt::tt_metal::distributed {

// Makes a call on several devices one unit: while it lives, no other thread's call on several
// devices comes to any of these, and no flight recorder takes a snapshot. So two calls reach all
// devices in the same order, and a file has either all commands of a call or none. Held while a
// call enqueues, and never while it waits: what it would wait for may need another thread's call.
// One device needs no turn. Turns are not nested.
class MeshTurn {
 public:
  explicit MeshTurn(const std::vector<IDevice*>& devices);
  ~MeshTurn();
  MeshTurn(const MeshTurn&) = delete;
  MeshTurn& operator=(const MeshTurn&) = delete;

 private:
  std::vector<lightmetal::Mutex*> held_;  // in the order of the devices' ids
  std::optional<lightmetal::capture::GatePass> pass_;
};

}  // namespace tt::tt_metal::distributed
