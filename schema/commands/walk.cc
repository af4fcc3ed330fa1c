#include "schema/commands/walk.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "schema/commands/reflection.h"

namespace lightmetal::schema {
namespace {

using reflection::BaseType;

// A schema that this file cannot follow is a mistake of ours, not of a file: the first test that
// runs meets it.
void require_supported(bool supported) {
  if (!supported) std::abort();
}

absl::string_view view_of(const flatbuffers::String& text) { return {text.c_str(), text.size()}; }

// The value whose name the attribute says: names and values are in the same order.
template <class Value, class Names>
Value value_of(const reflection::KeyValue& attribute, const Names& names) {
  const auto name = std::find(names.begin(), names.end(), view_of(*attribute.value()));
  require_supported(name != names.end());
  return static_cast<Value>(name - names.begin());
}

Notation notation_of(const reflection::Object& object) {
  constexpr std::array<absl::string_view, 5> kNames = {"", "Digest", "Blob", "Core", "CoreRange"};
  const reflection::KeyValue* found = attribute(object, "notation");
  return found == nullptr ? Notation::Members : value_of<Notation>(*found, kNames);
}

PayloadRole role_of(const reflection::Field& field) {
  constexpr std::array<absl::string_view, 3> kNames = {"Kernel", "Upload", "Golden"};
  const reflection::KeyValue* found = attribute(field, "payload");
  require_supported(found != nullptr);
  return value_of<PayloadRole>(*found, kNames);
}

// What the field's attributes say of the object that it names; nullopt when the field names none.
std::optional<IdReference> id_of(const reflection::Field& field) {
  std::optional<IdReference> id;
  for (const auto& [name, role] :
       {std::pair{"creates", IdRole::Creates}, std::pair{"uses", IdRole::Uses},
        std::pair{"destroys", IdRole::Destroys}}) {
    const reflection::KeyValue* found = attribute(field, name);
    if (found == nullptr) continue;
    require_supported(!id.has_value() && field.type()->base_type() == BaseType::ULong);
    id.emplace();
    id->role = role;
    id->kind = value_of<ObjectKind>(*found, kObjectKindNames);
  }
  if (!id.has_value()) return id;
  id->field = view_of(*field.name());
  id->owner = attribute(field, "owner") != nullptr;
  return id;
}

}  // namespace

class Plans::Maker {
 public:
  Maker(Plans& plans, Wanted wanted) : plans_(plans.plans_), wanted_(wanted) {}

  const Plan* plan_of(const reflection::Object& object) {
    // The entry is there before its steps are, so that a type that holds itself would not make this
    // recurse without end. A std::map, because pointers to its plans are kept.
    const auto [found, is_new] = plans_.try_emplace(&object);
    Plan& plan = found->second;
    if (!is_new) return &plan;
    plan.object = &object;
    plan.notation = notation_of(object);
    for (const reflection::Field* field : fields_of(object)) {
      Step step = step_of(object, *field);
      if (wanted_(step) || leads_on(step)) plan.steps.push_back(std::move(step));
    }
    return &plan;
  }

 private:
  static bool has_steps(const Plan* plan) { return plan != nullptr && !plan->steps.empty(); }

  static bool leads_on(const Step& step) {
    return has_steps(step.plan) || std::any_of(step.members.begin(), step.members.end(), has_steps);
  }

  Step step_of(const reflection::Object& object, const reflection::Field& field) {
    const BaseType base = field.type()->base_type();
    Step step;
    step.is_list = base == BaseType::Vector;
    step.type = step.is_list ? field.type()->element() : base;
    step.size = sizeof(flatbuffers::uoffset_t);
    step.offset = field.offset();
    step.name = view_of(*field.name());
    step.field = &field;
    step.values = enum_of(field);
    step.id = id_of(field);
    if (step.type == BaseType::String) {
      step.kind = Step::Kind::Text;
    } else if (step.type == BaseType::Obj) {
      lead_to_object(step);
    } else if (step.type == BaseType::Union) {
      lead_to_members(step, object);
    } else {
      require_supported(flatbuffers::IsScalar(step.type));
      step.size = static_cast<uint32_t>(flatbuffers::GetTypeSize(step.type));
    }
    return step;
  }

  void lead_to_object(Step& step) {
    const reflection::Object& object = object_of(*step.field);
    step.kind = object.is_struct() ? Step::Kind::Struct : Step::Kind::Table;
    if (object.is_struct()) step.size = static_cast<uint32_t>(object.bytesize());
    step.plan = plan_of(object);
    if (step.plan->notation == Notation::Blob) step.role = role_of(*step.field);
  }

  void lead_to_members(Step& step, const reflection::Object& object) {
    require_supported(!step.is_list);
    step.kind = Step::Kind::Union;
    step.member = union_type_field(object, *step.field).offset();
    for (const reflection::EnumVal* value : *step.values->values()) {
      const reflection::Object* member = union_member(*step.values, value->value());
      if (member == nullptr) continue;
      const auto index = static_cast<size_t>(value->value());
      step.members.resize(std::max(step.members.size(), index + 1));
      step.members[index] = plan_of(*member);
    }
  }

  std::map<const reflection::Object*, Plan>& plans_;
  const Wanted wanted_;
};

Plans::Plans(Wanted wanted) {
  Maker maker(*this, wanted);
  for (const reflection::Object* object : *command_schema().objects()) maker.plan_of(*object);
}

const Plan& Plans::of(absl::string_view type) const {
  const std::string name = absl::StrCat("lightmetal.schema.", type);
  return plans_.at(command_schema().objects()->LookupByKey(name.c_str()));
}

}  // namespace lightmetal::schema
