#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "tests/random_programs/surface.h"

// Checks that a program does what the model says: live, captured whole, and captured in parts; and
// that each file replays, and replays alike while the replay is captured.
namespace random_programs {

// Ends the process, with a line on standard error, at the first thing that is wrong.
void check(const RandomProgram& program);

// A program that did something wrong.
struct Finding {
  uint32_t seed = 0;
  std::string text;  // what the process said, or that it hung
};

// Checks the programs of `count` seeds from `first` on in a process of its own, and goes on in
// another process after each finding, which it reports. A program that has not ended within `limit`
// is a finding. REQUIRES: the calling process has one thread.
void check_seeds(uint32_t first, uint32_t count, std::chrono::seconds limit,
                 const std::function<void(const Finding&)>& report);

// Checks one program in a process of its own: returns what is wrong with it, or nullopt.
std::optional<std::string> fault_of(const RandomProgram& program, std::chrono::seconds limit);

// The kind of a fault, which is alike in all reports of it: the line that says what was found,
// without its numbers.
std::string kind_of(const std::string& said);

// Leaves steps out of a program as long as the rest still has a fault of the kind that was `said`,
// and returns the smallest program found. `tries` is how often a program runs before it counts as
// sound. Stops at `deadline`.
RandomProgram reduced(RandomProgram program, const std::string& said, std::chrono::seconds limit,
                      int tries, std::chrono::steady_clock::time_point deadline);

}  // namespace random_programs
