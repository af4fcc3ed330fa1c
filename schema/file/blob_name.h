#pragma once

#include <cstring>

#include "base/digest.h"
#include "schema/external_blob_generated.h"
#include "schema/file/blob.h"
#include "schema/file/compressed_blob.h"
#include "schema/file/frame.h"

namespace lightmetal::schema {

// The name of the blob that a frame holds in whichever form, which is the digest of the blob's
// content. Checks nothing, so it is only for frames that this process wrote; File::blob_in() is for
// others. Async-signal-safe. REQUIRES: the frame is that of a blob, as a Writer writes it.
inline ::lightmetal::Digest blob_name(const FrameHeader& header, Bytes payload) {
  ::lightmetal::Digest name{header.digest_low, header.digest_high};
  switch (static_cast<FrameType>(header.type)) {
    case FrameType::CompressedBlob: {
      CompressedBlobHeader compressed;
      std::memcpy(&compressed, payload.data(), sizeof(compressed));
      return compressed.digest;
    }
    case FrameType::ExternalBlob:
      return to_digest(*GetExternalBlob(payload.data())->digest());
    default:
      return name;
  }
}

}  // namespace lightmetal::schema
