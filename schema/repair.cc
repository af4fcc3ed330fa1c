#include "schema/repair.h"

#include <utility>

#include "base/status.h"
#include "schema/verify.h"
#include "schema/writer.h"

namespace lightmetal::schema {
namespace {

// Index and footer count as kept, though the new file gets its own.
RepairReport examine(const File& file) {
  VerifyReport verified;
  const absl::Status status = verify(file, &verified, {.allow_incomplete = true});
  RepairReport report{.commands = verified.commands,
                      .blobs = verified.blobs,
                      .bytes_kept = verified.bytes,
                      .bytes_dropped = file.size() - verified.bytes,
                      .reason = ""};
  report.reason = status.ok() ? file.incomplete_reason() : std::string(status.message());
  return report;
}

SessionInfo session_of(const File& file, const RepairReport& report) {
  SessionInfo session = file.session();
  if (!report.reason.empty()) session.options.emplace_back("repaired", report.reason);
  return session;
}

absl::Status copy_frame(const FrameView& frame, Writer& writer) {
  if (frame.type() == FrameType::Command) return writer.append_command(frame.payload);
  if (frame.type() == FrameType::Blob) return writer.append_blob(frame.payload).status();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RepairReport> repair(const File& file, std::shared_ptr<Sink> sink) {
  RepairReport report = examine(file);
  Writer writer(std::move(sink));
  LM_RETURN_IF_ERROR(writer.begin(session_of(file, report)));
  for (uint64_t offset = File::frames_begin(); offset < report.bytes_kept;) {
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    LM_RETURN_IF_ERROR(copy_frame(frame, writer));
    offset = frame.end;
  }
  LM_RETURN_IF_ERROR(writer.finish(absl::OkStatus()));
  return report;
}

}  // namespace lightmetal::schema
