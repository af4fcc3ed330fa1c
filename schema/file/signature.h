#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/file/frame.h"
#include "schema/file/reader.h"
#include "schema/file/signing_key.h"
#include "schema/storage/sink.h"

// Who vouches for a file. The digests of frames find damage; they do not withstand somebody who
// changes a file on purpose. A signature does: it is Ed25519 over a BLAKE2b of every byte from the
// magic to the end of the index. Behind the index come other signatures and the footer, and each of
// their bytes follows from the rest. So nothing in a signed file can be changed unnoticed, but a
// signature can be taken away, and one of another key can be added. Both are harmless to a reader
// that requires the signature of a certain key.
namespace lightmetal::schema {

// The payload of a signature's frame. Permanent.
struct SignaturePayload {
  static constexpr uint32_t kEd25519OfBlake2b = 1;

  uint32_t scheme = kEd25519OfBlake2b;
  uint32_t reserved = 0;
  PublicKey::Array public_key{};
  std::array<unsigned char, 64> signature{};
};
static_assert(sizeof(SignaturePayload) == 104);

// A signature that a file carries. Whether the signature is right is not known yet.
struct Signature {
  uint64_t offset = 0;  // of the signature's frame
  PublicKey key;
  std::array<unsigned char, 64> bytes;
};

// The payload of the signature frame `frame`. DataLoss when the frame holds no signature,
// Unimplemented when the signature's scheme is not known.
absl::StatusOr<SignaturePayload> signature_payload(const FrameView& frame);

// The signatures that `file` carries, in the order of the file; none for a file that was not
// closed. Signatures of an unknown scheme are left out.
absl::StatusOr<std::vector<Signature>> signatures_of(const File& file);

// Returns OK when `file` has a right signature of one of `keys`. Unauthenticated when it has none;
// the message says whether signatures are missing, of other keys, or wrong. DataLoss when the
// record of a signature is damaged. Reads the whole file. Thread-safe. REQUIRES: `keys` is not
// empty.
absl::Status verify_signature(const File& file, absl::Span<const PublicKey> keys);

// Writes `file` into `sink` with a signature of `key` behind the signatures that the file has, and
// closes the sink. FailedPrecondition when the file is not closed, or takes payloads from other
// files, which the signature would not cover; AlreadyExists when the file has a signature of this
// key. REQUIRES: the caller has verified the file (schema/verify/verify.h).
absl::Status sign(const File& file, const SecretKey& key, Sink& sink);

}  // namespace lightmetal::schema
