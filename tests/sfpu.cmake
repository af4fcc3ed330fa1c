# The operations of the vector unit and SFPI, through tile_program.h.
lightmetal_test(sfpu_test
  SOURCES sfpu_test.cc sfpu_edge_test.cc sfpu_binary_test.cc sfpu_integer_test.cc sfpi_test.cc topk_test.cc
          tile_program.cc tile_values.cc
  DEPENDS LightMetal::device hwy::hwy)  # hwy: chooses the instruction set that the device computes with
