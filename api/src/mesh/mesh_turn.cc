#include "api/src/mesh/mesh_turn.h"

#include <algorithm>
#include <vector>

#include "api/src/devices/device_impl.h"

namespace tt::tt_metal::distributed {

// The compiler does not follow locks in a list.
MeshTurn::MeshTurn(const std::vector<IDevice*>& given) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (given.size() < 2) return;
  // A device may be named more than once.
  std::vector<IDevice*> devices = given;
  std::ranges::sort(devices, {}, &IDevice::id);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.size() < 2) return;
  for (IDevice* device : devices) {
    held_.push_back(&impl_of(*device).mesh_turn());
    held_.back()->lock();
  }
  pass_.emplace();
}

MeshTurn::~MeshTurn() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  for (lightmetal::Mutex* mutex : held_) mutex->unlock();
}

}  // namespace tt::tt_metal::distributed
