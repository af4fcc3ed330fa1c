#pragma once

#include <lightmetal/replay.hpp>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "device/device.h"
#include "schema/command_generated.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// The replacement for the kernel that the command creates; null when it has none.
const KernelReplacement* replacement_for(const schema::KernelCreate& call,
                                         absl::Span<const KernelReplacement> replacements);

// NotFound when one of the replacements is for no kernel of the file; InvalidArgument when one can
// be none: a folder or a special file, one that is too large, or a kernel object that is cut.
absl::Status check_replacements(const schema::File& file,
                                absl::Span<const KernelReplacement> replacements);

// The kernel object in the file at `path`; nullopt when there is no such file, and when it does not
// begin as an ELF file does. InvalidArgument for what check_replacements() refuses.
absl::StatusOr<std::optional<device::KernelObject>> object_in(const std::string& path,
                                                              const std::string& target);

}  // namespace lightmetal::replay
