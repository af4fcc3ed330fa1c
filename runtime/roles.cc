#include "runtime/roles.h"

#include <array>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "schema/commands/calls.h"
#include "schema/commands/reflection.h"

namespace lightmetal::runtime {

using schema::Call;

namespace {

// Calls whose fields do not tell.
std::optional<Role> irregular_role_of(Call call) {
  switch (call) {
    case Call::BufferMovable:
    case Call::KernelBinary:
    case Call::CreateSemaphore:
    case Call::CreateSemaphoreWithId:
    case Call::AssignGlobalBufferToProgram:
    case Call::CompileProgram:
      return Role::kMake;
    case Call::BufferDeallocate:
      return Role::kEnd;
    case Call::ClearBuffer:
      return Role::kWrite;
    case Call::SubDeviceManagerCreate:
    case Call::SubDeviceManagerLoad:
    case Call::SubDeviceManagerClear:
    case Call::SubDeviceStallGroupSet:
    case Call::SubDeviceStallGroupReset:
    case Call::GlobalCircularBufferCreate:
    case Call::BufferSetPageSize:
      return Role::kDivide;
    case Call::BindTensor:
    case Call::EntryBegin:
    case Call::EntryEnd:
    case Call::ScopeBegin:
    case Call::ScopeEnd:
    case Call::CallFailed:
    case Call::NONE:
      return Role::kNone;
    default:
      return std::nullopt;
  }
}

// Whether the schema gives a field of the table this attribute (schema/types.fbs) with this value;
// any value when it is empty.
bool has(const reflection::Object& table, const char* attribute, absl::string_view value = "") {
  return absl::c_any_of(*table.fields(), [&](const reflection::Field* field) {
    const reflection::KeyValue* found = schema::attribute(*field, attribute);
    return found != nullptr && (value.empty() || value == found->value()->c_str());
  });
}

// Programs that are given to a device are not changed; kernels and circular buffers are parts of
// one.
bool changes_program(const reflection::Object& table) {
  return has(table, "uses", "Kernel") || has(table, "uses", "CircularBuffer") ||
         (has(table, "uses", "Program") && !has(table, "uses", "Device"));
}

// What the table's fields say of the call.
Role regular_role_of(const reflection::Object& table) {
  if (has(table, "creates")) return Role::kMake;
  if (has(table, "destroys")) return Role::kEnd;
  if (has(table, "payload", "Golden")) return Role::kRead;
  if (has(table, "payload", "Upload") && has(table, "uses", "Buffer")) return Role::kWrite;
  if (changes_program(table)) return Role::kSet;
  return Role::kWork;
}

using Roles = std::array<Role, static_cast<size_t>(Call::MAX) + 1>;

Roles all_roles() {
  const reflection::Enum& calls =
      *schema::command_schema().enums()->LookupByKey("lightmetal.schema.Call");
  Roles roles = {};
  for (const Call call : schema::EnumValuesCall()) {
    const auto number = static_cast<size_t>(call);
    const std::optional<Role> irregular = irregular_role_of(call);
    const reflection::Object* table = schema::union_member(calls, static_cast<int64_t>(number));
    roles[number] = irregular ? *irregular : regular_role_of(*table);
  }
  return roles;
}

}  // namespace

Role role_of(Call call) {
  static const Roles roles = all_roles();
  return roles[static_cast<size_t>(call)];
}

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
