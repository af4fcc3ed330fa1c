#pragma once

#include <optional>

#include "runner/command_line.h"
#include "schema/commands/forward.h"

// `dump --buffers-at N -o DIR`: what buffers hold after a command.
namespace lightmetal::runner {

// Adds its options, which are those of a verb that executes a file, too.
void add_buffer_options(cxxopts::Options& options);

// Whether that is asked for. Throws where one of these options is given, and it is not; and where
// an option that chooses commands is given, and it is.
bool dumps_buffers(const cxxopts::ParseResult& arguments);

int dump_buffers(const cxxopts::ParseResult& arguments);

// The value of --type. Throws for what is none.
std::optional<schema::ElementType> element_type_option(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
