#include "schema/reach.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "schema/command_generated.h"
#include "schema/reflection.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Table;
using reflection::BaseType;

struct Shape;

// A field of a table whose value lies outside of the table.
struct Part {
  enum class Kind { Elements, Strings, Table, Tables, Union };

  Kind kind = Kind::Elements;
  flatbuffers::voffset_t offset = 0;
  uint64_t element_size = 1;               // Elements; a string has bytes
  const Shape* table = nullptr;            // Table, Tables
  flatbuffers::voffset_t member = 0;       // Union: the field that says which of the members it is
  std::vector<const Shape*> members = {};  // by value of the union
};

struct Shape {
  std::vector<Part> parts;
};

// The shapes of all tables that a file can hold.
class Shapes {
 public:
  const Shape* of(const reflection::Object& object);

 private:
  void add_part(Shape& shape, const reflection::Object& object, const reflection::Field& field);
  void add_vector(Part& part, const reflection::Field& field);
  void add_union(Part& part, const reflection::Object& object, const reflection::Field& field);

  std::map<const reflection::Object*, std::unique_ptr<Shape>> shapes_;
};

const Shape* Shapes::of(const reflection::Object& object) {
  std::unique_ptr<Shape>& shape = shapes_[&object];
  if (shape != nullptr) return shape.get();
  shape = std::make_unique<Shape>();
  Shape* const made = shape.get();
  for (const reflection::Field* field : fields_of(object)) add_part(*made, object, *field);
  return made;
}

void Shapes::add_part(Shape& shape, const reflection::Object& object,
                      const reflection::Field& field) {
  Part part;
  part.offset = field.offset();
  switch (field.type()->base_type()) {
    case BaseType::String:
      break;
    case BaseType::Vector:
      add_vector(part, field);
      break;
    case BaseType::Union:
      add_union(part, object, field);
      break;
    case BaseType::Obj:
      if (object_of(field).is_struct()) return;
      part.kind = Part::Kind::Table;
      part.table = of(object_of(field));
      break;
    default:
      return;
  }
  shape.parts.push_back(std::move(part));
}

void Shapes::add_vector(Part& part, const reflection::Field& field) {
  const BaseType element = field.type()->element();
  if (element == BaseType::String) {
    part.kind = Part::Kind::Strings;
  } else if (element != BaseType::Obj) {
    part.element_size = flatbuffers::GetTypeSize(element);
  } else if (object_of(field).is_struct()) {
    part.element_size = static_cast<uint64_t>(object_of(field).bytesize());
  } else {
    part.kind = Part::Kind::Tables;
    part.table = of(object_of(field));
  }
}

void Shapes::add_union(Part& part, const reflection::Object& object,
                       const reflection::Field& field) {
  part.kind = Part::Kind::Union;
  part.member = union_type_field(object, field).offset();
  const reflection::Enum& members = *enum_of(field);
  for (const reflection::EnumVal* value : *members.values()) {
    const reflection::Object* member = union_member(members, value->value());
    if (member == nullptr) continue;
    const auto index = static_cast<size_t>(value->value());
    part.members.resize(std::max(part.members.size(), index + 1));
    part.members[index] = of(*member);
  }
}

// Counts down from what may be reached, until there is less than there would have to be.
class Reach {
 public:
  explicit Reach(uint64_t bytes) : left_(bytes) {}

  bool table(const Shape& shape, const Table& table) {
    // What the table itself says of its size need not be so.
    return take(sizeof(flatbuffers::soffset_t)) &&
           std::all_of(shape.parts.begin(), shape.parts.end(),
                       [&](const Part& part) { return this->part(part, table); });
  }

 private:
  bool part(const Part& part, const Table& table);
  bool in_union(const Part& part, const Table& table, const Table& value);

  bool elements(const void* vector, uint64_t size) {
    const uint64_t count = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(vector);
    return take(sizeof(flatbuffers::uoffset_t) + count * size);
  }

  template <class Element, class Function>
  bool each(const void* vector, Function&& reached) {
    const auto& offsets =
        *static_cast<const flatbuffers::Vector<flatbuffers::Offset<Element>>*>(vector);
    return elements(vector, sizeof(flatbuffers::uoffset_t)) &&
           std::all_of(offsets.begin(), offsets.end(), reached);
  }

  bool take(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  uint64_t left_;
};

bool Reach::part(const Part& part, const Table& table) {
  const auto* value = table.GetPointer<const void*>(part.offset);
  if (value == nullptr) return true;
  switch (part.kind) {
    case Part::Kind::Elements:
      return elements(value, part.element_size);
    case Part::Kind::Strings:
      return each<flatbuffers::String>(
          value, [&](const flatbuffers::String* string) { return elements(string, 1); });
    case Part::Kind::Table:
      return this->table(*part.table, *static_cast<const Table*>(value));
    case Part::Kind::Tables:
      return each<Table>(value, [&](const Table* one) { return this->table(*part.table, *one); });
    case Part::Kind::Union:
      return in_union(part, table, *static_cast<const Table*>(value));
  }
  return true;
}

// Nobody looks into a member that is unknown.
bool Reach::in_union(const Part& part, const Table& table, const Table& value) {
  const auto member = table.GetField<uint8_t>(part.member, 0);
  const bool known = member < part.members.size() && part.members[member] != nullptr;
  return !known || this->table(*part.members[member], value);
}

const Shape& shape_of(const char* name) {
  static Shapes* const all = new Shapes;  // never destroyed: threads may outlive main
  return *all->of(*command_schema().objects()->LookupByKey(name));
}

}  // namespace

bool reaches_at_most(const Command& command, uint64_t bytes) {
  static const Shape& shape = shape_of("lightmetal.schema.Command");
  return Reach(bytes).table(shape, reinterpret_cast<const Table&>(command));
}

bool reaches_at_most(const Session& session, uint64_t bytes) {
  static const Shape& shape = shape_of("lightmetal.schema.Session");
  return Reach(bytes).table(shape, reinterpret_cast<const Table&>(session));
}

}  // namespace lightmetal::schema
