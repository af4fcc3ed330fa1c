#pragma once

#include <lightmetal/replay.hpp>
#include <vector>

#include "runner/command_line.h"

// `--replace-kernel NAME|ID=FILE`: what runs in place of kernels of the file.
namespace lightmetal::runner {

void add_kernel_option(cxxopts::Options& options);

// What the options say. Throws for a value without a kernel or a file.
std::vector<KernelReplacement> kernel_replacements(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
