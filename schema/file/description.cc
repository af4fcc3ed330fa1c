#include "schema/file/description.h"

#include "absl/strings/str_cat.h"
#include "schema/commands/reflection.h"
#include "schema/file/frame.h"

namespace lightmetal::schema {
namespace {

using reflection::BaseType;

std::string name_of_type(const reflection::Field& field) {
  const reflection::Type& type = *field.type();
  const bool vector = type.base_type() == BaseType::Vector;
  const BaseType base = vector ? type.element() : type.base_type();
  std::string name = reflection::EnumNameBaseType(base);
  if (base == BaseType::Obj) {
    name = std::string(short_name(object_of(field).name()));
  } else if (const reflection::Enum* values = enum_of(field)) {
    absl::StrAppend(&name, " ", short_name(values->name()));
  }
  return vector ? absl::StrCat("[", name, "]") : name;
}

// The attributes that say what a command does to objects: a reader refuses files by them, so they
// are a part of the format. The others are not.
std::string attributes_of(const reflection::Field& field) {
  std::string text;
  for (const char* name : {"creates", "uses", "destroys", "owner"}) {
    const reflection::KeyValue* found = attribute(field, name);
    if (found == nullptr) continue;
    absl::StrAppend(&text, " ", name);
    if (found->value() != nullptr && name != absl::string_view("owner")) {
      absl::StrAppend(&text, ":", found->value()->str());
    }
  }
  return text;
}

std::string default_of(const reflection::Field& field) {
  if (field.optional()) return " = null";
  if (field.default_integer() != 0) return absl::StrCat(" = ", field.default_integer());
  if (field.default_real() != 0) return absl::StrCat(" = ", field.default_real());
  return "";
}

void append_object(std::string& text, const reflection::Object& object) {
  absl::StrAppend(&text, object.is_struct() ? "struct " : "table ", object.name()->str());
  if (object.is_struct()) absl::StrAppend(&text, " of ", object.bytesize(), " bytes");
  text += '\n';
  for (const reflection::Field* field : fields_of(object)) {
    const bool scalar = flatbuffers::IsScalar(field->type()->base_type());
    absl::StrAppend(
        &text, "  ", object.is_struct() ? field->offset() : field->id(), " ", field->name()->str(),
        ": ", name_of_type(*field), scalar ? default_of(*field) : "", attributes_of(*field),
        field->required() ? " required" : "", field->deprecated() ? " deprecated" : "", "\n");
  }
}

void append_enum(std::string& text, const reflection::Enum& values) {
  absl::StrAppend(&text, values.is_union() ? "union " : "enum ", values.name()->str(), " of ",
                  reflection::EnumNameBaseType(values.underlying_type()->base_type()), "\n");
  for (const reflection::EnumVal* value : *values.values()) {
    absl::StrAppend(&text, "  ", value->value(), " ", value->name()->str(), "\n");
  }
}

std::string frames() {
  std::string text = absl::StrCat("frames with headers of ", sizeof(FrameHeader), " bytes\n");
  for (uint16_t type = 0; type < 256; ++type) {
    const std::string_view name = name_of(static_cast<FrameType>(type));
    if (!name.empty()) absl::StrAppend(&text, "  ", type, " ", std::string(name), "\n");
  }
  return text;
}

}  // namespace

std::string schema_description() {
  const reflection::Schema& schema = command_schema();
  std::string text = absl::StrCat("format ", kVersionMajor, ".", kVersionMinor, "\n", frames(),
                                  "root ", schema.root_table()->name()->str(), " identifier ",
                                  schema.file_ident()->str(), "\n");
  // The binary schema keeps both in the order of their names.
  for (const reflection::Enum* values : *schema.enums()) append_enum(text, *values);
  for (const reflection::Object* object : *schema.objects()) append_object(text, *object);
  return text;
}

}  // namespace lightmetal::schema
