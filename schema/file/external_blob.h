#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/reference_options.h"
#include "flatbuffers/flatbuffers.h"

// The payload of a frame of type ExternalBlob: a blob that lies in another file.

namespace lightmetal::schema {

// What a frame says of such a blob: where its bytes are, what they are, and what the file was like
// when they were recorded.
struct ExternalBlobInfo {
  std::string path;
  uint64_t offset = 0;  // of the blob's first byte in that file
  uint64_t size = 0;    // of the blob
  ::lightmetal::Digest digest;
  uint64_t file_size = 0;
  int64_t modified_ns = 0;  // the file's modification time, in nanoseconds since 1970 (UTC)

  friend bool operator==(const ExternalBlobInfo&, const ExternalBlobInfo&) = default;
};

// Encodes the payload of the frame. The bytes are the builder's, and valid until it is cleared.
Bytes encode_external_blob(flatbuffers::FlatBufferBuilder& builder, const ExternalBlobInfo& info);

// Decodes the payload of a frame, and checks that it is sound in itself: the path has no NUL bytes,
// and the blob lies within the size that the file had. Opens nothing. Errors are clauses to follow
// "the frame at offset N".
absl::StatusOr<ExternalBlobInfo> parse_external_blob(Bytes payload);

// The path to open in the place of the recorded one. PermissionDenied when the options allow none:
// a hostile file could otherwise have any file of the machine read. Errors are clauses to follow
// the name of the payload.
absl::StatusOr<std::string> resolve_path(const std::string& recorded,
                                         const ReferenceOptions& options);

}  // namespace lightmetal::schema
