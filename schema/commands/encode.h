#pragma once

#include "base/digest.h"
#include "schema/command_generated.h"

namespace lightmetal::schema {

// Ends the command whose call is `call` and returns it as Writer::append_command takes it. The
// bytes are the builder's and stay valid until it is cleared. The type of the call comes from the
// type of the table.
template <class Table>
Bytes finish_command(flatbuffers::FlatBufferBuilder& builder, flatbuffers::Offset<Table> call) {
  static_assert(CallTraits<Table>::enum_value != Call::NONE,
                "the table is no member of the union Call");
  FinishSizePrefixedCommandBuffer(
      builder, CreateCommand(builder, CallTraits<Table>::enum_value, call.Union()));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

// The same for a command of the object API. REQUIRES: its required fields are set.
inline Bytes encode_command(flatbuffers::FlatBufferBuilder& builder, const CommandT& command) {
  FinishSizePrefixedCommandBuffer(builder, Command::Pack(builder, &command));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

}  // namespace lightmetal::schema
