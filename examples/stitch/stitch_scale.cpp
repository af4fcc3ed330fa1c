// Multiplies by 3: the first of the two programs that stitch puts together. Usage: stitch_scale
// [--capture FILE]
#include "examples/common/example.h"
#include "examples/stitch/affine_program.h"

int main(int argc, char** argv) {
  return example::main(argc, argv, [] { return example::run_affine("stitch_scale", 3, 0); });
}
