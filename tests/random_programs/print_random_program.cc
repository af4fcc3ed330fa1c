// Prints the random program of a seed as a C++ program. Usage: print_random_program SEED > FILE
#include <cstdio>
#include <string>

#include "tests/random_programs/generator.h"
#include "tests/random_programs/print.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: print_random_program SEED\n", stderr);
    return 2;
  }
  const auto seed = static_cast<uint32_t>(std::stoul(arguments[1]));
  std::fputs(random_programs::program_text(random_programs::random_program(seed)).c_str(), stdout);
  return 0;
}
