#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

// Two payloads of other content, where a command of each file names one.
struct PayloadChange {
  BlobRef a, b;
  ElementType element_type = ElementType::Bytes;
};

// A value that differs. Values are texts, as Leaf has them; empty where a file has no such value.
struct FieldChange {
  std::string field;  // "args[2]"
  std::string a, b;
  std::optional<PayloadChange> payload = {};
};

// A command of one file that the other one has with other values.
struct ChangedCommand {
  uint64_t a = 0, b = 0;  // its numbers
  std::string name;       // "SetRuntimeArgs"
  std::string where;  // the objects and cores that it names in `a`: "kernel 3 cores (0,1)-(0,1)"
  uint64_t differing = 0;           // how many values differ
  std::vector<FieldChange> fields;  // the first of them, kMostFieldChanges at most
};
inline constexpr size_t kMostFieldChanges = 20;

// A command that only one file has.
struct LoneCommand {
  uint64_t number = 0;
  uint64_t before = 0;  // the number of the command before which it would stand in the other file
  std::string text;     // name and values, as `dump` shows them
};

struct Diff {
  uint64_t commands_a = 0, commands_b = 0;
  std::vector<FieldChange> session;   // options, and whether the files are complete
  std::vector<LoneCommand> removed;   // in `a` alone
  std::vector<LoneCommand> inserted;  // in `b` alone
  std::vector<ChangedCommand> changed;

  bool same() const {
    return session.empty() && removed.empty() && inserted.empty() && changed.empty();
  }
};

// Compares what two files mean: their commands, in the order of the file, with payloads by content
// and objects by what creates them, whatever their numbers are. Not compared are origins, versions
// and producers, intents, signatures, and in which form and where payloads are stored. An error
// when a file is damaged (verify() without meaning). Takes time nearly linear in the commands as
// long as the files have most of them in common, and memory for the keys of all commands.
absl::StatusOr<Diff> diff(const File& a, const File& b);

}  // namespace lightmetal::schema
