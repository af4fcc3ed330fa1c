#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "runner/command_line.h"
#include "schema/types_generated.h"
#include "schema/verify/argument_edit.h"

// What `set` is told to change.
namespace lightmetal::runner {

// Adds `-o`, `--arg`, `--command`, `--payload`, `--buffer` and `--format`.
void add_set_options(cxxopts::Options& options);

// What each `--arg` says. Throws for a value that is none, and for `--command` without `--arg`.
std::vector<schema::ArgumentEdit> argument_edits(const cxxopts::ParseResult& arguments);

// A file of data, for a command by its number, or for a buffer by its id.
struct PayloadOption {
  std::optional<uint64_t> command;
  uint64_t buffer = 0;
  std::string path;
};

// What each `--payload` and `--buffer` says. Throws for a value that is none.
std::vector<PayloadOption> payload_options(const cxxopts::ParseResult& arguments);

// The data in a file of this name: those of the array in a .npy file, else all bytes. `types` are
// what the elements may be to a file; empty: anything.
struct Data {
  Bytes bytes;
  std::vector<schema::ElementType> types;
};
absl::StatusOr<Data> data_of(const std::string& path, Bytes file);

}  // namespace lightmetal::runner
