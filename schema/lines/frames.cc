#include "schema/lines/frames.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/commands/reach.h"
#include "schema/commands/reflection.h"
#include "schema/external_blob_generated.h"
#include "schema/file/external_blob.h"
#include "schema/flat_buffer.h"
#include "schema/lines/print_fields.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Table;

const uint8_t* data_of(Bytes bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }

std::string fields_text(absl::string_view type, const void* table) {
  JsonWriter json;
  append_fields(json, line_plans().of(type), *static_cast<const Table*>(table));
  return json.take();
}

absl::StatusOr<TableText> text_of_command(Bytes payload) {
  LM_ASSIGN_OR_RETURN(command, decode_command(payload));
  const std::string name(name_of(*command));
  return TableText{name, fields_text(name, command->call())};
}

absl::StatusOr<TableText> text_of_session(Bytes payload) {
  const auto bad = [] { return absl::DataLossError("holds no session"); };
  if (!may_be_flat_buffer(payload.size())) return bad();
  flatbuffers::Verifier verifier(data_of(payload), payload.size());
  if (!VerifySessionBuffer(verifier)) return bad();
  const Session& session = *GetSession(payload.data());
  if (!expanded_size_is_at_most(session, payload.size())) return bad();
  return TableText{"", fields_text("Session", &session)};
}

absl::StatusOr<TableText> text_of_external_blob(Bytes payload) {
  LM_RETURN_IF_ERROR(parse_external_blob(payload).status());
  return TableText{"", fields_text("ExternalBlob", GetExternalBlob(payload.data()))};
}

absl::StatusOr<Call> call_named(absl::string_view name) {
  const auto& calls = EnumValuesCall();
  const auto found = std::find_if(std::begin(calls), std::end(calls), [&](Call call) {
    return call != Call::NONE && name == EnumNameCall(call);
  });
  if (found != std::end(calls)) return *found;
  return absl::InvalidArgumentError(
      absl::StrCat("names the command \"", escaped(name), "\", which there is not"));
}

absl::StatusOr<flatbuffers::Offset<Table>> encode(flatbuffers::FlatBufferBuilder& builder,
                                                  const std::string& type, const Json& fields) {
  auto table = encode_fields(builder, line_plans().of(type), fields);
  if (table.ok()) return table;
  return absl::InvalidArgumentError(absl::StrCat("is ", type, ": ", table.status().message()));
}

}  // namespace

absl::StatusOr<TableText> text_of_table(FrameType type, Bytes payload) {
  if (type == FrameType::Session) return text_of_session(payload);
  if (type == FrameType::ExternalBlob) return text_of_external_blob(payload);
  return text_of_command(payload);
}

absl::StatusOr<Bytes> encode_table(flatbuffers::FlatBufferBuilder& builder, FrameType type,
                                   const std::string& name, const Json& fields) {
  if (type == FrameType::Session) {
    LM_ASSIGN_OR_RETURN(table, encode(builder, "Session", fields));
    builder.Finish(table, SessionIdentifier());
  } else if (type == FrameType::ExternalBlob) {
    LM_ASSIGN_OR_RETURN(table, encode(builder, "ExternalBlob", fields));
    builder.Finish(table, ExternalBlobIdentifier());
  } else {
    LM_ASSIGN_OR_RETURN(call, call_named(name));
    LM_ASSIGN_OR_RETURN(table, encode(builder, name, fields));
    FinishSizePrefixedCommandBuffer(builder, CreateCommand(builder, call, table.Union()));
  }
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

}  // namespace lightmetal::schema
