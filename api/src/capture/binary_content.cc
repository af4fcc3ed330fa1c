#include "api/src/capture/binary_content.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"

namespace tt::tt_metal::detail {
namespace {

namespace schema = lightmetal::schema;
using lightmetal::Bytes;

// Appends what the file holds, of which no more than a piece is resident at a time.
absl::Status append_pieces(const schema::MappedFile& file, schema::Sink& sink) {
  const Bytes all = file.bytes();
  for (uint64_t offset = 0; offset < all.size(); offset += schema::MappedFile::kReleaseWindow) {
    const Bytes piece = all.subspan(offset, schema::MappedFile::kReleaseWindow);
    LM_RETURN_IF_ERROR(sink.append({piece}));
    file.release(offset, piece.size());
  }
  return absl::OkStatus();
}

}  // namespace

BinaryContent::BinaryContent(std::vector<uint8_t> bytes)
    : size_(bytes.size()), bytes_(std::make_unique<const std::vector<uint8_t>>(std::move(bytes))) {}

BinaryContent::BinaryContent(std::shared_ptr<const schema::TemporaryFile> file, size_t size)
    : file_(std::move(file)), size_(size) {}

absl::StatusOr<const std::vector<uint8_t>*> BinaryContent::bytes() const {
  lightmetal::MutexLock lock(&mutex_);
  if (bytes_ == nullptr) {
    LM_ASSIGN_OR_RETURN(mapping, file_->map());
    const auto* begin = reinterpret_cast<const uint8_t*>(mapping->bytes().data());
    // The vector stays: LightMetalBinary::get_data() gives a reference to it away.
    bytes_ = std::make_unique<const std::vector<uint8_t>>(begin, begin + mapping->bytes().size());
  }
  return bytes_.get();
}

absl::Status BinaryContent::save(const std::string& path) const {
  if (schema::is_no_regular_file(path)) {
    LM_ASSIGN_OR_RETURN(stream, schema::FileSink::create(path));
    return write_to(*stream);
  }
  LM_ASSIGN_OR_RETURN(file, schema::OutputFile::create(path, {}));
  LM_ASSIGN_OR_RETURN(sink, file.sink());
  LM_RETURN_IF_ERROR(write_to(*sink));
  return file.finish();
}

absl::Status BinaryContent::write_to(schema::Sink& sink) const {
  if (file_ != nullptr) {
    LM_ASSIGN_OR_RETURN(mapping, file_->map());
    LM_RETURN_IF_ERROR(append_pieces(*mapping, sink));
  } else {
    LM_ASSIGN_OR_RETURN(in_memory, bytes());
    LM_RETURN_IF_ERROR(sink.append({lightmetal::bytes_of(in_memory->data(), in_memory->size())}));
  }
  return sink.close();
}

absl::StatusOr<std::shared_ptr<const schema::File>> BinaryContent::open(
    const schema::FileOptions& options) const {
  if (file_ != nullptr) {
    LM_ASSIGN_OR_RETURN(mapping, file_->map());
    return schema::File::from_mapping(std::move(mapping), file_->name(), options);
  }
  LM_ASSIGN_OR_RETURN(in_memory, bytes());
  return schema::File::from_memory(shared_from_this(),
                                   lightmetal::bytes_of(in_memory->data(), in_memory->size()),
                                   "the file in memory", options);
}

}  // namespace tt::tt_metal::detail
