#include "runner/trust.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/key_file.h"
#include "schema/file/signature.h"
#include "schema/storage/mapped_file.h"

namespace lightmetal::runner {
namespace {

constexpr char kRequireSignature[] = "require-signature";

// Why the file is not the user's own; empty when it is.
std::string foreign_because(const struct stat& info) {
  if (info.st_uid != ::geteuid() && info.st_uid != 0) {
    return absl::StrCat("it belongs to user ", info.st_uid, ", not to you");
  }
  if ((info.st_mode & S_IWOTH) != 0) return "everybody may write to it";
  if ((info.st_mode & S_IWGRP) != 0) return "its group may write to it";
  return "";
}

absl::Status refused(const std::string& path, absl::string_view reason) {
  return absl::PermissionDeniedError(absl::StrCat(
      path, " holds machine code that would run with your rights, and ", reason,
      ": --trust says that you know where it comes from, --require-signature NAME.pub checks who "
      "signed it, and \"run --sandbox\" executes it where it can do no harm"));
}

// A copy of the file in memory, which nobody else can change any more.
absl::StatusOr<std::shared_ptr<const schema::File>> copy_of(const schema::MappedFile& mapping,
                                                            const std::string& path,
                                                            const schema::FileOptions& options) {
  const Bytes bytes = mapping.bytes();
  const std::shared_ptr<std::byte[]> copy(new (std::nothrow) std::byte[bytes.size()]);
  if (copy == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, " can be changed by others, and there is no memory for a copy of its ",
                     bytes.size(), " bytes"));
  }
  std::ranges::copy(bytes, copy.get());
  return schema::File::from_memory(copy, Bytes(copy.get(), bytes.size()), path, options);
}

// A file that was opened once, whatever its path leads to by now.
struct Opened {
  std::shared_ptr<const schema::MappedFile> mapping;
  std::string foreign_because;
};

absl::StatusOr<Opened> open_once(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return file_error("open", path, errno);
  const absl::Cleanup close_descriptor = [descriptor] { ::close(descriptor); };
  LM_ASSIGN_OR_RETURN(mapping, schema::MappedFile::map(descriptor, path));
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return file_error("open", path, errno);
  return Opened{std::move(mapping), foreign_because(info)};
}

}  // namespace

void add_signature_option(cxxopts::Options& options) {
  options.add_options()(kRequireSignature,
                        "Refuse a file that this key has not signed; of several keys, one suffices",
                        cxxopts::value<std::vector<std::string>>(), "NAME.pub");
}

void add_trust_options(cxxopts::Options& options) {
  add_signature_option(options);
  options.add_options()("trust", "Execute the kernels of a file that is not your own");
}

std::vector<std::string> key_files(const cxxopts::ParseResult& arguments) {
  if (arguments.count(kRequireSignature) == 0) return {};
  return arguments[kRequireSignature].as<std::vector<std::string>>();
}

absl::StatusOr<TrustPolicy> trust_policy(const cxxopts::ParseResult& arguments) {
  TrustPolicy policy;
  policy.trusted = is_set(arguments, "trust");
  for (const std::string& path : key_files(arguments)) {
    LM_ASSIGN_OR_RETURN(key, read_public_key(path));
    policy.required.push_back(key);
  }
  return policy;
}

absl::Status check_signature(const schema::File& file, const TrustPolicy& policy) {
  if (policy.required.empty()) return absl::OkStatus();
  return schema::verify_signature(file, policy.required);
}

absl::StatusOr<std::shared_ptr<const schema::File>> open_to_execute(const std::string& path,
                                                                    const TrustPolicy& policy,
                                                                    absl::string_view backend,
                                                                    ReferenceOptions references) {
  LM_ASSIGN_OR_RETURN(opened, open_once(path));
  const std::string& foreign = opened.foreign_because;
  const bool vouched_for = foreign.empty() || policy.trusted || !policy.required.empty();
  const bool allowed = vouched_for || backend == "null" || policy.sandboxed;
  if (!allowed) return refused(path, foreign);
  // Neither the sandbox nor a backend without code vouches for the paths in a file.
  if (vouched_for) references.allow = true;
  const schema::FileOptions options = {.references = std::move(references)};
  const bool can_change = !foreign.empty() && (!policy.required.empty() || policy.sandboxed);
  LM_ASSIGN_OR_RETURN(file, can_change ? copy_of(*opened.mapping, path, options)
                                       : schema::File::from_mapping(opened.mapping, path, options));
  LM_RETURN_IF_ERROR(check_signature(*file, policy));
  return file;
}

absl::StatusOr<ReadFile> open_to_read(const std::string& path, ReferenceOptions references) {
  LM_ASSIGN_OR_RETURN(opened, open_once(path));
  LM_ASSIGN_OR_RETURN(file,
                      schema::File::from_mapping(opened.mapping, path, {.references = references}));
  return ReadFile{std::move(file), std::move(opened.foreign_because)};
}

}  // namespace lightmetal::runner
