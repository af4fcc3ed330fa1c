#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "schema/call_types.h"
#include "schema/command_generated.h"

// The members of the union Call as C++ types, and the one way from a recorded command to code for
// its type.

namespace lightmetal::schema {

namespace internal {

template <class... Tables>
constexpr size_t count_of(TypeList<Tables...>) {
  return sizeof...(Tables);
}

// One function for each possible number of a union member; null where there is none.
template <class Result, class Visitor>
using CallTable = std::array<Result (*)(const void*, Visitor&), 256>;

template <class Result, class Visitor, class... Tables>
constexpr CallTable<Result, Visitor> make_call_table(TypeList<Tables...>) {
  CallTable<Result, Visitor> table{};
  ((table[static_cast<size_t>(CallTraits<Tables>::enum_value)] = [](const void* call,
                                                                    Visitor& visitor) -> Result {
     return visitor(*static_cast<const Tables*>(call));
   }),
   ...);
  return table;
}

template <class... Tables, class Function>
constexpr void for_each_type(TypeList<Tables...>, Function&& function) {
  (function(std::type_identity<Tables>{}), ...);
}

}  // namespace internal

// CMake derives the list from the text of command.fbs, flatc the enumeration: the two have to
// agree. NONE is no call.
inline constexpr size_t kNumCalls = internal::count_of(CallTypes{});
static_assert(kNumCalls + 1 == std::extent_v<std::remove_reference_t<decltype(EnumValuesCall())>>);

// Calls visitor(const Table&) for the table that `command` holds and returns what it returns. The
// visitor accepts every member of the union with one result type: a missing overload is a compile
// error. REQUIRES: the command came from decode_command (or a File), so its call is known and
// present.
template <class Visitor>
decltype(auto) visit_call(const Command& command, Visitor&& visitor) {
  using V = std::remove_reference_t<Visitor>;
  using Result = decltype(visitor(std::declval<const CreateDevice&>()));
  static constexpr auto kTable = internal::make_call_table<Result, V>(CallTypes{});
  return kTable[static_cast<size_t>(command.call_type())](command.call(), visitor);
}

// Calls function(std::type_identity<Table>{}) for every member of the union, in the order of
// command.fbs.
template <class Function>
constexpr void for_each_call_type(Function&& function) {
  internal::for_each_type(CallTypes{}, function);
}

}  // namespace lightmetal::schema
