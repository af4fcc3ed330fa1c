#include "schema/semantics/objects.h"

namespace lightmetal::schema::semantics {

const std::shared_ptr<FreeList>& DeviceState::memory_of(host::BufferType type) const {
  switch (type) {
    case host::BufferType::kL1:
      return l1;
    case host::BufferType::kL1Small:
      return l1_small;
    case host::BufferType::kTrace:
      return trace;
    case host::BufferType::kDram:
    case host::BufferType::kSystemMemory:
      break;
  }
  return dram;
}

size_t DeviceState::num_sub_devices() const {
  return loaded == nullptr ? 1 : loaded->sub_devices.size();
}

uint64_t DeviceState::loaded_id() const { return loaded == nullptr ? 0 : loaded->id; }

}  // namespace lightmetal::schema::semantics
