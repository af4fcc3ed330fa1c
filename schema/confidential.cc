#include "schema/confidential.h"

#include <cstring>

#include "schema/command_generated.h"
#include "schema/reflection.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Table;
using reflection::BaseType;

using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;

// Walks through one command.
class Eraser {
 public:
  uint64_t erased() const { return erased_; }

  void visit(Table& table, const reflection::Object& object) {
    for (const reflection::Field* field : fields_of(object)) visit_field(table, object, *field);
  }

 private:
  void visit_field(Table& table, const reflection::Object& object, const reflection::Field& field) {
    const BaseType base = field.type()->base_type();
    if (base == BaseType::String && attribute(field, "confidential") != nullptr) {
      erase(table.GetPointer<flatbuffers::String*>(field.offset()));
    } else if (base == BaseType::Union) {
      visit_union(table, object, field);
    } else if (base == BaseType::Obj && !object_of(field).is_struct()) {
      visit_child(table.GetPointer<Table*>(field.offset()), object_of(field));
    } else if (base == BaseType::Vector && field.type()->element() == BaseType::Obj &&
               !object_of(field).is_struct()) {
      visit_list(table.GetPointer<Tables*>(field.offset()), object_of(field));
    }
  }

  void visit_union(Table& table, const reflection::Object& object, const reflection::Field& field) {
    const auto which = table.GetField<uint8_t>(union_type_field(object, field).offset(), 0);
    const reflection::Object* member = union_member(*enum_of(field), which);
    if (member != nullptr) visit_child(table.GetPointer<Table*>(field.offset()), *member);
  }

  void visit_child(Table* child, const reflection::Object& object) {
    if (child != nullptr) visit(*child, object);
  }

  void visit_list(Tables* list, const reflection::Object& object) {
    if (list == nullptr) return;
    for (flatbuffers::uoffset_t i = 0; i < list->size(); ++i) {
      visit(*list->GetMutableObject(i), object);
    }
  }

  // The string's length stands before its bytes.
  void erase(flatbuffers::String* text) {
    if (text == nullptr || text->size() == 0) return;
    std::memset(text->Data(), 0, text->size());
    flatbuffers::WriteScalar(text->Data() - sizeof(flatbuffers::uoffset_t),
                             flatbuffers::uoffset_t{0});
    ++erased_;
  }

  uint64_t erased_ = 0;
};

}  // namespace

uint64_t erase_confidential(std::vector<std::byte>& command) {
  auto* data = reinterpret_cast<uint8_t*>(command.data()) + sizeof(flatbuffers::uoffset_t);
  Eraser eraser;
  eraser.visit(*flatbuffers::GetMutableRoot<Table>(data), *command_schema().root_table());
  return eraser.erased();
}

}  // namespace lightmetal::schema
