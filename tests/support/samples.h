#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flatbuffers/idl.h"
#include "schema/commands/calls.h"
#include "schema/commands/encode.h"
#include "schema/commands/reflection.h"
#include "schema/commands/walk.h"
#include "schema/file/blob.h"
#include "schema/show/json.h"

// One sample of each command for table-driven tests, made from the schema, so that no command can
// lack one. Every field is set, to something that is not its default. A sample has the right form
// and no meaning: a test that needs a meaning sets it.

namespace lightmetal::schema::samples {

// The one payload that the samples refer to.
inline const std::string& payload() {
  static const std::string text = "sixteen bytes or";
  return text;
}

inline Bytes payload_bytes() { return bytes_of(payload().data(), payload().size()); }

inline std::unique_ptr<BlobRef> blob() {
  return std::make_unique<BlobRef>(blob_ref_of(payload_bytes()));
}

// Plans that lead to every field.
inline const Plans& plans() {
  static const Plans all([](const Step&) { return true; });
  return all;
}

// Writes the JSON of one command. Its numbers count up, a text has its field's name, a list has two
// elements, an enumeration is at its last value, and a union is its largest member. All fields that
// name objects of one kind name the same object.
class Filler {
 public:
  explicit Filler(Call call) : call_(static_cast<size_t>(call)) { fill(plans().of("Command")); }

  std::string take() { return json_.take(); }

 private:
  void fill(const Plan& plan) {
    json_.begin_object();
    for (const Step& step : plan.steps) {
      json_.key(step.name);
      step.is_list ? list(step) : value(step);
    }
    json_.end_object();
  }

  void list(const Step& step) {
    json_.begin_array();
    value(step);
    value(step);
    json_.end_array();
  }

  void value(const Step& step) {
    switch (step.kind) {
      case Step::Kind::Number:
        return number(step);
      case Step::Kind::Text:
        return void(json_.value(absl::StrCat(step.name, " \"in quotes\"\t")));
      case Step::Kind::Struct:
        return step.plan->notation == Notation::Blob ? reference() : fill(*step.plan);
      case Step::Kind::Table:
        return fill(*step.plan);
      case Step::Kind::Union:
        return fill(*step.members[member_]);
    }
  }

  void number(const Step& step) {
    if (step.id.has_value()) {
      json_.value(id(*step.id));
    } else if (step.type == reflection::BaseType::UType) {
      json_.value(member_ = member_of(*step.values));  // and the member itself comes next
    } else if (step.values != nullptr) {
      json_.value((*step.values->values()->rbegin())->value());
    } else {
      step.type == reflection::BaseType::Bool ? json_.value(true) : json_.value(++numbers_);
    }
  }

  size_t member_of(const reflection::Enum& values) const {
    if (short_name(values.name()) == "Call") return call_;
    const auto size = [&](const reflection::EnumVal* value) {
      const reflection::Object* member = union_member(values, value->value());
      return member == nullptr ? 0 : member->fields()->size();
    };
    const auto& all = *values.values();
    return static_cast<size_t>(
        (*std::max_element(all.begin(), all.end(), [&](const auto* a, const auto* b) {
          return size(a) < size(b);
        }))->value());
  }

  // An id is a pattern that is unlike anything else in a command. Where two commands create objects
  // of one kind, each creates an object of its own.
  uint64_t id(const IdReference& id) const {
    const uint64_t of_kind = 0x51D2D3D400000001 + static_cast<uint64_t>(id.kind);
    const bool another = id.role == IdRole::Creates && first_to_create(id.kind) != call_;
    return another ? of_kind + (uint64_t{call_} << 16) : of_kind;
  }

  static size_t first_to_create(ObjectKind kind) {
    const std::vector<const Plan*>& calls = plans().of("Command").steps.back().members;
    const auto creates = [kind](const Step& step) {
      return step.id.has_value() && step.id->role == IdRole::Creates && step.id->kind == kind;
    };
    const auto first = std::find_if(calls.begin(), calls.end(), [&](const Plan* call) {
      return call != nullptr && std::any_of(call->steps.begin(), call->steps.end(), creates);
    });
    return static_cast<size_t>(first - calls.begin());
  }

  void reference() {
    json_.begin_object().key("digest").begin_object();
    json_.member("low", blob()->digest().low()).member("high", blob()->digest().high());
    json_.end_object().member("size", blob()->size()).end_object();
  }

  JsonWriter json_;
  const size_t call_;
  size_t member_ = 0;
  uint32_t numbers_ = 0;
};

// Knows the schema, which takes longer to learn than a command to parse.
inline std::unique_ptr<flatbuffers::Parser> command_parser() {
  auto parser = std::make_unique<flatbuffers::Parser>();
  const bool known =
      parser->Deserialize(&command_schema()) && parser->SetRootType("lightmetal.schema.Command");
  if (!known) std::abort();
  return parser;
}

inline CommandT filled(Call call) {
  static flatbuffers::Parser& parser = *command_parser().release();
  parser.builder_.Clear();
  if (!parser.Parse(Filler(call).take().c_str())) std::abort();
  CommandT command;
  flatbuffers::GetRoot<Command>(parser.builder_.GetBufferPointer())->UnPackTo(&command);
  return command;
}

template <class Table>
using Of = std::type_identity<Table>;

template <class Table>
CommandT command_of(Of<Table>) {
  static const CommandT sample = filled(CallTraits<Table>::enum_value);
  return sample;
}

// A sample of each command, in the order of command.fbs.
inline std::vector<CommandT> all() {
  std::vector<CommandT> commands;
  for_each_call_type([&](auto type) { commands.push_back(command_of(type)); });
  return commands;
}

}  // namespace lightmetal::schema::samples
