#include "api/src/capture/binary_content.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/sink.h"

namespace tt::tt_metal::detail {
namespace {

namespace schema = lightmetal::schema;

absl::Status write_file(const std::string& path, const std::vector<uint8_t>& bytes) {
  LM_ASSIGN_OR_RETURN(file, schema::FileSink::create(path));
  LM_RETURN_IF_ERROR(file->append({lightmetal::bytes_of(bytes.data(), bytes.size())}));
  return file->close();
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
  if (file_ != nullptr) return file_->copy_to(path);
  LM_ASSIGN_OR_RETURN(in_memory, bytes());
  return write_file(path, *in_memory);
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
