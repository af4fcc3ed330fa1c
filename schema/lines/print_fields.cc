#include "schema/lines/print_fields.h"

#include <string>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "schema/commands/reflection.h"
#include "schema/file/blob.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::VectorOfAny;
using reflection::BaseType;

bool is_utf8(absl::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.code < 0) return false;
    text.remove_prefix(character.bytes.size());
  }
  return true;
}

class LinePrinter : public Visitor {
 public:
  explicit LinePrinter(JsonWriter& json) : json_(json) {}

  void absent(const Step& step, const Table&) {
    const bool plain = step.kind == Step::Kind::Number && !step.is_list && !step.field->optional();
    if (!plain) return;
    key(step);
    print(step, step.field->default_integer());
  }

  void number(const Step& step, const uint8_t* data) {
    key(step);
    print(step, flatbuffers::GetAnyValueI(step.type, data));
  }

  void text(const Step& step, const flatbuffers::String& text) {
    key(step);
    append_text(json_, {text.c_str(), text.size()});
  }

  uint32_t begin_list(const Step& step, const VectorOfAny& list) {
    json_.key(step.name).begin_array();
    return list.size();
  }
  void end_list(const Step&, const VectorOfAny&) { json_.end_array(); }

  bool begin_struct(const Step& step, const uint8_t* data) {
    key(step);
    if (step.plan->notation == Notation::Digest) {
      json_.value(to_digest(*reinterpret_cast<const Digest*>(data)).hex());
      return false;
    }
    json_.begin_object();
    return true;
  }
  void end_struct() { json_.end_object(); }

  bool begin_table(const Step& step) {
    key(step);
    json_.begin_object();
    return true;
  }
  void end_table() { json_.end_object(); }

 private:
  void key(const Step& step) {
    if (!step.is_list) json_.key(step.name);
  }

  void print(const Step& step, int64_t number) {
    const reflection::EnumVal* named =
        step.values == nullptr ? nullptr : enum_value(*step.values, number);
    if (named != nullptr) return void(json_.value(named->name()->str()));
    if (step.type == BaseType::Bool) return void(json_.value(number != 0));
    step.type == BaseType::ULong ? json_.value(static_cast<uint64_t>(number)) : json_.value(number);
  }

  JsonWriter& json_;
};

}  // namespace

const Plans& line_plans() {
  static const Plans* const all = new Plans([](const Step&) { return true; });  // never destroyed
  return *all;
}

void append_text(JsonWriter& json, absl::string_view text) {
  if (is_utf8(text)) return void(json.value(text));
  json.begin_object().member("base64", absl::Base64Escape(text)).end_object();
}

void append_fields(JsonWriter& json, const Plan& plan, const flatbuffers::Table& table) {
  LinePrinter printer(json);
  json.begin_object();
  walk(plan, table, printer);
  json.end_object();
}

}  // namespace lightmetal::schema
