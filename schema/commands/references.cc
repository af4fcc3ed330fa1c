#include "schema/commands/references.h"

#include "absl/strings/str_cat.h"
#include "schema/command_generated.h"
#include "schema/commands/reflection.h"
#include "schema/commands/walk.h"

namespace lightmetal::schema {
namespace {

// Ids, blobs, and fields that can hold a value which nobody knows. The number of a union's member
// is no step of its own: the union's step says it.
bool refers(const Step& step) {
  if (step.kind == Step::Kind::Struct) return step.plan->notation == Notation::Blob;
  return step.id.has_value() ||
         (step.values != nullptr && step.type != reflection::BaseType::UType);
}

const Plan& commands() {
  static const Plans* const plans = new Plans(refers);  // never destroyed: threads may outlive main
  static const Plan& root = plans->of("Command");
  return root;
}

class References : public Visitor {
 public:
  explicit References(ReferenceVisitor& visitor) : visitor_(visitor) {}

  void absent(const Step& step, const Table& holder) {
    if (step.id.has_value()) id(step, 0);
    if (step.kind == Step::Kind::Union) no_member(step, holder);
  }

  void number(const Step& step, const uint8_t* data) {
    if (step.id.has_value()) return id(step, flatbuffers::ReadScalar<uint64_t>(data));
    const int64_t value = flatbuffers::GetAnyValueI(step.type, data);
    if (enum_value(*step.values, value) != nullptr) return;
    visitor_.on_bad_value(
        step.name, absl::StrCat("is ", value, ", which is no ", short_name(step.values->name())));
  }

  bool begin_struct(const Step& step, const uint8_t* data) {
    const bool is_blob = step.plan->notation == Notation::Blob;
    if (is_blob) visitor_.on_blob({*reinterpret_cast<const BlobRef*>(data), *step.role, step.name});
    return !is_blob;
  }

  bool begin_table(const Step&) {
    ++depth_;
    return true;
  }
  void end_table() { --depth_; }

 private:
  void id(const Step& step, uint64_t id) {
    IdReference reference = *step.id;
    reference.id = id;
    reference.direct = depth_ == 1;
    if (id != 0 || reference.direct) visitor_.on_id(reference);
  }

  void no_member(const Step& step, const Table& holder) {
    const auto member = holder.GetField<uint8_t>(step.member, 0);
    if (member == 0 && !step.field->required()) return;
    const bool known = enum_value(*step.values, member) != nullptr && member != 0;
    visitor_.on_bad_value(
        step.name, absl::StrCat("says member ", member, " of ", short_name(step.values->name()),
                                ", ", known ? "which is missing" : "which is unknown"));
  }

  ReferenceVisitor& visitor_;
  int depth_ = 0;  // 0 for the command, 1 for its call and more for what the call carries
};

}  // namespace

void visit_references(const Command& command, ReferenceVisitor& visitor) {
  References references(visitor);
  walk(commands(), reinterpret_cast<const flatbuffers::Table&>(command), references);
}

void visit_ids(const Command& command, absl::FunctionRef<void(const IdReference&)> visitor) {
  struct Ids final : ReferenceVisitor {
    explicit Ids(absl::FunctionRef<void(const IdReference&)> function) : function(function) {}
    void on_id(const IdReference& reference) override { function(reference); }
    absl::FunctionRef<void(const IdReference&)> function;
  } ids(visitor);
  visit_references(command, ids);
}

void visit_blobs(const Command& command, absl::FunctionRef<void(const BlobReference&)> visitor) {
  using Function = absl::FunctionRef<void(const BlobReference&)>;
  struct Blobs final : ReferenceVisitor {
    explicit Blobs(Function function) : function(function) {}
    void on_blob(const BlobReference& blob) override { function(blob); }
    Function function;
  } blobs(visitor);
  visit_references(command, blobs);
}

}  // namespace lightmetal::schema
