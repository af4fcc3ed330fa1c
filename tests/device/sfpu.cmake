# The operations of the vector unit and SFPI, through tile_program.h.
lightmetal_test(sfpu_test
  SOURCES device/sfpu/sfpu_test.cc device/sfpu/sfpu_edge_test.cc device/sfpu/sfpu_binary_test.cc device/sfpu/sfpu_integer_test.cc
          device/sfpu/sfpu_of_2026_test.cc device/sfpu/sfpi_test.cc device/sfpu/topk_test.cc device/tiles/tile_program.cc device/tiles/tile_values.cc
  DEPENDS LightMetal::device hwy::hwy)  # hwy: chooses the instruction set that the device computes with
# The same with unpack, math and pack as three processors: functions, and activations of the packer.
add_test(NAME sfpu_test.InParts COMMAND sfpu_test --gtest_brief=1
         --gtest_filter=SfpuBinary.FunctionsOfTwo*:SfpuOf2026.Activations*)
set_tests_properties(sfpu_test.InParts PROPERTIES TIMEOUT 300
                     ENVIRONMENT "LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR};LIGHTMETAL_CPU_DEVICE_SCHEDULE=split")
