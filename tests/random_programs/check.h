#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "tests/random_programs/steps.h"

// Whether a program does what the model says: live, captured whole, captured in parts; and whether
// each file replays, and replays alike while it is captured.
namespace random_programs {

// Ends the process with a line on standard error at the first thing that is not so.
void check(const Steps& steps);

// A program that did not do as it should.
struct Finding {
  uint32_t seed = 0;
  std::string text;  // what the process said, or that it hung
};

// Checks the programs of `count` seeds from `first` on in a process of its own, and goes on in
// another after each finding, which it reports. A program that has not ended within `limit` is a
// finding. REQUIRES: the calling process has one thread.
void check_seeds(uint32_t first, uint32_t count, std::chrono::seconds limit,
                 const std::function<void(const Finding&)>& report);

// The same for one program: what is wrong with it, or nothing.
std::optional<std::string> fault_of(const Steps& steps, std::chrono::seconds limit);

// What is alike in reports of one fault: the line that says what was found, without its numbers.
std::string kind_of(const std::string& said);

// The smallest program found, by leaving steps out, that is still at fault in the kind of way that
// was `said`. `tries`: how often a program runs before it counts as sound. Stops at `deadline`.
Steps reduced(Steps steps, const std::string& said, std::chrono::seconds limit, int tries,
              std::chrono::steady_clock::time_point deadline);

}  // namespace random_programs
