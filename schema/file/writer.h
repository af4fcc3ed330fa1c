#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/growing_map.h"
#include "base/mutex.h"
#include "schema/file/compressed_blob.h"
#include "schema/file/external_blob.h"
#include "schema/file/frame.h"
#include "schema/file/reader.h"
#include "schema/file/session_info.h"
#include "schema/storage/sink.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

struct WriterOptions {
  // zstd's level for payloads, 1 (fast) to kMaxCompressionLevel (small); 0 compresses nothing.
  // Payloads for which it does not pay are stored as they are.
  int compression_level = 0;
};

// What an index says of the frames before it.
struct IndexContent {
  uint64_t num_commands = 0;
  absl::Span<const uint64_t> checkpoints;  // one for each commands_per_checkpoint commands
  absl::Span<const BlobEntry> blobs;       // in ascending order of digest
  uint64_t commands_per_checkpoint = kCommandsPerCheckpoint;
};

// Returns the index and the footer of a file whose other frames end at `offset`, as bytes.
std::string closing_frames(uint64_t offset, const IndexContent& content,
                           const absl::Status& capture_status);

// Writes one file into a sink, frame by frame, in the order of the calls. Thread-safe: hashing and
// compression happen outside the lock, so what two threads append at once comes in either order.
//
// The first error sticks: every later call returns it and writes nothing. A file without finish()
// is incomplete, and its whole frames remain readable. A lack of memory is an error, too, and no
// exception.
class Writer {
 public:
  // The Writer lets go of the sink at finish(): a caller that needs the sink's bytes keeps a share
  // of it.
  explicit Writer(std::shared_ptr<Sink> sink, const WriterOptions& options = {})
      : compression_level_(options.compression_level), sink_(std::move(sink)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Writes the magic and the session. REQUIRES: it is called once, before anything else.
  absl::Status begin(const SessionInfo& session);

  // Appends a command as finish_command() returns it. The bytes are copied or written when this
  // returns.
  absl::Status append_command(Bytes command);

  // Appends an intent: a command that is about to be executed, in the same form. An intent does not
  // count as a command.
  absl::Status append_intent(Bytes command);

  // Appends a payload unless the file has one of equal content. Returns the payload's name, for
  // commands that are appended later. REQUIRES: nobody changes the bytes during the call.
  absl::StatusOr<BlobRef> append_blob(Bytes payload);

  // As above, but appends a reference to another file where `find` returns one for the payload,
  // whose digest `find` is given. `find` is called outside the lock, and only for content that the
  // file does not have; its error is returned and does not stick. REQUIRES: what `find` returns is
  // sound.
  using FindInFile = absl::FunctionRef<absl::StatusOr<std::optional<ExternalBlobInfo>>(
      Bytes payload, const ::lightmetal::Digest& digest)>;
  absl::StatusOr<BlobRef> append_blob(Bytes payload, FindInFile find);

  // As above, for memory that other threads may change during the call. The file gets bytes that
  // agree with their name, whatever the memory holds meanwhile: each byte as it was at some moment
  // of the call. Reads large memory twice, and copies all of it only if it has changed in between.
  absl::StatusOr<BlobRef> append_changing_blob(Bytes memory, FindInFile find);

  // Appends a blob in the form that it has in another file, unless the file being written has it.
  // `blob` is what File::blob_in() says of `frame`.
  absl::Status append_blob_frame(const FrameView& frame, const BlobEntry& blob);

  // Appends a frame of another file as it lies there, if it is a command, an intent, or a blob that
  // the file being written does not have; passes over any other.
  absl::Status append_frame_of(const File& file, const FrameView& frame);

  // Writes the index and the footer and closes the sink. `capture_status` is how the capture ended:
  // the file records an error, and counts as incomplete then. Returns the first error in writing,
  // never `capture_status`. REQUIRES: it is called once, at the end.
  absl::Status finish(const absl::Status& capture_status);

  uint64_t size() const;          // bytes written so far, without what an error cut short
  uint64_t num_commands() const;  // appended so far
  absl::Status status() const;    // the first error

 private:
  struct Blob {
    uint64_t size = 0;
    uint64_t offset = 0;
  };
  enum class State { New, Open, Finished };

  // Returns what `action` returns, or ResourceExhausted, which sticks, where it finds no memory.
  template <class Action>
  auto or_out_of_memory(Action action) -> decltype(action());

  absl::Status check_open() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append(absl::Span<const Bytes> parts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append_frame(FrameType type, Bytes payload, const ::lightmetal::Digest& digest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The place to fill in for content that has to be written; null when the file has the content.
  absl::StatusOr<Blob*> add_blob(const ::lightmetal::Digest& digest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> has_blob(const ::lightmetal::Digest& digest);
  // What is known of a payload's memory while it is appended.
  enum class Memory { Fixed, Changing };
  // Returns nullopt, with nothing appended, if the memory has changed meanwhile.
  absl::StatusOr<std::optional<BlobRef>> append_from(Bytes payload, Memory memory, FindInFile find);
  absl::StatusOr<BlobRef> append_copy_of(Bytes memory, FindInFile find);
  // Returns false, with nothing appended, if the payload has another digest by now.
  absl::StatusOr<bool> append_embedded(Bytes payload, Memory memory,
                                       const ::lightmetal::Digest& digest);
  absl::Status append_whole(Bytes payload, const ::lightmetal::Digest& digest);
  absl::StatusOr<bool> append_whole_if(Bytes payload, const ::lightmetal::Digest& digest);
  absl::Status append_external(const ExternalBlobInfo& info);
  absl::Status append_compressed(const CompressedParts& parts, const BlobRef& content);
  std::optional<CompressedParts> compress(Bytes payload, const ::lightmetal::Digest& digest);
  std::unique_ptr<Compressor> take_compressor();
  absl::Status append_padding(uint64_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append_index(const absl::Status& capture_status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status write_end(const absl::Status& capture_status);

  const int compression_level_;
  mutable Mutex mutex_;
  std::shared_ptr<Sink> sink_ ABSL_GUARDED_BY(mutex_);  // null once finished
  State state_ ABSL_GUARDED_BY(mutex_) = State::New;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  uint64_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t num_commands_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> checkpoints_ ABSL_GUARDED_BY(mutex_);
  GrowingMap<::lightmetal::Digest, Blob> blobs_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Compressor>> idle_compressors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::schema
