#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/payload.h"
#include "schema/storage/sink.h"
#include "schema/storage/temporary_file.h"

namespace lightmetal::replay {

// What the run that is compared with had in its buffers, and read, by the numbers of its commands.
// The contents lie in a temporary file. Not thread-safe.
class ReferenceRun {
 public:
  struct Content {
    Digest digest;
    uint64_t offset = 0;  // in the temporary file
    uint64_t size = 0;
  };
  using Buffers = std::map<uint64_t, Content>;  // by id

  // The error is that of creating a temporary file.
  static absl::StatusOr<ReferenceRun> create();

  // Keeps what the buffer holds behind that command, unless it held the same before.
  absl::Status add_buffer(uint64_t command, uint64_t buffer, Bytes content);
  absl::Status add_read(uint64_t command, Bytes data);
  // Called behind the last add; what follows is for then.
  absl::Status finish();

  // Brings `buffers` from the place that was looked at before to that behind `command`.
  void advance(uint64_t command, Buffers& buffers) const;
  Bytes bytes_of(const Content& content) const;
  // What that command read; nullopt when it read nothing.
  std::optional<schema::Payload> read_of(uint64_t command) const;

 private:
  ReferenceRun(std::unique_ptr<schema::TemporaryFile> file, std::unique_ptr<schema::Sink> sink)
      : file_(std::move(file)), sink_(std::move(sink)) {}

  absl::StatusOr<Content> append(const Digest& digest, Bytes bytes);

  std::unique_ptr<schema::TemporaryFile> file_;
  std::unique_ptr<schema::Sink> sink_;
  std::shared_ptr<const schema::MappedFile> mapping_;  // once finished, unless nothing was added
  Buffers last_;
  std::map<uint64_t, Buffers> changes_;  // by command: the buffers that were changed since
  std::map<uint64_t, Content> reads_;
};

}  // namespace lightmetal::replay
