#include "schema/verify.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/blob.h"
#include "schema/decode.h"
#include "schema/lifetime.h"
#include "schema/references.h"

namespace lightmetal::schema {
namespace {

// Looks at what one command carries besides ids; keeps the first thing that is wrong.
class Contents final : public ReferenceVisitor {
 public:
  explicit Contents(const absl::flat_hash_map<::lightmetal::Digest, uint64_t>& blobs)
      : blobs_(blobs) {}

  const std::string& problem() const { return problem_; }

  void on_blob(const BlobRef& blob, absl::string_view field) override {
    const ::lightmetal::Digest digest = to_digest(blob.digest());
    const auto found = blobs_.find(digest);
    if (found == blobs_.end()) {
      note(field, absl::StrCat("names blob ", digest.hex(), ", which does not lie before it"));
    } else if (found->second != blob.size()) {
      note(field, absl::StrCat("says that blob ", digest.hex(), " has ", blob.size(),
                               " bytes, but it has ", found->second));
    }
  }

  void on_bad_value(absl::string_view field, const std::string& what) override {
    note(field, what);
  }

 private:
  void note(absl::string_view field, absl::string_view what) {
    if (problem_.empty()) problem_ = absl::StrCat(": its field ", field, " ", what);
  }

  const absl::flat_hash_map<::lightmetal::Digest, uint64_t>& blobs_;
  std::string problem_;
};

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

class Verifier {
 public:
  Verifier(const File& file, VerifyReport& report) : file_(file), report_(report) {}

  absl::Status run();

 private:
  absl::Status check_bytes(const FrameView& frame) const;
  absl::Status check_order(const FrameView& frame);
  absl::Status take(const FrameView& frame);
  absl::Status take_command(const FrameView& frame);
  absl::Status take_blob(const FrameView& frame);
  absl::Status check_command(const CommandView& view);
  absl::Status check_index(const FrameView& frame) const;

  const File& file_;
  VerifyReport& report_;
  Lifetimes lifetimes_;
  absl::flat_hash_map<::lightmetal::Digest, uint64_t> blobs_;  // sizes
  std::vector<BlobEntry> entries_;
  std::vector<uint64_t> command_offsets_;  // of the first of every commands_per_checkpoint
  std::optional<FrameType> previous_;
};

absl::Status Verifier::run() {
  uint64_t offset = File::frames_begin();
  while (offset < file_.frames_end()) {
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
    LM_RETURN_IF_ERROR(check_bytes(frame));
    LM_RETURN_IF_ERROR(check_order(frame));
    LM_RETURN_IF_ERROR(take(frame));
    offset = frame.end;
    ++report_.frames;
    report_.bytes = offset;
  }
  return absl::OkStatus();
}

absl::Status Verifier::check_bytes(const FrameView& frame) const {
  if (digest_of(frame.payload) != frame.digest()) {
    return file_.error_at(frame.offset, "is damaged: its checksum is wrong");
  }
  const uint64_t payload_end = frame.offset + sizeof(FrameHeader) + frame.payload.size();
  if (!all_zero(file_.bytes().subspan(payload_end, frame.end - payload_end))) {
    return file_.error_at(frame.offset, "is damaged: the bytes that fill it up are not zero");
  }
  return absl::OkStatus();
}

// The session is the first frame and no other; the index and the footer are the last two.
absl::Status Verifier::check_order(const FrameView& frame) {
  const bool fits = previous_ != FrameType::Footer &&
                    !previous_.has_value() == (frame.type() == FrameType::Session) &&
                    (previous_ == FrameType::Index) == (frame.type() == FrameType::Footer);
  previous_ = frame.type();
  if (fits) return absl::OkStatus();
  return file_.error_at(
      frame.offset, absl::StrCat("has type ", frame.header.type, ", which does not belong there"));
}

absl::Status Verifier::take(const FrameView& frame) {
  switch (frame.type()) {
    case FrameType::Command:
      return take_command(frame);
    case FrameType::Blob:
      return take_blob(frame);
    case FrameType::Padding:
      if (all_zero(frame.payload)) return absl::OkStatus();
      return file_.error_at(frame.offset, "is padding that is not zero");
    case FrameType::Index:
      return check_index(frame);
    case FrameType::Session:
    case FrameType::Footer:
      return absl::OkStatus();  // Opening the file has read them.
  }
  return absl::OkStatus();  // Optional, and unknown here.
}

absl::Status Verifier::take_command(const FrameView& frame) {
  absl::StatusOr<const Command*> command = decode_command(frame.payload);
  if (!command.ok()) {
    return absl::Status(
        command.status().code(),
        file_.error_at(frame.offset, absl::StrCat("holds no command: ", command.status().message()))
            .message());
  }
  if (report_.commands % file_.commands_per_checkpoint() == 0) {
    command_offsets_.push_back(frame.offset);
  }
  LM_RETURN_IF_ERROR(check_command({report_.commands, frame.offset, *command}));
  ++report_.commands;
  report_.objects_created = lifetimes_.num_created();
  report_.objects_alive = lifetimes_.num_alive();
  return absl::OkStatus();
}

absl::Status Verifier::check_command(const CommandView& view) {
  Contents contents(blobs_);
  visit_references(*view.command, contents);
  if (!contents.problem().empty()) {
    return absl::DataLossError(
        absl::StrCat(file_.name(), ": ", describe(view), contents.problem()));
  }
  const absl::Status lived = lifetimes_.apply(view);
  if (lived.ok()) return lived;
  return absl::Status(lived.code(), absl::StrCat(file_.name(), ": ", lived.message()));
}

absl::Status Verifier::take_blob(const FrameView& frame) {
  if (!blobs_.emplace(frame.digest(), frame.payload.size()).second) {
    return file_.error_at(frame.offset, "holds a blob that the file has already");
  }
  entries_.push_back({frame.digest(), frame.payload.size(), frame.offset});
  ++report_.blobs;
  report_.blob_bytes += frame.payload.size();
  return absl::OkStatus();
}

absl::Status Verifier::check_index(const FrameView& frame) const {
  if (!file_.closed()) return absl::OkStatus();
  std::vector<BlobEntry> sorted = entries_;
  std::sort(sorted.begin(), sorted.end(),
            [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });
  if (report_.commands == file_.num_commands() &&
      absl::MakeConstSpan(command_offsets_) == file_.checkpoints() &&
      absl::MakeConstSpan(sorted) == file_.blobs()) {
    return absl::OkStatus();
  }
  return file_.error_at(frame.offset, "is an index that does not say what the file holds");
}

}  // namespace

absl::Status verify(const File& file, VerifyReport* report, const VerifyOptions& options) {
  VerifyReport unused;
  VerifyReport& out = report == nullptr ? unused : *report;
  out = VerifyReport();
  if (!file.complete() && !options.allow_incomplete) {
    return absl::DataLossError(
        absl::StrCat(file.name(), " is incomplete: ", file.incomplete_reason()));
  }
  return Verifier(file, out).run();
}

}  // namespace lightmetal::schema
