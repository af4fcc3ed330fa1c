#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "schema/file/reader.h"

// Whether the two who know the rules of the host API say the same of a file: the check of files
// (schema/semantics/), and the API, as a replay drives it on the null device.
namespace lightmetal::testing {

// What a check says of a file.
struct Verdict {
  absl::Status status;
  // The command that it refuses; without one, how many commands there are.
  uint64_t command = 0;
};

// What verify says.
Verdict verified(const schema::File& file);

// Runs the commands from the first to the last of `count` without any check before. REQUIRES: the
// check of files accepts all but the last, for unchecked numbers can do anything to the process.
absl::Status replayed(const schema::File& file, uint64_t count);

// What files a disagreement cannot be looked for in: their form is wrong, or what refuses them is a
// rule for files alone.
bool is_of_files_alone(const schema::File& file, const Verdict& verdict);

// How the two disagree about a file; empty when they do not. A file that is accepted is replayed
// whole, and nothing may refuse it. One that is refused is replayed up to the command in question,
// which a replay has to refuse: in the same words, where the API refuses it and the rule is in
// host/.
std::string disagreement(const Verdict& verdict, const absl::Status& replayed);

// The same of a file, of which `check` says what verify says.
std::string disagreement_about(const schema::File& file,
                               const std::function<Verdict(const schema::File&)>& check = verified);

}  // namespace lightmetal::testing
