#include "schema/lines/encode_fields.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/commands/reflection.h"

namespace lightmetal::schema {
namespace {

using flatbuffers::Offset;
using flatbuffers::uoffset_t;
using reflection::BaseType;
using Object = flatbuffers::Offset<flatbuffers::Table>;

// A field that a table is given.
struct Given {
  const Step* step;
  uint64_t number = 0;              // Number: its bits
  std::vector<uint8_t> bytes = {};  // Struct
  Offset<void> part = {};           // all else: where it lies
};

bool is_signed(BaseType type) {
  return type == BaseType::Byte || type == BaseType::Short || type == BaseType::Int ||
         type == BaseType::Long;
}

// The size by which flatc orders the fields of a table.
size_t order_size(const Step& step) {
  const bool inside = step.kind == Step::Kind::Number && !step.is_list;
  return inside ? step.size : sizeof(uoffset_t);
}

class FieldEncoder {
 public:
  explicit FieldEncoder(flatbuffers::FlatBufferBuilder& builder) : builder_(builder) {}

  absl::StatusOr<Object> table(const Plan& plan, const Json& object) {
    LM_RETURN_IF_ERROR(check_members(plan, object));
    std::vector<Given> given;
    for (const Step& step : plan.steps) {
      const auto found = object.find(std::string(step.name));
      if (found == object.end() || found->is_null()) {
        if (step.field->required()) return missing(step.name);
        continue;
      }
      path_.push_back({step.name});
      LM_ASSIGN_OR_RETURN(value, field(plan, step, *found, object));
      given.push_back(std::move(value));
      path_.pop_back();
    }
    return finish(plan, given);
  }

 private:
  struct Place {
    absl::string_view name;
    size_t index = std::numeric_limits<size_t>::max();  // of a list
  };

  absl::Status error(absl::string_view what) const {
    std::string path;
    for (const Place& place : path_) {
      if (place.name.empty()) {
        absl::StrAppend(&path, "[", place.index, "]");
      } else {
        absl::StrAppend(&path, path.empty() ? "" : ".", place.name);
      }
    }
    return absl::InvalidArgumentError(path.empty() ? std::string(what)
                                                   : absl::StrCat("its field ", path, " ", what));
  }

  absl::Status expected(const char* what, const Json& found) const {
    return error(absl::StrCat("is ", shown(found), "; expected ", what));
  }

  absl::Status missing(absl::string_view name) const {
    return error(absl::StrCat("has no field ", name));
  }

  absl::Status check_members(const Plan& plan, const Json& object) const {
    if (!object.is_object()) return expected("an object with fields", object);
    for (const auto& [name, value] : object.items()) {
      const auto has_name = [&name = name](const Step& step) { return step.name == name; };
      if (std::none_of(plan.steps.begin(), plan.steps.end(), has_name)) {
        return error(absl::StrCat("has a field ", escaped(name), ", which ",
                                  short_name(plan.object->name()), " does not have"));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Given> field(const Plan& plan, const Step& step, const Json& json,
                              const Json& holder) {
    Given given{&step};
    if (!step.is_list && step.kind == Step::Kind::Number) {
      LM_ASSIGN_OR_RETURN(number, number_of(step, json));
      given.number = number;
    } else if (!step.is_list && step.kind == Step::Kind::Struct) {
      given.bytes.resize(step.size);
      LM_RETURN_IF_ERROR(fill_struct(step, json, given.bytes.data()));
    } else {
      LM_ASSIGN_OR_RETURN(part, part_of(plan, step, json, holder));
      given.part = part;
    }
    return given;
  }

  absl::StatusOr<Offset<void>> part_of(const Plan& plan, const Step& step, const Json& json,
                                       const Json& holder) {
    if (step.is_list) return list(step, json);
    if (step.kind == Step::Kind::Text) return text(json);
    const Plan* child = step.plan;
    if (step.kind == Step::Kind::Union) {
      LM_ASSIGN_OR_RETURN(member, member_of(plan, step, holder));
      child = member;
    }
    LM_ASSIGN_OR_RETURN(made, table(*child, json));
    return made.Union();
  }

  absl::StatusOr<const Plan*> member_of(const Plan& plan, const Step& step, const Json& holder) {
    const auto type = std::find_if(plan.steps.begin(), plan.steps.end(),
                                   [&](const Step& each) { return each.offset == step.member; });
    const auto named = holder.find(std::string(type->name));
    if (named == holder.end())
      return error(absl::StrCat("needs a field ", type->name, " beside it"));
    LM_ASSIGN_OR_RETURN(number, number_of(*type, *named));
    if (number < step.members.size() && step.members[number] != nullptr) {
      return step.members[number];
    }
    return error(absl::StrCat("is there although ", type->name, " is ", shown(*named)));
  }

  absl::StatusOr<Offset<void>> text(const Json& json) {
    const auto bytes = parse_text(json);
    if (!bytes.ok()) return error(bytes.status().message());
    return builder_.CreateString(*bytes).Union();
  }

  absl::StatusOr<Offset<void>> list(const Step& step, const Json& json) {
    if (!json.is_array()) return expected("a list", json);
    path_.push_back({""});
    const bool flat = step.kind == Step::Kind::Number || step.kind == Step::Kind::Struct;
    auto made = flat ? flat_list(step, json) : list_of_parts(step, json);
    if (made.ok()) path_.pop_back();
    return made;
  }

  absl::StatusOr<Offset<void>> flat_list(const Step& step, const Json& json) {
    std::vector<uint8_t> bytes(json.size() * step.size);
    for (size_t i = 0; i < json.size(); ++i) {
      path_.back().index = i;
      uint8_t* const target = bytes.data() + i * step.size;
      if (step.kind == Step::Kind::Struct) {
        LM_RETURN_IF_ERROR(fill_struct(step, json[i], target));
      } else {
        LM_ASSIGN_OR_RETURN(number, number_of(step, json[i]));
        std::memcpy(target, &number, step.size);
      }
    }
    const size_t alignment = step.kind == Step::Kind::Struct
                                 ? static_cast<size_t>(step.plan->object->minalign())
                                 : size_t{step.size};
    builder_.StartVector(bytes.size() / alignment, alignment);
    builder_.PushBytes(bytes.data(), bytes.size());
    return Offset<void>(builder_.EndVector(json.size()));
  }

  absl::StatusOr<Offset<void>> list_of_parts(const Step& step, const Json& json) {
    std::vector<Offset<void>> parts;
    parts.reserve(json.size());
    for (size_t i = 0; i < json.size(); ++i) {
      path_.back().index = i;
      if (step.kind == Step::Kind::Text) {
        LM_ASSIGN_OR_RETURN(part, text(json[i]));
        parts.push_back(part);
      } else {
        LM_ASSIGN_OR_RETURN(part, table(*step.plan, json[i]));
        parts.push_back(part.Union());
      }
    }
    return builder_.CreateVector(parts).Union();
  }

  absl::Status fill_struct(const Step& step, const Json& json, uint8_t* target) {
    return step.plan->notation == Notation::Digest ? fill_digest(json, target)
                                                   : fill_members(*step.plan, json, target);
  }

  absl::Status fill_digest(const Json& json, uint8_t* target) const {
    if (!json.is_string()) return expected("a digest of 32 hexadecimal digits", json);
    const auto digest = parse_digest(json.get_ref<const std::string&>());
    if (!digest.ok()) return error(digest.status().message());
    std::memcpy(target, &digest->low, sizeof(digest->low));
    std::memcpy(target + sizeof(digest->low), &digest->high, sizeof(digest->high));
    return absl::OkStatus();
  }

  absl::Status fill_members(const Plan& plan, const Json& json, uint8_t* target) {
    LM_RETURN_IF_ERROR(check_members(plan, json));
    for (const Step& step : plan.steps) {
      const auto found = json.find(std::string(step.name));
      if (found == json.end()) return missing(step.name);
      path_.push_back({step.name});
      if (step.kind == Step::Kind::Struct) {
        LM_RETURN_IF_ERROR(fill_struct(step, *found, target + step.offset));
      } else {
        LM_ASSIGN_OR_RETURN(number, number_of(step, *found));
        std::memcpy(target + step.offset, &number, step.size);
      }
      path_.pop_back();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> number_of(const Step& step, const Json& json) const {
    if (step.type == BaseType::Bool) {
      if (json.is_boolean()) return uint64_t{json.get<bool>()};
      return expected("true or false", json);
    }
    if (step.values != nullptr && json.is_string()) return value_named(*step.values, json);
    return integer(step, json);
  }

  absl::StatusOr<uint64_t> value_named(const reflection::Enum& values, const Json& json) const {
    for (const reflection::EnumVal* value : *values.values()) {
      if (value->name()->str() == json.get_ref<const std::string&>()) {
        return static_cast<uint64_t>(value->value());
      }
    }
    return error(absl::StrCat("is ", shown(json), ", which is no ", short_name(values.name())));
  }

  absl::StatusOr<uint64_t> integer(const Step& step, const Json& json) const {
    const int bits = static_cast<int>(step.size) * 8;
    const uint64_t all = std::numeric_limits<uint64_t>::max() >> (64 - bits);
    const uint64_t most = is_signed(step.type) ? all >> 1 : all;
    const int64_t least = is_signed(step.type) ? -static_cast<int64_t>(most) - 1 : 0;
    if (json.is_number_unsigned() && json.get<uint64_t>() <= most) return json.get<uint64_t>();
    if (json.is_number_integer() && !json.is_number_unsigned() && json.get<int64_t>() >= least &&
        (json.get<int64_t>() < 0 || json.get<uint64_t>() <= most)) {
      return static_cast<uint64_t>(json.get<int64_t>());
    }
    return error(absl::StrCat("is ", shown(json), "; expected ", least, " to ", most));
  }

  absl::StatusOr<Object> finish(const Plan& plan, const std::vector<Given>& given) {
    const uoffset_t start = builder_.StartTable();
    if (attribute(*plan.object, "declared_order") != nullptr) {
      for (const Given& each : given) add(each);
    } else {
      for (size_t size = sizeof(uint64_t); size != 0; size /= 2) {
        for (auto each = given.rbegin(); each != given.rend(); ++each) {
          if (order_size(*each->step) == size) add(*each);
        }
      }
    }
    return Object(builder_.EndTable(start));
  }

  void add(const Given& given) {
    const Step& step = *given.step;
    if (!given.bytes.empty()) {
      builder_.Align(static_cast<size_t>(step.plan->object->minalign()));
      builder_.PushBytes(given.bytes.data(), given.bytes.size());
      builder_.TrackField(step.offset, builder_.GetSize());
    } else if (step.is_list || step.kind != Step::Kind::Number) {
      builder_.AddOffset(step.offset, given.part);
    } else {
      add_number(given);
    }
  }

  void add_number(const Given& given) {
    switch (given.step->size) {
      case 1:
        return add_number_as<uint8_t>(given);
      case 2:
        return add_number_as<uint16_t>(given);
      case 4:
        return add_number_as<uint32_t>(given);
      default:
        return add_number_as<uint64_t>(given);
    }
  }

  template <class Number>
  void add_number_as(const Given& given) {
    const auto number = static_cast<Number>(given.number);
    const Step& step = *given.step;
    if (step.field->optional()) return builder_.AddElement(step.offset, number);
    builder_.AddElement(step.offset, number, static_cast<Number>(step.field->default_integer()));
  }

  flatbuffers::FlatBufferBuilder& builder_;
  std::vector<Place> path_;
};

}  // namespace

absl::StatusOr<Object> encode_fields(flatbuffers::FlatBufferBuilder& builder, const Plan& plan,
                                     const Json& fields) {
  return FieldEncoder(builder).table(plan, fields);
}

absl::StatusOr<std::string> parse_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string bytes;
  if (json.is_object() && json.size() == 1 && json.contains("base64") &&
      json["base64"].is_string() &&
      absl::Base64Unescape(json["base64"].get_ref<const std::string&>(), &bytes)) {
    return bytes;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("is ", shown(json), "; expected a text, or {\"base64\": TEXT}"));
}

absl::StatusOr<::lightmetal::Digest> parse_digest(absl::string_view text) {
  constexpr size_t kDigits = 16;  // of each half
  ::lightmetal::Digest digest;
  if (text.size() == 2 * kDigits && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit) &&
      absl::SimpleHexAtoi(text.substr(0, kDigits), &digest.high) &&
      absl::SimpleHexAtoi(text.substr(kDigits), &digest.low)) {
    return digest;
  }
  return absl::InvalidArgumentError("is no digest of 32 hexadecimal digits");
}

std::string shown(const Json& json) {
  constexpr size_t kMostShown = 60;
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  if (!json.is_string()) return json.dump();
  const auto& text = json.get_ref<const std::string&>();
  return text.size() > kMostShown ? absl::StrCat("a text of ", text.size(), " bytes")
                                  : absl::StrCat("\"", escaped(text), "\"");
}

}  // namespace lightmetal::schema
