#pragma once

#include "schema/file/reader.h"

namespace lightmetal::runner {

// Says on standard error that the file is incomplete, if it is. For verbs that take what is there.
void warn_if_incomplete(const schema::File& file);

}  // namespace lightmetal::runner
