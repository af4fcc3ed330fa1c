#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/file_identity.h"
#include "schema/storage/own_file.h"

namespace lightmetal::schema {

// Where a Writer puts its bytes. Not thread-safe: the Writer calls it under the Writer's lock.
class Sink {
 public:
  virtual ~Sink() = default;

  // Appends all parts in order. After an error the sink may hold a part of them and is good for
  // nothing more.
  virtual absl::Status append(absl::Span<const Bytes> parts) = 0;

  // Appends `head`, `content` and `tail` if `content` still has this digest when it is appended,
  // and returns true. Returns false, with nothing appended, if somebody has changed `content`
  // meanwhile. Needs memory for all of `content` here; sinks that can take bytes back need none.
  virtual absl::StatusOr<bool> append_if(const ::lightmetal::Digest& digest, Bytes head,
                                         Bytes content, Bytes tail);

  // Ends the bytes and reports the first error. Nothing may be appended afterwards.
  virtual absl::Status close() = 0;

  // Bytes appended so far.
  virtual uint64_t size() const = 0;

  // In a forked child: lets go of what the child has inherited, without touching the file and its
  // lock, which are the parent's.
  virtual void leave_to_parent() {}
};

// Bytes that are copied and hashed at a time where memory may change: they stay in a processor's
// second-level cache from the copy to the digest.
inline constexpr size_t kCopiedBlock = size_t{256} << 10;

// The bytes of all parts together.
inline uint64_t size_of(absl::Span<const Bytes> parts) {
  uint64_t size = 0;
  for (const Bytes part : parts) size += part.size();
  return size;
}

// Writes to a file, a pipe or a device, at once and from where its position is: what was appended
// survives the death of the process, but is not synchronised to the disk. No write raises a signal,
// and none goes to a file of the program's that has got the descriptor's number. A pipe whose
// reader takes nothing for some seconds is given up with an error. Not thread-safe.
class FileSink final : public Sink {
 public:
  // Creates the file, or empties it when it exists. Errors are those of OwnFile::create.
  static absl::StatusOr<std::unique_ptr<FileSink>> create(const std::string& path);
  // Writes to an empty file that is open for writing, with a descriptor of its own; the caller
  // keeps `descriptor`. Errors call the file `name`.
  static absl::StatusOr<std::unique_ptr<FileSink>> append_to(int descriptor, std::string name);

  explicit FileSink(OwnFile file) : file_(std::move(file)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override { file_.leave(); }

  // The open file's descriptor, which stays this sink's; -1 once the file is closed.
  int descriptor() const { return file_.descriptor(); }
  // The file that the descriptor stands for, unless the program has closed the descriptor.
  const FileIdentity& identity() const { return file_.identity(); }
  const std::string& path() const { return file_.path(); }

 private:
  ssize_t write_some(const iovec* parts, int count);

  OwnFile file_;
  uint64_t size_ = 0;
  absl::Status status_;  // the first error
};

}  // namespace lightmetal::schema
