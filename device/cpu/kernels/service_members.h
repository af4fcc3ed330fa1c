#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"
#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// The members of the tables of services, for code that goes through all services. The kernel ABI is
// the only list of services: this header takes them from the structs.
namespace lightmetal::device::cpu {

// References to the members of a table, in order: pointers to functions, and to further tables.
// When a table grows, its new number of members is a compile error until it is named here.
template <class Table>
constexpr auto members_of(Table& table) {
  constexpr size_t kMembers = sizeof(Table) / sizeof(void*);
  if constexpr (kMembers == 3) {
    auto& [a, b, c] = table;
    return std::tie(a, b, c);
  } else if constexpr (kMembers == 7) {
    auto& [a, b, c, d, e, f, g] = table;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (kMembers == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = table;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (kMembers == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = table;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else {
    static_assert(kMembers == 24, "a table with a number of members that is not known here");
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = table;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}

template <class Table>
constexpr bool has_all_services(const Table& table);

template <class Member>
constexpr bool is_there(Member* member) {
  if constexpr (std::is_function_v<Member>) {
    return member != nullptr;
  } else {
    return member != nullptr && has_all_services(*member);
  }
}

// Whether none of a table's services is missing, nor one of the tables that it points to.
template <class Table>
constexpr bool has_all_services(const Table& table) {
  return std::apply([](auto*... member) { return (is_there(member) && ...); }, members_of(table));
}

// The table of the given type: `services` itself, or the one of that type to which it points.
template <class Table>
const Table& table_of(const kernel_abi::Services& services) {
  if constexpr (std::is_same_v<Table, kernel_abi::Services>) {
    return services;
  } else {
    return *std::get<const Table* const&>(members_of(services));
  }
}

}  // namespace lightmetal::device::cpu
