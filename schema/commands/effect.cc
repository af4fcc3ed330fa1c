#include "schema/commands/effect.h"

#include "schema/commands/calls.h"

namespace lightmetal::schema {

std::optional<uint64_t> launched_program(const Command& command) {
  return visit_call(command, []<class Table>(const Table& call) -> std::optional<uint64_t> {
    if constexpr (kEffect<Table> == Effect::kLaunch && requires { call.program(); }) {
      return call.program();
    } else {
      return std::nullopt;
    }
  });
}

std::optional<uint64_t> launched_trace(const Command& command) {
  return visit_call(command, []<class Table>(const Table& call) -> std::optional<uint64_t> {
    if constexpr (kEffect<Table> == Effect::kLaunch && requires { call.trace(); }) {
      return call.trace();
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace lightmetal::schema
