#include "schema/verify/verify.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/file/signature.h"
#include "schema/semantics/golden_policy.h"
#include "schema/semantics/lifetime.h"
#include "schema/semantics/refusal.h"
#include "schema/semantics/semantics.h"

namespace lightmetal::schema {
namespace {

// Looks at what one command carries: gathers its ids, and keeps the first thing that is wrong with
// its blobs and values.
class Contents final : public ReferenceVisitor {
 public:
  explicit Contents(const absl::flat_hash_map<::lightmetal::Digest, uint64_t>& blobs)
      : blobs_(blobs) {}

  const std::string& problem() const { return problem_; }
  Lifetimes::Ids ids() const { return ids_; }

  void on_id(const IdReference& id) override { ids_.push_back(id); }

  void on_blob(const BlobReference& blob) override {
    const ::lightmetal::Digest digest = to_digest(blob.name.digest());
    const auto found = blobs_.find(digest);
    if (found == blobs_.end()) {
      note(blob.field, absl::StrCat("names blob ", digest.hex(), ", which does not lie before it"));
    } else if (found->second != blob.name.size()) {
      note(blob.field, absl::StrCat("says that blob ", digest.hex(), " has ", blob.name.size(),
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
  absl::InlinedVector<IdReference, 8> ids_;
};

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

class Verifier {
 public:
  Verifier(const File& file, const VerifyOptions& options, VerifyReport& report)
      : file_(file), options_(options), report_(report) {}

  absl::Status run();

  absl::Span<const DeviceMemory> device_memory() const { return semantics_.device_memory(); }

 private:
  absl::Status check_bytes(const FrameView& frame) const;
  absl::Status check_order(const FrameView& frame);
  absl::Status take(const FrameView& frame);
  absl::Status take_command(const FrameView& frame);
  absl::Status take_blob(const FrameView& frame);
  absl::Status add_compressed(const FrameView& frame, const BlobEntry& blob);
  absl::Status check_intent(const FrameView& frame) const;
  absl::Status check_command(const CommandView& view);
  absl::Status check_contents(const CommandView& view, Contents& contents) const;
  absl::Status in_file(const absl::Status& status) const;
  absl::Status check_index(const FrameView& frame) const;
  absl::Status check_signature(const FrameView& frame) const;

  const File& file_;
  const VerifyOptions& options_;
  VerifyReport& report_;
  Lifetimes lifetimes_;
  Semantics semantics_{options_.memory_limit};
  absl::flat_hash_map<::lightmetal::Digest, uint64_t> blobs_;  // sizes
  uint64_t compressed_content_ = 0;
  std::vector<BlobEntry> entries_;
  std::vector<uint64_t> command_offsets_;  // of the first of every commands_per_checkpoint
  std::optional<FrameType> previous_;
};

// Each frame is checked as bytes, then for its place in the file, then for its content: a check
// relies on those before it.
absl::Status Verifier::run() {
  uint64_t offset = File::frames_begin();
  ForwardPass pass(file_);
  while (offset < file_.frames_end()) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
    if (options_.check_content) LM_RETURN_IF_ERROR(check_bytes(frame));
    LM_RETURN_IF_ERROR(check_order(frame));
    LM_RETURN_IF_ERROR(take(frame));
    offset = frame.end;
    ++report_.frames;
    report_.bytes = offset;
    if (options_.find_usable && semantics_.finish(/*complete=*/true).ok()) {
      report_.usable = {report_.bytes, report_.commands, report_.blobs};
    }
  }
  if (!options_.check_meaning) return absl::OkStatus();
  return in_file(semantics_.finish(file_.complete()));
}

absl::Status Verifier::check_bytes(const FrameView& frame) const {
  if (file_.digest_of_payload(frame) != frame.digest()) {
    return file_.error_at(frame.offset, "is damaged: its checksum is wrong");
  }
  const uint64_t payload_end = frame.offset + sizeof(FrameHeader) + frame.payload.size();
  if (!all_zero(file_.bytes().subspan(payload_end, frame.end - payload_end))) {
    return file_.error_at(frame.offset, "is damaged: the bytes that fill it up are not zero");
  }
  return absl::OkStatus();
}

// The session is the first frame, and no other frame is one. Behind the index come signatures, if
// any, and then the footer, which is the last frame.
absl::Status Verifier::check_order(const FrameView& frame) {
  const bool in_tail = previous_ == FrameType::Index || previous_ == FrameType::Signature;
  const bool of_tail = frame.type() == FrameType::Signature || frame.type() == FrameType::Footer;
  const bool fits = previous_ != FrameType::Footer && in_tail == of_tail &&
                    !previous_.has_value() == (frame.type() == FrameType::Session);
  previous_ = frame.type();
  if (fits) return absl::OkStatus();
  return file_.error_at(
      frame.offset, absl::StrCat("has type ", frame.header.type, ", which does not belong there"));
}

absl::Status Verifier::take(const FrameView& frame) {
  switch (frame.type()) {
    case FrameType::Command:
      return take_command(frame);
    case FrameType::Intent:
      return check_intent(frame);
    case FrameType::Blob:
    case FrameType::CompressedBlob:
    case FrameType::ExternalBlob:
      return take_blob(frame);
    case FrameType::Padding:
      if (all_zero(frame.payload)) return absl::OkStatus();
      return file_.error_at(frame.offset, "is padding that is not zero");
    case FrameType::Index:
      return check_index(frame);
    case FrameType::Session:
    case FrameType::Footer:
      return absl::OkStatus();  // Opening the file has read them.
    case FrameType::Signature:
      return check_signature(frame);
  }
  return absl::OkStatus();  // Optional, and unknown here.
}

// This does not ask who signed. A signature of a scheme that only a later version knows is
// accepted.
absl::Status Verifier::check_signature(const FrameView& frame) const {
  const absl::Status status = signature_payload(frame).status();
  if (status.ok() || absl::IsUnimplemented(status)) return absl::OkStatus();
  return file_.error_at(frame.offset, status.message());
}

absl::Status Verifier::take_command(const FrameView& frame) {
  LM_ASSIGN_OR_RETURN(command, file_.command_in(frame));
  if (report_.commands % file_.commands_per_checkpoint() == 0) {
    command_offsets_.push_back(frame.offset);
  }
  LM_RETURN_IF_ERROR(check_command({report_.commands, frame.offset, command}));
  ++report_.commands;
  report_.objects_created = lifetimes_.num_created();
  report_.objects_alive = lifetimes_.num_alive();
  return absl::OkStatus();
}

// An intent is good where the command itself would be good. Its meaning is not checked: a replay
// does not execute it.
absl::Status Verifier::check_intent(const FrameView& frame) const {
  LM_ASSIGN_OR_RETURN(command, file_.command_in(frame));
  const CommandView view{report_.commands, frame.offset, command};
  Contents contents(blobs_);
  LM_RETURN_IF_ERROR(check_contents(view, contents));
  return in_file(lifetimes_.check(view, contents.ids()));
}

absl::Status Verifier::check_command(const CommandView& view) {
  Contents contents(blobs_);
  LM_RETURN_IF_ERROR(check_contents(view, contents));
  LM_RETURN_IF_ERROR(in_file(lifetimes_.apply(view, contents.ids())));
  if (!options_.check_meaning) return absl::OkStatus();
  // What Lifetimes keeps of ids counts against the same limit: a file that creates and destroys
  // objects with ids far apart makes it grow.
  absl::Status meaning = semantics_.keep(view, lifetimes_.bytes_of_gone());
  if (meaning.ok()) meaning = semantics_.apply(view);
  report_.peak_memory = semantics_.peak_memory();
  return in_file(meaning);
}

absl::Status Verifier::check_contents(const CommandView& view, Contents& contents) const {
  visit_references(*view.command, contents);
  if (contents.problem().empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(file_.name(), ": ", describe(view), contents.problem()));
}

absl::Status Verifier::in_file(const absl::Status& status) const {
  return semantics::behind(file_.name(), status);
}

absl::Status Verifier::take_blob(const FrameView& frame) {
  LM_ASSIGN_OR_RETURN(blob, file_.blob_in(frame));
  if (frame.type() == FrameType::CompressedBlob) LM_RETURN_IF_ERROR(add_compressed(frame, blob));
  if (options_.check_references) LM_RETURN_IF_ERROR(file_.check_external(frame));
  if (!blobs_.emplace(blob.digest, blob.size).second) {
    return file_.error_at(frame.offset, "holds a blob that the file has already");
  }
  entries_.push_back(blob);
  ++report_.blobs;
  report_.blob_bytes += blob.size;
  report_.compressed_blobs += frame.type() == FrameType::CompressedBlob;
  report_.external_blobs += frame.type() == FrameType::ExternalBlob;
  return absl::OkStatus();
}

// The content that a blob claims is counted before any of it is decompressed.
absl::Status Verifier::add_compressed(const FrameView& frame, const BlobEntry& blob) {
  const uint64_t limit = std::max(options_.memory_limit, file_.size() * kContentRatio);
  if (blob.size > limit - compressed_content_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(file_.name(), ": the frame at offset ", frame.offset,
                     " brings the content of compressed payloads to ",
                     compressed_content_ + blob.size, " bytes; a file of ", file_.size(),
                     " bytes may have ", limit, " (--memory-limit allows more)"));
  }
  compressed_content_ += blob.size;
  semantics_.add_compressed(blob.digest);
  return options_.check_content ? file_.check_compressed(frame) : absl::OkStatus();
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
        absl::StrCat(file.name(), " is incomplete: ", file.incomplete_reason(),
                     "; its whole records are accepted on request (--allow-incomplete)"));
  }
  if (const auto policy = golden_policy_of(file.session()); !policy.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file.name(), ": ", policy.status().message()));
  }
  Verifier verifier(file, options, out);
  const absl::Status status = verifier.run();
  const absl::Span<const DeviceMemory> memory = verifier.device_memory();
  out.device_memory.assign(memory.begin(), memory.end());
  return status;
}

}  // namespace lightmetal::schema
