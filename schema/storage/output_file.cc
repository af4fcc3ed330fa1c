#include "schema/storage/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/absolute_path.h"
#include "base/file_error.h"
#include "base/status.h"
#include "schema/storage/file_lock.h"

namespace lightmetal::schema {
namespace {

namespace fs = std::filesystem;

// A random name: nobody can put a file or a link there beforehand, and O_EXCL follows no link. The
// name is short enough wherever the target's own name is.
std::string unfinished_name(const fs::path& target) {
  constexpr size_t kKept = 200;
  std::random_device random;
  const std::string name = absl::StrCat(target.filename().string().substr(0, kKept), ".",
                                        absl::Hex(random(), absl::kZeroPad8), ".unfinished");
  return (target.parent_path() / name).string();
}

std::string path_of(int file) { return absl::StrCat("/proc/self/fd/", file); }

// The path behind all links, the last of which may lead to nothing yet. The path is absolute
// because the file's folder is needed, too.
absl::StatusOr<fs::path> behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path target = absolute_path(path);
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == kMostLinks) return file_error("create", path, ELOOP);
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) return file_error("create", path, error.value());
  }
  target = fs::weakly_canonical(target, error);
  if (error) return file_error("create", path, error.value());
  return target;
}

constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;
// What this process needs until the file is finished, for code that opens it by unfinished().
constexpr mode_t kOwnRights = S_IRUSR | S_IWUSR;

// All rights where there is no file.
mode_t rights_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & kRights : kRights;
}

// Whether a capture is writing to the file. Once the file were replaced, what the capture goes on
// to write would have no name.
bool is_being_captured_to(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_free = lock_file(file);
  ::close(file);
  return !is_free;
}

// Opens a file without a name, which is gone with this process, however the process ends. Returns
// -1 where the file system has no such files, or where /proc is missing, without which the file
// could get no name later.
int create_without_name(const fs::path& target, unsigned mode) {
  const int file = ::open(target.parent_path().c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
  std::error_code error;
  if (file < 0 || fs::exists(path_of(file), error)) return file;
  ::close(file);
  return -1;
}

}  // namespace

bool is_no_regular_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

absl::Status check_no_input(const std::string& output, absl::Span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!fs::equivalent(input, output, none)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(output, " is an input", input == output ? "" : absl::StrCat(" (", input, ")"),
                     ", which stays as it is: write to another file"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputFile> OutputFile::create(const std::string& path,
                                              absl::Span<const std::string> inputs, mode_t mode) {
  if (path.empty()) return absl::InvalidArgumentError("the file to write has an empty name");
  LM_RETURN_IF_ERROR(check_no_input(path, inputs));
  LM_ASSIGN_OR_RETURN(target, behind_links(path));
  std::error_code error;
  if (fs::exists(target, error) && is_no_regular_file(target)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return file_error("create", path, error.value());
  }
  if (is_being_captured_to(target)) return taken_error(path);
  mode_t rights = mode & rights_of(target);
  for (const std::string& input : inputs) rights &= rights_of(input);
  const int unnamed = create_without_name(target, rights | kOwnRights);
  if (unnamed >= 0) return OutputFile(target.string(), "", unnamed, rights);
  const std::string unfinished = unfinished_name(target);
  const int file =
      ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, rights | kOwnRights);
  if (file < 0) return file_error("create", path, errno);
  return OutputFile(target.string(), unfinished, file, rights);
}

OutputFile::OutputFile(std::string target, std::string unfinished, int file, mode_t rights)
    : target_(std::move(target)),
      unfinished_(std::move(unfinished)),
      file_(file),
      dropped_(kOwnRights & ~rights) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(other.target_),
      unfinished_(std::exchange(other.unfinished_, {})),
      file_(std::exchange(other.file_, -1)),
      dropped_(other.dropped_) {}

OutputFile::~OutputFile() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
  if (file_ >= 0) ::close(file_);
}

absl::StatusOr<std::shared_ptr<Sink>> OutputFile::sink() const {
  LM_ASSIGN_OR_RETURN(sink, FileSink::append_to(file_, target_));
  return std::shared_ptr<Sink>(std::move(sink));
}

std::string OutputFile::unfinished() const {
  return unfinished_.empty() ? path_of(file_) : unfinished_;
}

absl::Status OutputFile::take_rights_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return file_error("read", path, errno);
  dropped_ = 0;
  if (::fchmod(file_, info.st_mode & rights_of(target_)) == 0) return absl::OkStatus();
  return file_error("write", target_, errno);
}

absl::Status OutputFile::drop_rights() {
  if (dropped_ == 0) return absl::OkStatus();
  struct stat info {};
  if (::fstat(file_, &info) == 0 && ::fchmod(file_, info.st_mode & kRights & ~dropped_) == 0) {
    return absl::OkStatus();
  }
  return file_error("write", target_, errno);
}

// Fails if there is a file of the name: linkat() replaces none.
absl::Status OutputFile::link_to(const std::string& name) {
  if (::linkat(AT_FDCWD, path_of(file_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return file_error("write", target_, errno);
  return absl::OkStatus();
}

absl::Status OutputFile::give_name() {
  if (unfinished_.empty()) {
    if (link_to(target_).ok()) return absl::OkStatus();
    std::string name = unfinished_name(target_);
    LM_RETURN_IF_ERROR(link_to(name));
    unfinished_ = std::move(name);
  }
  if (::rename(unfinished_.c_str(), target_.c_str()) != 0)
    return file_error("rename a file to", target_, errno);
  unfinished_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::finish() {
  LM_RETURN_IF_ERROR(drop_rights());
  // On the disk first: a name that leads to a file which a crash has emptied would be worse than
  // the old file.
  if (::fsync(file_) != 0) return file_error("write", target_, errno);
  return give_name();
}

}  // namespace lightmetal::schema
