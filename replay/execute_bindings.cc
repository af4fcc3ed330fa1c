// Executes what names buffers and parts of the program. A replay of the whole file does nothing
// with it, and a capture of the replay has it again.
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>

#include "api/src/capture/bindings.h"
#include "base/status.h"
#include "replay/executor.h"
#include "schema/semantics/tensor_desc.h"

namespace lightmetal::replay {

absl::Status Executor::execute(const schema::BindTensor& call) {
  LM_ASSIGN_OR_RETURN(bound, buffer(call.buffer()));
  tt::tt_metal::bind_tensor({.name = call.name()->str(),
                             .role = static_cast<host::BindingRole>(call.role()),
                             .tensor = schema::tensor_of(*call.tensor())},
                            *bound);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::BufferMovable& call) {
  LM_ASSIGN_OR_RETURN(movable, objects_.buffers.find(call.buffer()));
  tt::tt_metal::LightMetalAllowMove(*movable);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::EntryBegin& call) {
  tt::tt_metal::LightMetalEntryBegin(call.name()->string_view());
  is_in_entry_ = true;
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::EntryEnd&) {
  tt::tt_metal::LightMetalEntryEnd();
  is_in_entry_ = false;
  return absl::OkStatus();
}

// A run that ends inside of an entry, as one of an incomplete file may, leaves none open.
void Executor::end_entry() {
  if (std::exchange(is_in_entry_, false)) tt::tt_metal::LightMetalEntryEnd();
}

}  // namespace lightmetal::replay
