#include "schema/show/dump.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/show/intents.h"
#include "schema/show/object_names.h"
#include "schema/show/print.h"
#include "schema/show/values.h"

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

// A line for an intent, whose number is that of the command after it.
std::string json_of_intent(const CommandView& view, const BlobOffsets& offsets) {
  JsonWriter json;
  json.begin_object().member("intent_before", view.number).member("offset", view.offset);
  json.member("name", name_of(*view.command)).key("fields");
  append_json(json, *view.command, &offsets);
  json.end_object();
  return json.take();
}

// Shows one command after the other. Sees those, too, that are not shown, for what they say of
// others.
class Dumper {
 public:
  Dumper(const File& file, const DumpOptions& options)
      : file_(file), options_(options), filter_(options.filter), offsets_(file) {}

  // The first command that has to be seen. Names come from commands before it, as far as they can
  // be read.
  uint64_t begin() {
    if (filter_.needs_all()) return 0;
    if (is_text()) {
      (void)file_.for_each_command(0, options_.first, [&](const CommandView& view) {
        names_.learn(*view.command);
        names_.forget(*view.command);
        return absl::OkStatus();
      });
    }
    return options_.first;
  }

  // The command's line; nothing when it is not to be shown.
  std::optional<std::string> see(const CommandView& view) {
    const bool fits = filter_.matches(*view.command) && view.number >= options_.first;
    if (!is_text()) return fits ? std::optional(json_line(view)) : std::nullopt;
    names_.learn(*view.command);
    std::optional<std::string> line;
    if (fits) line = text_line(view);
    names_.forget(*view.command);
    return line;
  }

  const BlobOffsets& offsets() const { return offsets_; }

 private:
  bool is_text() const { return options_.format == DumpFormat::Text; }

  std::string text_line(const CommandView& view) const {
    std::string line = absl::StrFormat("%6d  %s  ", view.number, schema::name_of(*view.command));
    append_text(line, *view.command, options_.max_items, &names_);
    if (options_.values) append_values_text(line, file_, *view.command, options_.element_type);
    return line;
  }

  std::string json_line(const CommandView& view) const {
    JsonWriter json;
    json.begin_object().member("command", view.number).member("offset", view.offset);
    json.member("name", schema::name_of(*view.command)).key("fields");
    append_json(json, *view.command, &offsets_);
    if (options_.values) {
      json.key("values");
      append_values_json(json, file_, *view.command, options_.element_type);
    }
    json.end_object();
    return json.take();
  }

  const File& file_;
  const DumpOptions& options_;
  CommandFilter filter_;
  ObjectNames names_;
  const OffsetsInFile offsets_;
};

// Shows the calls that were announced and never came back.
absl::Status dump_open_intents(const File& file, DumpFormat format, const BlobOffsets& offsets,
                               absl::FunctionRef<absl::Status(absl::string_view)> line) {
  LM_ASSIGN_OR_RETURN(intents, open_intents(file));
  for (const CommandView& intent : intents) {
    LM_RETURN_IF_ERROR(line(format == DumpFormat::Text
                                ? "intent  " + intent_in_words(intent) + "  (it did not return)"
                                : json_of_intent(intent, offsets)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status dump(const File& file, const DumpOptions& options,
                  absl::FunctionRef<absl::Status(absl::string_view)> line) {
  Dumper dumper(file, options);
  LM_RETURN_IF_ERROR(
      file.for_each_command(dumper.begin(), options.last, [&](const CommandView& view) {
        const std::optional<std::string> shown = dumper.see(view);
        return shown.has_value() ? line(*shown) : absl::OkStatus();
      }));
  if (options.last < file.num_commands() || options.filter.is_set()) return absl::OkStatus();
  return dump_open_intents(file, options.format, dumper.offsets(), line);
}

}  // namespace lightmetal::schema
