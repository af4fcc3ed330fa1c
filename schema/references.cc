#include "schema/references.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "schema/command_generated.h"
#include "schema/reflection.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Table;
using TableVector = flatbuffers::Vector<flatbuffers::Offset<Table>>;

struct Plan;

// What there is to look at in one field of a table.
struct Step {
  enum class Action { Id, Ids, Blob, Blobs, Table, Tables, Union, Value };

  Action action = Action::Value;
  flatbuffers::voffset_t offset = 0;
  const reflection::Field* field = nullptr;
  absl::string_view name;
  // Id, Ids
  IdReference id;
  // Table, Tables
  const Plan* plan = nullptr;
  // Union, Value
  const reflection::Enum* values = nullptr;
  const reflection::Field* union_type = nullptr;
  std::vector<const Plan*> members;  // by value of the union
};

// What there is to look at in a table of one type.
struct Plan {
  std::vector<Step> steps;
};

// The plans of all tables that a command can hold.
class Plans {
 public:
  Plans() { root_ = plan_of(*command_schema().root_table()); }

  const Plan& root() const { return *root_; }

 private:
  const Plan* plan_of(const reflection::Object& object);
  void add_step(Plan& plan, const reflection::Object& object, const reflection::Field& field);
  bool add_id(Step& step, const reflection::Field& field);
  bool add_object(Step& step, const reflection::Field& field, bool vector);
  void add_union(Step& step, const reflection::Object& object, const reflection::Field& field);
  uint16_t index_of_kind(absl::string_view kind);

  std::map<const reflection::Object*, std::unique_ptr<Plan>> plans_;
  std::vector<absl::string_view> kinds_;
  const Plan* root_ = nullptr;
};

// A schema that this file does not know how to follow is a bug of ours, met by the first test that
// runs.
void require_supported(bool supported) {
  if (!supported) std::abort();
}

const Plan* Plans::plan_of(const reflection::Object& object) {
  std::unique_ptr<Plan>& plan = plans_[&object];
  if (plan != nullptr) return plan.get();
  plan = std::make_unique<Plan>();
  Plan* const made = plan.get();
  for (const reflection::Field* field : fields_of(object)) add_step(*made, object, *field);
  return made;
}

void Plans::add_step(Plan& plan, const reflection::Object& object, const reflection::Field& field) {
  const reflection::BaseType base = field.type()->base_type();
  const bool vector = base == reflection::BaseType::Vector;
  const reflection::BaseType element = vector ? field.type()->element() : base;
  Step step;
  step.offset = field.offset();
  step.field = &field;
  step.name = {field.name()->c_str(), field.name()->size()};
  if (add_id(step, field)) {
  } else if (element == reflection::BaseType::Obj) {
    if (!add_object(step, field, vector)) return;
  } else if (base == reflection::BaseType::Union) {
    add_union(step, object, field);
  } else if (enum_of(field) != nullptr && base != reflection::BaseType::UType) {
    require_supported(!vector);
    step.values = enum_of(field);
  } else {
    return;
  }
  plan.steps.push_back(std::move(step));
}

bool Plans::add_id(Step& step, const reflection::Field& field) {
  const reflection::KeyValue* found = nullptr;
  for (const auto& [name, role] :
       {std::pair{"creates", IdRole::Creates}, std::pair{"uses", IdRole::Uses},
        std::pair{"destroys", IdRole::Destroys}}) {
    if (const reflection::KeyValue* named = attribute(field, name); named != nullptr) {
      require_supported(found == nullptr);
      found = named;
      step.id.role = role;
    }
  }
  if (found == nullptr) return false;
  const bool vector = field.type()->base_type() == reflection::BaseType::Vector;
  require_supported((vector ? field.type()->element() : field.type()->base_type()) ==
                    reflection::BaseType::ULong);
  step.action = vector ? Step::Action::Ids : Step::Action::Id;
  step.id.kind = {found->value()->c_str(), found->value()->size()};
  step.id.kind_index = index_of_kind(step.id.kind);
  step.id.field = step.name;
  step.id.owner = attribute(field, "owner") != nullptr;
  return true;
}

bool Plans::add_object(Step& step, const reflection::Field& field, bool vector) {
  const reflection::Object& object = object_of(field);
  if (short_name(object.name()) == "BlobRef") {
    step.action = vector ? Step::Action::Blobs : Step::Action::Blob;
    return true;
  }
  if (object.is_struct()) return false;
  step.action = vector ? Step::Action::Tables : Step::Action::Table;
  step.plan = plan_of(object);
  return !step.plan->steps.empty();
}

void Plans::add_union(Step& step, const reflection::Object& object,
                      const reflection::Field& field) {
  step.action = Step::Action::Union;
  step.values = enum_of(field);
  step.union_type = &union_type_field(object, field);
  for (const reflection::EnumVal* value : *step.values->values()) {
    const reflection::Object* member = union_member(*step.values, value->value());
    if (member == nullptr) continue;
    const auto index = static_cast<size_t>(value->value());
    step.members.resize(std::max(step.members.size(), index + 1));
    step.members[index] = plan_of(*member);
  }
}

uint16_t Plans::index_of_kind(absl::string_view kind) {
  const auto found = std::find(kinds_.begin(), kinds_.end(), kind);
  if (found == kinds_.end()) {
    kinds_.push_back(kind);
    return static_cast<uint16_t>(kinds_.size() - 1);
  }
  return static_cast<uint16_t>(found - kinds_.begin());
}

const Plans& plans() {
  static const Plans* const all = new Plans;  // never destroyed: threads may outlive main
  return *all;
}

// Follows the plans through one command.
class Walk {
 public:
  explicit Walk(ReferenceVisitor& visitor) : visitor_(visitor) {}

  // `depth` is 0 for the command, 1 for its call and more for what the call carries.
  void table(const Plan& plan, const Table& table, int depth) {
    for (const Step& step : plan.steps) take(step, table, depth);
  }

 private:
  void take(const Step& step, const Table& table, int depth);
  void id(const Step& step, uint64_t id, int depth);
  void tables(const Step& step, const TableVector* tables, int depth);
  void union_value(const Step& step, const Table& table, int depth);
  void value(const Step& step, const Table& table);

  ReferenceVisitor& visitor_;
};

void Walk::take(const Step& step, const Table& table, int depth) {
  switch (step.action) {
    case Step::Action::Id:
      return id(step, table.GetField<uint64_t>(step.offset, 0), depth);
    case Step::Action::Ids:
      if (const auto* ids = table.GetPointer<const flatbuffers::Vector<uint64_t>*>(step.offset)) {
        for (const uint64_t one : *ids) id(step, one, depth);
      }
      return;
    case Step::Action::Blob:
      if (const auto* blob = table.GetStruct<const BlobRef*>(step.offset)) {
        visitor_.on_blob(*blob, step.name);
      }
      return;
    case Step::Action::Blobs:
      if (const auto* blobs =
              table.GetPointer<const flatbuffers::Vector<const BlobRef*>*>(step.offset)) {
        for (const BlobRef* blob : *blobs) visitor_.on_blob(*blob, step.name);
      }
      return;
    case Step::Action::Table:
      if (const auto* child = table.GetPointer<const Table*>(step.offset)) {
        this->table(*step.plan, *child, depth + 1);
      }
      return;
    case Step::Action::Tables:
      return tables(step, table.GetPointer<const TableVector*>(step.offset), depth);
    case Step::Action::Union:
      return union_value(step, table, depth);
    case Step::Action::Value:
      return value(step, table);
  }
}

void Walk::id(const Step& step, uint64_t id, int depth) {
  IdReference reference = step.id;
  reference.id = id;
  reference.direct = depth == 1;
  if (id != 0 || reference.direct) visitor_.on_id(reference);
}

void Walk::tables(const Step& step, const TableVector* tables, int depth) {
  if (tables == nullptr) return;
  for (const Table* child : *tables) table(*step.plan, *child, depth + 1);
}

void Walk::union_value(const Step& step, const Table& table, int depth) {
  const auto member = table.GetField<uint8_t>(step.union_type->offset(), 0);
  const auto* child = table.GetPointer<const Table*>(step.offset);
  const bool known = member < step.members.size() && step.members[member] != nullptr;
  if (known && child != nullptr) return this->table(*step.members[member], *child, depth + 1);
  if (member == 0 && !step.field->required()) return;
  visitor_.on_bad_value(
      step.name, absl::StrCat("says member ", member, " of ", short_name(step.values->name()), ", ",
                              known ? "which is missing" : "which is unknown"));
}

void Walk::value(const Step& step, const Table& table) {
  const int64_t value = flatbuffers::GetAnyFieldI(table, *step.field);
  if (enum_value(*step.values, value) != nullptr) return;
  visitor_.on_bad_value(
      step.name, absl::StrCat("is ", value, ", which is no ", short_name(step.values->name())));
}

}  // namespace

void visit_references(const Command& command, ReferenceVisitor& visitor) {
  Walk(visitor).table(plans().root(), reinterpret_cast<const Table&>(command), 0);
}

void visit_ids(const Command& command, absl::FunctionRef<void(const IdReference&)> visitor) {
  struct Ids final : ReferenceVisitor {
    explicit Ids(absl::FunctionRef<void(const IdReference&)> function) : function(function) {}
    void on_id(const IdReference& reference) override { function(reference); }
    absl::FunctionRef<void(const IdReference&)> function;
  } ids(visitor);
  visit_references(command, ids);
}

void visit_blobs(const Command& command,
                 absl::FunctionRef<void(const BlobRef&, absl::string_view field)> visitor) {
  using Function = absl::FunctionRef<void(const BlobRef&, absl::string_view)>;
  struct Blobs final : ReferenceVisitor {
    explicit Blobs(Function function) : function(function) {}
    void on_blob(const BlobRef& blob, absl::string_view field) override { function(blob, field); }
    Function function;
  } blobs(visitor);
  visit_references(command, blobs);
}

}  // namespace lightmetal::schema
