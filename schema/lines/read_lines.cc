#include "schema/lines/read_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/file/compressed_blob.h"
#include "schema/file/external_blob.h"
#include "schema/file/signature.h"
#include "schema/file/writer.h"
#include "schema/lines/frames.h"
#include "schema/lines/limits.h"

namespace lightmetal::schema {
namespace {

Bytes bytes_of_text(absl::string_view text) { return bytes_of(text.data(), text.size()); }

template <class... Parts>
absl::Status wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// One line. Each member is asked for once at most, so that one nobody asks for is found.
class Line {
 public:
  explicit Line(Json json) : json_(std::move(json)) {}

  static absl::StatusOr<Line> parse(absl::string_view text) {
    LM_RETURN_IF_ERROR(check_size(text));
    if (depth_of(text) > kMostDepth) return wrong("is nested deeper than any frame");
    try {
      Json json = Json::parse(text.begin(), text.end());
      if (!json.is_object()) return wrong("is ", shown(json), "; expected an object");
      return Line(std::move(json));
    } catch (const Json::parse_error& error) {
      return wrong("is no JSON, as its byte ", error.byte, " shows");
    } catch (const Json::exception&) {
      return wrong("has a number that no field can hold");
    }
  }

  bool has(const char* name) const { return json_.contains(name); }

  absl::StatusOr<Json> take(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) return wrong("has no member \"", name, "\"");
    Json value = std::move(*found);
    json_.erase(found);
    return value;
  }

  absl::StatusOr<std::string> take_text(const char* name) {
    LM_ASSIGN_OR_RETURN(json, take(name));
    if (json.is_string()) return std::move(json.get_ref<std::string&>());
    return wrong("has \"", name, "\" ", shown(json), "; expected a text");
  }

  absl::StatusOr<uint64_t> take_number(const char* name, uint64_t least, uint64_t most) {
    LM_ASSIGN_OR_RETURN(json, take(name));
    if (json.is_number_unsigned() && json.get<uint64_t>() >= least &&
        json.get<uint64_t>() <= most) {
      return json.get<uint64_t>();
    }
    return wrong("has \"", name, "\" ", shown(json), "; expected ", least, " to ", most);
  }

  absl::StatusOr<bool> take_flag(const char* name, bool without) {
    if (!has(name)) return without;
    LM_ASSIGN_OR_RETURN(json, take(name));
    if (json.is_boolean()) return json.get<bool>();
    return wrong("has \"", name, "\" ", shown(json), "; expected true or false");
  }

  absl::StatusOr<std::string> take_data(const char* name) {
    LM_ASSIGN_OR_RETURN(text, take_text(name));
    std::string data;
    if (absl::Base64Unescape(text, &data)) return data;
    return wrong("has \"", name, "\" that is no base64");
  }

  absl::Status check_nothing_left() const {
    if (json_.empty()) return absl::OkStatus();
    return wrong("has a member ", shown(Json(json_.begin().key())), ", which such a line has not");
  }

 private:
  // A parsed value takes sixteen times the text of a short one. Payloads are one value, and may
  // have any size.
  static absl::Status check_size(absl::string_view text) {
    constexpr ptrdiff_t kMostValues = 1000;  // of a line that has no fields
    const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
    if (text.size() <= kMostFields ||
        std::count_if(text.begin(), text.end(), begins_value) <= kMostValues) {
      return absl::OkStatus();
    }
    return wrong("has ", text.size(), " bytes; expected at most ", kMostFields);
  }

  // How deep brackets are nested outside of texts; of a text that is no JSON, at least as deep as a
  // parser follows it.
  static int depth_of(absl::string_view text) {
    int depth = 0, most = 0;
    bool in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
      if (in_text && text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        in_text = !in_text;
      } else if (!in_text && (text[i] == '[' || text[i] == '{')) {
        most = std::max(most, ++depth);
      } else if (!in_text && (text[i] == ']' || text[i] == '}')) {
        --depth;
      }
    }
    return most;
  }

  Json json_;
};

absl::StatusOr<FrameType> type_named(absl::string_view name) {
  for (uint16_t number = 1; number <= static_cast<uint16_t>(FrameType::Signature); ++number) {
    const auto type = static_cast<FrameType>(number);
    if (name == absl::string_view(name_of(type).data(), name_of(type).size())) return type;
  }
  return wrong("is of the frame \"", escaped(name.substr(0, 60)), "\", which there is not");
}

class LineReader {
 public:
  LineReader(absl::string_view name, Sink& sink, const std::set<uint64_t>& without_signatures)
      : name_(name), sink_(sink), without_signatures_(without_signatures) {}

  absl::StatusOr<ReadLinesReport> run(absl::string_view text) {
    LM_RETURN_IF_ERROR(append({bytes_of(kMagic.data(), kMagic.size())}));
    uint64_t number = 0;
    while (!text.empty()) {
      const absl::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      ++number;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      const absl::Status status = take(line);
      LM_RETURN_IF_ERROR(sink_status_);
      if (!status.ok()) return wrong(name_, ": line ", number, " ", status.message());
    }
    if (stage_ == Stage::Begin) return wrong(name_, " has no line of a session");
    LM_RETURN_IF_ERROR(sink_.close());
    report_.commands = commands_.size();
    report_.payloads = blobs_.size();
    return report_;
  }

 private:
  // How far the file is. Each frame has its place.
  enum class Stage { Begin, Body, Index, Footer, Rest };

  absl::Status take(absl::string_view text) {
    LM_ASSIGN_OR_RETURN(line, Line::parse(text));
    LM_ASSIGN_OR_RETURN(frame, line.take_text("frame"));
    if (frame == "Rest") return take_rest(line);
    if (frame == "Other") return take_other(line);
    LM_ASSIGN_OR_RETURN(type, type_named(frame));
    LM_RETURN_IF_ERROR(enter(type, frame));
    LM_ASSIGN_OR_RETURN(optional, line.take_flag("optional", is_optional(type)));
    optional_ = optional;
    return holds_table(type) ? take_table(type, line) : take_frame(type, line);
  }

  absl::Status enter(FrameType type, absl::string_view frame) {
    Stage from = Stage::Body, to = Stage::Body;
    if (type == FrameType::Session) from = Stage::Begin;
    if (type == FrameType::Index) to = Stage::Index;
    if (type == FrameType::Signature) from = to = Stage::Index;
    if (type == FrameType::Footer) from = Stage::Index, to = Stage::Footer;
    if (stage_ != from) {
      return wrong("is of the frame ", frame, ", which does not belong there",
                   stage_ == Stage::Begin ? ": the first line is the session" : "");
    }
    stage_ = to;
    return absl::OkStatus();
  }

  absl::Status take_frame(FrameType type, Line& line) {
    switch (type) {
      case FrameType::Blob:
        return take_blob(line);
      case FrameType::CompressedBlob:
        return take_compressed(line);
      case FrameType::Signature:
        return take_signature(line);
      case FrameType::Padding:
        return take_padding(line);
      case FrameType::Index:
        return take_index(line);
      default:
        return take_footer(line);
    }
  }

  // ---- FlatBuffers ----

  absl::Status take_table(FrameType type, Line& line) {
    if (type == FrameType::Session) {
      LM_RETURN_IF_ERROR(line.take_number("lines_version", kLinesVersion, kLinesVersion).status());
    }
    std::string name;
    if (type == FrameType::Command || type == FrameType::Intent) {
      LM_ASSIGN_OR_RETURN(given, line.take_text("name"));
      name = std::move(given);
    }
    LM_ASSIGN_OR_RETURN(fields, line.take("fields"));
    std::string raw;
    if (line.has("raw")) {
      LM_ASSIGN_OR_RETURN(given, line.take_data("raw"));
      raw = std::move(given);
    }
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    builder_.Clear();
    LM_ASSIGN_OR_RETURN(encoded, encode_table(builder_, type, name, fields));
    LM_ASSIGN_OR_RETURN(payload, chosen(type, encoded, raw));
    return write_table(type, payload);
  }

  // The raw bytes, as long as they say what the encoded ones say.
  absl::StatusOr<Bytes> chosen(FrameType type, Bytes encoded, const std::string& raw) const {
    if (raw.empty()) return encoded;
    const auto text = text_of_table(type, bytes_of_text(raw));
    if (!text.ok()) return wrong("has wrong \"raw\" bytes: ", text.status().message());
    LM_ASSIGN_OR_RETURN(now, text_of_table(type, encoded));
    return text->name == now.name && text->fields == now.fields ? bytes_of_text(raw) : encoded;
  }

  absl::Status write_table(FrameType type, Bytes payload) {
    if (type == FrameType::ExternalBlob) {
      LM_ASSIGN_OR_RETURN(info, parse_external_blob(payload));
      LM_RETURN_IF_ERROR(add_blob(info.digest, info.size));
    } else if (type != FrameType::Session) {
      LM_RETURN_IF_ERROR(check_payloads(payload));
    }
    if (type == FrameType::Command) commands_.push_back(size_);
    return write(type, payload);
  }

  absl::Status check_payloads(Bytes payload) const {
    LM_ASSIGN_OR_RETURN(command, decode_command(payload));
    absl::Status status;
    visit_blobs(*command, [&](const BlobReference& blob) {
      const ::lightmetal::Digest digest = to_digest(blob.name.digest());
      const auto found = blobs_.find(digest);
      if (found != blobs_.end() && found->second.size == blob.name.size()) return;
      status.Update(wrong("names in its field ", blob.field, " the payload ", digest.hex(), " of ",
                          blob.name.size(), " bytes, which no line before it has"));
    });
    return status;
  }

  // ---- Payloads ----

  absl::Status take_blob(Line& line) {
    LM_ASSIGN_OR_RETURN(text, line.take_text("digest"));
    LM_ASSIGN_OR_RETURN(size, line.take_number("size", 0, UINT64_MAX));
    LM_ASSIGN_OR_RETURN(padded, line.take_flag("padded", true));
    LM_ASSIGN_OR_RETURN(data, line.take_data("data"));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    const auto given = parse_digest(text);
    if (!given.ok()) return wrong("has a \"digest\" that ", given.status().message());
    const ::lightmetal::Digest digest = digest_of(bytes_of_text(data));
    if (digest != *given || size != data.size()) {
      return wrong("has a payload of ", data.size(), " bytes with the digest ", digest.hex(),
                   ", and says that it has ", size, " with ", given->hex());
    }
    const uint64_t padding = padded ? padding_before_blob(size_, size) : 0;
    if (padding != 0) LM_RETURN_IF_ERROR(write_padding(padding - sizeof(FrameHeader), false));
    LM_RETURN_IF_ERROR(add_blob(digest, size));
    return write(FrameType::Blob, bytes_of_text(data));
  }

  absl::Status take_compressed(Line& line) {
    LM_ASSIGN_OR_RETURN(data, line.take_data("data"));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    LM_ASSIGN_OR_RETURN(blob, CompressedBlob::parse(bytes_of_text(data)));
    LM_RETURN_IF_ERROR(blob.check());
    LM_RETURN_IF_ERROR(add_blob(blob.digest(), blob.size()));
    return write(FrameType::CompressedBlob, bytes_of_text(data));
  }

  absl::Status add_blob(const ::lightmetal::Digest& digest, uint64_t size) {
    if (blobs_.try_emplace(digest, BlobEntry{digest, size, size_}).second) return absl::OkStatus();
    return wrong("has the payload ", digest.hex(), ", which a line before it has");
  }

  absl::Status take_padding(Line& line) {
    LM_ASSIGN_OR_RETURN(size, line.take_number("size", 0, kMostPadding));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    return write_padding(size, optional_);
  }

  absl::Status write_padding(uint64_t size, bool optional) {
    const std::string zeros(size, '\0');
    return write(static_cast<uint16_t>(FrameType::Padding), bytes_of_text(zeros), optional);
  }

  // ---- The end ----

  absl::Status take_index(Line& line) {
    uint64_t per = kCommandsPerCheckpoint;
    if (line.has("commands_per_checkpoint")) {
      LM_ASSIGN_OR_RETURN(given, line.take_number("commands_per_checkpoint", 1, UINT64_MAX));
      per = given;
    }
    absl::Status capture_status;
    LM_RETURN_IF_ERROR(take_error(line, capture_status));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    std::vector<uint64_t> checkpoints;
    for (uint64_t i = 0; i < commands_.size(); i += std::min<uint64_t>(per, commands_.size())) {
      checkpoints.push_back(commands_[i]);
    }
    const std::vector<BlobEntry> blobs = sorted_blobs();
    index_offset_ = size_;
    const std::string frames = closing_frames(size_,
                                              {.num_commands = commands_.size(),
                                               .checkpoints = checkpoints,
                                               .blobs = blobs,
                                               .commands_per_checkpoint = per},
                                              capture_status);
    FrameHeader header;
    std::memcpy(&header, frames.data(), sizeof(header));
    return write(FrameType::Index, bytes_of_text(frames).subspan(sizeof(header), header.length));
  }

  std::vector<BlobEntry> sorted_blobs() const {
    std::vector<BlobEntry> blobs;
    for (const auto& [digest, entry] : blobs_) blobs.push_back(entry);
    std::sort(blobs.begin(), blobs.end(),
              [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });
    return blobs;
  }

  // Sets `found` to the error of the capture, if the line has one. Not a StatusOr of a Status: that
  // would take a wrong line's error for the capture's.
  static absl::Status take_error(Line& line, absl::Status& found) {
    if (!line.has("error")) return absl::OkStatus();
    LM_ASSIGN_OR_RETURN(json, line.take("error"));
    if (!json.is_object()) return wrong("has \"error\" ", shown(json), "; expected an object");
    Line error(std::move(json));
    LM_ASSIGN_OR_RETURN(code, error.take_number("code", 1, 16));
    LM_ASSIGN_OR_RETURN(text, error.take("text"));
    LM_RETURN_IF_ERROR(error.check_nothing_left());
    const auto message = parse_text(text);
    if (!message.ok()) return wrong("has an error whose text ", message.status().message());
    found = absl::Status(static_cast<absl::StatusCode>(code), *message);
    return absl::OkStatus();
  }

  absl::Status take_signature(Line& line) {
    LM_ASSIGN_OR_RETURN(data, line.take_data("data"));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    if (without_signatures_.contains(num_signatures_++)) return absl::OkStatus();
    FrameView frame;
    frame.payload = bytes_of_text(data);
    const absl::Status sound = signature_payload(frame).status();
    if (!sound.ok() && !absl::IsUnimplemented(sound)) return sound;
    report_.signatures.push_back(size_);
    return write(FrameType::Signature, frame.payload);
  }

  absl::Status take_footer(Line& line) {
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    report_.closed = true;
    const Footer footer{index_offset_};
    return write(FrameType::Footer, bytes_of(&footer, sizeof(footer)));
  }

  absl::Status take_rest(Line& line) {
    LM_ASSIGN_OR_RETURN(zeros, line.take_number("zeros", 0, kMostZeros));
    LM_ASSIGN_OR_RETURN(data, line.take_data("data"));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    if (stage_ == Stage::Begin || stage_ == Stage::Rest) {
      return wrong("is the rest of a file, which does not belong there");
    }
    stage_ = Stage::Rest;
    report_.closed = false;
    data.append(zeros, '\0');
    return append({bytes_of_text(data)});
  }

  // A frame that only a later version knows, which readers may skip.
  absl::Status take_other(Line& line) {
    LM_ASSIGN_OR_RETURN(type, line.take_number("type", 1, UINT16_MAX));
    LM_ASSIGN_OR_RETURN(data, line.take_data("data"));
    LM_RETURN_IF_ERROR(line.check_nothing_left());
    if (stage_ != Stage::Body) return wrong("is of the frame Other, which does not belong there");
    const std::string_view known = name_of(static_cast<FrameType>(type));
    if (!known.empty()) return wrong("has type ", type, ", which is ", std::string(known));
    return write(static_cast<uint16_t>(type), bytes_of_text(data), true);
  }

  // ---- Frames ----

  absl::Status write(FrameType type, Bytes payload) {
    return write(static_cast<uint16_t>(type), payload, optional_);
  }

  absl::Status write(uint16_t type, Bytes payload, bool optional) {
    static constexpr std::array<std::byte, kFrameAlignment> kFill{};
    FrameHeader header =
        make_header(static_cast<FrameType>(type), payload.size(), digest_of(payload), size_);
    header.flags = optional ? kFrameOptional : 0;
    header.checksum = header_checksum(header, size_);
    const size_t fill = frame_size(payload.size()) - sizeof(header) - payload.size();
    return append({bytes_of(&header, sizeof(header)), payload, Bytes(kFill).first(fill)});
  }

  absl::Status append(std::initializer_list<Bytes> parts) {
    size_ += size_of(absl::MakeConstSpan(parts.begin(), parts.size()));
    sink_status_ = sink_.append(absl::MakeConstSpan(parts.begin(), parts.size()));
    return sink_status_;
  }

  const absl::string_view name_;
  Sink& sink_;
  const std::set<uint64_t>& without_signatures_;
  absl::Status sink_status_;
  ReadLinesReport report_;
  Stage stage_ = Stage::Begin;
  bool optional_ = false;  // the flag of the line's frame
  uint64_t size_ = 0;      // of what was written
  uint64_t index_offset_ = 0;
  uint64_t num_signatures_ = 0;
  std::vector<uint64_t> commands_;  // their offsets
  absl::flat_hash_map<::lightmetal::Digest, BlobEntry> blobs_;
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

absl::StatusOr<ReadLinesReport> read_lines(Bytes text, absl::string_view name, Sink& sink,
                                           const std::set<uint64_t>& without_signatures) {
  LineReader reader(name, sink, without_signatures);
  return reader.run({reinterpret_cast<const char*>(text.data()), text.size()});
}

}  // namespace lightmetal::schema
