#include "schema/semantics/lifetime.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/decode.h"

namespace lightmetal::schema {
namespace {

absl::string_view verb(IdRole role) {
  switch (role) {
    case IdRole::Creates:
      return "creates";
    case IdRole::Uses:
      return "uses";
    case IdRole::Destroys:
      return "destroys";
  }
  return "";
}

absl::Status refuse(const CommandView& view, const IdReference& reference, absl::string_view why) {
  return absl::DataLossError(absl::StrCat(describe(view), " ", verb(reference.role), " ",
                                          kind_in_words(reference.kind), " ", reference.id, ", ",
                                          why));
}

}  // namespace

std::string describe(const CommandView& view) {
  return absl::StrCat("command ", view.number, " (", name_of(*view.command), ", at offset ",
                      view.offset, ")");
}

std::string kind_in_words(ObjectKind kind) {
  std::string words;
  for (const char letter : absl::string_view(name_of(kind))) {
    if (absl::ascii_isupper(letter) && !words.empty()) words += ' ';
    words += absl::ascii_tolower(letter);
  }
  return words;
}

absl::Status Lifetimes::apply(const CommandView& view, Ids ids) {
  // All ids are checked before any of them changes anything: a refused command has had no effect.
  LM_RETURN_IF_ERROR(check(view, ids));
  std::optional<ObjectName> owner;
  for (const IdReference& reference : ids) {
    if (reference.owner) owner = reference.object();
  }
  for (const IdReference& reference : ids) {
    if (reference.role == IdRole::Creates) create(view.number, reference.object(), owner);
    if (reference.role == IdRole::Destroys) destroy(view.number, reference.object());
  }
  return absl::OkStatus();
}

absl::Status Lifetimes::check(const CommandView& view, Ids ids) const {
  for (const IdReference& reference : ids) LM_RETURN_IF_ERROR(check(view, reference));
  return absl::OkStatus();
}

absl::Status Lifetimes::check(const CommandView& view, const IdReference& reference) const {
  if (reference.id == 0) return refuse(view, reference, "which names no object");
  const ObjectName key = reference.object();
  const bool creates = reference.role == IdRole::Creates;
  if (const auto found = alive_.find(key); found != alive_.end()) {
    if (!creates) return absl::OkStatus();
    return refuse(view, reference,
                  absl::StrCat("which command ", found->second.created_by, " created"));
  }
  if (const std::string end = end_of(key); !end.empty()) return refuse(view, reference, end);
  return creates ? absl::OkStatus() : refuse(view, reference, "which nothing has created");
}

std::string Lifetimes::end_of(ObjectName key) const {
  const auto* range = gone_[static_cast<size_t>(key.kind)].find(key.id);
  if (range == nullptr) return "";
  const auto& [first, rest] = *range;
  return absl::StrCat("which was destroyed by command ", rest.label,
                      first == rest.last ? "" : " or before");
}

void Lifetimes::create(uint64_t number, ObjectName key, const std::optional<ObjectName>& owner) {
  Object& object = alive_[key];
  object.created_by = number;
  object.owner = owner;
  ++num_created_;
  if (owner.has_value()) alive_[*owner].owned.insert(key);
}

void Lifetimes::destroy(uint64_t number, ObjectName key) {
  leave_owner(key);
  // An explicit stack rather than recursion.
  std::vector<ObjectName> doomed = {key};
  while (!doomed.empty()) {
    const auto found = alive_.find(doomed.back());
    doomed.pop_back();
    if (found == alive_.end()) continue;
    add_gone(number, found->first);
    const absl::flat_hash_set<ObjectName> owned = std::move(found->second.owned);
    alive_.erase(found);
    doomed.insert(doomed.end(), owned.begin(), owned.end());
  }
}

// Otherwise an owner would remember all that it ever had: a device has traces and sub-device
// managers that come and go while it stays.
void Lifetimes::leave_owner(ObjectName key) {
  const auto object = alive_.find(key);
  if (object == alive_.end() || !object->second.owner.has_value()) return;
  const auto owner = alive_.find(*object->second.owner);
  if (owner != alive_.end()) owner->second.owned.erase(key);
}

// Ranges that touch are joined, so that a program whose objects all end needs one range for each
// kind.
void Lifetimes::add_gone(uint64_t number, ObjectName key) {
  RangeSet<uint64_t>& gone = gone_[static_cast<size_t>(key.kind)];
  num_gone_ranges_ -= gone.ranges().size();
  gone.add(key.id, key.id, number);
  num_gone_ranges_ += gone.ranges().size();
}

}  // namespace lightmetal::schema
