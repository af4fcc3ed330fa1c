#pragma once

#include <string>

#include "runner/command_line.h"

// The option of verbs that replay a file.
namespace lightmetal::runner {

// Adds `--device`.
void add_device_option(cxxopts::Options& options);

// The name of the backend; empty for the recorded one.
std::string device_option(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
