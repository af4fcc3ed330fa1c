#include "schema/verify/payload_edit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/verify/nearest_command.h"

namespace lightmetal::schema {
namespace {

constexpr size_t kKnownBuffers = 1000;

}  // namespace

// What a command carries.
struct PayloadEditor::Carried {
  std::string call;
  std::optional<BlobRef> blob;
  bool is_golden = false;
  std::optional<uint64_t> buffer;
  ElementType type = ElementType::Bytes;
};

PayloadEditor::PayloadEditor(std::vector<PayloadEdit> edits)
    : edits_(std::move(edits)),
      matches_(edits_.size()),
      buffers_("buffer"),
      types_("element_type") {}

// Whether the edit is for what the command carries; notes what it has met.
bool PayloadEditor::is_for(size_t edit, uint64_t number, const Carried& carried) {
  const PayloadEdit& wanted = edits_[edit];
  PayloadMatch& match = matches_[edit];
  if (!wanted.command.has_value()) {
    return carried.blob.has_value() && !carried.is_golden && carried.buffer == wanted.buffer;
  }
  if (number == *wanted.command) match.call = carried.call;
  if (!carried.blob.has_value()) return false;
  take_nearer(number, *wanted.command, match.nearest_command);
  if (match.nearest_command == number) match.nearest_call = carried.call;
  return number == *wanted.command;
}

absl::Status PayloadEditor::check(const PayloadEdit& edit, uint64_t number,
                                  const Carried& carried) const {
  const std::string what = absl::StrCat("command ", number, ", ", carried.call, ",",
                                        carried.is_golden ? " has a golden of " : " writes ");
  if (carried.blob->size() != edit.content.size()) {
    return absl::InvalidArgumentError(absl::StrCat(what, carried.blob->size(), " bytes, and ",
                                                   edit.file, " has ", edit.content.size()));
  }
  if (edit.types.empty() || std::ranges::count(edit.types, carried.type) != 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, "elements of ", EnumNameElementType(carried.type), ", and ", edit.file, " has others"));
}

absl::StatusOr<PayloadEditor::Edited> PayloadEditor::edited(uint64_t number, Bytes bytes) {
  if (edits_.empty()) return Edited();
  const Command& command = *GetSizePrefixedCommand(bytes.data());
  Carried carried;
  carried.call = std::string(name_of(command));
  carried.buffer = buffers_.value_in(command);
  carried.type = static_cast<ElementType>(types_.value_in(command).value_or(0));
  visit_blobs(command, [&](const BlobReference& blob) {
    if (blob.role == PayloadRole::Kernel) return;
    carried.blob = blob.name;
    carried.is_golden = blob.role == PayloadRole::Golden;
  });
  const bool writes = carried.blob.has_value() && !carried.is_golden && carried.buffer.has_value();
  if (writes && written_.size() < kKnownBuffers) written_.push_back(*carried.buffer);
  const PayloadEdit* last = nullptr;
  for (size_t edit = 0; edit < edits_.size(); ++edit) {
    if (!is_for(edit, number, carried)) continue;
    LM_RETURN_IF_ERROR(check(edits_[edit], number, carried));
    ++matches_[edit].changes;
    last = &edits_[edit];
  }
  if (last == nullptr) return Edited();
  changes_.push_back({number, carried.call, carried.buffer, carried.is_golden, last->file,
                      *carried.blob, last->content});
  std::vector<std::byte> changed(bytes.begin(), bytes.end());
  BlobRef* place = nullptr;  // in our own copy of the command
  visit_blobs(*GetSizePrefixedCommand(changed.data()), [&](const BlobReference& blob) {
    if (blob.role != PayloadRole::Kernel) place = const_cast<BlobRef*>(&blob.name);
  });
  *place = last->content;
  return Edited(std::move(changed));
}

}  // namespace lightmetal::schema
