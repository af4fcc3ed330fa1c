#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/key_file.h"
#include "runner/verbs.h"
#include "schema/signature.h"
#include "schema/sink.h"
#include "schema/verify.h"

namespace lightmetal::runner {
namespace {

// The new file gets the rights of the one that it was made from, and is on the disk before it takes
// a name.
absl::Status settle(const std::string& written, const std::string& original) {
  const int file = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return file_error("open", written, errno);
  const absl::Cleanup close_file = [file] { ::close(file); };
  struct stat info {};
  constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;
  if (::stat(original.c_str(), &info) != 0) return file_error("read", original, errno);
  if (::fchmod(file, info.st_mode & kRights) != 0 || ::fsync(file) != 0) {
    return file_error("write", written, errno);
  }
  return absl::OkStatus();
}

absl::Status write_signed(const schema::File& file, const schema::SecretKey& key,
                          const std::string& path) {
  LM_ASSIGN_OR_RETURN(sink, schema::FileSink::create(path));
  LM_RETURN_IF_ERROR(schema::sign(file, key, *sink));
  return settle(path, file.name());
}

// `output` appears whole or stays what it was, the file to be signed included.
absl::Status sign_into(const schema::File& file, const schema::SecretKey& key,
                       const std::string& output) {
  std::error_code none;
  if (std::filesystem::exists(output, none) && !std::filesystem::is_regular_file(output, none)) {
    return absl::InvalidArgumentError(absl::StrCat(output, " is not a regular file"));
  }
  // A link stays, and what it leads to is replaced.
  const std::string target = std::filesystem::weakly_canonical(output).string();
  ::umask(S_IRWXG | S_IRWXO);  // until it has the rights of the file that it is made from
  const std::string unfinished = absl::StrCat(target, ".", ::getpid(), ".unfinished");
  absl::Status status = write_signed(file, key, unfinished);
  if (status.ok() && ::rename(unfinished.c_str(), target.c_str()) != 0) {
    status = file_error("rename a file to", target, errno);
  }
  if (!status.ok()) ::unlink(unfinished.c_str());
  return status;
}

absl::StatusOr<std::shared_ptr<const schema::File>> open_verified(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path));
  LM_RETURN_IF_ERROR(schema::verify(*file));
  return file;
}

}  // namespace

int sign(int argc, const char* const* argv) {
  cxxopts::Options options =
      options_for("sign", "Signs a file, beside the signatures that it has. It needs no device.\n");
  options.add_options()("key", "The secret key that keygen wrote", cxxopts::value<std::string>(),
                        "NAME.key")("o,output", "The file to write; default: FILE itself",
                                    cxxopts::value<std::string>(), "OUT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("key") == 0) return fail("sign needs --key NAME.key, the key to sign with");

  const std::string path = file_of(*arguments);
  const bool in_place = arguments->count("output") == 0;
  const std::string output = in_place ? path : (*arguments)["output"].as<std::string>();
  const auto key = read_secret_key((*arguments)["key"].as<std::string>());
  if (!key.ok()) return fail(key.status());
  const auto file = open_verified(path);
  if (!file.ok()) return fail(file.status());
  const absl::Status status = sign_into(**file, *key, output);
  if (!status.ok()) return fail(status);
  std::printf("%s: signed by key %s\n", output.c_str(), key->public_key().id().c_str());
  return finish_output();
}

}  // namespace lightmetal::runner
