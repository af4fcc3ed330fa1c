#include "schema/dump.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "schema/decode.h"
#include "schema/value.h"

namespace lightmetal::schema {
namespace {

class OffsetsInFile final : public BlobOffsets {
 public:
  explicit OffsetsInFile(const File& file) : file_(file) {}

  std::optional<uint64_t> offset_of(const BlobRef& blob) const override {
    const BlobEntry* entry = file_.find_blob(blob);
    if (entry == nullptr) return std::nullopt;
    return entry->offset + sizeof(FrameHeader);
  }

 private:
  const File& file_;
};

std::string text_line(const CommandView& view, size_t max_items) {
  std::string line = absl::StrFormat("%6d  %s  ", view.number, name_of(*view.command));
  append_text(line, value_of(*view.command), max_items);
  return line;
}

std::string json_line(const CommandView& view, const BlobOffsets& offsets) {
  JsonWriter json;
  json.begin_object();
  json.member("command", view.number).member("offset", view.offset);
  json.member("name", name_of(*view.command)).key("fields");
  append_json(json, value_of(*view.command), &offsets);
  json.end_object();
  return json.take();
}

}  // namespace

absl::Status dump(const File& file, const DumpOptions& options,
                  absl::FunctionRef<absl::Status(absl::string_view)> line) {
  const OffsetsInFile offsets(file);
  return file.for_each_command(options.first, options.last, [&](const CommandView& view) {
    return line(options.format == DumpFormat::Text ? text_line(view, options.max_items)
                                                   : json_line(view, offsets));
  });
}

}  // namespace lightmetal::schema
