// Random programs, each run live, captured, replayed, and replayed while the replay is captured.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "tests/random_programs/check.h"
#include "tests/random_programs/generator.h"
#include "tests/random_programs/print.h"
#include "tests/support/number_in_environment.h"

namespace random_programs {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kLimit{LIGHTMETAL_RANDOM_PROGRAM_SECONDS};
// The limit for a program that is being reduced because it hangs: still many times what a sound one
// takes.
constexpr seconds kReductionLimit = kLimit / 10;

// How often a program runs before it counts as sound: once, if this program was at fault three
// times in a row.
int tries_for(const RandomProgram& program, seconds limit) {
  for (int i = 0; i < 3; ++i) {
    if (!fault_of(program, limit)) return 20;
  }
  return 1;
}

void explain(const Finding& finding) {
  const RandomProgram program = random_program(finding.seed);
  const bool hangs = finding.text.find("it hangs") != std::string::npos;
  const seconds limit = hangs ? kReductionLimit : kLimit;
  const RandomProgram small = reduced(program, finding.text, limit, tries_for(program, limit),
                                      steady_clock::now() + minutes(3));
  std::cout << "Repeat it with LIGHTMETAL_RANDOM_SEED=" << finding.seed
            << " LIGHTMETAL_RANDOM_PROGRAMS=1 (" << name_of(program.surface) << "). "
            << small.steps.size() << " of " << program.steps.size() << " steps are left:\n";
  for (const Step& step : small.steps) std::cout << "  " << text_of(step) << ",\n";
  const std::string path = "random_program_" + std::to_string(finding.seed) + ".cc";
  std::ofstream(path) << program_text(small);
  std::cout << "As a program: " << path << "\n" << std::flush;
}

// LIGHTMETAL_RANDOM_PROGRAMS=N runs so many, from seed LIGHTMETAL_RANDOM_SEED on.
TEST(RandomPrograms, DoLiveAndInReplaysWhatTheModelSays) {
  const uint32_t first = number_in_environment("LIGHTMETAL_RANDOM_SEED", 1);
  const uint32_t count =
      number_in_environment("LIGHTMETAL_RANDOM_PROGRAMS", LIGHTMETAL_RANDOM_PROGRAM_COUNT);
  std::cout << "seeds " << first << " to " << first + count - 1 << "\n" << std::flush;
  std::set<std::string> kinds;
  const auto report = [&](const Finding& finding) {
    ADD_FAILURE() << "seed " << finding.seed << ":\n" << finding.text;
    if (kinds.size() < 5 && kinds.insert(kind_of(finding.text)).second) explain(finding);
  };
  for (uint32_t done = 0; done < count;) {
    const uint32_t part = std::min<uint32_t>(count - done, 500);
    check_seeds(first + done, part, kLimit, report);
    done += part;
    std::cout << done << " done\n" << std::flush;
  }
}

}  // namespace
}  // namespace random_programs
