#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/file/signature.h"
#include "schema/show/statistics.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {

// All that `info` says of a file besides its session. Points into the file, which has to outlive
// it.
struct InfoParts {
  Statistics statistics;
  std::vector<Signature> signatures;
  std::vector<CommandView> intents;  // open ones
  // What the commands mean to memory, as far as they could be followed, and why no further; empty
  // when to the end.
  VerifyReport followed;
  std::string stopped;
};

// Goes through the file twice, and a third time where calls were announced.
absl::StatusOr<InfoParts> info_parts_of(const File& file);

}  // namespace lightmetal::schema
