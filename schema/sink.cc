#include "schema/sink.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/file_error.h"
#include "base/round.h"
#include "base/status.h"
#include "schema/write_signals.h"

namespace lightmetal::schema {
namespace {

// Memory that was never touched costs a page fault for every few commands, more than writing them:
// all pieces but the first are huge pages where the system has them.
constexpr size_t kFirstPieceSize = size_t{256} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

using Vectors = absl::InlinedVector<iovec, 8>;

Vectors vectors_of(absl::Span<const Bytes> parts) {
  Vectors vectors;
  for (const Bytes part : parts) {
    if (part.empty()) continue;
    vectors.push_back({const_cast<std::byte*>(part.data()), part.size()});
  }
  return vectors;
}

// Takes `written` bytes off the front.
void advance(absl::Span<iovec>& vectors, size_t written) {
  while (!vectors.empty() && written >= vectors.front().iov_len) {
    written -= vectors.front().iov_len;
    vectors.remove_prefix(1);
  }
  if (written == 0) return;
  vectors.front().iov_base = static_cast<char*>(vectors.front().iov_base) + written;
  vectors.front().iov_len -= written;
}

// A program that closes what it does not know, and opens files of its own then, gets the lowest
// numbers for them: no call that is being recorded may write to one of those.
int out_of_the_way(int file) {
  constexpr int kFar = 512;
  rlimit limit = {};
  const bool all_are_near = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= kFar;
  const int lowest = all_are_near ? static_cast<int>(limit.rlim_cur) / 2 : kFar;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) return file;
  ::close(file);
  return moved;
}

bool is_regular(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

// Takes the file for this process before emptying it: another capture may be writing to it, such as
// that of the program that started this one.
absl::Status take_file(int file, const std::string& path) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return file_error("create", path, errno);
  if (!S_ISREG(info.st_mode)) return absl::OkStatus();
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::AlreadyExistsError(
        absl::StrCat("cannot create ", path, ": another capture is writing to it"));
  }
  if (::ftruncate(file, 0) != 0) return file_error("create", path, errno);
  return absl::OkStatus();
}

}  // namespace

MemorySink::MemorySink(uint64_t limit) : limit_(limit) {}
MemorySink::~MemorySink() = default;

absl::Status MemorySink::append(absl::Span<const Bytes> parts) {
  uint64_t added = 0;
  for (const Bytes part : parts) added += part.size();
  if (file_sink_ == nullptr && added > limit_ - std::min(size_, limit_)) {
    LM_RETURN_IF_ERROR(spill());
  }
  LM_RETURN_IF_ERROR(file_sink_ != nullptr ? file_sink_->append(parts) : append_to_memory(parts));
  size_ += added;
  return absl::OkStatus();
}

absl::Status MemorySink::append_to_memory(absl::Span<const Bytes> parts) {
  for (const Bytes part : parts) LM_RETURN_IF_ERROR(append_part(part));
  return absl::OkStatus();
}

absl::Status MemorySink::append_part(Bytes part) {
  while (!part.empty()) {
    if (pieces_.empty() || pieces_.back().used == pieces_.back().capacity) {
      LM_RETURN_IF_ERROR(add_piece(part.size()));
    }
    Piece& piece = pieces_.back();
    const size_t count = std::min(part.size(), piece.capacity - piece.used);
    std::memcpy(piece.bytes.get() + piece.used, part.data(), count);
    piece.used += count;
    part.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status MemorySink::add_piece(size_t least) {
  const size_t unit = pieces_.empty() ? kFirstPieceSize : kHugePage;
  const size_t capacity = round_up(least, unit);
  auto* bytes = static_cast<std::byte*>(std::aligned_alloc(unit, capacity));
  if (bytes == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot keep ", size_ + least, " bytes in memory"));
  }
  if (unit == kHugePage) madvise(bytes, capacity, MADV_HUGEPAGE);
  pieces_.push_back({std::unique_ptr<std::byte[], Free>(bytes), 0, capacity});
  return absl::OkStatus();
}

absl::Status MemorySink::spill() {
  LM_ASSIGN_OR_RETURN(file, TemporaryFile::create());
  LM_ASSIGN_OR_RETURN(sink, FileSink::append_to(*file));
  for (Piece& piece : pieces_) {
    LM_RETURN_IF_ERROR(sink->append({bytes_of(piece.bytes.get(), piece.used)}));
    piece.bytes.reset();
  }
  pieces_.clear();
  file_ = std::move(file);
  file_sink_ = std::move(sink);
  return absl::OkStatus();
}

absl::Status MemorySink::close() {
  return file_sink_ == nullptr ? absl::OkStatus() : file_sink_->close();
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::create(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return file_error("create", path, errno);
  absl::Status taken = take_file(file, path);
  if (taken.ok()) return std::unique_ptr<FileSink>(new FileSink(path, out_of_the_way(file)));
  ::close(file);
  return taken;
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::append_to(const TemporaryFile& file) {
  return append_to(file.descriptor(), file.name());
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::append_to(int descriptor, std::string name) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return file_error("write to", name, errno);
  return std::unique_ptr<FileSink>(new FileSink(std::move(name), own));
}

FileSink::FileSink(std::string path, int file)
    : path_(std::move(path)),
      is_regular_(is_regular(file)),
      identity_(FileIdentity::of(file)),
      file_(file) {}

FileSink::~FileSink() { close().IgnoreError(); }

absl::Status FileSink::append(absl::Span<const Bytes> parts) {
  if (!status_.ok()) return status_;
  Vectors storage = vectors_of(parts);
  absl::Span<iovec> vectors = absl::MakeSpan(storage);
  // Asked each time: a program may limit itself at any time.
  std::optional<WriteSignalBlock> block;
  if (!is_regular_ || file_size_is_limited()) block.emplace();
  while (!vectors.empty()) {
    const size_t count = std::min<size_t>(vectors.size(), IOV_MAX);
    const ssize_t written = ::writev(file_, vectors.data(), static_cast<int>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail("write to", errno);
    size_ += static_cast<uint64_t>(written);
    advance(vectors, static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status FileSink::close() {
  if (file_ < 0) return status_;
  const int file = file_;
  file_ = -1;
  if (!identity_.is_of(file)) return status_.ok() ? fail("close", EBADF) : status_;
  // A forked child that has the file open, too, would keep the lock.
  ::flock(file, LOCK_UN);
  // Linux has closed the file even when it reports an error, so there is no second try.
  if (::close(file) != 0 && errno != EINTR && status_.ok()) return fail("close", errno);
  return status_;
}

void FileSink::leave_to_parent() {
  // Unlocking it would take the lock from the parent.
  if (file_ >= 0 && identity_.is_of(file_)) ::close(file_);
  file_ = -1;
}

absl::Status FileSink::fail(const char* action, int error) {
  status_ = file_error(action, path_, error);
  return status_;
}

}  // namespace lightmetal::schema
