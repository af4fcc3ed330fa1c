#pragma once

#include <memory>

#include "base/digest.h"

namespace lightmetal::schema {

// A hint that nobody reads these bytes of a payload soon, whose owner is `owner`
// (Payload::owner()). For payloads so large that they cannot wait for their end; nothing happens to
// those that do not lie in a mapped file. REQUIRES: they are a part of the payload.
void release_part(const std::shared_ptr<const void>& owner, Bytes part);

}  // namespace lightmetal::schema
