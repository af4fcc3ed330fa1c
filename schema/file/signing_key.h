#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// The keys of signatures (schema/file/signature.h): Ed25519, as files of two lines of text each.
namespace lightmetal::schema {

// A value; const functions are thread-safe.
class PublicKey {
 public:
  static constexpr size_t kSize = 32;
  using Array = std::array<unsigned char, kSize>;

  explicit PublicKey(const Array& bytes) : bytes_(bytes) {}

  // The key in what to_text() returned. InvalidArgument for anything else; it says what there is
  // instead, a secret key included.
  static absl::StatusOr<PublicKey> from_text(absl::string_view text);
  std::string to_text() const;

  // The beginning of the key's BLAKE2b, as 16 digits: what a person compares.
  std::string id() const;

  const Array& bytes() const { return bytes_; }
  friend bool operator==(const PublicKey&, const PublicKey&) = default;

 private:
  Array bytes_;
};

// Erased from memory at the end of its life.
class SecretKey {
 public:
  static constexpr size_t kSeedSize = 32;
  static constexpr size_t kSize = 64;
  using Seed = std::array<unsigned char, kSeedSize>;

  // A new key from the system's random numbers.
  static absl::StatusOr<SecretKey> generate();

  // As PublicKey's. The text is as secret as the key: whoever has it can sign.
  static absl::StatusOr<SecretKey> from_text(absl::string_view text);
  std::string to_text() const;

  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  const PublicKey& public_key() const { return public_key_; }
  // As libsodium's crypto_sign takes it.
  const std::array<unsigned char, kSize>& bytes() const { return bytes_; }

 private:
  explicit SecretKey(const Seed& seed);

  Seed seed_;
  std::array<unsigned char, kSize> bytes_{};
  PublicKey public_key_{PublicKey::Array{}};
};

}  // namespace lightmetal::schema
