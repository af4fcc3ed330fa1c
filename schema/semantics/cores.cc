#include "schema/semantics/cores.h"

namespace lightmetal::schema::semantics {

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

absl::StatusOr<CoreSet> core_set_of(const CoreRanges* ranges, const Object& object,
                                    absl::string_view field) {
  CoreSet set;
  if (ranges == nullptr) return set;
  for (const CoreRange* range : *ranges) {
    const absl::Status status = set.add_range({range->start().x(), range->start().y()},
                                              {range->end().x(), range->end().y()});
    if (!status.ok()) return about(object, field, status);
  }
  return set;
}

}  // namespace lightmetal::schema::semantics
