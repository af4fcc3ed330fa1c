#include "schema/lifetime.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/decode.h"

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

std::string kind_in_words(absl::string_view kind) {
  std::string words;
  for (const char letter : kind) {
    if (absl::ascii_isupper(letter) && !words.empty()) words += ' ';
    words += absl::ascii_tolower(letter);
  }
  return words;
}

absl::Status Lifetimes::apply(const CommandView& view, Ids ids) {
  LM_RETURN_IF_ERROR(check(view, ids));
  std::optional<Key> owner;
  for (const IdReference& reference : ids) {
    if (reference.owner) owner = Key(reference.kind_index, reference.id);
  }
  for (const IdReference& reference : ids) {
    const Key key(reference.kind_index, reference.id);
    if (reference.role == IdRole::Creates) create(view.number, key, owner);
    if (reference.role == IdRole::Destroys) destroy(view.number, key);
  }
  return absl::OkStatus();
}

absl::Status Lifetimes::check(const CommandView& view, Ids ids) const {
  for (const IdReference& reference : ids) LM_RETURN_IF_ERROR(check(view, reference));
  return absl::OkStatus();
}

absl::Status Lifetimes::check(const CommandView& view, const IdReference& reference) const {
  if (reference.id == 0) return refuse(view, reference, "which names no object");
  const auto found = objects_.find(Key(reference.kind_index, reference.id));
  const bool creates = reference.role == IdRole::Creates;
  if (found == objects_.end()) {
    return creates ? absl::OkStatus() : refuse(view, reference, "which nothing has created");
  }
  const Object& object = found->second;
  if (creates) {
    return refuse(view, reference, absl::StrCat("which command ", object.created_by, " created"));
  }
  if (!object.destroyed_by.has_value()) return absl::OkStatus();
  return refuse(view, reference,
                absl::StrCat("which was destroyed by command ", *object.destroyed_by));
}

void Lifetimes::create(uint64_t number, Key key, const std::optional<Key>& owner) {
  objects_[key].created_by = number;
  ++num_alive_;
  if (owner.has_value()) objects_[*owner].owned.push_back(key);
}

void Lifetimes::destroy(uint64_t number, Key key) {
  std::vector<Key> doomed = {key};
  while (!doomed.empty()) {
    Object& object = objects_[doomed.back()];
    doomed.pop_back();
    if (object.destroyed_by.has_value()) continue;
    object.destroyed_by = number;
    --num_alive_;
    doomed.insert(doomed.end(), object.owned.begin(), object.owned.end());
    std::vector<Key>().swap(object.owned);
  }
}

}  // namespace lightmetal::schema
