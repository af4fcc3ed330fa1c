#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/digest.h"
#include "flatbuffers/flatbuffers.h"
#include "schema/command_generated.h"
#include "schema/commands/encode.h"

// Commands whose parts lie over each other, which no writer makes and a reader accepts: a
// FlatBuffer is valid as long as each of its parts lies inside it.
namespace lightmetal::schema::testing {

enum class Holder { Command, Call };  // which table

// Moves the vtable of `table` to where `text` has its first bytes.
inline void put_vtable_into_text(const void* table, const flatbuffers::String& text) {
  auto* const begin = static_cast<uint8_t*>(const_cast<void*>(table));
  auto* const target = const_cast<uint8_t*>(text.Data());
  const uint8_t* const vtable = static_cast<const flatbuffers::Table*>(table)->GetVTable();
  std::memcpy(target, vtable, flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable));
  // A table says how far before it its vtable lies.
  flatbuffers::WriteScalar(begin, static_cast<flatbuffers::soffset_t>(begin - target));
}

// A CallFailed of "CreateBuffer" with a vtable inside the text of its error.
inline std::vector<std::byte> command_with_vtable_in_text(Holder holder) {
  CallFailedT failed;
  failed.function = "CreateBuffer";
  failed.error = std::string(64, 'x');
  flatbuffers::FlatBufferBuilder builder;
  const Bytes encoded = finish_command(builder, CallFailed::Pack(builder, &failed));
  std::vector<std::byte> bytes(encoded.begin(), encoded.end());
  const Command* const command = GetSizePrefixedCommand(bytes.data());
  const CallFailed* const call = command->call_as_CallFailed();
  put_vtable_into_text(holder == Holder::Call ? static_cast<const void*>(call) : command,
                       *call->error());
  return bytes;
}

}  // namespace lightmetal::schema::testing
