#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/show/json.h"

// What a command says, field by field, as text or JSON. A command is its call here.
// REQUIRES for all: the command came from decode_command (or a File), and a profile is part of one.

namespace lightmetal::schema {

// As many items of a list as a summary shows.
inline constexpr size_t kItemsInSummary = 12;

// "name=value name=value", for reading: absent members are left out and of a list stand the first
// `max_items` and the number of all.
void append_text(std::string& text, const Command& command, size_t max_items);
void append_text(std::string& text, const DeviceProfile& profile, size_t max_items);

// Where a payload lies, for the references in a JSON text.
class BlobOffsets {
 public:
  virtual ~BlobOffsets() = default;
  // Of its bytes in the file; nothing unless they lie there as they are.
  virtual std::optional<uint64_t> offset_of(const BlobRef& blob) const = 0;
  // The type of its frame: "Blob", "CompressedBlob" or "ExternalBlob"; empty when the file does not
  // have it.
  virtual absl::string_view form_of(const BlobRef& blob) const = 0;
};

// Everything. A blob is {"digest", "size", "form", "offset"}; form and offset are null when they
// are unknown. `offsets` may be null.
void append_json(JsonWriter& json, const Command& command, const BlobOffsets* offsets);
void append_json(JsonWriter& json, const DeviceProfile& profile);

}  // namespace lightmetal::schema
