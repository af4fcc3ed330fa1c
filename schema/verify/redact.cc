#include "schema/verify/redact.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/calls.h"
#include "schema/commands/confidential.h"
#include "schema/commands/encode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/file/compressed_blob.h"
#include "schema/file/writer.h"
#include "schema/verify/kernel_elf.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

// The options of a session whose values say nothing of a person or a site.
constexpr absl::string_view kHarmlessOptions[] = {"golden", "read_goldens"};

// The device's loader takes no object that has more in memory. Without the limit, a compressed
// object of a hostile file could ask for any size.
constexpr uint64_t kMaxKernelObject = uint64_t{256} << 20;

// So many zeros, which take no memory as long as nobody writes to them: the system gives pages on
// the first write.
class Zeros {
 public:
  explicit Zeros(uint64_t size)
      : bytes_(static_cast<std::byte*>(std::calloc(std::max<uint64_t>(size, 1), 1)), &std::free),
        size_(size) {}

  bool ok() const { return bytes_ != nullptr; }
  Bytes bytes() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
  uint64_t size_;
};

class Redactor {
 public:
  Redactor(const File& file, std::shared_ptr<Sink> sink, const RedactOptions& options)
      : file_(file),
        writer_(std::move(sink)),
        options_(options),
        // zstd's fastest level where the session says none.
        compressor_(compression_level_of(file.session()).value_or(1)) {}

  absl::StatusOr<RedactReport> run() {
    LM_RETURN_IF_ERROR(writer_.begin(session()));
    ForwardPass pass(file_);
    for (uint64_t offset = File::frames_begin(); offset < file_.frames_end();) {
      pass.reach(offset);
      LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
      LM_RETURN_IF_ERROR(take(frame));
      offset = frame.end;
    }
    LM_RETURN_IF_ERROR(writer_.finish(capture_status()));
    report_.payloads_unused = file_.blobs().size() - used_.size();
    return report_;
  }

 private:
  SessionInfo session() {
    SessionInfo session = file_.session();
    if (!options_.keep_origin && session.origin.has_value()) {
      session.origin.reset();
      report_.origin_dropped = true;
    }
    for (auto& [name, value] : session.options) {
      const bool harmless = std::find(std::begin(kHarmlessOptions), std::end(kHarmlessOptions),
                                      name) != std::end(kHarmlessOptions);
      if (!harmless) value = "redacted";
    }
    return session;
  }

  // The text of an error may name paths and objects, so only its code is kept.
  absl::Status capture_status() const {
    if (!file_.closed()) return absl::DataLossError("the file was not closed");
    if (file_.capture_status().ok()) return absl::OkStatus();
    return absl::Status(file_.capture_status().code(), "(the text was redacted)");
  }

  absl::Status take(const FrameView& frame) {
    if (frame.type() == FrameType::Command) return take_command(frame);
    if (frame.type() == FrameType::Signature) {
      report_.signature_dropped = true;
    } else if ((frame.header.flags & kFrameOptional) != 0) {
      ++report_.records_dropped;
    }
    return absl::OkStatus();  // Payloads are written when a command refers to them.
  }

  absl::Status take_command(const FrameView& frame) {
    LM_ASSIGN_OR_RETURN(command, file_.command_in(frame));
    visit_blobs(*command,
                [&](const BlobReference& blob) { used_.insert(to_digest(blob.name.digest())); });
    if (!visit_call(*command, Rebuild{*this})) {
      ++report_.commands_dropped;
      return absl::OkStatus();
    }
    std::vector<std::byte> bytes = built();
    if (!options_.keep_names) erase_texts(bytes);
    LM_RETURN_IF_ERROR(move_payloads(bytes));
    LM_RETURN_IF_ERROR(writer_.append_command(bytes));
    ++report_.commands;
    return absl::OkStatus();
  }

  // The command that was built last.
  std::vector<std::byte> built() const {
    const Bytes bytes = bytes_of(builder_.GetBufferPointer(), builder_.GetSize());
    return {bytes.begin(), bytes.end()};
  }

  // Empties the confidential texts of a command that was built here. In the file's own bytes a text
  // may lie over anything else, even over a vtable, so that zeros there would change how the
  // command is read.
  void erase_texts(std::vector<std::byte>& bytes) {
    const uint64_t erased = erase_confidential(bytes);
    if (erased == 0) return;
    report_.texts += erased;
    // The zeros still say how long the texts were, so the command is built once more.
    CommandT command;
    GetSizePrefixedCommand(bytes.data())->UnPackTo(&command);
    builder_.Clear();
    encode_command(builder_, command);
    bytes = built();
  }

  // Builds the command anew, which leaves behind bytes that the schema does not know, and after
  // which its parts share nothing. Returns false when nothing is left of the command.
  struct Rebuild {
    Redactor& redactor;

    template <class Table>
    bool operator()(const Table& table) const {
      typename Table::NativeTableType call;
      table.UnPackTo(&call);
      if (redactor.options_.payloads && !redactor.drop_golden(call)) return false;
      redactor.builder_.Clear();
      finish_command(redactor.builder_, Table::Pack(redactor.builder_, &call));
      return true;
    }
  };

  template <class Call>
  bool drop_golden(Call& call) {
    if constexpr (requires { call.golden.reset(); }) {
      if (call.golden == nullptr) return true;
      ++report_.goldens_dropped;
      call.golden.reset();
    }
    return !std::is_same_v<Call, LightMetalCompareT>;  // a comparison is nothing without it
  }

  // Writes those payloads of a command that the new file does not have yet, and changes the
  // command's references to them.
  absl::Status move_payloads(std::vector<std::byte>& bytes) {
    absl::Status status;
    visit_blobs(*GetSizePrefixedCommand(bytes.data()), [&](const BlobReference& blob) {
      if (!status.ok()) return;
      const absl::StatusOr<BlobRef> name = moved(blob.name, blob.role);
      status = name.status();
      if (name.ok()) const_cast<BlobRef&>(blob.name) = *name;  // in our own copy of the command
    });
    return status;
  }

  absl::StatusOr<BlobRef> moved(const BlobRef& blob, PayloadRole role) {
    const std::pair key(to_digest(blob.digest()), role);
    if (const auto found = moved_.find(key); found != moved_.end()) return found->second;
    LM_ASSIGN_OR_RETURN(reference, write(blob, role));
    moved_.emplace(key, reference);
    return reference;
  }

  absl::StatusOr<BlobRef> write(const BlobRef& blob, PayloadRole role) {
    if (role == PayloadRole::Upload && options_.payloads) return write_zeros(blob);
    if (role == PayloadRole::Kernel) LM_RETURN_IF_ERROR(check_kernel(blob));
    if (role == PayloadRole::Kernel && !options_.keep_debug_information) return write_kernel(blob);
    if (is_compressed(blob)) return copy(blob);
    LM_ASSIGN_OR_RETURN(payload, file_.blob(blob));
    return writer_.append_blob(payload.bytes());
  }

  // An object that stripping leaves as it is keeps its record, too.
  absl::StatusOr<BlobRef> write_kernel(const BlobRef& blob) {
    LM_ASSIGN_OR_RETURN(payload, file_.blob(blob));
    const auto stripped = without_debug_information(payload.bytes());
    ++(stripped.has_value() ? report_.kernels_stripped : report_.kernels_as_they_are);
    const Bytes object = stripped.has_value() ? Bytes(*stripped) : payload.bytes();
    if (names_a_source_path(object)) ++report_.kernels_with_paths;
    if (!is_compressed(blob)) return writer_.append_blob(object);
    return object == payload.bytes() ? copy(blob) : write_compressed(object);
  }

  bool is_compressed(const BlobRef& blob) const {
    return file_.form_of(blob) == FrameType::CompressedBlob;
  }

  absl::Status check_kernel(const BlobRef& blob) const {
    if (blob.size() <= kMaxKernelObject) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(file_.name(), " has a kernel object of ",
                                                     blob.size(), " bytes, and at most ",
                                                     kMaxKernelObject, " are taken for one"));
  }

  // Copies the payload's record as it lies in the file. Not for references to other files, whose
  // paths say too much.
  absl::StatusOr<BlobRef> copy(const BlobRef& blob) {
    const BlobEntry& entry = *file_.find_blob(blob);
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(entry.offset));
    LM_RETURN_IF_ERROR(writer_.append_blob_frame(frame, entry));
    return blob;
  }

  absl::StatusOr<BlobRef> write_zeros(const BlobRef& blob) {
    const bool as_it_is = file_.form_of(blob) == FrameType::Blob;
    if (!as_it_is) LM_RETURN_IF_ERROR(check_claim(blob.size()));
    const Zeros zeros(blob.size());
    if (!zeros.ok()) return no_room(blob.size(), "there is no memory for them");
    ++report_.payloads_zeroed;
    return as_it_is ? writer_.append_blob(zeros.bytes()) : write_compressed(zeros.bytes());
  }

  // A payload that is compressed or lies elsewhere can claim any size, so what is written in its
  // place is limited.
  absl::Status check_claim(uint64_t size) {
    const uint64_t left = options_.memory_limit - claimed_;
    if (size > std::min(left, FileOptions().max_decompressed_size)) {
      return no_room(size, absl::StrCat("at most ", FileOptions().max_decompressed_size,
                                        " are written for one, and ", options_.memory_limit,
                                        " for all (--memory-limit)"));
    }
    claimed_ += size;
    return absl::OkStatus();
  }

  absl::Status no_room(uint64_t size, absl::string_view why) const {
    return absl::ResourceExhaustedError(
        absl::StrCat(file_.name(), ": no room for ", size, " zeros in place of a payload: ", why));
  }

  // Writes what stands in place of a compressed payload, or of one that can claim any size. It is
  // compressed, so that it takes no more room in the new file than the payload's own record may
  // have taken in the old one.
  absl::StatusOr<BlobRef> write_compressed(Bytes content) {
    const ::lightmetal::Digest digest = digest_of(content);
    const auto compressed = compressor_.compress(content, digest);
    if (!compressed.has_value()) return writer_.append_blob(content);
    std::vector<std::byte> stored;
    for (const Bytes part : compressed->parts()) {
      stored.insert(stored.end(), part.begin(), part.end());
    }
    FrameView frame;
    frame.header =
        make_header(FrameType::CompressedBlob, stored.size(), digest_of(stored), frame.offset);
    frame.payload = stored;
    LM_RETURN_IF_ERROR(writer_.append_blob_frame(frame, {digest, content.size(), frame.offset}));
    return BlobRef(from_digest(digest), content.size());
  }

  const File& file_;
  Writer writer_;
  const RedactOptions& options_;
  RedactReport report_;
  Compressor compressor_;
  uint64_t claimed_ = 0;  // bytes of zeros in place of what the file does not hold as it is
  absl::flat_hash_set<::lightmetal::Digest> used_;
  flatbuffers::FlatBufferBuilder builder_;
  absl::flat_hash_map<std::pair<::lightmetal::Digest, PayloadRole>, BlobRef> moved_;
};

absl::Status check_version(const File& file) {
  const SessionInfo& session = file.session();
  if (session.version_minor <= kVersionMinor) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(file.name(), " has format ", session.version_major,
                                               ".", session.version_minor, ", and only up to ",
                                               kVersionMajor, ".", kVersionMinor,
                                               " it is known here what in a file is confidential"));
}

}  // namespace

absl::StatusOr<RedactReport> redact(const File& file, std::shared_ptr<Sink> sink,
                                    const RedactOptions& options) {
  LM_RETURN_IF_ERROR(check_version(file));
  LM_RETURN_IF_ERROR(verify(file, nullptr,
                            {.allow_incomplete = true,
                             .check_meaning = options.check_meaning,
                             .memory_limit = options.memory_limit}));
  return Redactor(file, std::move(sink), options).run();
}

}  // namespace lightmetal::schema
