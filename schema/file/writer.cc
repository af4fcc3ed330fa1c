#include "schema/file/writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/file/blob.h"
#include "schema/file/frame.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {
namespace {

constexpr std::array<std::byte, kPageSize + sizeof(FrameHeader)> kZeros{};

// Smaller payloads are copied where their memory may change: the copy costs less than the second
// look at the memory.
constexpr uint64_t kSmallBlob = uint64_t{64} << 10;

Bytes zeros(size_t size) { return Bytes(kZeros).first(size); }

absl::StatusOr<std::optional<ExternalBlobInfo>> find_nothing(Bytes, const ::lightmetal::Digest&) {
  return std::nullopt;
}

template <class Struct>
Bytes bytes_of_struct(const Struct& value) {
  return bytes_of(&value, sizeof(value));
}

template <class Struct>
void append_struct(std::string& out, const Struct& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_frame_to(std::string& out, FrameType type, Bytes payload, uint64_t offset) {
  append_struct(out, make_header(type, payload.size(), digest_of(payload), offset + out.size()));
  out.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  out.append(frame_size(payload.size()) - sizeof(FrameHeader) - payload.size(), '\0');
}

Bytes encode_session(flatbuffers::FlatBufferBuilder& builder, const SessionInfo& session) {
  std::vector<flatbuffers::Offset<SessionOption>> options;
  for (const auto& [name, value] : session.options) {
    options.push_back(CreateSessionOptionDirect(builder, name.c_str(), value.c_str()));
  }
  flatbuffers::Offset<Origin> origin;
  if (session.origin.has_value()) origin = encode_origin(builder, *session.origin);
  FinishSessionBuffer(builder,
                      CreateSessionDirect(builder, session.version_major, session.version_minor,
                                          session.producer.c_str(), &options, origin));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

// Catches a caller that has not finished its FlatBuffer: such bytes would make the whole file
// unreadable.
absl::Status check_size_prefix(Bytes command) {
  uint32_t size = 0;
  if (command.size() >= sizeof(size)) std::memcpy(&size, command.data(), sizeof(size));
  if (command.size() > sizeof(size) && size == command.size() - sizeof(size)) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("a command of ", command.size(), " bytes is no size-prefixed FlatBuffer"));
}

}  // namespace

std::string closing_frames(uint64_t offset, const IndexContent& content,
                           const absl::Status& capture_status) {
  IndexHeader header;
  header.num_commands = content.num_commands;
  header.num_blobs = content.blobs.size();
  header.commands_per_checkpoint = content.commands_per_checkpoint;
  header.error_code = static_cast<uint64_t>(capture_status.code());
  header.error_size = capture_status.message().size();
  std::string index;
  append_struct(index, header);
  for (const uint64_t checkpoint : content.checkpoints) append_struct(index, checkpoint);
  for (const BlobEntry& entry : content.blobs) append_struct(index, entry);
  absl::StrAppend(&index, capture_status.message());

  std::string frames;
  append_frame_to(frames, FrameType::Index, bytes_of(index.data(), index.size()), offset);
  append_frame_to(frames, FrameType::Footer, bytes_of_struct(Footer{offset}), offset);
  return frames;
}

// A command or a blob may be half noted where memory has run out, so nothing more is written: an
// index would be wrong.
template <class Action>
auto Writer::or_out_of_memory(Action action) -> decltype(action()) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    MutexLock lock(&mutex_);
    if (status_.ok()) status_ = absl::ResourceExhaustedError("the capture is out of memory");
    return status_;
  }
}

absl::Status Writer::begin(const SessionInfo& session) {
  return or_out_of_memory([&]() -> absl::Status {
    flatbuffers::FlatBufferBuilder builder;
    const Bytes payload = encode_session(builder, session);
    MutexLock lock(&mutex_);
    if (state_ != State::New) return absl::FailedPreconditionError("the file was begun already");
    state_ = State::Open;
    LM_RETURN_IF_ERROR(append({bytes_of(kMagic.data(), kMagic.size())}));
    return append_frame(FrameType::Session, payload, digest_of(payload));
  });
}

absl::Status Writer::append_command(Bytes command) {
  LM_RETURN_IF_ERROR(check_size_prefix(command));
  const ::lightmetal::Digest digest = digest_of(command);
  return or_out_of_memory([&]() -> absl::Status {
    MutexLock lock(&mutex_);
    LM_RETURN_IF_ERROR(check_open());
    // The command is hashed outside the lock, but its offset is only known inside: the frame's
    // header is made there.
    const uint64_t offset = size_;
    LM_RETURN_IF_ERROR(append_frame(FrameType::Command, command, digest));
    if (num_commands_++ % kCommandsPerCheckpoint == 0) checkpoints_.push_back(offset);
    return absl::OkStatus();
  });
}

absl::Status Writer::append_intent(Bytes command) {
  LM_RETURN_IF_ERROR(check_size_prefix(command));
  const ::lightmetal::Digest digest = digest_of(command);
  return or_out_of_memory([&]() -> absl::Status {
    MutexLock lock(&mutex_);
    LM_RETURN_IF_ERROR(check_open());
    return append_frame(FrameType::Intent, command, digest);
  });
}

absl::StatusOr<BlobRef> Writer::append_blob(Bytes payload) {
  return append_blob(payload, find_nothing);
}

absl::StatusOr<BlobRef> Writer::append_blob(Bytes payload, FindInFile find) {
  return or_out_of_memory([&]() -> absl::StatusOr<BlobRef> {
    LM_ASSIGN_OR_RETURN(reference, append_from(payload, Memory::Fixed, find));
    return *reference;
  });
}

absl::StatusOr<BlobRef> Writer::append_changing_blob(Bytes memory, FindInFile find) {
  if (memory.size() < kSmallBlob) return append_copy_of(memory, find);
  return or_out_of_memory([&]() -> absl::StatusOr<BlobRef> {
    LM_ASSIGN_OR_RETURN(reference, append_from(memory, Memory::Changing, find));
    return reference.has_value() ? *reference : append_copy_of(memory, find);
  });
}

absl::StatusOr<BlobRef> Writer::append_copy_of(Bytes memory, FindInFile find) {
  const std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[memory.size()]);
  if (copy == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there is no memory for a copy of a payload of ", memory.size(), " bytes"));
  }
  if (!memory.empty()) std::memcpy(copy.get(), memory.data(), memory.size());
  return append_blob({copy.get(), memory.size()}, find);
}

absl::StatusOr<std::optional<BlobRef>> Writer::append_from(Bytes payload, Memory memory,
                                                           FindInFile find) {
  const ::lightmetal::Digest digest = digest_of(payload);
  const BlobRef reference(from_digest(digest), payload.size());
  LM_ASSIGN_OR_RETURN(present, has_blob(digest));
  if (present) return reference;
  LM_ASSIGN_OR_RETURN(external, find(payload, digest));
  if (external.has_value()) {
    LM_RETURN_IF_ERROR(append_external(*external));
    return reference;
  }
  LM_ASSIGN_OR_RETURN(appended, append_embedded(payload, memory, digest));
  return appended ? std::optional(reference) : std::nullopt;
}

absl::Status Writer::append_blob_frame(const FrameView& frame, const BlobEntry& blob) {
  return or_out_of_memory([&]() -> absl::Status {
    if (frame.type() == FrameType::Blob) return append_whole(frame.payload, blob.digest);
    MutexLock lock(&mutex_);
    LM_ASSIGN_OR_RETURN(added, add_blob(blob.digest));
    if (added == nullptr) return absl::OkStatus();
    *added = {blob.size, size_};
    return append_frame(frame.type(), frame.payload, frame.digest());
  });
}

absl::Status Writer::append_frame_of(const File& file, const FrameView& frame) {
  if (frame.type() == FrameType::Command) return append_command(frame.payload);
  if (frame.type() == FrameType::Intent) return append_intent(frame.payload);
  if (!is_blob(frame.type())) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(blob, file.blob_in(frame));
  return append_blob_frame(frame, blob);
}

absl::StatusOr<bool> Writer::append_embedded(Bytes payload, Memory memory,
                                             const ::lightmetal::Digest& digest) {
  if (compression_level_ != 0) {
    if (const auto compressed = compress(payload, digest); compressed.has_value()) {
      LM_RETURN_IF_ERROR(append_compressed(*compressed, {from_digest(digest), payload.size()}));
      return true;
    }
  }
  if (memory == Memory::Changing) return append_whole_if(payload, digest);
  LM_RETURN_IF_ERROR(append_whole(payload, digest));
  return true;
}

absl::Status Writer::append_whole(Bytes payload, const ::lightmetal::Digest& digest) {
  MutexLock lock(&mutex_);
  LM_ASSIGN_OR_RETURN(blob, add_blob(digest));
  if (blob == nullptr) return absl::OkStatus();
  LM_RETURN_IF_ERROR(append_padding(padding_before_blob(size_, payload.size())));
  *blob = {payload.size(), size_};
  return append_frame(FrameType::Blob, payload, digest);
}

absl::StatusOr<bool> Writer::append_whole_if(Bytes payload, const ::lightmetal::Digest& digest) {
  MutexLock lock(&mutex_);
  LM_ASSIGN_OR_RETURN(blob, add_blob(digest));
  if (blob == nullptr) return true;
  LM_RETURN_IF_ERROR(append_padding(padding_before_blob(size_, payload.size())));
  *blob = {payload.size(), size_};
  const FrameHeader header = make_header(FrameType::Blob, payload.size(), digest, size_);
  const uint64_t size = frame_size(payload.size());
  const absl::StatusOr<bool> appended = sink_->append_if(
      digest, bytes_of_struct(header), payload, zeros(size - sizeof(header) - payload.size()));
  status_ = appended.status();
  if (appended.ok() && *appended) {
    size_ += size;
  } else {
    blobs_.get().erase(digest);
  }
  return appended;
}

absl::Status Writer::append_external(const ExternalBlobInfo& info) {
  flatbuffers::FlatBufferBuilder builder;
  const Bytes payload = encode_external_blob(builder, info);
  const ::lightmetal::Digest digest = digest_of(payload);
  MutexLock lock(&mutex_);
  LM_ASSIGN_OR_RETURN(blob, add_blob(info.digest));
  if (blob == nullptr) return absl::OkStatus();
  *blob = {info.size, size_};
  return append_frame(FrameType::ExternalBlob, payload, digest);
}

absl::Status Writer::append_compressed(const CompressedParts& compressed, const BlobRef& content) {
  std::vector<Bytes> parts = compressed.parts();
  Digester digester;
  for (const Bytes part : parts) digester.add(part);
  MutexLock lock(&mutex_);
  LM_ASSIGN_OR_RETURN(blob, add_blob(to_digest(content.digest())));
  if (blob == nullptr) return absl::OkStatus();
  *blob = {content.size(), size_};
  const FrameHeader header =
      make_header(FrameType::CompressedBlob, compressed.size, digester.digest(), size_);
  parts.insert(parts.begin(), bytes_of_struct(header));
  parts.push_back(zeros(frame_size(compressed.size) - sizeof(header) - compressed.size));
  return append(parts);
}

std::optional<CompressedParts> Writer::compress(Bytes payload, const ::lightmetal::Digest& digest) {
  std::unique_ptr<Compressor> compressor = take_compressor();
  std::optional<CompressedParts> compressed = compressor->compress(payload, digest);
  MutexLock lock(&mutex_);
  // Each thread that compresses has a compressor of its own; there are as many as there were at
  // once.
  if (state_ == State::Open) idle_compressors_.push_back(std::move(compressor));
  return compressed;
}

std::unique_ptr<Compressor> Writer::take_compressor() {
  MutexLock lock(&mutex_);
  if (idle_compressors_.empty()) return std::make_unique<Compressor>(compression_level_);
  std::unique_ptr<Compressor> compressor = std::move(idle_compressors_.back());
  idle_compressors_.pop_back();
  return compressor;
}

absl::StatusOr<bool> Writer::has_blob(const ::lightmetal::Digest& digest) {
  MutexLock lock(&mutex_);
  LM_RETURN_IF_ERROR(check_open());
  return blobs_.get().contains(digest);
}

absl::StatusOr<Writer::Blob*> Writer::add_blob(const ::lightmetal::Digest& digest) {
  LM_RETURN_IF_ERROR(check_open());
  // The entry is there before the content is written, so that no other thread writes the same
  // content. The caller fills it in under the same lock.
  const auto [entry, inserted] = blobs_.try_emplace(digest);
  return inserted ? &entry->second : nullptr;
}

absl::Status Writer::finish(const absl::Status& capture_status) {
  {
    MutexLock lock(&mutex_);
    if (state_ == State::Finished) return absl::FailedPreconditionError("the file is finished");
  }
  absl::Status result = or_out_of_memory([&] { return write_end(capture_status); });
  MutexLock lock(&mutex_);
  // The sink is closed whatever happened before.
  const absl::Status closed = sink_->close();
  if (result.ok()) result = closed;
  if (status_.ok()) status_ = result;
  state_ = State::Finished;
  sink_ = nullptr;
  checkpoints_ = {};
  blobs_.get() = {};
  idle_compressors_.clear();
  return result;
}

absl::Status Writer::write_end(const absl::Status& capture_status) {
  MutexLock lock(&mutex_);
  LM_RETURN_IF_ERROR(check_open());
  state_ = State::Finished;  // nothing comes after the index
  return append_index(capture_status);
}

absl::Status Writer::append_index(const absl::Status& capture_status) {
  std::vector<BlobEntry> entries;
  entries.reserve(blobs_.get().size());
  for (const auto& [digest, blob] : blobs_.get())
    entries.push_back({digest, blob.size, blob.offset});
  std::sort(entries.begin(), entries.end(),
            [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });

  const std::string frames = closing_frames(
      size_, {.num_commands = num_commands_, .checkpoints = checkpoints_, .blobs = entries},
      capture_status);
  return append({bytes_of(frames.data(), frames.size())});
}

absl::Status Writer::append_padding(uint64_t size) {
  if (size == 0) return absl::OkStatus();
  const Bytes payload = zeros(size - sizeof(FrameHeader));
  return append_frame(FrameType::Padding, payload, digest_of(payload));
}

absl::Status Writer::append_frame(FrameType type, Bytes payload,
                                  const ::lightmetal::Digest& digest) {
  // The header's checksum depends on the offset, so the header is made under the lock.
  const FrameHeader header = make_header(type, payload.size(), digest, size_);
  const size_t fill = frame_size(payload.size()) - sizeof(header) - payload.size();
  return append({bytes_of_struct(header), payload, zeros(fill)});
}

absl::Status Writer::append(absl::Span<const Bytes> parts) {
  status_ = sink_->append(parts);
  if (status_.ok()) size_ += size_of(parts);
  return status_;
}

absl::Status Writer::check_open() const {
  if (!status_.ok()) return status_;
  if (state_ == State::Open) return absl::OkStatus();
  return absl::FailedPreconditionError(state_ == State::New ? "the file was not begun"
                                                            : "the file is finished");
}

uint64_t Writer::size() const {
  MutexLock lock(&mutex_);
  return size_;
}

uint64_t Writer::num_commands() const {
  MutexLock lock(&mutex_);
  return num_commands_;
}

absl::Status Writer::status() const {
  MutexLock lock(&mutex_);
  return status_;
}

}  // namespace lightmetal::schema
