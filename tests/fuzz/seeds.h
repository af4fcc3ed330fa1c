#pragma once

#include <cstddef>
#include <string>
#include <vector>

// What the fuzzers begin with.
namespace lightmetal::fuzz {

struct Seed {
  std::string name;
  std::vector<std::byte> content;
};

// Whole files that verify and replay on the null device: a capture of every call of the host API,
// the same with payloads in each other form, with intents and with a signature, and its beginning
// up to the first of each call.
std::vector<Seed> replayable_seeds();

// Files of sound form whose commands make no sense together: a sample of every command, alone and
// all in one.
std::vector<Seed> sample_seeds();

}  // namespace lightmetal::fuzz
