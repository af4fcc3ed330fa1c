#include "schema/semantics/objects.h"

namespace lightmetal::schema::semantics {

size_t DeviceState::num_sub_devices() const {
  return loaded == nullptr ? 1 : loaded->sub_devices.size();
}

uint64_t DeviceState::loaded_id() const { return loaded == nullptr ? 0 : loaded->id; }

}  // namespace lightmetal::schema::semantics
