#include "schema/verify/repair.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/file/writer.h"
#include "schema/storage/room.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

// Says what ended the good part; empty when all of the file is good.
std::string reason_of(const File& file, const absl::Status& status, const VerifyReport& verified) {
  if (!status.ok()) return std::string(status.message());
  if (verified.usable.bytes == verified.bytes) return file.incomplete_reason();
  return absl::StrCat(file.incomplete_reason(), "; from offset ", verified.usable.bytes,
                      " on a queue waits for an event that no command in it records");
}

// The room at the end of a file that was not closed: nothing was ever there, so nothing is lost
// with it.
uint64_t room_of(const File& file) {
  return file.closed() ? 0 : room_at_end(file.bytes(), file.frames_end());
}

// Finds the good part. Index and footer count as kept, though the new file gets its own. No memory
// limit is set, because a repair does not decide what may be replayed.
RepairReport examine(const File& file) {
  VerifyReport verified;
  const absl::Status status = verify(
      file, &verified, {.allow_incomplete = true, .find_usable = true, .memory_limit = UINT64_MAX});
  return {.commands = verified.usable.commands,
          .blobs = verified.usable.blobs,
          .bytes_kept = verified.usable.bytes,
          .bytes_dropped = file.size() - verified.usable.bytes - room_of(file),
          .reason = reason_of(file, status, verified)};
}

SessionInfo session_of(const File& file, const RepairReport& report) {
  SessionInfo session = file.session();
  if (!report.reason.empty()) session.options.emplace_back("repaired", report.reason);
  return session;
}

}  // namespace

absl::StatusOr<RepairReport> repair(const File& file, std::shared_ptr<Sink> sink) {
  RepairReport report = examine(file);
  Writer writer(std::move(sink));
  LM_RETURN_IF_ERROR(writer.begin(session_of(file, report)));
  ForwardPass pass(file);
  for (uint64_t offset = File::frames_begin(); offset < report.bytes_kept;) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    report.signatures_dropped += frame.type() == FrameType::Signature;
    LM_RETURN_IF_ERROR(writer.append_frame_of(file, frame));
    offset = frame.end;
  }
  LM_RETURN_IF_ERROR(writer.finish(absl::OkStatus()));
  return report;
}

}  // namespace lightmetal::schema
