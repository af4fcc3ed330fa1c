#include "schema/commands/reflection.h"

#include <algorithm>
#include <string>

#include "schema/file_bfbs_generated.h"

namespace lightmetal::schema {

const reflection::Schema& command_schema() {
  return *reflection::GetSchema(CommandBinarySchema::data());
}

absl::string_view short_name(const flatbuffers::String* name) {
  const absl::string_view whole(name->c_str(), name->size());
  const size_t dot = whole.rfind('.');
  return dot == absl::string_view::npos ? whole : whole.substr(dot + 1);
}

const reflection::KeyValue* attribute(const reflection::Field& field, const char* name) {
  return field.attributes() == nullptr ? nullptr : field.attributes()->LookupByKey(name);
}

const reflection::KeyValue* attribute(const reflection::Object& object, const char* name) {
  return object.attributes() == nullptr ? nullptr : object.attributes()->LookupByKey(name);
}

std::vector<const reflection::Field*> fields_of(const reflection::Object& object) {
  std::vector<const reflection::Field*> fields(object.fields()->begin(), object.fields()->end());
  std::sort(fields.begin(), fields.end(),
            [](const auto* a, const auto* b) { return a->id() < b->id(); });
  return fields;
}

const reflection::Object& object_of(const reflection::Field& field) {
  return *command_schema().objects()->Get(static_cast<uint32_t>(field.type()->index()));
}

const reflection::Enum* enum_of(const reflection::Field& field) {
  const reflection::Type& type = *field.type();
  const bool vector = type.base_type() == reflection::BaseType::Vector;
  const reflection::BaseType base = vector ? type.element() : type.base_type();
  if (type.index() < 0 || base == reflection::BaseType::Obj) return nullptr;
  return command_schema().enums()->Get(static_cast<uint32_t>(type.index()));
}

const reflection::EnumVal* enum_value(const reflection::Enum& type, int64_t value) {
  return type.values()->LookupByKey(value);
}

const reflection::Object* union_member(const reflection::Enum& union_type, int64_t value) {
  const reflection::EnumVal* found = enum_value(union_type, value);
  if (found == nullptr || found->union_type()->base_type() != reflection::BaseType::Obj) {
    return nullptr;
  }
  return command_schema().objects()->Get(static_cast<uint32_t>(found->union_type()->index()));
}

const reflection::Field& union_type_field(const reflection::Object& object,
                                          const reflection::Field& field) {
  return *object.fields()->LookupByKey((field.name()->str() + "_type").c_str());
}

bool waits(absl::string_view function) {
  const auto& tables = *command_schema().objects();
  return std::any_of(tables.begin(), tables.end(), [&](const reflection::Object* table) {
    const reflection::KeyValue* waits = attribute(*table, "waits");
    if (waits == nullptr) return false;
    const absl::string_view name = waits->value()->c_str();
    return function == (name == "0" ? short_name(table->name()) : name);  // "0": it says none
  });
}

}  // namespace lightmetal::schema
