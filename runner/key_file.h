#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/file/signing_key.h"

// Keys as files. Errors name the path and the reason. A key file holds the text of one key.
namespace lightmetal::runner {

absl::StatusOr<schema::PublicKey> read_public_key(const std::string& path);

// Says on standard error when others than the owner have rights to the file; the key is used all
// the same.
absl::StatusOr<schema::SecretKey> read_secret_key(const std::string& path);

// Writes `name`.key, which only its owner can read, and `name`.pub. AlreadyExists when one of them
// is there: it stays as it is, and the other is not written.
absl::Status write_keys(const schema::SecretKey& key, const std::string& name);

}  // namespace lightmetal::runner
