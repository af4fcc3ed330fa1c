#include "runner/fault_options.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lightmetal::runner {

void add_fault_options(cxxopts::Options& options) {
  options.add_options()("until", "Stop after command N, counted from 0",
                        cxxopts::value<std::string>(), "N")(
      "sync", "Finish each command before the next, so that an error is named at its own command")(
      "continue-on-error",
      "Go on after a command that fails, without those that need it; all errors come at the end");
}

absl::StatusOr<uint64_t> last_command(const cxxopts::ParseResult& arguments,
                                      const schema::File& file) {
  if (arguments.count("until") == 0) return UINT64_MAX;
  const uint64_t last = count_option(arguments, "until", 0), count = file.num_commands();
  if (last < count) return last;
  return absl::InvalidArgumentError(absl::StrCat(
      file.name(), " has ", count, " commands, counted from 0: there is no command ", last));
}

}  // namespace lightmetal::runner
