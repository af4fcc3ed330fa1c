#include "schema/diff/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/diff/align.h"
#include "schema/diff/leaves.h"
#include "schema/show/print.h"
#include "schema/verify/verify.h"

namespace lightmetal::schema {
namespace {

// The commands of a file as they are aligned: with objects that are made and used alike, with
// objects that are made alike, by all but which objects they name, by their call alone.
struct Keys {
  std::vector<uint64_t> exact, made_alike, content, names;
  std::vector<std::vector<IdReference>> ids;
  std::vector<uint64_t> offsets;  // of the frames
};

// Says who an object is without its id: by what creates it, what is created in it and its owner;
// or by what uses it, too. Of those that are alike, by how many are before it.
class Identities {
 public:
  void add(const CommandKey& key) {
    const IdReference* created = nullptr;
    const IdReference* owner = nullptr;
    for (const IdReference& id : key.ids) {
      if (id.owner) owner = &id;
      if (id.role == IdRole::Creates) {
        created = &id;
      } else if (id.kind != ObjectKind::Device) {  // which nearly all commands use
        uint64_t& uses = uses_[id.object()];
        uses = absl::HashOf(uses, key.content);
      }
    }
    if (created == nullptr) return;
    Object& object = objects_.emplace_back(Object{created->object(), key.content});
    if (owner == nullptr) return;
    object.owner = owner->object();
    uint64_t& inside = inside_[owner->object()];
    inside = absl::HashOf(inside, key.content);
  }

  void finish() {
    absl::flat_hash_map<uint64_t, uint64_t> alike;
    for (const Object& object : objects_) {
      const Identity owner = object.owner.has_value() ? of(*object.owner) : Identity();
      const uint64_t made = absl::HashOf(object.created_by, inside_[object.name], owner.made);
      const uint64_t used = absl::HashOf(made, uses_[object.name], owner.used);
      identities_[object.name] = {absl::HashOf(made, alike[made]++),
                                  absl::HashOf(used, alike[used]++)};
    }
  }

  struct Identity {
    uint64_t made = 0, used = 0;
  };

  Identity of(const ObjectName& name) const {
    const auto found = identities_.find(name);
    return found == identities_.end() ? Identity() : found->second;
  }

 private:
  struct Object {
    ObjectName name;
    uint64_t created_by;
    std::optional<ObjectName> owner = {};
  };

  std::vector<Object> objects_;  // in the order of their creation
  absl::flat_hash_map<ObjectName, uint64_t> inside_, uses_;
  absl::flat_hash_map<ObjectName, Identity> identities_;
};

absl::StatusOr<Keys> keys_of(const File& file) {
  Keys keys;
  Identities identities;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const CommandView& view) {
    CommandKey key = key_of(*view.command);
    identities.add(key);
    keys.names.push_back(key.name);
    keys.content.push_back(key.content);
    keys.ids.push_back(std::move(key.ids));
    keys.offsets.push_back(view.offset);
    return absl::OkStatus();
  }));
  identities.finish();
  for (size_t i = 0; i < keys.content.size(); ++i) {
    uint64_t exact = keys.content[i], made_alike = keys.content[i];
    for (const IdReference& id : keys.ids[i]) {
      const Identities::Identity identity = identities.of(id.object());
      exact = absl::HashOf(exact, identity.used);
      made_alike = absl::HashOf(made_alike, identity.made);
    }
    keys.exact.push_back(exact);
    keys.made_alike.push_back(made_alike);
  }
  return keys;
}

// Aligns what lies between the pairs that there are.
template <class Align>
Pairs refined(const Pairs& pairs, absl::Span<const uint64_t> a, absl::Span<const uint64_t> b,
              Align align_gap) {
  Pairs all;
  size_t i = 0, j = 0;
  const auto fill = [&](size_t a_end, size_t b_end) {
    if (i == a_end || j == b_end) return;
    for (const auto& [x, y] : align_gap(a.subspan(i, a_end - i), b.subspan(j, b_end - j))) {
      all.emplace_back(i + x, j + y);
    }
  };
  for (const auto& [x, y] : pairs) {
    fill(x, y);
    all.emplace_back(x, y);
    i = x + 1;
    j = y + 1;
  }
  fill(a.size(), b.size());
  return all;
}

Pairs aligned(const Keys& a, const Keys& b) {
  Pairs pairs = align(a.exact, b.exact);
  pairs = refined(pairs, a.made_alike, b.made_alike, align);
  pairs = refined(pairs, a.content, b.content, align);
  pairs = refined(pairs, a.names, b.names, align);
  return refined(pairs, a.names, b.names, align_in_order);
}

// Which object of one file is which of the other, as aligned creations say.
class Counterparts {
 public:
  void add(const std::vector<IdReference>& a, const std::vector<IdReference>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i].role != IdRole::Creates || b[i].role != IdRole::Creates) continue;
      in_b_[a[i].object()] = b[i].id;
    }
  }

  bool are(const IdReference& a, const IdReference& b) const {
    if (a.kind != b.kind) return false;
    const auto found = in_b_.find(a.object());
    return found != in_b_.end() && found->second == b.id;
  }

  bool are(const std::vector<IdReference>& a, const std::vector<IdReference>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const IdReference& x, const IdReference& y) { return are(x, y); });
  }

 private:
  absl::flat_hash_map<ObjectName, uint64_t> in_b_;
};

// Compares the values of two commands of one call.
class Comparison {
 public:
  Comparison(const Command& a, const Command& b, const Counterparts& counterparts)
      : a_(leaves_of(a)), b_(leaves_of(b)), counterparts_(counterparts) {
    for (size_t i = 0; i < b_.size(); ++i) in_b_.emplace(b_[i].path, i);
  }

  void run(ChangedCommand& result) {
    result.where = where();
    for (const Leaf& leaf : a_) {
      const auto found = in_b_.find(leaf.path);
      if (found == in_b_.end()) {
        if (!is_of_differing_holder(leaf.path)) add(result, {leaf.path, leaf.value, ""});
        continue;
      }
      const Leaf& other = b_[found->second];
      in_b_.erase(found);
      if (!equal(leaf, other)) differ(result, leaf, other);
    }
    for (const Leaf& leaf : b_) {
      if (!in_b_.contains(leaf.path) || is_of_differing_holder(leaf.path)) continue;
      add(result, {leaf.path, "", leaf.value});
    }
  }

 private:
  bool equal(const Leaf& a, const Leaf& b) const {
    if (a.id.has_value() && b.id.has_value()) return counterparts_.are(*a.id, *b.id);
    return a.id.has_value() == b.id.has_value() && a.value == b.value;
  }

  void differ(ChangedCommand& result, const Leaf& a, const Leaf& b) {
    const bool holds_more =
        absl::EndsWith(a.value, " elements") || a.value == "there" || b.value == "there";
    if (holds_more) differing_holders_.insert(a.path);
    FieldChange change{absl::StrCat(a.path, core_of(a.path)), a.value, b.value};
    if (a.blob.has_value() && b.blob.has_value())
      change.payload = {*a.blob, *b.blob, element_type()};
    add(result, std::move(change));
  }

  static void add(ChangedCommand& result, FieldChange change) {
    ++result.differing;
    if (result.fields.size() < kMostFieldChanges) result.fields.push_back(std::move(change));
  }

  // The elements that a longer list has more are no changes of their own, nor is what a table holds
  // that only one command has.
  bool is_of_differing_holder(const std::string& path) const {
    for (size_t end = path.find_first_of(".["); end != path.npos;
         end = path.find_first_of(".[", end + 1)) {
      if (differing_holders_.contains(path.substr(0, end))) return true;
    }
    return false;
  }

  std::string where() const {
    std::string text;
    for (const Leaf& leaf : a_) {
      const bool is_direct = leaf.path.find_first_of(".[") == leaf.path.npos;
      if (leaf.id.has_value() && is_direct) {
        absl::StrAppend(&text, text.empty() ? "" : " ", leaf.path, " ", leaf.value);
      } else if (leaf.is_place && (is_direct || leaf.path == "cores[0]")) {
        absl::StrAppend(&text, text.empty() ? "" : " ", is_direct ? leaf.path : "cores", " ",
                        leaf.value);
      } else if (leaf.path == "cores[1]") {
        text += " ...";
      }
    }
    return text;
  }

  // Arguments of many cores have one list for each core.
  std::string core_of(absl::string_view path) const {
    if (!absl::StartsWith(path, "args[")) return "";
    const std::string core = absl::StrCat("cores", path.substr(4, path.find(']') - 3));
    const auto list = [](const Leaf& leaf) {
      return leaf.path == "args[0]" && leaf.value == "there";
    };
    if (std::none_of(a_.begin(), a_.end(), list)) return "";
    const auto found =
        std::find_if(a_.begin(), a_.end(), [&](const Leaf& leaf) { return leaf.path == core; });
    return found == a_.end() ? "" : absl::StrCat(" of core ", found->value);
  }

  ElementType element_type() const {
    const auto found = std::find_if(a_.begin(), a_.end(),
                                    [](const Leaf& leaf) { return leaf.path == "element_type"; });
    if (found == a_.end()) return ElementType::Bytes;
    for (const ElementType type : EnumValuesElementType()) {
      if (found->value == EnumNameElementType(type)) return type;
    }
    return ElementType::Bytes;
  }

  const std::vector<Leaf> a_, b_;
  const Counterparts& counterparts_;
  absl::flat_hash_map<std::string, size_t> in_b_;  // what of `b` has not been met yet
  absl::flat_hash_set<std::string> differing_holders_;
};

std::string state_of(const File& file) {
  return file.complete() ? "complete" : absl::StrCat("incomplete: ", file.incomplete_reason());
}

absl::StatusOr<const Command*> command_at(const File& file, uint64_t offset) {
  LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
  return file.command_in(frame);
}

std::vector<FieldChange> compare_sessions(const File& a, const File& b) {
  std::vector<FieldChange> changes;
  std::map<std::string, std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : a.session().options) options[name].first = value;
  for (const auto& [name, value] : b.session().options) options[name].second = value;
  for (const auto& [name, values] : options) {
    if (values.first == values.second) continue;
    changes.push_back(
        {absl::StrCat("option ", escaped(name)), escaped(values.first), escaped(values.second)});
  }
  if (a.complete() != b.complete()) changes.push_back({"state", state_of(a), state_of(b)});
  return changes;
}

class Differ {
 public:
  Differ(const File& a, const File& b) : a_(a), b_(b) {}

  absl::StatusOr<Diff> run() {
    LM_ASSIGN_OR_RETURN(a_keys, keys_of(a_));
    LM_ASSIGN_OR_RETURN(b_keys, keys_of(b_));
    result_.commands_a = a_.num_commands();
    result_.commands_b = b_.num_commands();
    result_.session = compare_sessions(a_, b_);
    size_t i = 0, j = 0;
    Pairs pairs = aligned(a_keys, b_keys);
    pairs.emplace_back(a_keys.exact.size(), b_keys.exact.size());
    for (const auto& [x, y] : pairs) {
      LM_RETURN_IF_ERROR(take_alone(a_, i, x, j, result_.removed));
      LM_RETURN_IF_ERROR(take_alone(b_, j, y, x, result_.inserted));
      i = x + 1;
      j = y + 1;
      if (x == a_keys.exact.size()) break;
      LM_RETURN_IF_ERROR(take_pair(x, y, a_keys, b_keys));
    }
    return std::move(result_);
  }

 private:
  absl::Status take_alone(const File& file, size_t begin, size_t end, size_t before,
                          std::vector<LoneCommand>& lone) {
    return file.for_each_command(begin, end, [&](const CommandView& view) {
      constexpr size_t kItems = 12;
      std::string text = absl::StrCat(name_of(*view.command), " ");
      append_text(text, *view.command, kItems);
      lone.push_back({view.number, before, std::move(text)});
      return absl::OkStatus();
    });
  }

  absl::Status take_pair(size_t x, size_t y, const Keys& a, const Keys& b) {
    counterparts_.add(a.ids[x], b.ids[y]);
    if (a.content[x] == b.content[y] && counterparts_.are(a.ids[x], b.ids[y])) {
      return absl::OkStatus();
    }
    LM_ASSIGN_OR_RETURN(in_a, command_at(a_, a.offsets[x]));
    LM_ASSIGN_OR_RETURN(in_b, command_at(b_, b.offsets[y]));
    ChangedCommand changed;
    changed.a = x;
    changed.b = y;
    changed.name = std::string(name_of(*in_a));
    Comparison(*in_a, *in_b, counterparts_).run(changed);
    if (changed.differing != 0) result_.changed.push_back(std::move(changed));
    return absl::OkStatus();
  }

  const File& a_;
  const File& b_;
  Counterparts counterparts_;
  Diff result_;
};

}  // namespace

absl::StatusOr<Diff> diff(const File& a, const File& b) {
  for (const File* file : {&a, &b}) {
    LM_RETURN_IF_ERROR(verify(*file, nullptr, {.allow_incomplete = true, .check_meaning = false}));
  }
  return Differ(a, b).run();
}

}  // namespace lightmetal::schema
