#include "schema/lines/write_lines.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/file/frame.h"
#include "schema/file/writer.h"
#include "schema/lines/frames.h"
#include "schema/lines/limits.h"
#include "schema/lines/print_fields.h"
#include "schema/show/json.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

absl::string_view view_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::string_view name_text(FrameType type) {
  const std::string_view name = name_of(type);
  return {name.data(), name.size()};
}

class LineWriter {
 public:
  LineWriter(const File& file, Sink& sink) : file_(file), sink_(sink) {}

  absl::StatusOr<uint64_t> run() {
    ForwardPass pass(file_);
    for (uint64_t offset = File::frames_begin(); offset < file_.frames_end();) {
      pass.reach(offset);
      LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
      LM_RETURN_IF_ERROR(take(frame));
      offset = frame.end;
    }
    LM_RETURN_IF_ERROR(end_padding());
    LM_RETURN_IF_ERROR(write_rest());
    LM_RETURN_IF_ERROR(sink_.close());
    return lines_;
  }

 private:
  absl::Status take(const FrameView& frame) {
    if (frame.type() == FrameType::Padding) {
      LM_RETURN_IF_ERROR(end_padding());
      padding_ = frame;
      return absl::OkStatus();
    }
    if (frame.type() == FrameType::Blob) return write_blob(frame);
    LM_RETURN_IF_ERROR(end_padding());
    if (holds_table(frame.type())) return write_table(frame);
    switch (frame.type()) {
      case FrameType::Index:
        return write_index(frame);
      case FrameType::Footer:
        return write_line(begin(frame));
      default:
        return write_data(begin(frame), frame.payload);
    }
  }

  // What every line begins with. The flag is there when it is not what the type has.
  JsonWriter begin(const FrameView& frame) const {
    JsonWriter json;
    json.begin_object();
    const absl::string_view name = name_text(frame.type());
    json.member("frame", name.empty() ? "Other" : name);
    if (name.empty()) return std::move(json.member("type", frame.header.type));
    if (!has_usual_flag(frame)) json.member("optional", !is_optional(frame.type()));
    return json;
  }

  static bool has_usual_flag(const FrameView& frame) {
    return ((frame.header.flags & kFrameOptional) != 0) == is_optional(frame.type());
  }

  absl::Status write_line(JsonWriter json) {
    json.end_object();
    ++lines_;
    return append({json.take(), "\n"});
  }

  absl::Status append(std::initializer_list<absl::string_view> parts) {
    std::vector<Bytes> bytes;
    for (const absl::string_view part : parts) bytes.push_back(bytes_of(part.data(), part.size()));
    return sink_.append(bytes);
  }

  // A payload becomes text piece by piece, each a multiple of three bytes.
  absl::Status write_data(JsonWriter json, Bytes data) {
    constexpr size_t kPiece = size_t{3} << 18;
    json.key("data");
    LM_RETURN_IF_ERROR(append({json.take(), "\""}));
    for (size_t done = 0; done < data.size(); done += kPiece) {
      LM_RETURN_IF_ERROR(append({absl::Base64Escape(view_of(data.subspan(done, kPiece)))}));
    }
    ++lines_;
    return append({"\"}\n"});
  }

  // Padding that read_lines() puts before the blob by itself is no line.
  absl::Status write_blob(const FrameView& frame) {
    const uint64_t before = padding_.has_value() ? padding_->offset : frame.offset;
    const bool follows = (!padding_.has_value() || has_usual_flag(*padding_)) &&
                         before + padding_before_blob(before, frame.payload.size()) == frame.offset;
    if (follows) padding_.reset();
    LM_RETURN_IF_ERROR(end_padding());
    JsonWriter json = begin(frame);
    json.member("digest", frame.digest().hex()).member("size", frame.payload.size());
    if (!follows && padding_before_blob(frame.offset, frame.payload.size()) != 0) {
      json.member("padded", false);
    }
    return write_data(std::move(json), frame.payload);
  }

  absl::Status end_padding() {
    if (!padding_.has_value()) return absl::OkStatus();
    const uint64_t size = padding_->payload.size();
    if (size > kMostPadding) {
      return file_.error_at(padding_->offset,
                            absl::StrCat("is padding of ", size, " bytes, and lines have at most ",
                                         kMostPadding, " in one place"));
    }
    JsonWriter json = begin(*padding_);
    padding_.reset();
    return write_line(std::move(json.member("size", size)));
  }

  // The frame's own bytes are there where the fields are not encoded to them.
  absl::Status write_table(const FrameView& frame) {
    auto text = text_of_table(frame.type(), frame.payload);
    if (!text.ok()) return file_.error_at(frame.offset, text.status().message());
    if (frame.type() == FrameType::Command && commands_++ % file_.commands_per_checkpoint() == 0) {
      checkpoints_.push_back(frame.offset);
    }
    JsonWriter json = begin(frame);
    if (frame.type() == FrameType::Session) json.member("lines_version", kLinesVersion);
    if (!text->name.empty()) json.member("name", text->name);
    const bool exact = is_encoded_to(*text, frame);
    std::string line = absl::StrCat(json.take(), ",\"fields\":", text->fields);
    if (!exact)
      absl::StrAppend(&line, ",\"raw\":\"", absl::Base64Escape(view_of(frame.payload)), "\"");
    ++lines_;
    return append({line, "}\n"});
  }

  bool is_encoded_to(const TableText& text, const FrameView& frame) {
    builder_.Clear();
    const auto encoded = encode_table(builder_, frame.type(), text.name, Json::parse(text.fields));
    return encoded.ok() && *encoded == frame.payload;
  }

  absl::Status write_index(const FrameView& frame) {
    IndexHeader header;
    if (frame.payload.size() < sizeof(header)) return wrong_index(frame);
    std::memcpy(&header, frame.payload.data(), sizeof(header));
    if (header.error_size > frame.payload.size() - sizeof(header)) return wrong_index(frame);
    const auto code = static_cast<absl::StatusCode>(header.error_code);
    const absl::string_view message = view_of(frame.payload.last(header.error_size));
    const absl::Status status(code, message);
    const std::string frames = closing_frames(
        frame.offset, {commands_, checkpoints_, file_.blobs(), file_.commands_per_checkpoint()},
        status);
    if (frames.size() != frame.end - frame.offset + kFooterFrameSize ||
        !absl::StartsWith(frames,
                          view_of(file_.bytes().subspan(frame.offset, frame.end - frame.offset)))) {
      return wrong_index(frame);
    }
    return write_line(index_line(frame, status));
  }

  JsonWriter index_line(const FrameView& frame, const absl::Status& status) const {
    JsonWriter json = begin(frame);
    if (file_.commands_per_checkpoint() != kCommandsPerCheckpoint) {
      json.member("commands_per_checkpoint", file_.commands_per_checkpoint());
    }
    if (status.ok()) return json;
    json.key("error").begin_object().member("code", static_cast<int>(status.code()));
    append_text(json.key("text"), status.message());
    return std::move(json.end_object());
  }

  absl::Status wrong_index(const FrameView& frame) const {
    return file_.error_at(
        frame.offset, "is an index that does not say what the file holds: repair makes it anew");
  }

  // What lies behind the last whole frame: a frame that was cut off, and room.
  absl::Status write_rest() {
    const Bytes rest = file_.bytes().subspan(file_.frames_end());
    if (rest.empty()) return absl::OkStatus();
    const auto last =
        std::find_if(rest.rbegin(), rest.rend(), [](std::byte b) { return b != std::byte{0}; });
    const size_t zeros = std::min<size_t>(last - rest.rbegin(), kMostZeros);
    JsonWriter json;
    json.begin_object().member("frame", "Rest").member("zeros", zeros);
    return write_data(std::move(json), rest.first(rest.size() - zeros));
  }

  const File& file_;
  Sink& sink_;
  uint64_t lines_ = 0;
  uint64_t commands_ = 0;
  std::vector<uint64_t> checkpoints_;
  std::optional<FrameView> padding_;  // that may belong to the blob behind it
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

absl::Status check_well_formed(const File& file) {
  return verify(file, nullptr, {.allow_incomplete = true, .check_meaning = false});
}

absl::StatusOr<uint64_t> write_lines(const File& file, Sink& sink) {
  LM_RETURN_IF_ERROR(check_well_formed(file));
  return LineWriter(file, sink).run();
}

}  // namespace lightmetal::schema
