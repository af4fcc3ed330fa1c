# The kernel side of the CPU device: compiler and tile maths.
lightmetal_test(compiler_test LONG
  SOURCES device/compiler/compiler_test.cc device/compiler/compiler_address_test.cc
          device/compiler/compiler_api_test.cc device/compiler/compiler_outside_test.cc
  DEPENDS LightMetal::device ${CMAKE_DL_LIBS})
lightmetal_test(tiles_test
  SOURCES device/tiles/tiles_test.cc device/tiles/tiles_format_test.cc
  DEPENDS LightMetal::device)

# For scripts/outside_kernels and scripts/kernels_of_today.
add_executable(kernel_compile device/compiler/kernel_compile.cc)
target_link_libraries(kernel_compile PRIVATE LightMetal::device)
lightmetal_options(kernel_compile)
lightmetal_without_sanitizers(kernel_compile)
