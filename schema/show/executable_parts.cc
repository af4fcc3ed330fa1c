#include "schema/show/executable_parts.h"

#include <utility>

#include "schema/command_generated.h"
#include "schema/commands/named_field.h"
#include "schema/semantics/tensor_desc.h"
#include "schema/text.h"

namespace lightmetal::schema {
namespace {

std::optional<uint64_t> buffer_of(const Command& command) {
  static const NamedField* const field = new NamedField("buffer");  // never destroyed
  return field->value_in(command);
}

}  // namespace

void ExecutablePartsFinder::take(const CommandView& view) {
  if (const auto* bind = view.command->call_as_BindTensor()) {
    parts_.tensors.push_back({.name = text_of(bind->name()),
                              .role = static_cast<host::BindingRole>(bind->role()),
                              .tensor = tensor_of(*bind->tensor()),
                              .buffer = bind->buffer()});
  } else if (const auto* begin = view.command->call_as_EntryBegin()) {
    const auto [entry, is_first] =
        entries_.try_emplace(text_of(begin->name()), parts_.entries.size());
    open_ = is_first ? std::optional(entry->second) : std::nullopt;
    if (is_first) {
      parts_.entries.push_back({.name = entry->first, .begin = view.number});
    } else {
      ++parts_.entries[entry->second].count;
    }
  } else if (view.command->call_type() == Call::EntryEnd && open_.has_value()) {
    parts_.entries[*std::exchange(open_, std::nullopt)].end = view.number;
  }
}

void ExecutablePartsFinder::take_blob(const CommandView& view, const BlobReference& blob) {
  const std::optional<uint64_t> buffer = buffer_of(*view.command);
  if (!buffer.has_value()) return;
  if (blob.role == PayloadRole::Upload) written_.insert(*buffer);
  if (blob.role == PayloadRole::Golden) compared_.insert(*buffer);
}

ExecutableParts ExecutablePartsFinder::finish() {
  for (NamedTensor& tensor : parts_.tensors) {
    tensor.has_default = written_.contains(tensor.buffer);
    tensor.has_golden = compared_.contains(tensor.buffer);
  }
  return std::move(parts_);
}

}  // namespace lightmetal::schema
