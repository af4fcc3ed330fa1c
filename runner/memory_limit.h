#pragma once

#include <cstdint>

#include "runner/command_line.h"

// The option of verbs that check how much memory a file would make a replay hold.
namespace lightmetal::runner {

// Adds `--memory-limit`.
void add_memory_limit_option(cxxopts::Options& options);

// The limit in bytes. Throws cxxopts' exceptions for what is no size.
uint64_t memory_limit(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
