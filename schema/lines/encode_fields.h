#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "flatbuffers/flatbuffers.h"
#include "schema/commands/walk.h"

namespace lightmetal::schema {

using Json = nlohmann::json;

// Makes a table from the fields of a line, in the form that append_fields() gives them, and returns
// its place in the builder. The bytes are those that a capture writes: the parts in the order of
// the fields, and the fields in flatc's order, or in that of the schema where the schema says so.
// InvalidArgument, as a clause about a field of it, for anything that the schema does not have
// there.
absl::StatusOr<flatbuffers::Offset<flatbuffers::Table>> encode_fields(
    flatbuffers::FlatBufferBuilder& builder, const Plan& plan, const Json& fields);

// The bytes of a text as append_text() writes it.
absl::StatusOr<std::string> parse_text(const Json& json);

// The digest that Digest::hex() gives such a text.
absl::StatusOr<::lightmetal::Digest> parse_digest(absl::string_view text);

// The JSON value as an error names it: a number, a text of few characters, or what kind of value it
// is.
std::string shown(const Json& json);

}  // namespace lightmetal::schema
