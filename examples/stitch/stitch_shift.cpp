// Adds 10: the second of the two programs that stitch puts together. Usage: stitch_shift [--capture
// FILE]
#include "examples/common/example.h"
#include "examples/stitch/affine_program.h"

int main(int argc, char** argv) {
  return example::main(argc, argv, [] { return example::run_affine("stitch_shift", 1, 10); });
}
