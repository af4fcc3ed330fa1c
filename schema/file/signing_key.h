#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// The keys of signatures (schema/file/signature.h): Ed25519, as files of two lines of text each.
namespace lightmetal::schema {

// A key that anyone may have. Const functions are thread-safe.
class PublicKey {
 public:
  static constexpr size_t kSize = 32;
  using Array = std::array<unsigned char, kSize>;

  explicit PublicKey(const Array& bytes) : bytes_(bytes) {}

  // The key in a text that to_text() has returned. InvalidArgument for any other text; the error
  // says what the text holds instead, such as a secret key.
  static absl::StatusOr<PublicKey> from_text(absl::string_view text);
  std::string to_text() const;

  // The beginning of the key's BLAKE2b, as 16 digits, for people to compare.
  std::string id() const;

  const Array& bytes() const { return bytes_; }
  friend bool operator==(const PublicKey&, const PublicKey&) = default;

 private:
  Array bytes_;
};

// A key that signs. Its bytes are erased from memory at the end of its life. Const functions are
// thread-safe.
class SecretKey {
 public:
  static constexpr size_t kSeedSize = 32;
  static constexpr size_t kSize = 64;
  using Seed = std::array<unsigned char, kSeedSize>;

  // A new key from the system's random numbers.
  static absl::StatusOr<SecretKey> generate();

  // As those of PublicKey. The text is as secret as the key: whoever has the text can sign.
  static absl::StatusOr<SecretKey> from_text(absl::string_view text);
  std::string to_text() const;

  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  const PublicKey& public_key() const { return public_key_; }
  // The key in the form that libsodium's crypto_sign takes.
  const std::array<unsigned char, kSize>& bytes() const { return bytes_; }

 private:
  explicit SecretKey(const Seed& seed);

  Seed seed_;
  std::array<unsigned char, kSize> bytes_{};
  PublicKey public_key_{PublicKey::Array{}};
};

}  // namespace lightmetal::schema
