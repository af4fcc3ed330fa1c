#pragma once

#include "base/digest.h"
#include "schema/types_generated.h"

// Translates between the digests of base/ and those that a file holds.

namespace lightmetal::schema {

inline ::lightmetal::Digest to_digest(const Digest& digest) {
  return {digest.low(), digest.high()};
}

inline Digest from_digest(const ::lightmetal::Digest& digest) { return {digest.low, digest.high}; }

// The reference to the payload `bytes`. It leads to the payload only in a file that holds the
// payload.
inline BlobRef blob_ref_of(Bytes bytes) { return {from_digest(digest_of(bytes)), bytes.size()}; }

}  // namespace lightmetal::schema
