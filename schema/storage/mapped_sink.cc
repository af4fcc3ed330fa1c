#include "schema/storage/mapped_sink.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/round.h"
#include "base/status.h"
#include "base/write_all.h"
#include "schema/storage/output_file.h"
#include "schema/storage/room.h"
#include "schema/storage/write_signals.h"

namespace lightmetal::schema {
namespace {

// Zeros are written rather than allocated (fallocate): it costs the same on the file systems where
// that is fast, works on all others, and a store to a page that holds zeros already costs a fifth
// of one to a page that was only promised.
constexpr uint64_t kFirstPiece = uint64_t{64} << 10;
constexpr uint64_t kLastPiece = uint64_t{2} << 20;
static_assert(2 * kLastPiece <= kMostRoom);
// After a record of so many bytes, pieces are small again: where another such record follows, it
// overwrites the zeros, which were written for nothing.
constexpr uint64_t kVeryLarge = uint64_t{256} << 10;

constexpr std::array<std::byte, size_t{64} << 10> kZeros{};

}  // namespace

absl::StatusOr<std::unique_ptr<MappedSink>> MappedSink::create(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, OwnFile::create(path, O_RDWR));
  return std::make_unique<MappedSink>(std::move(file));
}

absl::StatusOr<std::unique_ptr<MappedSink>> MappedSink::write_to(const TemporaryFile& file) {
  LM_ASSIGN_OR_RETURN(own, OwnFile::copy_of(file.descriptor(), file.name()));
  return std::make_unique<MappedSink>(std::move(own));
}

MappedSink::MappedSink(OwnFile file) : file_(std::move(file)), piece_(kFirstPiece) {}

MappedSink::~MappedSink() { close().IgnoreError(); }

absl::Status MappedSink::append(absl::Span<const Bytes> parts) {
  if (!status_.ok()) return status_;
  const uint64_t size = size_of(parts);
  if (size >= kWritten || !FileWindow::may_store() || !prepare_window(size)) return write(parts);
  if (!window_.store(size_, parts)) {
    return fail(absl::DataLossError(
        absl::StrCat("cannot write to ", file_.path(),
                     ": it was cut short while it was written, or its disk takes no more")));
  }
  size_ += size;
  return absl::OkStatus();
}

// Makes the window hold the next `size` bytes. False where that is not possible: the record is
// written then, and writing finds out what is wrong.
bool MappedSink::prepare_window(uint64_t size) {
  if (window_.holds(size_, size_ + size)) return true;
  if (!can_map_ || !status_.ok()) return false;
  const uint64_t begin = round_down(size_, piece_), end = round_up(size_ + size, piece_);
  piece_ = std::min(2 * piece_, kLastPiece);
  window_.unmap();
  if (!prepare_file().ok() || !fill_up_to(end)) return false;
  can_map_ = window_.map(file_.descriptor(), begin, end);
  return can_map_;
}

// Makes the descriptor stand for the file, and checks that nobody has cut the file short. The
// window is given up before the file is opened again, because a mapping keeps the lock of the
// descriptor that was closed.
absl::Status MappedSink::prepare_file() {
  if (!file_.is_open()) {
    window_.unmap();
    LM_RETURN_IF_ERROR(file_.reopen());
  }
  LM_ASSIGN_OR_RETURN(size, file_.size());
  if (size >= filled_) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("cannot write to ", file_.path(), ": it was cut short while it was written"));
}

absl::Status MappedSink::write_at(uint64_t offset, absl::Span<const Bytes> parts) {
  // The limit is asked for each time: a program may limit itself at any time.
  std::optional<WriteSignalBlock> block;
  if (file_size_is_limited()) block.emplace();
  uint64_t done = 0;
  const bool written = write_all(parts, done, [&](const iovec* vectors, int count) {
    return ::pwritev(file_.descriptor(), vectors, count, static_cast<off_t>(offset + done));
  });
  absl::Status status = written ? absl::OkStatus() : file_.error("write to", errno);
  filled_ = std::max(filled_, offset + done);
  return status;
}

// Fills the file with zeros up to `end`. A failure is no error of the capture yet: the record may
// still fit without the rest of the piece, and is written.
bool MappedSink::fill_up_to(uint64_t end) {
  std::vector<Bytes> parts;
  for (uint64_t at = filled_; at < end; at += kZeros.size()) {
    parts.push_back(Bytes(kZeros).first(std::min<uint64_t>(kZeros.size(), end - at)));
  }
  return write_at(filled_, parts).ok();
}

absl::Status MappedSink::write(absl::Span<const Bytes> parts) {
  absl::Status status = prepare_file();
  if (status.ok()) status = write_at(size_, parts);
  if (!status.ok()) return fail(std::move(status));
  const uint64_t size = size_of(parts);
  size_ += size;
  if (size >= kVeryLarge && !window_.holds(size_, size_)) piece_ = kFirstPiece;
  return absl::OkStatus();
}

absl::Status MappedSink::write_blocks(Bytes head, Bytes content, Bytes tail, Digester& digester) {
  if (block_ == nullptr) block_ = std::make_unique_for_overwrite<std::byte[]>(kCopiedBlock);
  for (size_t done = 0; done < content.size(); done += kCopiedBlock) {
    const Bytes from = content.subspan(done, kCopiedBlock);
    std::memcpy(block_.get(), from.data(), from.size());
    const Bytes block(block_.get(), from.size());
    digester.add(block);
    const bool is_last = done + block.size() == content.size();
    LM_RETURN_IF_ERROR(write({done == 0 ? head : Bytes(), block, is_last ? tail : Bytes()}));
  }
  return absl::OkStatus();
}

// What does not have the digest is cut off again. The window goes first: the system may not take
// back what is mapped.
absl::StatusOr<bool> MappedSink::append_if(const ::lightmetal::Digest& digest, Bytes head,
                                           Bytes content, Bytes tail) {
  if (!status_.ok()) return status_;
  const uint64_t begin = size_;
  Digester digester;
  LM_RETURN_IF_ERROR(write_blocks(head, content, tail, digester));
  if (digester.digest() == digest) return true;
  window_.unmap();
  size_ = begin;
  absl::Status cut = cut_to_length();
  if (!cut.ok()) return fail(std::move(cut));
  return false;
}

absl::Status MappedSink::cut_to_length() {
  LM_RETURN_IF_ERROR(prepare_file());
  if (filled_ > size_ && ::ftruncate(file_.descriptor(), static_cast<off_t>(size_)) != 0) {
    return file_.error("write to", errno);
  }
  filled_ = size_;
  return absl::OkStatus();
}

absl::Status MappedSink::close() {
  if (file_.descriptor() < 0) return status_;
  // After DataLoss the file is the program's, or somebody else's: what was written to it since
  // stays.
  absl::Status cut = absl::IsDataLoss(status_) ? absl::OkStatus() : cut_to_length();
  if (!cut.ok()) fail(std::move(cut)).IgnoreError();
  window_.unmap();
  absl::Status closed = file_.close();
  if (!closed.ok()) fail(std::move(closed)).IgnoreError();
  return status_;
}

void MappedSink::leave_to_parent() {
  window_.unmap();
  file_.leave();
  fail(absl::CancelledError("the file is the parent's")).IgnoreError();
}

absl::Status MappedSink::fail(absl::Status error) {
  if (status_.ok()) status_ = std::move(error);
  return status_;
}

absl::StatusOr<std::shared_ptr<Sink>> create_capture_file(const std::string& path) {
  if (is_no_regular_file(path)) {
    LM_ASSIGN_OR_RETURN(stream, FileSink::create(path));
    return std::shared_ptr<Sink>(std::move(stream));
  }
  auto file = MappedSink::create(path);
  if (file.ok()) return std::shared_ptr<Sink>(*std::move(file));
  if (!absl::IsPermissionDenied(file.status())) return file.status();
  // A file that may be written but not read cannot be mapped.
  LM_ASSIGN_OR_RETURN(unread, FileSink::create(path));
  return std::shared_ptr<Sink>(std::move(unread));
}

}  // namespace lightmetal::schema
