#pragma once

#include <string>

// What every example has in common: its command line and where its kernels are.
namespace example {

// The path of a kernel below the examples' folder: that of $LIGHTMETAL_EXAMPLES, or the one the
// example was built from.
std::string kernel_path(const std::string& relative);

// Runs `run`, under a capture into FILE when the command line says `--capture FILE`. Returns the
// exit code: run's own, or 1 after an error, which is printed.
int main(int argc, char** argv, int (*run)());

}  // namespace example
