#include "schema/show/command_filter.h"

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "schema/command_generated.h"
#include "schema/commands/named_field.h"
#include "schema/commands/references.h"
#include "schema/object_ids.h"

namespace lightmetal::schema {

std::vector<std::string> call_names() {
  std::vector<std::string> names;
  for (const Call call : EnumValuesCall()) {
    if (call != Call::NONE) names.emplace_back(EnumNameCall(call));
  }
  return names;
}

absl::Status CommandFilter::add_call(absl::string_view name) {
  for (const Call call : EnumValuesCall()) {
    if (call == Call::NONE || name != EnumNameCall(call)) continue;
    calls_.set(static_cast<size_t>(call));
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat("there is no command called ", name));
}

absl::Status CommandFilter::set_object(absl::string_view kind, uint64_t id) {
  for (size_t known = 0; known < kObjectKindNames.size(); ++known) {
    if (!absl::EqualsIgnoreCase(kind, kObjectKindNames[known])) continue;
    object_ = Object{.name = {static_cast<ObjectKind>(known), id}};
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat("there are no objects of the kind ", kind,
                                          "; the kinds are ",
                                          absl::StrJoin(kObjectKindNames, ", ")));
}

void CommandFilter::set_queue(uint8_t queue, std::optional<uint64_t> device) {
  queue_ = queue;
  device_ = device;
}

bool CommandFilter::matches(const Command& command) {
  // First what has to see every command.
  const bool of_object = fits_object(command);
  return of_object && fits_call(command) && fits_queue(command);
}

bool CommandFilter::fits_call(const Command& command) const {
  return calls_.none() || calls_[static_cast<size_t>(command.call_type())];
}

bool CommandFilter::fits_queue(const Command& command) const {
  static const NamedField* const queues = new NamedField("cq");       // never destroyed
  static const NamedField* const devices = new NamedField("device");  // never destroyed
  if (!queue_.has_value()) return true;
  if (!queues->is_in(command)) return false;
  // A command that names no queue is for all of them.
  if (queues->value_in(command).value_or(*queue_) != *queue_) return false;
  return !device_.has_value() || devices->value_in(command) == device_;
}

bool CommandFilter::fits_object(const Command& command) {
  if (!object_.has_value()) return true;
  bool names_it = false, creates_it = false, ends_owner = false;
  std::optional<ObjectName> owner;
  visit_ids(command, [&](const IdReference& reference) {
    const bool is_it = reference.object() == object_->name;
    names_it |= is_it;
    creates_it |= is_it && reference.role == IdRole::Creates;
    if (reference.owner) owner = reference.object();
    ends_owner |= reference.role == IdRole::Destroys && object_->owner == reference.object();
  });
  if (creates_it) object_->owner = owner;
  return names_it || ends_owner;
}

}  // namespace lightmetal::schema
