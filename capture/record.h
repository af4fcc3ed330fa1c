#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/compare_policy.h"
#include "base/digest.h"
#include "base/mesh_place.h"
#include "capture/ids.h"
#include "capture/recorder.h"
#include "capture/session.h"
#include "schema/command_generated.h"
#include "schema/commands/calls.h"
#include "schema/commands/profile.h"
#include "schema/object_ids.h"
#include "schema/record_checks.h"

// A call of the host API, recorded by one line that gives every field of its command a value, in
// the order of schema/command.fbs:
//
//   record<schema::CreateSemaphore>(program, cores, initial_value, core_type, id);
//
// The schema's attributes say which fields are objects, of which kind, and whether the call creates
// or destroys them; flatc's function for the table takes the rest. What does not fit is a compile
// error: too few or too many values, an object of another kind, a number where an object belongs, a
// number that the field may not hold. What the compiler cannot tell apart are two neighbours of one
// type, such as an offset and a size.
//
// These functions give a type of the host API its place in files:
//   object_of(value)               an object, as an ObjectOf<Kind>
//   description_of(value)          optional: which object it is, for an error ("of chip 3")
//   field(encoder, value)          anything else, as the type that flatc has for the field; in this
//                                  namespace
namespace lightmetal::capture {

// ---- Values that are no type of the host API, and payloads ----

template <class Element>
using VectorOffset = flatbuffers::Offset<flatbuffers::Vector<Element>>;
template <class Table>
using TablesOffset = VectorOffset<flatbuffers::Offset<Table>>;

template <Kind kOf>
ObjectOf<kOf> object_of(ObjectOf<kOf> object) {
  return object;
}

// The file's id of an object that a call uses, for a field inside of a value.
template <class Value>
uint64_t use(Encoder& encoder, const Value& value) {
  return encoder.use(object_of(value), [&]() -> std::string {
    if constexpr (requires { description_of(value); }) return description_of(value);
    return {};
  });
}

inline flatbuffers::Offset<flatbuffers::String> field(Encoder& encoder, absl::string_view text) {
  return encoder.builder().CreateString(text.data(), text.size());
}

inline VectorOffset<uint32_t> field(Encoder& encoder, std::span<const uint32_t> words) {
  return encoder.builder().CreateVector(words.data(), words.size());
}

inline schema::Digest field(Encoder&, const Digest& digest) { return {digest.low, digest.high}; }

inline flatbuffers::Offset<schema::DeviceProfile> field(Encoder& encoder,
                                                        const DeviceProfile& profile) {
  return schema::from_profile(encoder.builder(), profile);
}

// The field is absent without a place.
inline flatbuffers::Offset<schema::MeshPlace> field(Encoder& encoder,
                                                    const std::optional<MeshPlace>& place) {
  if (!place.has_value()) return 0;
  return schema::CreateMeshPlaceDirect(encoder.builder(), &place->shape, &place->coordinate);
}

// The field is absent without a policy.
inline flatbuffers::Offset<flatbuffers::String> field(Encoder& encoder,
                                                      const std::optional<ComparePolicy>& policy) {
  if (!policy.has_value()) return 0;
  return encoder.builder().CreateString(policy->text());
}

// Data that the program writes to a device.
struct Upload {
  Bytes bytes;       // where the program has them; it may change them
  Bytes fixed = {};  // the bytes as the device gets them, which nobody changes; empty: not known
};
inline schema::BlobRef field(Encoder& encoder, const Upload& data) {
  return encoder.upload(data.bytes, data.fixed);
}

// Other data, which the file holds whatever the capture's PayloadPolicy is.
struct Embedded {
  Bytes bytes;
};
inline schema::BlobRef field(Encoder& encoder, const Embedded& data) {
  return encoder.blob(data.bytes);
}

// Data that a read has found. The file has them as a golden if the capture keeps what reads return.
struct ReadBack {
  Bytes bytes;
};
inline std::optional<schema::BlobRef> field(Encoder& encoder, const ReadBack& data) {
  if (data.bytes.empty() || !keeps_read_goldens()) return std::nullopt;
  return encoder.blob(data.bytes);
}

// The function that builds a table: flatc's, which orders the fields in the file by size. A call
// whose fields have always had another order in files has a function of its own.
template <class Table>
inline constexpr auto kCreate = Table::Traits::Create;

namespace internal {

// ---- What a field takes ----

// How a field's value is kept until flatc's function takes it; that function takes structs by
// pointer.
template <class Field>
struct Kept {
  using Type = Field;
  static Field get(const Type& kept) { return kept; }
};
template <class Struct>
struct Kept<const Struct*> {
  using Type = std::optional<Struct>;
  static const Struct* get(const Type& kept) { return kept.has_value() ? &*kept : nullptr; }
};

template <class Encoded, class Field>
concept IsKeptFor =
    std::same_as<Encoded, typename Kept<Field>::Type> || std::same_as<const Encoded*, Field>;

template <class Field>
inline constexpr bool kIsNumber = std::is_arithmetic_v<Field> || std::is_enum_v<Field>;
template <class Number>
inline constexpr bool kIsNumber<std::optional<Number>> = kIsNumber<Number>;

// A number of the field's own type, or one that becomes it without loss.
template <class Value, class Field>
concept IsNumberFor = kIsNumber<Field> &&
    (std::same_as<Value, Field> ||
     (std::unsigned_integral<Value> && std::unsigned_integral<Field> &&
      !std::same_as<Value, bool> && !std::same_as<Field, bool> && sizeof(Value) < sizeof(Field)));

template <class Value, Kind kKind>
concept IsObjectOf = requires(const Value& value) {
  { object_of(value) } -> std::same_as<ObjectOf<kKind>>;
};

template <class Value, class Field>
concept IsEncodedFor = requires(Encoder& encoder, const Value& value) {
  { field(encoder, value) } -> IsKeptFor<Field>;
};

template <class Table, size_t kNumber, class Field, class Value>
consteval bool fits() {
  constexpr schema::IdField kId = schema::kIdField<Table, kNumber>;
  if constexpr (kId.use != schema::IdUse::kNone) return IsObjectOf<Value, kId.kind>;
  return IsNumberFor<Value, Field> || IsEncodedFor<Value, Field>;
}

template <class Function>
struct Parameters;
template <class Table, class... Fields>
struct Parameters<flatbuffers::Offset<Table> (*const)(flatbuffers::FlatBufferBuilder&, Fields...)> {
  using Types = schema::TypeList<Fields...>;
};
template <class Table>
using FieldsOf = typename Parameters<decltype(kCreate<Table>)>::Types;

template <class Table, class... Fields, class... Values>
consteval bool all_fit(schema::TypeList<Fields...>, schema::TypeList<Values...>) {
  if constexpr (sizeof...(Fields) != sizeof...(Values)) {
    return false;
  } else {
    return []<size_t... kNumber>(std::index_sequence<kNumber...>) {
      return (fits<Table, kNumber, Fields, Values>() && ...);
    }
    (std::index_sequence_for<Fields...>{});
  }
}

// One value for each field of the table.
template <class Table, class... Values>
concept AreFieldsOf = all_fit<Table>(FieldsOf<Table>{}, schema::TypeList<Values...>{});

// Fails to compile, with a message that names the field, unless the values fit the table.
template <class Table, class... Fields, class... Values>
constexpr void check_fit(schema::TypeList<Fields...>, schema::TypeList<Values...>) {
  using Check = schema::RecordCheck<Table>;
  Check::template check_count<sizeof...(Values)>();
  if constexpr (sizeof...(Fields) == sizeof...(Values) && sizeof...(Fields) > 0) {
    []<size_t... kNumber>(std::index_sequence<kNumber...>) {
      Check::template check_values<fits<Table, kNumber, Fields, Values>()...>();
    }
    (std::index_sequence_for<Fields...>{});
  }
}

// ---- Encoding ----

// `changed` is the id of the object that the call creates or destroys.
template <class Table, size_t kNumber, class Field, class Value>
typename Kept<Field>::Type encode_field(Encoder& encoder, [[maybe_unused]] uint64_t changed,
                                        const Value& value) {
  constexpr schema::IdUse kUse = schema::kIdField<Table, kNumber>.use;
  if constexpr (kUse == schema::IdUse::kUses) {
    return use(encoder, value);
  } else if constexpr (kUse != schema::IdUse::kNone) {
    return changed;
  } else if constexpr (IsNumberFor<Value, Field>) {
    return value;
  } else {
    return field(encoder, value);
  }
}

template <class Table, class... Fields, size_t... kNumber, class... Values>
flatbuffers::Offset<Table> encode(Encoder& encoder, [[maybe_unused]] uint64_t changed,
                                  schema::TypeList<Fields...>, std::index_sequence<kNumber...>,
                                  const Values&... values) {
  // The initialisers of a braced list are evaluated from left to right, so equal calls give equal
  // bytes.
  const std::tuple<typename Kept<Fields>::Type...> kept{
      encode_field<Table, kNumber, Fields>(encoder, changed, values)...};
  return kCreate<Table>(encoder.builder(), Kept<Fields>::get(std::get<kNumber>(kept))...);
}

// The number of the field that has this use; the number of fields when none has.
template <class Table, size_t... kNumber>
consteval size_t find_field([[maybe_unused]] schema::IdUse use, std::index_sequence<kNumber...>) {
  size_t found = sizeof...(kNumber);
  ((schema::kIdField<Table, kNumber>.use == use ? found = kNumber : found), ...);
  return found;
}

template <class Table, class... Values>
void record_fields(const Values&... values) {
  using Numbers = std::index_sequence_for<Values...>;
  constexpr size_t kCreated = find_field<Table>(schema::IdUse::kCreates, Numbers{});
  constexpr size_t kDestroyed = find_field<Table>(schema::IdUse::kDestroys, Numbers{});
  const auto encode_call = [&](Encoder& encoder, uint64_t changed = kNewId) {
    return encode<Table>(encoder, changed, FieldsOf<Table>{}, Numbers{}, values...);
  };
  if constexpr (kCreated < sizeof...(Values)) {
    record_creation<Table>(object_of(std::get<kCreated>(std::tie(values...))), encode_call);
  } else if constexpr (kDestroyed < sizeof...(Values)) {
    record_destruction<Table>(object_of(std::get<kDestroyed>(std::tie(values...))), encode_call);
  } else {
    record_encoded<Table>(encode_call);
  }
}

}  // namespace internal

// Records a call with one value for each field. A call that destroys an object says nothing to
// captures that do not know the object: their files never spoke of it.
template <class Table, class... Values>
void record(const Values&... values) {
  internal::check_fit<Table>(internal::FieldsOf<Table>{}, schema::TypeList<Values...>{});
  // The rest would only add errors to the one that names the field.
  if constexpr (internal::AreFieldsOf<Table, Values...>) internal::record_fields<Table>(values...);
}

// Records a call, the first of whose fields is `object`, and says nothing to captures that do not
// know the object.
template <class Table, class Value, class... Values>
void record_if_known(const Value& object, const Values&... values) {
  for_each_capture([&] {
    if (knows(object_of(object))) record<Table>(object, values...);
  });
}

}  // namespace lightmetal::capture
