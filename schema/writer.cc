#include "schema/writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/blob.h"
#include "schema/frame.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {
namespace {

constexpr std::array<std::byte, kPageSize + sizeof(FrameHeader)> kZeros{};

Bytes zeros(size_t size) { return Bytes(kZeros).first(size); }

template <class Struct>
Bytes bytes_of_struct(const Struct& value) {
  return bytes_of(&value, sizeof(value));
}

template <class Struct>
void append_struct(std::string& out, const Struct& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

Bytes encode_session(flatbuffers::FlatBufferBuilder& builder, const SessionInfo& session) {
  std::vector<flatbuffers::Offset<SessionOption>> options;
  for (const auto& [name, value] : session.options) {
    options.push_back(CreateSessionOptionDirect(builder, name.c_str(), value.c_str()));
  }
  FinishSessionBuffer(builder,
                      CreateSessionDirect(builder, session.version_major, session.version_minor,
                                          session.producer.c_str(), &options));
  return bytes_of(builder.GetBufferPointer(), builder.GetSize());
}

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

absl::Status Writer::begin(const SessionInfo& session) {
  flatbuffers::FlatBufferBuilder builder;
  const Bytes payload = encode_session(builder, session);
  MutexLock lock(&mutex_);
  if (state_ != State::New) return absl::FailedPreconditionError("the file was begun already");
  state_ = State::Open;
  LM_RETURN_IF_ERROR(append({bytes_of(kMagic.data(), kMagic.size())}));
  return append_frame(FrameType::Session, payload, digest_of(payload));
}

absl::Status Writer::append_command(Bytes command) {
  LM_RETURN_IF_ERROR(check_size_prefix(command));
  const ::lightmetal::Digest digest = digest_of(command);
  MutexLock lock(&mutex_);
  LM_RETURN_IF_ERROR(check_open());
  const uint64_t offset = size_;
  LM_RETURN_IF_ERROR(append_frame(FrameType::Command, command, digest));
  if (num_commands_++ % kCommandsPerCheckpoint == 0) checkpoints_.push_back(offset);
  return absl::OkStatus();
}

absl::StatusOr<BlobRef> Writer::append_blob(Bytes payload) {
  const ::lightmetal::Digest digest = digest_of(payload);
  const BlobRef reference(from_digest(digest), payload.size());
  MutexLock lock(&mutex_);
  LM_RETURN_IF_ERROR(check_open());
  const auto [entry, inserted] = blobs_.try_emplace(digest);
  if (!inserted) return reference;
  LM_RETURN_IF_ERROR(append_padding(padding_before_blob(size_, payload.size())));
  entry->second = {payload.size(), size_};
  LM_RETURN_IF_ERROR(append_frame(FrameType::Blob, payload, digest));
  return reference;
}

absl::Status Writer::finish(const absl::Status& capture_status) {
  MutexLock lock(&mutex_);
  if (state_ == State::Finished) return absl::FailedPreconditionError("the file is finished");
  const absl::Status result = close(capture_status);
  state_ = State::Finished;
  sink_ = nullptr;
  checkpoints_ = {};
  blobs_ = {};
  return result;
}

absl::Status Writer::close(const absl::Status& capture_status) {
  absl::Status result = check_open();
  if (result.ok()) result = append_index(capture_status);
  // The sink is closed whatever happened before.
  const absl::Status closed = sink_->close();
  if (result.ok()) result = closed;
  if (status_.ok()) status_ = result;
  return result;
}

absl::Status Writer::append_index(const absl::Status& capture_status) {
  std::vector<BlobEntry> entries;
  entries.reserve(blobs_.size());
  for (const auto& [digest, blob] : blobs_) entries.push_back({digest, blob.size, blob.offset});
  std::sort(entries.begin(), entries.end(),
            [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });

  IndexHeader header;
  header.num_commands = num_commands_;
  header.num_blobs = entries.size();
  header.error_code = static_cast<uint64_t>(capture_status.code());
  header.error_size = capture_status.message().size();
  std::string index;
  append_struct(index, header);
  for (const uint64_t checkpoint : checkpoints_) append_struct(index, checkpoint);
  for (const BlobEntry& entry : entries) append_struct(index, entry);
  absl::StrAppend(&index, capture_status.message());

  const Footer footer{size_};
  const Bytes index_bytes = bytes_of(index.data(), index.size());
  LM_RETURN_IF_ERROR(append_frame(FrameType::Index, index_bytes, digest_of(index_bytes)));
  const Bytes footer_bytes = bytes_of_struct(footer);
  return append_frame(FrameType::Footer, footer_bytes, digest_of(footer_bytes));
}

absl::Status Writer::append_padding(uint64_t size) {
  if (size == 0) return absl::OkStatus();
  const Bytes payload = zeros(size - sizeof(FrameHeader));
  return append_frame(FrameType::Padding, payload, digest_of(payload));
}

absl::Status Writer::append_frame(FrameType type, Bytes payload,
                                  const ::lightmetal::Digest& digest) {
  const FrameHeader header = make_header(type, payload.size(), digest, size_);
  const size_t fill = frame_size(payload.size()) - sizeof(header) - payload.size();
  return append({bytes_of_struct(header), payload, zeros(fill)});
}

absl::Status Writer::append(absl::Span<const Bytes> parts) {
  status_ = sink_->append(parts);
  for (const Bytes part : parts) size_ += part.size();
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
