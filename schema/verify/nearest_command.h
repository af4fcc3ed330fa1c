#pragma once

#include <cstdint>
#include <optional>

namespace lightmetal::schema {

// Makes `nearest` the command `number` if that is nearer to the command `to`, or the first.
inline void take_nearer(uint64_t number, uint64_t to, std::optional<uint64_t>& nearest) {
  const auto distance = [to](uint64_t from) { return from < to ? to - from : from - to; };
  if (!nearest || distance(number) < distance(*nearest)) nearest = number;
}

}  // namespace lightmetal::schema
