#include "schema/file/signing_key.h"

#include <sodium.h>

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace lightmetal::schema {
namespace {

static_assert(PublicKey::kSize == crypto_sign_PUBLICKEYBYTES);
static_assert(SecretKey::kSize == crypto_sign_SECRETKEYBYTES);
static_assert(SecretKey::kSeedSize == crypto_sign_SEEDBYTES);

// The first lines of key files. Their numbers are permanent: another kind of key gets another
// number.
constexpr absl::string_view kPublicHeading = "Light Metal public key 1";
constexpr absl::string_view kSecretHeading = "Light Metal secret key 1";

template <size_t size>
std::string key_text(absl::string_view heading, const std::array<unsigned char, size>& bytes) {
  const absl::string_view raw(reinterpret_cast<const char*>(bytes.data()), size);
  return absl::StrCat(heading, "\n", absl::Base64Escape(raw), "\n");
}

absl::Status not_a_key(absl::string_view wanted, absl::string_view heading) {
  if (heading == kPublicHeading || heading == kSecretHeading) {
    return absl::InvalidArgumentError(
        absl::StrCat("it begins with \"", heading, "\", and \"", wanted, "\" is expected"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("it is no key file: it does not begin with \"", wanted, "\""));
}

template <size_t size>
absl::StatusOr<std::array<unsigned char, size>> bytes_of_text(absl::string_view heading,
                                                              absl::string_view text) {
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripTrailingAsciiWhitespace(text), absl::MaxSplits('\n', 1));
  const absl::string_view first = absl::StripTrailingAsciiWhitespace(lines.front());
  if (first != heading) return not_a_key(heading, first);
  std::string raw;
  if (lines.size() != 2 || !absl::Base64Unescape(lines[1], &raw) || raw.size() != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("its second line is not the Base64 form of the ", size, " bytes of a key"));
  }
  std::array<unsigned char, size> bytes;
  std::copy(raw.begin(), raw.end(), bytes.begin());
  // The bytes may be those of a secret key.
  sodium_memzero(raw.data(), raw.size());
  return bytes;
}

}  // namespace

absl::StatusOr<PublicKey> PublicKey::from_text(absl::string_view text) {
  LM_ASSIGN_OR_RETURN(bytes, bytes_of_text<kSize>(kPublicHeading, text));
  return PublicKey(bytes);
}

std::string PublicKey::to_text() const { return key_text(kPublicHeading, bytes_); }

std::string PublicKey::id() const {
  constexpr size_t kShown = 8;
  std::array<unsigned char, crypto_generichash_BYTES> hash;
  crypto_generichash(hash.data(), hash.size(), bytes_.data(), bytes_.size(), nullptr, 0);
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), kShown});
}

SecretKey::SecretKey(const Seed& seed) : seed_(seed) {
  PublicKey::Array public_bytes;
  crypto_sign_seed_keypair(public_bytes.data(), bytes_.data(), seed_.data());
  public_key_ = PublicKey(public_bytes);
}

SecretKey::~SecretKey() {
  sodium_memzero(seed_.data(), seed_.size());
  sodium_memzero(bytes_.data(), bytes_.size());
}

absl::StatusOr<SecretKey> SecretKey::generate() {
  if (sodium_init() < 0) return absl::InternalError("the system gives no random numbers");
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  return SecretKey(seed);
}

absl::StatusOr<SecretKey> SecretKey::from_text(absl::string_view text) {
  LM_ASSIGN_OR_RETURN(seed, bytes_of_text<kSeedSize>(kSecretHeading, text));
  return SecretKey(seed);
}

std::string SecretKey::to_text() const { return key_text(kSecretHeading, seed_); }

}  // namespace lightmetal::schema
