#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/show/json.h"
#include "schema/show/object_names.h"

// Shows what a command says, field by field, as text or JSON. The fields of a command are those of
// its call. REQUIRES of all functions: the command came from decode_command() (or a File), and a
// profile is part of such a command.

namespace lightmetal::schema {

// The items of a list that a summary shows.
inline constexpr size_t kItemsInSummary = 12;

// Appends "name=value name=value", for people. Absent members are left out; of a list, the first
// `max_items` items and the number of all are shown. Behind the id of an object stands its name
// where `names` knows one; `names` may be null.
void append_text(std::string& text, const Command& command, size_t max_items,
                 const ObjectNames* names = nullptr);
void append_text(std::string& text, const DeviceProfile& profile, size_t max_items);

// Says where payloads lie, for the references in a JSON text.
class BlobOffsets {
 public:
  virtual ~BlobOffsets() = default;
  // The offset of the payload's bytes in the file; nullopt unless they lie there as they are.
  virtual std::optional<uint64_t> offset_of(const BlobRef& blob) const = 0;
  // The type of the payload's frame: "Blob", "CompressedBlob" or "ExternalBlob"; empty when the
  // file does not have the payload.
  virtual absl::string_view form_of(const BlobRef& blob) const = 0;
};

// Writes every field. A blob is {"digest", "size", "form", "offset"}; form and offset are null when
// they are not known. `offsets` may be null.
void append_json(JsonWriter& json, const Command& command, const BlobOffsets* offsets);
void append_json(JsonWriter& json, const DeviceProfile& profile);

}  // namespace lightmetal::schema
