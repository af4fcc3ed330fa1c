#include "runner/golden_rules.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lightmetal::runner {
namespace {

// An option and the value, if there is one, with which it changes nothing.
struct ExcludedOption {
  absl::string_view name;
  absl::string_view idle_value;
};

constexpr ExcludedOption kExcluded[] = {
    {"until", ""},
    {"from", ""},
    {"checkpoint", ""},
    {"continue-on-error", "false"},
    {"allow-incomplete", "false"},
    {"loop", "1"},
    {"warmup", "0"},
    {"no-check", "false"},
    {"races", ""},
    {"schedules", ""},
    {"compare-with", ""},
    {"bisect", ""},
    {"replace-kernel", ""},
};

bool is_excluded(const cxxopts::KeyValue& argument) {
  return std::ranges::any_of(kExcluded, [&](const ExcludedOption& option) {
    return argument.key() == option.name && argument.value() != option.idle_value;
  });
}

// Those with which a run compares no golden.
constexpr const char* kWithoutGoldens[] = {"no-check", "races", "compare-with"};

}  // namespace

void add_require_goldens_option(cxxopts::Options& options) {
  options.add_options()("require-goldens", "Fail where no golden is compared");
}

bool requires_goldens(const cxxopts::ParseResult& arguments) {
  if (!is_set(arguments, "require-goldens")) return false;
  for (const char* other : kWithoutGoldens) {
    if (arguments.count(other) == 0) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--require-goldens fails where no golden is compared, and --", other, " compares none"));
  }
  return true;
}

void check_whole_run(const cxxopts::ParseResult& arguments) {
  if (!is_set(arguments, "update-golden")) return;
  for (const cxxopts::KeyValue& argument : arguments.arguments()) {
    if (!is_excluded(argument)) continue;
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--update-golden renews the goldens of one run of the whole file as it is, "
                     "which --",
                     argument.key(), " is not"));
  }
}

}  // namespace lightmetal::runner
