#pragma once

#include "base/reference_options.h"
#include "runner/command_line.h"

// The options of verbs that look into the other files that a capture refers to.
namespace lightmetal::runner {

// Adds `--remap`, `--references` and `--allow-references`.
void add_reference_options(cxxopts::Options& options);

// What these options say. Throws cxxopts' exceptions for wrong values.
ReferenceOptions reference_options(const cxxopts::ParseResult& arguments);

// True when one of these options was given.
bool has_reference_options(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
