#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tt-metalium/lightmetal_binary.hpp>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "schema/file/reader.h"
#include "schema/storage/sink.h"
#include "schema/storage/temporary_file.h"

namespace tt::tt_metal::detail {

// The bytes of a LightMetalBinary, in memory or in a temporary file. Copies of the binary share one
// of these. Thread-safe; the bytes never change. Errors name the path and the reason.
class BinaryContent : public std::enable_shared_from_this<BinaryContent> {
 public:
  explicit BinaryContent(std::vector<uint8_t> bytes);
  BinaryContent(std::shared_ptr<const lightmetal::schema::TemporaryFile> file, size_t size);

  size_t size() const { return size_; }
  // The bytes as a vector. The first call takes those of a temporary file into memory, where they
  // stay. The reference lives as long as this object.
  absl::StatusOr<const std::vector<uint8_t>*> bytes() const;
  // Writes the bytes to `path`, where the file appears when it is whole (schema::OutputFile); a
  // temporary file is copied without being taken into memory. A pipe or a device gets them at once.
  absl::Status save(const std::string& path) const;

  // The bytes as a file to replay: in memory without a copy, or mapped.
  absl::StatusOr<std::shared_ptr<const lightmetal::schema::File>> open(
      const lightmetal::schema::FileOptions& options = {}) const;

 private:
  // Appends the bytes and closes the sink.
  absl::Status write_to(lightmetal::schema::Sink& sink) const;

  // null when the bytes are in memory
  const std::shared_ptr<const lightmetal::schema::TemporaryFile> file_;
  const size_t size_;
  mutable lightmetal::Mutex mutex_;
  mutable std::unique_ptr<const std::vector<uint8_t>> bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal::detail
