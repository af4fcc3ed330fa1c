# The kernel side of the CPU device: compiler and tile maths.
lightmetal_test(compiler_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compiler_test.cc ${CMAKE_CURRENT_LIST_DIR}/compiler_address_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/compiler_api_test.cc ${CMAKE_CURRENT_LIST_DIR}/compiler_outside_test.cc
  DEPENDS LightMetal::device ${CMAKE_DL_LIBS})
lightmetal_test(tiles_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/tiles_test.cc ${CMAKE_CURRENT_LIST_DIR}/tiles_format_test.cc
  DEPENDS LightMetal::device)

# For scripts/outside_kernels.
add_executable(kernel_compile ${CMAKE_CURRENT_LIST_DIR}/kernel_compile.cc)
target_link_libraries(kernel_compile PRIVATE LightMetal::device)
lightmetal_options(kernel_compile)
