#include "schema/storage/sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/write_all.h"
#include "schema/storage/write_signals.h"

namespace lightmetal::schema {
namespace {

// How long the reader of a pipe may take nothing before the sink gives up.
constexpr int kReaderPatience = 2000;  // milliseconds

}  // namespace

absl::StatusOr<bool> Sink::append_if(const ::lightmetal::Digest& digest, Bytes head, Bytes content,
                                     Bytes tail) {
  const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[content.size()]);
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there is no memory for a copy of a payload of ", content.size(), " bytes"));
  }
  std::memcpy(memory.get(), content.data(), content.size());
  const Bytes copy(memory.get(), content.size());
  if (digest_of(copy) != digest) return false;
  LM_RETURN_IF_ERROR(append({head, copy, tail}));
  return true;
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::create(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, OwnFile::create(path, O_WRONLY));
  return std::make_unique<FileSink>(std::move(file));
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::append_to(int descriptor, std::string name) {
  LM_ASSIGN_OR_RETURN(file, OwnFile::copy_of(descriptor, std::move(name)));
  return std::make_unique<FileSink>(std::move(file));
}

FileSink::~FileSink() { close().IgnoreError(); }

absl::Status FileSink::append(absl::Span<const Bytes> parts) {
  if (!status_.ok()) return status_;
  // Only a pipe or device raises SIGPIPE, and only a limit of file sizes SIGXFSZ; for all else two
  // system calls are saved. The limit is asked for each time: a program may limit itself at any
  // time.
  std::optional<WriteSignalBlock> block;
  if (!file_.is_regular() || file_size_is_limited()) block.emplace();
  const bool written = write_all(
      parts, size_, [this](const iovec* vectors, int count) { return write_some(vectors, count); });
  if (!written) status_ = file_.error("write to", errno);
  return status_;
}

// Checks before every write that the descriptor still stands for the file. A closed descriptor is
// not opened again here: a pipe or device would not go on at the same place.
ssize_t FileSink::write_some(const iovec* parts, int count) {
  errno = EBADF;
  if (!file_.is_open()) return -1;
  const ssize_t written = ::writev(file_.descriptor(), parts, count);
  if (written >= 0 || errno != EAGAIN) return written;
  pollfd reader = {.fd = file_.descriptor(), .events = POLLOUT, .revents = 0};
  errno = ETIMEDOUT;
  if (::poll(&reader, 1, kReaderPatience) == 0) return -1;
  errno = EINTR;
  return -1;  // write_all() tries once more
}

absl::Status FileSink::close() {
  const absl::Status closed = file_.close();
  if (status_.ok()) status_ = closed;
  return status_;
}

}  // namespace lightmetal::schema
