#pragma once

#include "absl/types/span.h"
#include "base/embedded_file.h"

namespace lightmetal::runner::page {

// What a page is made of: the HTML, CSS and JavaScript of this folder.
absl::Span<const EmbeddedFile> files();

}  // namespace lightmetal::runner::page
