# Programs that run compute kernels on tiles, through tile_program.h.
lightmetal_test(tile_api_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/tile_api_test.cc
                                      ${CMAKE_CURRENT_LIST_DIR}/tile_calls.cc
                                      ${CMAKE_CURRENT_LIST_DIR}/tile_program.cc
                                      ${CMAKE_CURRENT_LIST_DIR}/tile_values.cc
                DEPENDS LightMetal::device)
lightmetal_test(tile_layout_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/tile_layout_test.cc
                                         ${CMAKE_CURRENT_LIST_DIR}/tile_program.cc
                                         ${CMAKE_CURRENT_LIST_DIR}/tile_values.cc
                DEPENDS LightMetal::device)
# The host's packers against the same conversions.
lightmetal_test(tile_host_format_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/tile_host_format_test.cc
                                              ${CMAKE_CURRENT_LIST_DIR}/tile_values.cc
                DEPENDS LightMetal::api)
lightmetal_test(tile_targets_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/tile_targets_test.cc
                                          ${CMAKE_CURRENT_LIST_DIR}/tile_values.cc
                DEPENDS LightMetal::device hwy::hwy)
