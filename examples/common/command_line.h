#pragma once

#include <cxxopts.hpp>
#include <functional>
#include <stdexcept>
#include <string>

// The command line of an example that has options of its own.
namespace example {

// What the command line asks for cannot be done; the text says why.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Adds --capture and --help to `options`, and calls `run` with what was given, under a capture into
// FILE for `--capture FILE`. Returns the exit code: run's own, 1 after an error, 2 after an error
// in the command line (a UsageError too); errors are printed.
int main(int argc, char** argv, cxxopts::Options options,
         const std::function<int(const cxxopts::ParseResult&)>& run);

}  // namespace example
