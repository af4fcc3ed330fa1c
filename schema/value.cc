#include "schema/value.h"

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "schema/blob.h"
#include "schema/command_generated.h"
#include "schema/reflection.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Table;
using reflection::BaseType;

// ---- From FlatBuffers ----

ObjectValue object_from(const Table& table, const reflection::Object& object);

bool is_unsigned(BaseType type) {
  return type == BaseType::UType || type == BaseType::UByte || type == BaseType::UShort ||
         type == BaseType::UInt || type == BaseType::ULong;
}

Value scalar_from(BaseType type, const reflection::Enum* values, const uint8_t* data) {
  if (flatbuffers::IsFloat(type)) return flatbuffers::GetAnyValueF(type, data);
  const int64_t number = flatbuffers::GetAnyValueI(type, data);
  if (values != nullptr) {
    const reflection::EnumVal* named = enum_value(*values, number);
    return EnumValue{named == nullptr ? absl::StrCat(number) : named->name()->str()};
  }
  if (type == BaseType::Bool) return number != 0;
  if (is_unsigned(type)) return static_cast<uint64_t>(number);
  return number;
}

Value default_of(const reflection::Field& field) {
  const BaseType type = field.type()->base_type();
  if (field.optional()) return {};
  if (flatbuffers::IsFloat(type)) return field.default_real();
  const int64_t number = field.default_integer();
  if (const reflection::Enum* values = enum_of(field)) {
    const reflection::EnumVal* named = enum_value(*values, number);
    return EnumValue{named == nullptr ? absl::StrCat(number) : named->name()->str()};
  }
  if (type == BaseType::Bool) return number != 0;
  if (is_unsigned(type)) return static_cast<uint64_t>(number);
  return number;
}

// A struct of type `object` at `data`.
Value struct_from(const uint8_t* data, const reflection::Object& object) {
  const absl::string_view type = short_name(object.name());
  if (type == "BlobRef") return *reinterpret_cast<const BlobRef*>(data);
  if (type == "Digest") return to_digest(*reinterpret_cast<const Digest*>(data));
  ObjectValue value{type, true, {}};
  for (const reflection::Field* field : fields_of(object)) {
    const uint8_t* member = data + field->offset();
    const BaseType base = field->type()->base_type();
    value.members.push_back({{field->name()->c_str(), field->name()->size()},
                             base == BaseType::Obj ? struct_from(member, object_of(*field))
                                                   : scalar_from(base, enum_of(*field), member)});
  }
  return value;
}

Value element_from(const flatbuffers::VectorOfAny& vector, uint32_t index,
                   const reflection::Field& field) {
  const BaseType element = field.type()->element();
  if (element == BaseType::String) {
    return flatbuffers::GetAnyVectorElemPointer<const flatbuffers::String>(&vector, index)->str();
  }
  if (element != BaseType::Obj) {
    return scalar_from(element, enum_of(field),
                       vector.Data() + index * flatbuffers::GetTypeSize(element));
  }
  const reflection::Object& object = object_of(field);
  if (object.is_struct()) {
    return struct_from(vector.Data() + index * static_cast<size_t>(object.bytesize()), object);
  }
  return object_from(*flatbuffers::GetAnyVectorElemPointer<const Table>(&vector, index), object);
}

Value list_from(const Table& table, const reflection::Field& field) {
  ListValue list;
  const auto* vector = table.GetPointer<const flatbuffers::VectorOfAny*>(field.offset());
  if (vector == nullptr) return list;
  list.items.reserve(vector->size());
  for (uint32_t i = 0; i < vector->size(); ++i) {
    list.items.push_back(element_from(*vector, i, field));
  }
  return list;
}

Value object_field_from(const Table& table, const reflection::Field& field) {
  const reflection::Object& object = object_of(field);
  if (object.is_struct()) {
    const auto* data = table.GetStruct<const uint8_t*>(field.offset());
    return data == nullptr ? Value() : struct_from(data, object);
  }
  const auto* child = table.GetPointer<const Table*>(field.offset());
  return child == nullptr ? Value() : Value(object_from(*child, object));
}

Value union_from(const Table& table, const reflection::Object& object,
                 const reflection::Field& field) {
  const auto which = table.GetField<uint8_t>(union_type_field(object, field).offset(), 0);
  const reflection::Object* member = union_member(*enum_of(field), which);
  const auto* child = table.GetPointer<const Table*>(field.offset());
  if (member == nullptr || child == nullptr) return {};
  return object_from(*child, *member);
}

Value field_from(const Table& table, const reflection::Object& object,
                 const reflection::Field& field) {
  switch (const BaseType base = field.type()->base_type(); base) {
    case BaseType::String: {
      const auto* text = table.GetPointer<const flatbuffers::String*>(field.offset());
      return text == nullptr ? std::string() : text->str();
    }
    case BaseType::Vector:
      return list_from(table, field);
    case BaseType::Obj:
      return object_field_from(table, field);
    case BaseType::Union:
      return union_from(table, object, field);
    default: {
      const uint8_t* data = table.GetAddressOf(field.offset());
      return data == nullptr ? default_of(field) : scalar_from(base, enum_of(field), data);
    }
  }
}

ObjectValue object_from(const Table& table, const reflection::Object& object) {
  ObjectValue value{short_name(object.name()), false, {}};
  for (const reflection::Field* field : fields_of(object)) {
    value.members.push_back(
        {{field->name()->c_str(), field->name()->size()}, field_from(table, object, *field)});
  }
  return value;
}

// ---- To text ----

bool is_absent(const Value& value) {
  if (const auto* list = std::get_if<ListValue>(&value)) return list->items.empty();
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  return std::holds_alternative<std::monostate>(value);
}

// The coordinates and ranges of cores in the usual notation. Other structs are written like tables.
bool append_core(std::string& text, const ObjectValue& object) {
  if (object.type == "CoreCoord") {
    absl::StrAppend(&text, "(", std::get<uint64_t>(object.members[0].value), ",",
                    std::get<uint64_t>(object.members[1].value), ")");
    return true;
  }
  if (object.type != "CoreRange") return false;
  append_core(text, std::get<ObjectValue>(object.members[0].value));
  text += '-';
  append_core(text, std::get<ObjectValue>(object.members[1].value));
  return true;
}

void append_list(std::string& text, const ListValue& list, size_t max_items) {
  text += '[';
  for (size_t i = 0; i < list.items.size() && i < max_items; ++i) {
    if (i != 0) text += ' ';
    append_text(text, list.items[i], max_items);
  }
  if (list.items.size() > max_items) absl::StrAppend(&text, " ... ", list.items.size(), " in all");
  text += ']';
}

struct TextPrinter {
  void operator()(std::monostate) const { text += "none"; }
  void operator()(bool value) const { text += value ? "true" : "false"; }
  void operator()(uint64_t value) const { absl::StrAppend(&text, value); }
  void operator()(int64_t value) const { absl::StrAppend(&text, value); }
  void operator()(double value) const { absl::StrAppend(&text, value); }
  void operator()(const std::string& value) const {
    absl::StrAppend(&text, "\"", escaped(value), "\"");
  }
  void operator()(const EnumValue& value) const { text += value.name; }
  void operator()(const ::lightmetal::Digest& value) const { text += value.hex().substr(0, 12); }
  void operator()(const BlobRef& blob) const {
    absl::StrAppend(&text, blob.size(), "B:", to_digest(blob.digest()).hex().substr(0, 12));
  }
  void operator()(const ListValue& list) const { append_list(text, list, max_items); }
  void operator()(const ObjectValue& object) const {
    if (append_core(text, object)) return;
    text += '{';
    append_text(text, object, max_items);
    text += '}';
  }

  std::string& text;
  size_t max_items;
};

// ---- To JSON ----

struct JsonPrinter {
  void operator()(std::monostate) const { json.null(); }
  void operator()(bool value) const { json.value(value); }
  void operator()(uint64_t value) const { json.value(value); }
  void operator()(int64_t value) const { json.value(value); }
  void operator()(double value) const { json.value(value); }
  void operator()(const std::string& value) const { json.value(value); }
  void operator()(const EnumValue& value) const { json.value(value.name); }
  void operator()(const ::lightmetal::Digest& value) const { json.value(value.hex()); }
  void operator()(const BlobRef& blob) const {
    json.begin_object();
    json.member("digest", to_digest(blob.digest()).hex()).member("size", blob.size());
    const absl::string_view form = offsets == nullptr ? "" : offsets->form_of(blob);
    json.key("form");
    form.empty() ? json.null() : json.value(form);
    json.key("offset");
    const auto offset = offsets == nullptr ? std::nullopt : offsets->offset_of(blob);
    offset.has_value() ? json.value(*offset) : json.null();
    json.end_object();
  }
  void operator()(const ListValue& list) const {
    json.begin_array();
    for (const Value& item : list.items) append_json(json, item, offsets);
    json.end_array();
  }
  void operator()(const ObjectValue& object) const { append_json(json, object, offsets); }

  JsonWriter& json;
  const BlobOffsets* offsets;
};

const auto& as_variant(const Value& value) { return static_cast<const Value::variant&>(value); }

const reflection::Object& object_named(const char* name) {
  return *command_schema().objects()->LookupByKey(name);
}

}  // namespace

ObjectValue value_of(const Command& command) {
  static const reflection::Enum& calls =
      *command_schema().enums()->LookupByKey("lightmetal.schema.Call");
  const auto number = static_cast<int64_t>(command.call_type());
  return object_from(*static_cast<const Table*>(command.call()), *union_member(calls, number));
}

ObjectValue value_of(const DeviceProfile& profile) {
  return object_from(reinterpret_cast<const Table&>(profile),
                     object_named("lightmetal.schema.DeviceProfile"));
}

void append_json(JsonWriter& json, const Value& value, const BlobOffsets* offsets) {
  std::visit(JsonPrinter{json, offsets}, as_variant(value));
}

void append_json(JsonWriter& json, const ObjectValue& value, const BlobOffsets* offsets) {
  json.begin_object();
  for (const Member& member : value.members) {
    json.key(member.name);
    append_json(json, member.value, offsets);
  }
  json.end_object();
}

void append_text(std::string& text, const Value& value, size_t max_items) {
  std::visit(TextPrinter{text, max_items}, as_variant(value));
}

void append_text(std::string& text, const ObjectValue& value, size_t max_items) {
  absl::string_view separator;
  for (const Member& member : value.members) {
    if (is_absent(member.value)) continue;
    absl::StrAppend(&text, separator, member.name, "=");
    append_text(text, member.value, max_items);
    separator = " ";
  }
}

}  // namespace lightmetal::schema
