#include "schema/file/external_blob.h"

#include <climits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/external_blob_generated.h"
#include "schema/file/blob.h"
#include "schema/flat_buffer.h"

namespace lightmetal::schema {
namespace {

constexpr size_t kMaxPath = PATH_MAX;

bool has_parent_component(absl::string_view path) {
  for (const absl::string_view component : absl::StrSplit(path, '/')) {
    if (component == "..") return true;
  }
  return false;
}

// The rest of `path` behind the components of `prefix`; nullopt when the path does not begin with
// them.
std::optional<absl::string_view> behind(absl::string_view path, absl::string_view prefix) {
  while (absl::ConsumeSuffix(&prefix, "/")) continue;
  if (!absl::ConsumePrefix(&path, prefix)) return std::nullopt;
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

bool is_external_blob(Bytes payload) {
  if (!may_be_flat_buffer(payload.size())) return false;
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(payload.data()), payload.size(),
                                 /*max_depth=*/4, /*max_tables=*/2);
  return VerifyExternalBlobBuffer(verifier);
}

absl::Status check_info(const ExternalBlobInfo& info) {
  const auto bad = [](auto&&... what) {
    return absl::DataLossError(absl::StrCat("refers to another file ", what...));
  };
  if (info.path.empty() || info.path.size() >= kMaxPath) {
    return bad("by a path of ", info.path.size(), " bytes");
  }
  if (absl::StrContains(info.path, '\0')) return bad("by a path with a NUL byte");
  if (info.size == 0) return bad("for no bytes");
  if (info.offset > info.file_size || info.size > info.file_size - info.offset) {
    return bad("of ", info.file_size, " bytes for ", info.size, " bytes at ", info.offset);
  }
  return absl::OkStatus();
}

}  // namespace

Bytes encode_external_blob(flatbuffers::FlatBufferBuilder& builder, const ExternalBlobInfo& info) {
  const Digest digest = from_digest(info.digest);
  FinishExternalBlobBuffer(
      builder, CreateExternalBlobDirect(builder, info.path.c_str(), info.offset, info.size, &digest,
                                        info.file_size, info.modified_ns));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

absl::StatusOr<ExternalBlobInfo> parse_external_blob(Bytes payload) {
  if (!is_external_blob(payload)) {
    return absl::DataLossError("holds no reference to another file");
  }
  const ExternalBlob& blob = *GetExternalBlob(payload.data());
  ExternalBlobInfo info{.path = blob.path()->str(),
                        .offset = blob.offset(),
                        .size = blob.size(),
                        .digest = to_digest(*blob.digest()),
                        .file_size = blob.file_size(),
                        .modified_ns = blob.modified_ns()};
  LM_RETURN_IF_ERROR(check_info(info));
  return info;
}

absl::StatusOr<std::string> resolve_path(const std::string& recorded,
                                         const ReferenceOptions& options) {
  // What the person who replays has said comes first; the recorded path counts only as the key.
  for (const auto& [from, to] : options.remap) {
    const auto rest = behind(recorded, from);
    if (!rest.has_value() || has_parent_component(*rest)) continue;
    return absl::StrCat(rest->empty() ? to : std::string(absl::StripSuffix(to, "/")), *rest);
  }
  const std::string shown = escaped(recorded);
  if (!absl::StartsWith(recorded, "/") || has_parent_component(recorded)) {
    return absl::PermissionDeniedError(
        absl::StrCat("lies in ", shown,
                     ", a path that is not absolute or has a component \"..\": it is only opened "
                     "where it is replaced (--remap ",
                     shown, "=PATH)"));
  }
  if (options.allow) return recorded;
  return absl::PermissionDeniedError(
      absl::StrCat("lies in ", shown,
                   ", and files that a binary names are only opened where that is allowed "
                   "(--allow-references) or the path is replaced (--remap ",
                   shown, "=PATH)"));
}

}  // namespace lightmetal::schema
