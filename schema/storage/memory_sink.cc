#include "schema/storage/memory_sink.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/round.h"
#include "base/status.h"
#include "schema/storage/mapped_sink.h"

namespace lightmetal::schema {
namespace {

// Memory that was never touched costs a page fault for every few commands, more than writing the
// commands: all pieces but the first are huge pages where the system has them.
constexpr size_t kFirstPieceSize = size_t{256} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

MemorySink::MemorySink(uint64_t limit) : limit_(limit) {}
MemorySink::~MemorySink() = default;

// The sink moves to a file before it would go beyond the limit, so memory never holds more.
absl::Status MemorySink::make_room(uint64_t added) {
  if (file_sink_ != nullptr || added <= limit_ - std::min(size_, limit_)) return absl::OkStatus();
  return spill();
}

absl::Status MemorySink::append(absl::Span<const Bytes> parts) {
  const uint64_t added = size_of(parts);
  LM_RETURN_IF_ERROR(make_room(added));
  LM_RETURN_IF_ERROR(file_sink_ != nullptr ? file_sink_->append(parts) : append_to_memory(parts));
  size_ += added;
  return absl::OkStatus();
}

absl::StatusOr<bool> MemorySink::append_if(const ::lightmetal::Digest& digest, Bytes head,
                                           Bytes content, Bytes tail) {
  const uint64_t added = size_of({head, content, tail});
  LM_RETURN_IF_ERROR(make_room(added));
  bool is_same = false;
  if (file_sink_ != nullptr) {
    LM_ASSIGN_OR_RETURN(appended, file_sink_->append_if(digest, head, content, tail));
    is_same = appended;
  } else {
    Digester digester;
    LM_RETURN_IF_ERROR(append_part(head));
    LM_RETURN_IF_ERROR(append_part(content, digester));
    LM_RETURN_IF_ERROR(append_part(tail));
    is_same = digester.digest() == digest;
    if (!is_same) take_back(added);
  }
  if (is_same) size_ += added;
  return is_same;
}

absl::Status MemorySink::append_to_memory(absl::Span<const Bytes> parts) {
  for (const Bytes part : parts) LM_RETURN_IF_ERROR(append_part(part));
  return absl::OkStatus();
}

absl::StatusOr<Bytes> MemorySink::store_some(Bytes part, size_t most) {
  if (pieces_.empty() || pieces_.back().used == pieces_.back().capacity) {
    LM_RETURN_IF_ERROR(add_piece(part.size()));
  }
  Piece& piece = pieces_.back();
  const size_t count = std::min({part.size(), piece.capacity - piece.used, most});
  std::byte* const to = piece.bytes.get() + piece.used;
  std::memcpy(to, part.data(), count);
  piece.used += count;
  return Bytes(to, count);
}

absl::Status MemorySink::append_part(Bytes part) {
  while (!part.empty()) {
    LM_ASSIGN_OR_RETURN(stored, store_some(part, part.size()));
    part.remove_prefix(stored.size());
  }
  return absl::OkStatus();
}

absl::Status MemorySink::append_part(Bytes part, Digester& digester) {
  while (!part.empty()) {
    LM_ASSIGN_OR_RETURN(stored, store_some(part, kCopiedBlock));
    digester.add(stored);
    part.remove_prefix(stored.size());
  }
  return absl::OkStatus();
}

void MemorySink::take_back(uint64_t size) {
  while (size > 0) {
    Piece& last = pieces_.back();
    const size_t count = std::min<uint64_t>(size, last.used);
    last.used -= count;
    size -= count;
    if (last.used == 0) pieces_.pop_back();
  }
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
  LM_ASSIGN_OR_RETURN(sink, MappedSink::write_to(*file));
  // Each piece is freed as soon as the file has it.
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

void MemorySink::leave_to_parent() {
  if (file_sink_ != nullptr) file_sink_->leave_to_parent();
  file_.reset();
}

}  // namespace lightmetal::schema
