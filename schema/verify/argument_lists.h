#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/command_generated.h"

namespace lightmetal::schema {

using CoreName = std::pair<uint32_t, uint32_t>;  // x and y

// Arguments for some cores, or the common arguments of a kernel, which have no cores.
struct ArgumentList {
  std::vector<CoreRange> cores;
  std::vector<RuntimeArgT> args;

  bool is_for(const CoreName& core) const;
  std::string cores_text() const;  // "(0,0)", "(0,0)-(7,0) (0,2)"
};

// What a command says of the runtime arguments of a kernel, whichever form it has.
struct ArgumentLists {
  Call call = Call::NONE;
  uint64_t device = 0;  // of the forms that name one
  uint64_t kernel = 0;
  bool is_common = false;
  std::vector<ArgumentList> lists;

  // Gives each core a list of its own, where the command names ranges of cores: it becomes one that
  // names each core.
  void split();
  // The command, as finish_command() returns it.
  std::vector<std::byte> encoded() const;
};

// Nothing for a command that sets no arguments.
std::optional<ArgumentLists> argument_lists_of(const Command& command);

}  // namespace lightmetal::schema
