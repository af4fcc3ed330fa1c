#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor_desc.h"
#include "host/bindings.h"
#include "schema/file/reader.h"
#include "schema/semantics/semantics.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// A name for a buffer.
struct NewBinding {
  std::string name;
  host::BindingRole role = host::BindingRole::kInput;
  uint64_t buffer = 0;  // its id
  // What it holds; none: all of the buffer in one dimension, of the element type with which the
  // program has last written or read it, or else of bytes.
  std::optional<::lightmetal::TensorDesc> tensor = {};
};

// A name for commands, by their numbers; both ends are included.
struct NewEntry {
  std::string name;
  uint64_t first = 0;
  uint64_t last = 0;
};

struct BindOptions {
  std::vector<NewBinding> bindings;
  std::vector<NewEntry> entries;
  bool replace = false;                         // takes away what has these names in the file
  uint64_t memory_limit = kDefaultMemoryLimit;  // as for verify(), which bind() calls first
};

struct BindReport {
  uint64_t replaced = 0;  // bindings and entries of the file
  uint64_t signatures_dropped = 0;
};

// Writes `file` into `sink` with these names, and everything else as it is. Numbers of commands
// behind a name are greater in the new file; announced calls stay right, since they are told by
// what they hold. Signatures, which do not fit any more, and optional records that are not known
// here are left out. Whether the names make sense where they are is for verify() of the new file to
// say.
//
// FailedPrecondition for an incomplete file; NotFound for a buffer that the file does not make;
// OutOfRange for a command that it does not have; AlreadyExists for a name that comes twice, or
// that the file has, unless it is to be replaced.
absl::StatusOr<BindReport> bind(const File& file, std::shared_ptr<Sink> sink,
                                const BindOptions& options);

}  // namespace lightmetal::schema
