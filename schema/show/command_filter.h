#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/commands/reference.h"

namespace lightmetal::schema {

// The names of all calls, in the order of command.fbs.
std::vector<std::string> call_names();

// Which commands somebody wants to see: those that every condition fits. Without any, all. Not
// thread-safe.
class CommandFilter {
 public:
  // Only commands of this name, and of the others that are added. NotFound when there is none.
  absl::Status add_call(absl::string_view name);
  // Only commands that create, use or destroy this object, or an object that this one ends with.
  // `kind` is as in the schema, "Buffer", in any case. NotFound, with all kinds, when there is
  // none.
  absl::Status set_object(absl::string_view kind, uint64_t id);
  // Only commands on this queue, or on all queues; of one device, or of any.
  void set_queue(uint8_t queue, std::optional<uint64_t> device);

  // Whether there is any condition.
  bool is_set() const { return calls_.any() || object_.has_value() || queue_.has_value(); }

  // Whether matches() has to see all commands before those that are asked for.
  bool needs_all() const { return object_.has_value(); }

  // Whether the command fits. REQUIRES: it came from decode_command() (or a File), and where
  // needs_all() says so, all commands before it were asked about.
  bool matches(const Command& command);

 private:
  struct Object {
    ObjectName name;
    std::optional<ObjectName> owner = {};
  };

  bool fits_call(const Command& command) const;
  bool fits_queue(const Command& command) const;
  bool fits_object(const Command& command);

  std::bitset<256> calls_;  // by number
  std::optional<Object> object_;
  std::optional<uint8_t> queue_;
  std::optional<uint64_t> device_;
};

}  // namespace lightmetal::schema
