#pragma once

#include "schema/reader.h"

namespace lightmetal::runner {

// A line on standard error for verbs that take what there is of a file, when it is not all.
void warn_if_incomplete(const schema::File& file);

}  // namespace lightmetal::runner
