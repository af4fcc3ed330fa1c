#pragma once

#include <cstdint>
#include <optional>

#include "schema/call_types.h"
#include "schema/command_generated.h"
#include "schema/commands/reference.h"

namespace lightmetal::schema {

// The attribute `effect` of a command in command.fbs. types.fbs explains each.
enum class Effect : uint8_t {
  kMake,
  kEnd,
  kDivide,
  kSet,
  kPrepare,
  kWrite,
  kRead,
  kLaunch,
  kWait,
  kMark
};

// Returns the effect of a call. REQUIRES: `call` is a known member of the union, and not NONE.
constexpr Effect effect_of(Call call) {
  switch (call) {
#include "schema/effects.inc"
    case Call::NONE:
      break;
  }
  return Effect::kMark;
}

// The effect of the call that has this table.
template <class Table>
inline constexpr Effect kEffect = effect_of(CallTraits<Table>::enum_value);

// Returns the program or the device trace that the command launches, or nullopt.
std::optional<ObjectName> launched_by(const Command& command);

// Returns the id of the device trace that the command launches, or nullopt.
std::optional<uint64_t> launched_trace(const Command& command);

}  // namespace lightmetal::schema
