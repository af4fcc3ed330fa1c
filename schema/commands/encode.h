#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "schema/command_generated.h"

namespace lightmetal::schema {

// Ends the command whose call is `call` and returns its bytes as Writer::append_command() takes
// them. The bytes are the builder's, and valid until it is cleared. The type of the call follows
// from the type of the table.
template <class Table>
Bytes finish_command(flatbuffers::FlatBufferBuilder& builder, flatbuffers::Offset<Table> call) {
  static_assert(CallTraits<Table>::enum_value != Call::NONE,
                "the table is no member of the union Call");
  FinishSizePrefixedCommandBuffer(
      builder, CreateCommand(builder, CallTraits<Table>::enum_value, call.Union()));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

// Encodes a command of FlatBuffers' object API in the same form. REQUIRES: the command's required
// fields are set.
inline Bytes encode_command(flatbuffers::FlatBufferBuilder& builder, const CommandT& command) {
  FinishSizePrefixedCommandBuffer(builder, Command::Pack(builder, &command));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

// The bytes of a command whose call is `call`, of the object API. REQUIRES: its required fields are
// set.
template <class CallT>
std::vector<std::byte> encoded_call(CallT call) {
  CommandT command;
  command.call.Set(std::move(call));
  flatbuffers::FlatBufferBuilder builder;
  const Bytes bytes = encode_command(builder, command);
  return {bytes.begin(), bytes.end()};
}

}  // namespace lightmetal::schema
