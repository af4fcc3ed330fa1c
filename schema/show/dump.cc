#include "schema/show/dump.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/show/intents.h"
#include "schema/show/print.h"

namespace lightmetal::schema {
namespace {

class OffsetsInFile final : public BlobOffsets {
 public:
  explicit OffsetsInFile(const File& file) : file_(file) {}

  std::optional<uint64_t> offset_of(const BlobRef& blob) const override {
    if (file_.form_of(blob) != FrameType::Blob) return std::nullopt;
    return file_.find_blob(blob)->offset + sizeof(FrameHeader);
  }

  absl::string_view form_of(const BlobRef& blob) const override {
    const std::optional<FrameType> form = file_.form_of(blob);
    if (!form.has_value()) return "";
    const std::string_view name = name_of(*form);
    return {name.data(), name.size()};
  }

 private:
  const File& file_;
};

std::string text_line(const CommandView& view, size_t max_items) {
  std::string line = absl::StrFormat("%6d  %s  ", view.number, name_of(*view.command));
  append_text(line, *view.command, max_items);
  return line;
}

// A line for a command, or for an intent, whose number is that of the command after it.
std::string json_line(absl::string_view number_is, const CommandView& view,
                      const BlobOffsets& offsets) {
  JsonWriter json;
  json.begin_object();
  json.member(number_is, view.number).member("offset", view.offset);
  json.member("name", name_of(*view.command)).key("fields");
  append_json(json, *view.command, &offsets);
  json.end_object();
  return json.take();
}

// Shows the calls that were announced and never came back.
absl::Status dump_open_intents(const File& file, DumpFormat format, const BlobOffsets& offsets,
                               absl::FunctionRef<absl::Status(absl::string_view)> line) {
  LM_ASSIGN_OR_RETURN(intents, open_intents(file));
  for (const CommandView& intent : intents) {
    LM_RETURN_IF_ERROR(line(format == DumpFormat::Text
                                ? "intent  " + intent_in_words(intent) + "  (it did not return)"
                                : json_line("intent_before", intent, offsets)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status dump(const File& file, const DumpOptions& options,
                  absl::FunctionRef<absl::Status(absl::string_view)> line) {
  const OffsetsInFile offsets(file);
  LM_RETURN_IF_ERROR(
      file.for_each_command(options.first, options.last, [&](const CommandView& view) {
        return line(options.format == DumpFormat::Text ? text_line(view, options.max_items)
                                                       : json_line("command", view, offsets));
      }));
  if (options.last < file.num_commands()) return absl::OkStatus();
  return dump_open_intents(file, options.format, offsets, line);
}

}  // namespace lightmetal::schema
