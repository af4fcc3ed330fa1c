// What the program is as an executable.
#include "schema/semantics/checker.h"
#include "schema/semantics/tensor_desc.h"

namespace lightmetal::schema::semantics {

absl::Status Checker::check(const BindTensor& call) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  return bindings_.add({.name = call.name()->str(),
                        .role = static_cast<host::BindingRole>(call.role()),
                        .tensor = tensor_of(*call.tensor())},
                       *buffer, buffer->allocated);
}

absl::Status Checker::check(const BufferMovable& call) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  return bindings_.allow_move(*buffer, buffer->allocated);
}

absl::Status Checker::check(const EntryBegin& call) {
  return entries_.begin(call.name()->string_view());
}

absl::Status Checker::check(const EntryEnd&) { return entries_.end(); }

}  // namespace lightmetal::schema::semantics
