#include "schema/file/signature.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace lightmetal::schema {
namespace {

static_assert(sizeof(SignaturePayload::signature) == crypto_sign_BYTES);

// What is signed. The first field keeps a signature of this program from being taken for one of
// something else that the key signs.
struct Message {
  std::array<char, 24> purpose{"Light Metal signature 1"};
  uint64_t size = 0;  // of what is signed, in bytes from the start of the file
  std::array<unsigned char, crypto_generichash_BYTES_MAX> blake2b{};
};
static_assert(sizeof(Message) == 96);

const unsigned char* unsigned_bytes(const void* bytes) {
  return static_cast<const unsigned char*>(bytes);
}

// Where the signed part of a closed file ends: after its index.
absl::StatusOr<uint64_t> signed_size(const File& file) {
  if (!file.closed()) {
    return absl::FailedPreconditionError(absl::StrCat(
        file.name(), " cannot carry a signature: it was not closed; repair makes it whole"));
  }
  LM_ASSIGN_OR_RETURN(footer_frame, file.frame_at(file.frames_end() - kFooterFrameSize));
  Footer footer;
  std::memcpy(&footer, footer_frame.payload.data(), sizeof(footer));
  LM_ASSIGN_OR_RETURN(index, file.frame_at(footer.index_offset));
  return index.end;
}

// The message for the first `size` bytes of `file`. The pages of a mapped file are given back while
// they are read.
Message message_of(const File& file, uint64_t size) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  Message message;
  message.size = size;
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, message.blake2b.size());
  for (uint64_t done = 0; done < size; done += kPiece) {
    const Bytes piece = file.bytes().subspan(done, std::min(kPiece, size - done));
    crypto_generichash_update(&state, unsigned_bytes(piece.data()), piece.size());
    file.release(done, piece.size());
  }
  crypto_generichash_final(&state, message.blake2b.data(), message.blake2b.size());
  return message;
}

bool is_right(const Signature& signature, const Message& message) {
  return crypto_sign_verify_detached(signature.bytes.data(), unsigned_bytes(&message),
                                     sizeof(message), signature.key.bytes().data()) == 0;
}

SignaturePayload sign(const Message& message, const SecretKey& key) {
  SignaturePayload payload;
  payload.public_key = key.public_key().bytes();
  crypto_sign_detached(payload.signature.data(), nullptr, unsigned_bytes(&message), sizeof(message),
                       key.bytes().data());
  return payload;
}

// "key 0123456789abcdef", "keys 0123456789abcdef, fedcba9876543210"
std::string names_of(absl::Span<const PublicKey> keys) {
  const auto append_id = [](std::string* out, const PublicKey& key) { out->append(key.id()); };
  return absl::StrCat(keys.size() == 1 ? "key " : "keys ", absl::StrJoin(keys, ", ", append_id));
}

std::vector<PublicKey> keys_of(absl::Span<const Signature> signatures) {
  std::vector<PublicKey> keys;
  for (const Signature& signature : signatures) keys.push_back(signature.key);
  return keys;
}

bool contains(absl::Span<const PublicKey> keys, const PublicKey& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Says what there is in place of a signature that was wanted, as the end of a sentence.
std::string found_instead(const File& file, absl::Span<const Signature> signatures) {
  if (!file.closed()) {
    return absl::StrCat(": ", file.incomplete_reason(), "; no signature of such a file counts");
  }
  if (signatures.empty()) return ": it carries no signature";
  return absl::StrCat(", only by ", names_of(keys_of(signatures)));
}

absl::Status no_signature(const File& file, absl::Span<const Signature> signatures,
                          absl::Span<const PublicKey> wanted) {
  return absl::UnauthenticatedError(absl::StrCat(
      file.name(), " is not signed by ", names_of(wanted), found_instead(file, signatures)));
}

absl::Status check_can_be_signed(const File& file, const PublicKey& key) {
  LM_ASSIGN_OR_RETURN(signatures, signatures_of(file));
  if (contains(keys_of(signatures), key)) {
    return absl::AlreadyExistsError(
        absl::StrCat(file.name(), " carries a signature of key ", key.id(), " already"));
  }
  ForwardPass pass(file);
  for (uint64_t offset = File::frames_begin(); offset < file.frames_end();) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    if (frame.type() == FrameType::ExternalBlob) {
      return absl::FailedPreconditionError(absl::StrCat(
          file.name(), " takes payloads from other files (the first at offset ", offset,
          "), which a signature would not cover: only files that hold all of their payloads can be "
          "signed"));
    }
    offset = frame.end;
  }
  return absl::OkStatus();
}

absl::Status append_frame(FrameType type, uint16_t flags, Bytes payload, Sink& sink) {
  FrameHeader header = make_header(type, payload.size(), digest_of(payload), sink.size());
  header.flags = flags;
  header.checksum = header_checksum(header, sink.size());
  return sink.append({bytes_of(&header, sizeof(header)), payload});
}

absl::Status write_signed(const File& file, uint64_t size, const SignaturePayload& signature,
                          Sink& sink) {
  LM_ASSIGN_OR_RETURN(footer, file.frame_at(file.frames_end() - kFooterFrameSize));
  const Bytes signature_bytes = bytes_of(&signature, sizeof(signature));
  LM_RETURN_IF_ERROR(sink.append({file.bytes().first(size)}));
  // The signatures that the file has stay at their offsets, so their frames are copied byte for
  // byte.
  LM_RETURN_IF_ERROR(sink.append({file.bytes().subspan(size, footer.offset - size)}));
  LM_RETURN_IF_ERROR(append_frame(FrameType::Signature, kFrameOptional, signature_bytes, sink));
  return append_frame(FrameType::Footer, 0, footer.payload, sink);
}

}  // namespace

absl::StatusOr<SignaturePayload> signature_payload(const FrameView& frame) {
  SignaturePayload payload;
  if (frame.payload.size() < sizeof(payload.scheme)) {
    return absl::DataLossError("is a signature that is cut short");
  }
  std::memcpy(&payload.scheme, frame.payload.data(), sizeof(payload.scheme));
  if (payload.scheme != SignaturePayload::kEd25519OfBlake2b) {
    return absl::UnimplementedError(
        absl::StrCat("is a signature of scheme ", payload.scheme, "; this reader knows scheme 1"));
  }
  if (frame.payload.size() != sizeof(payload)) {
    return absl::DataLossError(absl::StrCat("is a signature of ", frame.payload.size(),
                                            " bytes, and not of ", sizeof(payload)));
  }
  std::memcpy(&payload, frame.payload.data(), sizeof(payload));
  if (payload.reserved == 0) return payload;
  return absl::DataLossError("is a signature whose reserved bytes are not zero");
}

absl::StatusOr<std::vector<Signature>> signatures_of(const File& file) {
  std::vector<Signature> signatures;
  if (!file.closed()) return signatures;
  LM_ASSIGN_OR_RETURN(first, signed_size(file));
  for (uint64_t offset = first; offset < file.frames_end() - kFooterFrameSize;) {
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    if (digest_of(frame.payload) != frame.digest()) {
      return file.error_at(offset, "is damaged: its checksum is wrong");
    }
    const absl::StatusOr<SignaturePayload> payload = signature_payload(frame);
    if (payload.ok()) {
      signatures.push_back({offset, PublicKey(payload->public_key), payload->signature});
    } else if (!absl::IsUnimplemented(payload.status())) {
      return file.error_at(offset, payload.status().message());
    }
    offset = frame.end;
  }
  return signatures;
}

absl::Status verify_signature(const File& file, absl::Span<const PublicKey> keys) {
  LM_ASSIGN_OR_RETURN(signatures, signatures_of(file));
  const auto wanted = [&](const Signature& each) { return contains(keys, each.key); };
  if (std::none_of(signatures.begin(), signatures.end(), wanted)) {
    return no_signature(file, signatures, keys);
  }
  LM_ASSIGN_OR_RETURN(size, signed_size(file));
  const Message message = message_of(file, size);
  for (const Signature& signature : signatures) {
    if (wanted(signature) && is_right(signature, message)) return absl::OkStatus();
  }
  return absl::UnauthenticatedError(absl::StrCat(
      file.name(), " is not what was signed by ", names_of(keys),
      ": the signature is wrong, so the file or the signature was changed afterwards"));
}

absl::Status sign(const File& file, const SecretKey& key, Sink& sink) {
  LM_ASSIGN_OR_RETURN(size, signed_size(file));
  LM_RETURN_IF_ERROR(check_can_be_signed(file, key.public_key()));
  const SignaturePayload signature = sign(message_of(file, size), key);
  LM_RETURN_IF_ERROR(write_signed(file, size, signature, sink));
  return sink.close();
}

}  // namespace lightmetal::schema
