#include "schema/commands/reach.h"

#include "schema/command_generated.h"
#include "schema/commands/walk.h"
#include "schema/session_generated.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::uoffset_t;

// Whether the step leads to something outside the table or list that holds it. Numbers and structs
// lie inside.
bool lies_outside(const Step& step) {
  return step.is_list || (step.kind != Step::Kind::Number && step.kind != Step::Kind::Struct);
}

const Plans& outlines() {
  static const Plans* const all = new Plans(lies_outside);  // never destroyed
  return *all;
}

// Counts down from the bytes that the parts may have, and stops the walk when a part has more than
// what is left. Alignment and the fields of tables are not counted, so an honest command is never
// refused.
class Reach : public Visitor {
 public:
  explicit Reach(uint64_t bytes) : left_(bytes) { begin_table({}); }

  bool stopped() const { return exceeded_; }

  void text(const Step&, const flatbuffers::String& text) { take(sizeof(uoffset_t), text.size()); }

  // A list is counted with its elements, as they lie in it. Its strings and tables lie elsewhere,
  // and the walk goes on to them.
  uint32_t begin_list(const Step& step, const flatbuffers::VectorOfAny& list) {
    take(sizeof(uoffset_t), uint64_t{list.size()} * step.size);
    const bool has_more = step.kind == Step::Kind::Text || step.kind == Step::Kind::Table;
    return has_more && !exceeded_ ? list.size() : 0;
  }

  // A table counts with its first word alone: the size that the table says of itself may be wrong.
  bool begin_table(const Step&) {
    take(sizeof(flatbuffers::soffset_t), 0);
    return !exceeded_;
  }

 private:
  void take(uint64_t header, uint64_t content) {
    exceeded_ = exceeded_ || header + content > left_;
    if (!exceeded_) left_ -= header + content;
  }

  uint64_t left_;
  bool exceeded_ = false;
};

bool expanded_size_is_at_most(const Plan& plan, const void* table, uint64_t bytes) {
  Reach reach(bytes);
  walk(plan, *static_cast<const flatbuffers::Table*>(table), reach);
  return !reach.stopped();
}

}  // namespace

bool expanded_size_is_at_most(const Command& command, uint64_t bytes) {
  static const Plan& plan = outlines().of("Command");
  return expanded_size_is_at_most(plan, &command, bytes);
}

bool expanded_size_is_at_most(const Session& session, uint64_t bytes) {
  static const Plan& plan = outlines().of("Session");
  return expanded_size_is_at_most(plan, &session, bytes);
}

}  // namespace lightmetal::schema
