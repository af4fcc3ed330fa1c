#include "schema/show/info_parts.h"

#include <cstdint>
#include <utility>

#include "base/status.h"
#include "schema/show/intents.h"

namespace lightmetal::schema {

absl::StatusOr<InfoParts> info_parts_of(const File& file) {
  InfoParts parts;
  LM_ASSIGN_OR_RETURN(statistics, statistics_of(file));
  parts.statistics = std::move(statistics);
  LM_ASSIGN_OR_RETURN(signatures, signatures_of(file));
  parts.signatures = std::move(signatures);
  if (parts.statistics.has_intents) {
    LM_ASSIGN_OR_RETURN(intents, open_intents(file));
    parts.intents = std::move(intents);
  }
  // No memory limit: it is for info to say how much there is.
  const absl::Status status =
      verify(file, &parts.followed,
             {.allow_incomplete = true, .check_content = false, .memory_limit = UINT64_MAX});
  parts.stopped = std::string(status.message());
  return parts;
}

}  // namespace lightmetal::schema
