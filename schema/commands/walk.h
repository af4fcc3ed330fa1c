#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/reflection.h"
#include "schema/commands/reference.h"

// The one walk over commands, and over everything else that the schema describes, for code that
// knows no command by name: what a command refers to, how large it is, its text, and what of it is
// confidential.
//
// A plan says once what there is to see in a table, as far as somebody wants to see it. A walk
// follows a plan through bytes and tells a visitor what it finds.

namespace lightmetal::schema {

struct Plan;

// A field of a table, or a member of a struct.
struct Step {
  enum class Kind { Number, Text, Struct, Table, Union };

  Kind kind = Kind::Number;  // of the value, or of each element when it is a list
  bool is_list = false;
  // In a table, the offset in the vtable by which FlatBuffers finds the field; in a struct, the
  // bytes from the struct's beginning.
  flatbuffers::voffset_t offset = 0;
  // The bytes of the value, or of each element, in its holder. Of text and tables this is the
  // offset to them.
  uint32_t size = 0;
  absl::string_view name;
  const reflection::Field* field = nullptr;
  reflection::BaseType type = reflection::BaseType::None;  // Number: which
  const reflection::Enum* values = nullptr;  // Number: if only some; Union: its members
  std::optional<IdReference> id;    // Number: it names an object, of which the attributes say this
  std::optional<PayloadRole> role;  // Struct: it names a payload, which is this
  const Plan* plan = nullptr;       // Struct, Table
  flatbuffers::voffset_t member = 0;      // Union: the field that says which of the members it is
  std::vector<const Plan*> members = {};  // Union: by their numbers; null where there is none
};

// What a struct is to a person who reads it: its members, or one value that has a notation of its
// own (the attribute `notation` of the schema).
enum class Notation { Members, Digest, Blob, Core, CoreRange };

// What there is to see in a table or a struct.
struct Plan {
  const reflection::Object* object = nullptr;
  Notation notation = Notation::Members;
  std::vector<Step> steps;  // in ascending order of id
};

// The plans of all tables and structs for one purpose. Immutable, so thread-safe. Walks refer to
// it, so it outlives them; users keep theirs in a static variable that is never destroyed.
class Plans {
 public:
  // Returns whether somebody wants to see what the step leads to. A step to a table, a struct or a
  // union is also taken when there is something to see inside.
  using Wanted = bool (*)(const Step&);

  explicit Plans(Wanted wanted);
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  // The plan of a type, such as "Command". REQUIRES: the schema has the type.
  const Plan& of(absl::string_view type) const;

 private:
  class Maker;

  std::map<const reflection::Object*, Plan> plans_;
};

// What a walk tells. A visitor derives from Visitor and hides the functions that it wants to be
// told by; no function is virtual, so those that are not hidden cost nothing. References are valid
// as long as the bytes that are walked over.
struct Visitor {
  using Table = flatbuffers::Table;

  // Whether the walk is to end now.
  bool stopped() const { return false; }

  // The table `holder` does not have the field, or has a union whose member is NONE or not known.
  void absent(const Step&, const Table& /*holder*/) {}
  // The number lies at `data`, aligned for its type.
  void number(const Step&, const uint8_t* /*data*/) {}
  void text(const Step&, const flatbuffers::String&) {}
  // Returns how many elements are to be seen, from the first. Each element is told by the function
  // of its kind, with the list's own step.
  uint32_t begin_list(const Step&, const flatbuffers::VectorOfAny& list) { return list.size(); }
  void end_list(const Step&, const flatbuffers::VectorOfAny&) {}
  // Each begin function returns whether the inside is to be seen; only then is the end told, too.
  bool begin_struct(const Step&, const uint8_t* /*data*/) { return true; }
  void end_struct() {}
  bool begin_table(const Step&) { return true; }
  void end_table() {}
};

// Follows plans through a verified table and through everything that it holds, depth first. A table
// inside is told with its holder's step; the outermost table is not told. The bytes are not
// checked: REQUIRES of them what decode_command() checks.
template <class Visitor>
class Walk {
 public:
  explicit Walk(Visitor& visitor) : visitor_(visitor) {}

  void in_table(const Plan& plan, const flatbuffers::Table& table) {
    for (const Step& step : plan.steps) {
      if (visitor_.stopped()) return;
      const uint8_t* const data = table.GetAddressOf(step.offset);
      data == nullptr ? visitor_.absent(step, table) : field(step, table, data);
    }
  }

 private:
  // REQUIRES: `data` holds an offset, which a verified FlatBuffer has for all but numbers and
  // structs.
  template <class T>
  static const T& target(const uint8_t* data) {
    return *reinterpret_cast<const T*>(data +
                                       flatbuffers::ReadScalar<flatbuffers::uoffset_t>(data));
  }

  void field(const Step& step, const flatbuffers::Table& holder, const uint8_t* data) {
    if (step.is_list) return list(step, target<flatbuffers::VectorOfAny>(data));
    if (step.kind == Step::Kind::Union) return member(step, holder, data);
    value(step, data);
  }

  void list(const Step& step, const flatbuffers::VectorOfAny& list) {
    const uint32_t count = visitor_.begin_list(step, list);
    for (uint32_t i = 0; i < count && !visitor_.stopped(); ++i) {
      value(step, list.Data() + size_t{i} * step.size);
    }
    visitor_.end_list(step, list);
  }

  void member(const Step& step, const flatbuffers::Table& holder, const uint8_t* data) {
    const auto number = holder.GetField<uint8_t>(step.member, 0);
    const Plan* const plan = number < step.members.size() ? step.members[number] : nullptr;
    plan == nullptr ? visitor_.absent(step, holder) : child(step, *plan, data);
  }

  void value(const Step& step, const uint8_t* data) {
    switch (step.kind) {
      case Step::Kind::Number:
        return visitor_.number(step, data);
      case Step::Kind::Text:
        return visitor_.text(step, target<flatbuffers::String>(data));
      case Step::Kind::Struct:
        return in_struct(step, data);
      case Step::Kind::Table:
        return child(step, *step.plan, data);
      case Step::Kind::Union:
        return;  // is a field: member() follows it
    }
  }

  void in_struct(const Step& step, const uint8_t* data) {
    if (!visitor_.begin_struct(step, data)) return;
    for (const Step& member : step.plan->steps) value(member, data + member.offset);
    visitor_.end_struct();
  }

  void child(const Step& step, const Plan& plan, const uint8_t* data) {
    if (!visitor_.begin_table(step)) return;
    in_table(plan, target<flatbuffers::Table>(data));
    visitor_.end_table();
  }

  Visitor& visitor_;
};

template <class Visitor>
void walk(const Plan& plan, const flatbuffers::Table& table, Visitor& visitor) {
  Walk<Visitor>(visitor).in_table(plan, table);
}

}  // namespace lightmetal::schema
