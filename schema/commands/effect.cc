#include "schema/commands/effect.h"

#include "schema/commands/calls.h"

namespace lightmetal::schema {

std::optional<ObjectName> launched_by(const Command& command) {
  return visit_call(command, []<class Table>(const Table& call) -> std::optional<ObjectName> {
    if constexpr (kEffect<Table> != Effect::kLaunch) {
      return std::nullopt;
    } else if constexpr (requires { call.program(); }) {
      return ObjectName{ObjectKind::Program, call.program()};
    } else {
      return ObjectName{ObjectKind::Trace, call.trace()};
    }
  });
}

std::optional<uint64_t> launched_trace(const Command& command) {
  const auto launched = launched_by(command);
  if (!launched.has_value() || launched->kind != ObjectKind::Trace) return std::nullopt;
  return launched->id;
}

}  // namespace lightmetal::schema
