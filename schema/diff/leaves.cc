#include "schema/diff/leaves.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/reflection.h"
#include "schema/commands/walk.h"
#include "schema/file/blob.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::VectorOfAny;
using reflection::BaseType;

const Plans& compared() {
  static const Plans* const all = new Plans([](const Step&) { return true; });  // never destroyed
  return *all;
}

template <class Visitor>
void walk_call(const Command& command, Visitor& visitor) {
  walk(compared().of(name_of(command)), *static_cast<const flatbuffers::Table*>(command.call()),
       visitor);
}

// Whether an absent field has a value all the same: its default, no text, no elements.
bool has_default(const Step& step) {
  return step.is_list || step.kind == Step::Kind::Text ||
         (step.kind == Step::Kind::Number && !step.field->optional());
}

std::string number_text(const Step& step, int64_t number) {
  const reflection::EnumVal* named =
      step.values == nullptr ? nullptr : enum_value(*step.values, number);
  if (named != nullptr) return named->name()->str();
  if (step.type == BaseType::Bool) return number != 0 ? "true" : "false";
  return step.type == BaseType::ULong ? absl::StrCat(static_cast<uint64_t>(number))
                                      : absl::StrCat(number);
}

std::string core_text(const CoreCoord& core) {
  return absl::StrCat("(", core.x(), ",", core.y(), ")");
}

class LeafMaker : public Visitor {
 public:
  std::vector<Leaf> take() { return std::move(leaves_); }

  void absent(const Step& step, const Table&) {
    if (step.is_list) return void(leaves_.push_back({path_of(step.name), "0 elements"}));
    if (step.kind == Step::Kind::Text) return void(add(step).value = "\"\"");
    if (!has_default(step)) return void(add(step).value = "absent");
    add_number(step, step.field->default_integer());
  }

  void number(const Step& step, const uint8_t* data) {
    add_number(step, flatbuffers::GetAnyValueI(step.type, data));
  }

  void text(const Step& step, const flatbuffers::String& text) {
    add(step).value = absl::StrCat("\"", escaped({text.c_str(), text.size()}), "\"");
  }

  uint32_t begin_list(const Step& step, const VectorOfAny& list) {
    leaves_.push_back({path_of(step.name), absl::StrCat(list.size(), " elements")});
    lists_.push_back(0);
    path_.push_back(leaves_.back().path);
    return list.size();
  }
  void end_list(const Step&, const VectorOfAny&) {
    lists_.pop_back();
    path_.pop_back();
  }

  bool begin_struct(const Step& step, const uint8_t* data) {
    switch (step.plan->notation) {
      case Notation::Members:
        path_.push_back(next_path(step));
        return true;
      case Notation::Digest:
        add(step).value = to_digest(*reinterpret_cast<const Digest*>(data)).hex();
        return false;
      case Notation::Blob:
        add_blob(step, *reinterpret_cast<const BlobRef*>(data));
        return false;
      case Notation::Core:
        add_place(step, core_text(*reinterpret_cast<const CoreCoord*>(data)));
        return false;
      case Notation::CoreRange:
        const auto& range = *reinterpret_cast<const CoreRange*>(data);
        add_place(step, absl::StrCat(core_text(range.start()), "-", core_text(range.end())));
        return false;
    }
    return false;
  }
  void end_struct() { path_.pop_back(); }

  bool begin_table(const Step& step) {
    add(step).value = "there";
    path_.push_back(leaves_.back().path);
    return true;
  }
  void end_table() { path_.pop_back(); }

 private:
  std::string path_of(absl::string_view name) const {
    return path_.empty() ? std::string(name) : absl::StrCat(path_.back(), ".", name);
  }

  // The place of the value that comes now; an element counts its list up.
  std::string next_path(const Step& step) {
    return step.is_list ? absl::StrCat(path_.back(), "[", lists_.back()++, "]")
                        : path_of(step.name);
  }

  Leaf& add(const Step& step) {
    leaves_.push_back({next_path(step), ""});
    return leaves_.back();
  }

  void add_number(const Step& step, int64_t number) {
    Leaf& leaf = add(step);
    leaf.value = number_text(step, number);
    if (!step.id.has_value() || number == 0) return;
    leaf.id = step.id;
    leaf.id->id = static_cast<uint64_t>(number);
  }

  void add_blob(const Step& step, const BlobRef& blob) {
    Leaf& leaf = add(step);
    leaf.value = absl::StrCat(blob.size(), "B:", to_digest(blob.digest()).hex());
    leaf.blob = blob;
  }

  void add_place(const Step& step, std::string text) {
    Leaf& leaf = add(step);
    leaf.value = std::move(text);
    leaf.is_place = true;
  }

  std::vector<Leaf> leaves_;
  std::vector<std::string> path_;
  std::vector<uint64_t> lists_;  // the next element of each list that is open
};

class KeyMaker : public Visitor {
 public:
  explicit KeyMaker(CommandKey& key) : key_(key) {}

  void absent(const Step& step, const Table&) {
    if (step.is_list || step.kind == Step::Kind::Text) return add(uint64_t{0});
    has_default(step) ? add_number(step, step.field->default_integer()) : add('a');
  }
  void number(const Step& step, const uint8_t* data) {
    if (step.field->optional()) add('t');
    add_number(step, flatbuffers::GetAnyValueI(step.type, data));
  }
  void text(const Step&, const flatbuffers::String& text) {
    add(uint64_t{text.size()});
    if (text.size() != 0) add(absl::string_view(text.c_str(), text.size()));
  }
  uint32_t begin_list(const Step&, const VectorOfAny& list) {
    add(uint64_t{list.size()});
    return list.size();
  }
  bool begin_table(const Step&) {
    add('t');
    return true;
  }

 private:
  template <class Value>
  void add(const Value& value) {
    key_.content = absl::HashOf(key_.content, value);
  }

  void add_number(const Step& step, int64_t number) {
    if (!step.id.has_value() || number == 0) return add(number);
    key_.ids.push_back(*step.id);
    key_.ids.back().id = static_cast<uint64_t>(number);
    add(step.id->kind);
  }

  CommandKey& key_;
};

}  // namespace

std::vector<Leaf> leaves_of(const Command& command) {
  LeafMaker maker;
  walk_call(command, maker);
  return maker.take();
}

CommandKey key_of(const Command& command) {
  CommandKey key;
  key.name = absl::HashOf(static_cast<int>(command.call_type()));
  key.content = key.name;
  KeyMaker maker(key);
  walk_call(command, maker);
  return key;
}

}  // namespace lightmetal::schema
