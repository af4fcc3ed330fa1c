#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/reference_options.h"
#include "runner/command_line.h"
#include "schema/file/reader.h"
#include "schema/file/signing_key.h"

// Whose code the runner executes: docs/security.md says what the rules are and why. Every verb that
// executes a file opens it with open_to_execute(), and in no other way.
namespace lightmetal::runner {

struct TrustPolicy {
  bool trusted = false;                     // --trust: the user vouches for the file
  bool sandboxed = false;                   // what it executes can do no harm (runner/sandbox.h)
  std::vector<schema::PublicKey> required;  // --require-signature: any of them suffices
};

// The first adds `--require-signature`, for verbs that only read; the second that and `--trust`.
void add_signature_option(cxxopts::Options& options);
void add_trust_options(cxxopts::Options& options);

// The files that `--require-signature` names.
std::vector<std::string> key_files(const cxxopts::ParseResult& arguments);

// What these options say; `sandboxed` is left false. Errors are those of reading the keys.
absl::StatusOr<TrustPolicy> trust_policy(const cxxopts::ParseResult& arguments);

// OK when `policy` requires no signature, or when one of the required keys has signed `file`.
absl::Status check_signature(const schema::File& file, const TrustPolicy& policy);

// Opens a file whose kernels are about to be executed on `backend` (empty: the recorded one). A
// required signature is checked in any case. Kernels are machine code that runs with the user's
// rights, so one of these must hold, unless `backend` is "null", which executes none:
//   - the file is the user's own: it belongs to the user or to root, and nobody else may write to
//     it;
//   - a required signature is right;
//   - policy.trusted; policy.sandboxed.
// Otherwise it is PermissionDenied, with a message that says what to do.
//
// What is looked at is the file that is then mapped, opened once. A file that others may write to
// is copied to memory before its signature is checked or a sandbox is to hold it: it could be
// changed while it is read, and what was checked would not be what is used.
//
// Whoever vouches for a file vouches for the paths in it: the other files that it refers to may
// then be opened where it says. The sandbox and a backend without code vouch for nothing;
// `references` decides then.
absl::StatusOr<std::shared_ptr<const schema::File>> open_to_execute(
    const std::string& path, const TrustPolicy& policy, absl::string_view backend,
    ReferenceOptions references = {});

// A file that is only read.
struct ReadFile {
  std::shared_ptr<const schema::File> file;
  std::string foreign_because;  // why it is not the user's own; empty where it is
};

// Opens a file of anybody's. What is looked at is the file that is mapped, as above.
absl::StatusOr<ReadFile> open_to_read(const std::string& path, ReferenceOptions references);

}  // namespace lightmetal::runner
