# The operations of the vector unit and SFPI, through tile_program.h.
foreach(test sfpu_test sfpu_edge_test sfpu_binary_test sfpu_integer_test sfpi_test topk_test)
  lightmetal_test(${test} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${test}.cc
                                  ${CMAKE_CURRENT_LIST_DIR}/tile_program.cc
                                  ${CMAKE_CURRENT_LIST_DIR}/tile_values.cc
                  DEPENDS LightMetal::device)
endforeach()
# Chooses the instruction set that the device computes with.
target_link_libraries(sfpu_edge_test PRIVATE hwy::hwy)
