#include "schema/show/print.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/reflection.h"
#include "schema/commands/walk.h"
#include "schema/file/blob.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::VectorOfAny;
using reflection::BaseType;

// The name of an enumeration's value, or its digits when it has no name.
struct Name {
  std::string text;
};

bool is_unsigned(BaseType type) {
  return type == BaseType::UType || type == BaseType::UByte || type == BaseType::UShort ||
         type == BaseType::UInt || type == BaseType::ULong;
}

// Calls `print` with the number at `data`, or with the field's default where `data` is null.
// `print` gets a bool, uint64_t, int64_t, double or Name.
template <class Print>
void with_number(const Step& step, const uint8_t* data, Print&& print) {
  if (flatbuffers::IsFloat(step.type)) {
    return print(data == nullptr ? step.field->default_real()
                                 : flatbuffers::GetAnyValueF(step.type, data));
  }
  const int64_t number =
      data == nullptr ? step.field->default_integer() : flatbuffers::GetAnyValueI(step.type, data);
  if (step.values != nullptr) {
    const reflection::EnumVal* named = enum_value(*step.values, number);
    return print(Name{named == nullptr ? absl::StrCat(number) : named->name()->str()});
  }
  if (step.type == BaseType::Bool) return print(number != 0);
  is_unsigned(step.type) ? print(static_cast<uint64_t>(number)) : print(number);
}

template <class Struct>
const Struct& as(const uint8_t* data) {
  return *reinterpret_cast<const Struct*>(data);
}

std::string hex_of(const Digest& digest) { return to_digest(digest).hex(); }

class TextPrinter : public Visitor {
 public:
  TextPrinter(std::string& text, size_t max_items, const ObjectNames* names = nullptr)
      : text_(text), max_items_(max_items), names_(names) {}

  void absent(const Step& step, const Table&) {
    if (step.kind != Step::Kind::Number || step.is_list || step.field->optional()) return;
    number(step, nullptr);
  }

  void number(const Step& step, const uint8_t* data) {
    lead(step);
    with_number(step, data, [this](const auto& value) { print(value); });
    if (names_ != nullptr && step.id.has_value() && data != nullptr) {
      name(step.id->kind, flatbuffers::ReadScalar<uint64_t>(data));
    }
  }

  void text(const Step& step, const flatbuffers::String& text) {
    if (text.size() == 0 && !step.is_list) return;
    lead(step);
    absl::StrAppend(&text_, "\"", escaped(text.str()), "\"");
  }

  uint32_t begin_list(const Step& step, const VectorOfAny& list) {
    if (list.size() != 0) open(absl::StrCat(separator_, step.name, "=["));
    return static_cast<uint32_t>(std::min<size_t>(list.size(), max_items_));
  }
  void end_list(const Step&, const VectorOfAny& list) {
    if (list.size() > max_items_) absl::StrAppend(&text_, " ... ", list.size(), " in all");
    if (list.size() != 0) close("]");
  }

  bool begin_struct(const Step& step, const uint8_t* data) {
    lead(step);
    return !print(step.plan->notation, data) && open("{");
  }
  void end_struct() { close("}"); }

  bool begin_table(const Step& step) {
    lead(step);
    return open("{");
  }
  void end_table() { close("}"); }

 private:
  // Writes what stands before a value. An item of a list has no name of its own.
  void lead(const Step& step) {
    absl::StrAppend(&text_, separator_, step.is_list ? "" : step.name, step.is_list ? "" : "=");
    separator_ = " ";
  }
  bool open(absl::string_view bracket) {
    absl::StrAppend(&text_, bracket);
    separator_ = "";
    return true;
  }
  void close(absl::string_view bracket) {
    absl::StrAppend(&text_, bracket);
    separator_ = " ";
  }

  void name(ObjectKind kind, uint64_t id) {
    const std::string known = names_->name_of(kind, id);
    if (!known.empty()) absl::StrAppend(&text_, "(", known, ")");
  }

  void print(bool value) { text_ += value ? "true" : "false"; }
  void print(const Name& name) { text_ += name.text; }
  template <class Number>
  void print(Number value) {
    absl::StrAppend(&text_, value);
  }
  void print(const CoreCoord& core) { absl::StrAppend(&text_, "(", core.x(), ",", core.y(), ")"); }

  void print(const Digest& digest) { absl::StrAppend(&text_, hex_of(digest).substr(0, 12)); }

  // Prints a struct that is one value to a person; returns false when it is not one.
  bool print(Notation notation, const uint8_t* data) {
    switch (notation) {
      case Notation::Members:
        return false;
      case Notation::Digest:
        print(as<Digest>(data));
        return true;
      case Notation::Blob:
        absl::StrAppend(&text_, as<BlobRef>(data).size(), "B:");
        print(as<BlobRef>(data).digest());
        return true;
      case Notation::Core:
        print(as<CoreCoord>(data));
        return true;
      case Notation::CoreRange:
        print(as<CoreRange>(data).start());
        text_ += '-';
        print(as<CoreRange>(data).end());
        return true;
    }
    return false;
  }

  std::string& text_;
  const size_t max_items_;
  const ObjectNames* const names_;
  absl::string_view separator_;
};

class JsonPrinter : public Visitor {
 public:
  JsonPrinter(JsonWriter& json, const BlobOffsets* offsets) : json_(json), offsets_(offsets) {}

  void absent(const Step& step, const Table&) {
    if (step.kind == Step::Kind::Number && !step.is_list && !step.field->optional()) {
      return number(step, nullptr);
    }
    json_.key(step.name);
    if (step.is_list) return void(json_.begin_array().end_array());
    step.kind == Step::Kind::Text ? json_.value("") : json_.null();
  }

  void number(const Step& step, const uint8_t* data) {
    key(step);
    with_number(step, data, [this](const auto& value) { print(value); });
  }

  void text(const Step& step, const flatbuffers::String& text) {
    key(step);
    json_.value(absl::string_view(text.c_str(), text.size()));
  }

  uint32_t begin_list(const Step& step, const VectorOfAny& list) {
    json_.key(step.name).begin_array();
    return list.size();
  }
  void end_list(const Step&, const VectorOfAny&) { json_.end_array(); }

  bool begin_struct(const Step& step, const uint8_t* data) {
    const Notation notation = step.plan->notation;
    if (notation != Notation::Blob && notation != Notation::Digest) return begin_table(step);
    key(step);
    notation == Notation::Blob ? print(as<BlobRef>(data)) : print(as<Digest>(data));
    return false;
  }
  void end_struct() { json_.end_object(); }

  bool begin_table(const Step& step) {
    key(step);
    json_.begin_object();
    return true;
  }
  void end_table() { json_.end_object(); }

 private:
  // Writes the key of a value; an item of a list has none.
  void key(const Step& step) {
    if (!step.is_list) json_.key(step.name);
  }

  void print(const Name& name) { json_.value(name.text); }
  void print(const Digest& digest) { json_.value(hex_of(digest)); }
  template <class Number>
  void print(Number value) {
    json_.value(value);
  }

  void print(const BlobRef& blob) {
    json_.begin_object();
    json_.member("digest", hex_of(blob.digest())).member("size", blob.size());
    const absl::string_view form = offsets_ == nullptr ? "" : offsets_->form_of(blob);
    json_.key("form");
    form.empty() ? json_.null() : json_.value(form);
    json_.key("offset");
    const auto offset = offsets_ == nullptr ? std::nullopt : offsets_->offset_of(blob);
    offset.has_value() ? json_.value(*offset) : json_.null();
    json_.end_object();
  }

  JsonWriter& json_;
  const BlobOffsets* const offsets_;
};

const Plans& printed() {
  static const Plans* const all = new Plans([](const Step&) { return true; });  // never destroyed
  return *all;
}

template <class Printer>
void print(const Command& command, Printer printer) {
  walk(printed().of(name_of(command)), *static_cast<const flatbuffers::Table*>(command.call()),
       printer);
}

template <class Printer>
void print(const DeviceProfile& profile, Printer printer) {
  walk(printed().of("DeviceProfile"), reinterpret_cast<const flatbuffers::Table&>(profile),
       printer);
}

template <class Table>
void append_object(JsonWriter& json, const Table& table, const BlobOffsets* offsets) {
  json.begin_object();
  print(table, JsonPrinter(json, offsets));
  json.end_object();
}

}  // namespace

void append_text(std::string& text, const Command& command, size_t max_items,
                 const ObjectNames* names) {
  print(command, TextPrinter(text, max_items, names));
}

void append_text(std::string& text, const DeviceProfile& profile, size_t max_items) {
  print(profile, TextPrinter(text, max_items));
}

void append_json(JsonWriter& json, const Command& command, const BlobOffsets* offsets) {
  append_object(json, command, offsets);
}

void append_json(JsonWriter& json, const DeviceProfile& profile) {
  append_object(json, profile, nullptr);
}

}  // namespace lightmetal::schema
