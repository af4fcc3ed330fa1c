#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/reference_options.h"
#include "flatbuffers/flatbuffers.h"

// The payload of a frame of type ExternalBlob: a blob that lies in another file.

namespace lightmetal::schema {

struct ExternalBlobInfo {
  std::string path;
  uint64_t offset = 0;  // of the blob's first byte in that file
  uint64_t size = 0;    // of the blob
  ::lightmetal::Digest digest;
  uint64_t file_size = 0;
  int64_t modified_ns = 0;  // the file's modification time, in nanoseconds since 1970 (UTC)

  friend bool operator==(const ExternalBlobInfo&, const ExternalBlobInfo&) = default;
};

// The bytes are the builder's and stay valid until it is cleared.
Bytes encode_external_blob(flatbuffers::FlatBufferBuilder& builder, const ExternalBlobInfo& info);

// Checks that it is sound in itself: a path without NUL bytes, bytes that lie within the size that
// the file had. Errors are clauses to follow "the frame at offset N".
absl::StatusOr<ExternalBlobInfo> parse_external_blob(Bytes payload);

// The path to open for the recorded one. PermissionDenied when the options do not allow it. Errors
// are clauses to follow the name of the payload.
absl::StatusOr<std::string> resolve_path(const std::string& recorded,
                                         const ReferenceOptions& options);

}  // namespace lightmetal::schema
