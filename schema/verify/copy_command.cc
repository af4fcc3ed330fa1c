#include "schema/verify/copy_command.h"

#include "base/status.h"
#include "schema/commands/references.h"
#include "schema/file/writer.h"

namespace lightmetal::schema {

absl::Status copy_command(const File& file, const CommandView& command, Writer& writer) {
  absl::Status status;
  visit_blobs(*command.command, [&](const BlobReference& reference) {
    const BlobEntry* const blob = file.find_blob(reference.name);
    if (blob == nullptr || !status.ok()) return;
    const auto frame = file.frame_at(blob->offset);
    status.Update(frame.ok() ? writer.append_blob_frame(*frame, *blob) : frame.status());
  });
  LM_RETURN_IF_ERROR(status);
  LM_ASSIGN_OR_RETURN(frame, file.frame_at(command.offset));
  return writer.append_command(frame.payload);
}

}  // namespace lightmetal::schema
