#include "replay/reference_run.h"

#include <utility>

#include "base/status.h"

namespace lightmetal::replay {

absl::StatusOr<ReferenceRun> ReferenceRun::create() {
  LM_ASSIGN_OR_RETURN(file, schema::TemporaryFile::create());
  LM_ASSIGN_OR_RETURN(sink, schema::FileSink::append_to(file->descriptor(), file->name()));
  return ReferenceRun(std::move(file), std::move(sink));
}

absl::StatusOr<ReferenceRun::Content> ReferenceRun::append(const Digest& digest, Bytes bytes) {
  const uint64_t offset = sink_->size();
  LM_RETURN_IF_ERROR(sink_->append({bytes}));
  return Content{digest, offset, bytes.size()};
}

absl::Status ReferenceRun::add_buffer(uint64_t command, uint64_t buffer, Bytes content) {
  const Digest digest = digest_of(content);
  const auto last = last_.find(buffer);
  if (last != last_.end() && last->second.digest == digest && last->second.size == content.size())
    return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(kept, append(digest, content));
  last_[buffer] = kept;
  changes_[command][buffer] = kept;
  return absl::OkStatus();
}

absl::Status ReferenceRun::add_read(uint64_t command, Bytes data) {
  LM_ASSIGN_OR_RETURN(kept, append({}, data));
  reads_[command] = kept;
  return absl::OkStatus();
}

absl::Status ReferenceRun::finish() {
  LM_RETURN_IF_ERROR(sink_->close());
  if (sink_->size() == 0) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(mapping, file_->map());
  mapping_ = std::move(mapping);
  return absl::OkStatus();
}

void ReferenceRun::advance(uint64_t command, Buffers& buffers) const {
  const auto changed = changes_.find(command);
  if (changed == changes_.end()) return;
  for (const auto& [buffer, content] : changed->second) buffers[buffer] = content;
}

Bytes ReferenceRun::bytes_of(const Content& content) const {
  if (content.size == 0) return {};
  return mapping_->bytes().subspan(content.offset, content.size);
}

std::optional<schema::Payload> ReferenceRun::read_of(uint64_t command) const {
  const auto read = reads_.find(command);
  if (read == reads_.end()) return std::nullopt;
  return schema::Payload(bytes_of(read->second), mapping_);
}

}  // namespace lightmetal::replay
