#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "flatbuffers/flatbuffers.h"
#include "schema/forward.h"
#include "schema/json.h"
#include "schema/types_generated.h"

// A command, or a table inside one, as a tree of values that needs no further schema: made once by
// reflection, printed as text or JSON by two short functions.

namespace lightmetal::schema {

struct Value;
struct Member;

struct ListValue {
  std::vector<Value> items;
};

struct ObjectValue {
  absl::string_view type;  // "CoreRange"
  bool is_struct = false;
  std::vector<Member> members;  // in the order of their ids
};

struct EnumValue {
  std::string name;  // the number in digits when it has no name
};

// monostate is what may be absent and is.
struct Value : std::variant<std::monostate, bool, uint64_t, int64_t, double, std::string, EnumValue,
                            ::lightmetal::Digest, BlobRef, ListValue, ObjectValue> {
  using variant::variant;
};

struct Member {
  absl::string_view name;
  Value value;
};

// The members of the command's call. REQUIRES: the command came from decode_command (or a File).
ObjectValue value_of(const Command& command);

// REQUIRES: the table is verified, and is part of a command.
ObjectValue value_of(const DeviceProfile& profile);

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
// are unknown.
// `offsets` may be null.
void append_json(JsonWriter& json, const Value& value, const BlobOffsets* offsets);
void append_json(JsonWriter& json, const ObjectValue& value, const BlobOffsets* offsets);

// As many items of a list as a summary shows.
inline constexpr size_t kItemsInSummary = 12;

// For reading: absent members are left out and of a list stand the first `max_items` and the number
// of all.
void append_text(std::string& text, const Value& value, size_t max_items);
// "name=value name=value"
void append_text(std::string& text, const ObjectValue& value, size_t max_items);

}  // namespace lightmetal::schema
