#include "schema/commands/named_field.h"

#include <cstddef>
#include <string>

#include "schema/command_generated.h"
#include "schema/commands/reflection.h"

namespace lightmetal::schema {

NamedField::NamedField(absl::string_view name) : fields_(size_t{UINT8_MAX} + 1) {
  const reflection::Object& command = *command_schema().root_table();
  const reflection::Enum& calls = *enum_of(*command.fields()->LookupByKey("call"));
  for (const Call call : EnumValuesCall()) {
    const auto number = static_cast<size_t>(call);
    const reflection::Object* table = union_member(calls, static_cast<int64_t>(call));
    if (table == nullptr) continue;
    const reflection::Field* field = table->fields()->LookupByKey(std::string(name).c_str());
    if (field != nullptr && flatbuffers::IsScalar(field->type()->base_type())) {
      fields_[number] = field;
    }
  }
}

const reflection::Field* NamedField::field_of(const Command& command) const {
  return fields_[static_cast<size_t>(command.call_type())];
}

std::optional<uint64_t> NamedField::value_in(const Command& command) const {
  const reflection::Field* field = field_of(command);
  if (field == nullptr) return std::nullopt;
  const auto& call = *static_cast<const flatbuffers::Table*>(command.call());
  if (field->optional() && call.GetAddressOf(field->offset()) == nullptr) return std::nullopt;
  return static_cast<uint64_t>(flatbuffers::GetAnyFieldI(call, *field));
}

}  // namespace lightmetal::schema
