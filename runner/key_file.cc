#include "runner/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/status.h"
#include "runner/command_line.h"

namespace lightmetal::runner {
namespace {

// The most bytes of a key file: a longer file is no key.
constexpr size_t kMaxSize = 4096;

struct Content {
  std::string text;
  mode_t mode = 0;
};

absl::StatusOr<Content> read_content(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return file_error("open", path, errno);
  const absl::Cleanup close_file = [file] { ::close(file); };
  struct stat info {};
  if (::fstat(file, &info) != 0) return file_error("read", path, errno);
  // opened without blocking, but read with it: a pipe's writer may take its time
  ::fcntl(file, F_SETFL, 0);
  std::array<char, kMaxSize> buffer;
  size_t size = 0;
  for (ssize_t count = 1; count > 0 && size < buffer.size(); size += static_cast<size_t>(count)) {
    count = ::read(file, buffer.data() + size, buffer.size() - size);
    if (count < 0) return file_error("read", path, errno);
  }
  return Content{{buffer.data(), size}, info.st_mode};
}

absl::Status about(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, " cannot be used as a key: ", status.message())};
}

absl::Status write_new(const std::string& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return file_error("create", path, errno);
  const ssize_t written = ::write(file, text.data(), text.size());
  const int error = written < 0 ? errno : ENOSPC;
  const bool closed = ::close(file) == 0;
  if (closed && written == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  ::unlink(path.c_str());
  return file_error("write", path, error);
}

}  // namespace

absl::StatusOr<schema::PublicKey> read_public_key(const std::string& path) {
  LM_ASSIGN_OR_RETURN(content, read_content(path));
  auto key = schema::PublicKey::from_text(content.text);
  if (!key.ok()) return about(path, key.status());
  return key;
}

absl::StatusOr<schema::SecretKey> read_secret_key(const std::string& path) {
  LM_ASSIGN_OR_RETURN(content, read_content(path));
  auto key = schema::SecretKey::from_text(content.text);
  if (!key.ok()) return about(path, key.status());
  if ((content.mode & (S_IRWXG | S_IRWXO)) != 0) {
    warn(absl::StrCat("warning: ", path,
                      " is a secret key that others than its owner have rights to; \"chmod 600 ",
                      path, "\" takes them away"));
  }
  return key;
}

absl::Status write_keys(const schema::SecretKey& key, const std::string& name) {
  const std::string secret = absl::StrCat(name, ".key");
  LM_RETURN_IF_ERROR(write_new(secret, key.to_text(), S_IRUSR | S_IWUSR));
  const absl::Status status =
      write_new(absl::StrCat(name, ".pub"), key.public_key().to_text(), 0666);
  if (!status.ok()) ::unlink(secret.c_str());
  return status;
}

}  // namespace lightmetal::runner
