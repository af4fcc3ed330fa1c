# Ethernet cores: kernels that send to other chips.
lightmetal_test(ethernet_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/ethernet_test.cc
                DEPENDS LightMetal::device absl::time)

lightmetal_test(ethernet_api_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/ethernet_api_test.cc ${CMAKE_CURRENT_LIST_DIR}/ethernet_program.cc
          ${CMAKE_CURRENT_LIST_DIR}/process.cc
  DEPENDS LightMetal::replay)
if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(ethernet_child ${CMAKE_CURRENT_LIST_DIR}/ethernet_child.cc ${CMAKE_CURRENT_LIST_DIR}/ethernet_program.cc)
  target_link_libraries(ethernet_child PRIVATE LightMetal::api)
  lightmetal_options(ethernet_child)
  target_compile_definitions(ethernet_api_test PRIVATE LIGHTMETAL_ETHERNET_CHILD="$<TARGET_FILE:ethernet_child>")
  add_dependencies(ethernet_api_test ethernet_child)
endif()

lightmetal_test(parallel_compile_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/parallel_compile_test.cc DEPENDS LightMetal::api)
