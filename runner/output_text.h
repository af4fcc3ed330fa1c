#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/output_file.h"

// What all reports of the runner are made with.
namespace lightmetal::runner {

// Text as XML has it, also between double quotes. Controls, which XML cannot hold, become escapes.
std::string xml_text(absl::string_view text);

// "1 command", "2 commands".
std::string counted(uint64_t count, absl::string_view what);

// Writes the parts, one behind the other, as the whole content of the file, which is not finished.
absl::Status write(const schema::OutputFile& file, absl::Span<const Bytes> parts);

}  // namespace lightmetal::runner
