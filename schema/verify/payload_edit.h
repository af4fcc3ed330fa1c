#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/command_generated.h"
#include "schema/commands/named_field.h"

namespace lightmetal::schema {

// Other content for what one command uploads or compares with, or for all that is written to a
// buffer.
struct PayloadEdit {
  std::optional<uint64_t> command = {};  // by its number, or else
  uint64_t buffer = 0;                   // by the buffer's id
  std::string file = {};                 // where the content is from, for messages
  BlobRef content = {};                  // in the new file
  // The types that elements may have; empty: any.
  std::vector<ElementType> types = {};
};

// A payload that has another content now.
struct PayloadReplacement {
  uint64_t command = 0;
  std::string call;
  std::optional<uint64_t> buffer;  // its id, when the command is about one
  bool is_golden = false;
  std::string file;
  BlobRef was, is;
};

// What an edit has met, for messages.
struct PayloadMatch {
  uint64_t changes = 0;
  // The command with a payload that is nearest to the one that the edit names, and its call.
  std::optional<uint64_t> nearest_command = {};
  std::string nearest_call = {};
  std::string call = {};  // of the command that the edit names
};

// Changes the commands that carry data, one by one. Not thread-safe.
class PayloadEditor {
 public:
  explicit PayloadEditor(std::vector<PayloadEdit> edits);

  // Returns the bytes of the command with other data, or nothing when no edit is for it.
  // `bytes` are its own, which decode_command() accepts. InvalidArgument when the content that an
  // edit has for it is of another size, or its elements of another type.
  using Edited = std::optional<std::vector<std::byte>>;
  absl::StatusOr<Edited> edited(uint64_t number, Bytes bytes);

  absl::Span<const PayloadEdit> edits() const { return edits_; }
  const PayloadMatch& match(size_t edit) const { return matches_[edit]; }
  absl::Span<const PayloadReplacement> changes() const { return changes_; }
  // The buffers that are written, by their ids, at most a thousand.
  const std::vector<uint64_t>& written_buffers() const { return written_; }

 private:
  struct Carried;

  bool is_for(size_t edit, uint64_t number, const Carried& carried);
  absl::Status check(const PayloadEdit& edit, uint64_t number, const Carried& carried) const;

  std::vector<PayloadEdit> edits_;
  std::vector<PayloadMatch> matches_;
  std::vector<PayloadReplacement> changes_;
  std::vector<uint64_t> written_;
  const NamedField buffers_, types_;
};

}  // namespace lightmetal::schema
