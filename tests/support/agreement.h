#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "schema/file/reader.h"

// Whether the two parts that know the rules of the host API say the same of a file: the check of
// files (schema/semantics/), and the API, as a replay drives it on the null device.
namespace lightmetal::testing {

// What a check says of a file.
struct Verdict {
  absl::Status status;
  // The number of the command that is refused; for a file that is accepted, the number of its
  // commands.
  uint64_t command = 0;
};

// What verify() says of the file.
Verdict verified(const schema::File& file);

// Replays the first `count` commands of the file, without any check before. REQUIRES: the check of
// files accepts all of them but the last, for unchecked numbers can do anything to the process.
absl::Status replayed(const schema::File& file, uint64_t count);

// True for files in which no disagreement can be looked for: their form is wrong, or what refuses
// them is a rule for files alone.
bool is_of_files_alone(const schema::File& file, const Verdict& verdict);

// Says how the two disagree about a file; empty when they agree. A file that is accepted is
// replayed whole, and nothing may refuse it. A file that is refused is replayed up to the command
// in question, which the replay has to refuse, too: in the same words, where the API refuses it and
// the rule is in host/.
std::string disagreement(const Verdict& verdict, const absl::Status& replayed);

// Says the same about a file; `check` takes the place of verify().
std::string disagreement_about(const schema::File& file,
                               const std::function<Verdict(const schema::File&)>& check = verified);

}  // namespace lightmetal::testing
