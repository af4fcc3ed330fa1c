#include "runtime/program_names.h"

#include <type_traits>

#include "schema/commands/calls.h"

namespace lightmetal::runtime {

struct ProgramNames::Add {
  ProgramNames& names;

  template <class Call>
  void operator()(const Call& call) {
    if constexpr (std::is_same_v<Call, schema::KernelCreate>) {
      names.of_kernel_[call.id()] = call.program();
    } else if constexpr (std::is_same_v<Call, schema::CircularBufferCreate> ||
                         std::is_same_v<Call, schema::CircularBufferCreateOnGlobal>) {
      names.of_circular_buffer_[call.id()] = call.program();
    }
  }
};

struct ProgramNames::Find {
  const ProgramNames& names;

  template <class Call>
  std::optional<uint64_t> operator()(const Call& call) const {
    if constexpr (requires { call.kernel(); }) {
      return find(names.of_kernel_, call.kernel());
    } else if constexpr (requires { call.circular_buffer(); }) {
      return find(names.of_circular_buffer_, call.circular_buffer());
    } else if constexpr (requires { call.program(); }) {
      return call.program();
    } else {
      return std::nullopt;
    }
  }
  static std::optional<uint64_t> find(const Programs& programs, uint64_t id) {
    const auto found = programs.find(id);
    return found == programs.end() ? std::nullopt : std::optional(found->second);
  }
};

void ProgramNames::add(const schema::Command& command) {
  Add add{*this};
  schema::visit_call(command, add);
}

std::optional<uint64_t> ProgramNames::program(const schema::Command& command) const {
  return schema::visit_call(command, Find{*this});
}

}  // namespace lightmetal::runtime
