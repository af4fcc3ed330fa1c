#include "schema/semantics/cores.h"

#include "base/status.h"

namespace lightmetal::schema::semantics {

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

// Names the object and the field, but marks no sentence of host/: the host API has more rules for
// cores, and may say another one first.
absl::Status add_range(CoreSet& set, const Core& first, const Core& last, const Object& object,
                       absl::string_view field) {
  const absl::Status status = set.add_range(first, last);
  if (status.ok()) return status;
  return behind(absl::StrCat(object.text(), ": its field ", field), status);
}

absl::StatusOr<CoreSet> core_set_of(const CoreRanges* ranges, const Object& object,
                                    absl::string_view field) {
  CoreSet set;
  if (ranges == nullptr) return set;
  for (const CoreRange* range : *ranges) {
    LM_RETURN_IF_ERROR(add_range(set, {range->start().x(), range->start().y()},
                                 {range->end().x(), range->end().y()}, object, field));
  }
  return set;
}

}  // namespace lightmetal::schema::semantics
