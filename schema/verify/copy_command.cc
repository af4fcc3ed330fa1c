#include "schema/verify/copy_command.h"

#include "base/status.h"
#include "schema/commands/references.h"
#include "schema/file/writer.h"

namespace lightmetal::schema {

namespace {

absl::Status copy_blob(const File& file, const BlobRef& name, Writer& writer, bool compresses) {
  const BlobEntry* const blob = file.find_blob(name);
  if (blob == nullptr) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(frame, file.frame_at(blob->offset));
  if (compresses && frame.type() == FrameType::Blob)
    return writer.append_blob(frame.payload).status();
  return writer.append_blob_frame(frame, *blob);
}

}  // namespace

absl::Status copy_command(const File& file, const CommandView& command, Writer& writer,
                          bool compresses) {
  absl::Status status;
  visit_blobs(*command.command, [&](const BlobReference& reference) {
    if (status.ok()) status = copy_blob(file, reference.name, writer, compresses);
  });
  LM_RETURN_IF_ERROR(status);
  LM_ASSIGN_OR_RETURN(frame, file.frame_at(command.offset));
  return writer.append_command(frame.payload);
}

}  // namespace lightmetal::schema
