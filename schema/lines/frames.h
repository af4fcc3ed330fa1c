#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "flatbuffers/flatbuffers.h"
#include "schema/commands/decode.h"
#include "schema/file/frame.h"
#include "schema/lines/encode_fields.h"

// The frames whose payload is a FlatBuffer, as lines have them: their fields, and their own bytes
// where these are not the ones that the fields are encoded to.
namespace lightmetal::schema {

// What such a frame holds, by the type of the frame. The name is that of the call for commands and
// intents, and empty otherwise.
struct TableText {
  std::string name;
  std::string fields;  // one JSON object
};

// Whether frames of this type hold one FlatBuffer of the schema.
constexpr bool holds_table(FrameType type) {
  return type == FrameType::Session || type == FrameType::Command || type == FrameType::Intent ||
         type == FrameType::ExternalBlob;
}

// Says what the payload holds. An error, as a clause to follow the place of the frame, when it is
// no sound FlatBuffer of its type. REQUIRES: holds_table(type); the payload is aligned as a frame's
// is.
absl::StatusOr<TableText> text_of_table(FrameType type, Bytes payload);

// Encodes the payload of a frame from the name and the fields that text_of_table() gives. The bytes
// are the builder's, and valid until it is cleared. REQUIRES: holds_table(type); the builder is
// empty.
absl::StatusOr<Bytes> encode_table(flatbuffers::FlatBufferBuilder& builder, FrameType type,
                                   const std::string& name, const Json& fields);

}  // namespace lightmetal::schema
