# Ethernet cores: kernels that send to other chips.
lightmetal_test(ethernet_test
  SOURCES ethernet_test.cc ethernet_api_test.cc ethernet_program.cc parallel_compile_test.cc process.cc
  DEPENDS LightMetal::replay absl::time)
if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(ethernet_child ${CMAKE_CURRENT_LIST_DIR}/ethernet_child.cc ${CMAKE_CURRENT_LIST_DIR}/ethernet_program.cc)
  target_link_libraries(ethernet_child PRIVATE LightMetal::api)
  lightmetal_options(ethernet_child)
  target_compile_definitions(ethernet_test PRIVATE LIGHTMETAL_ETHERNET_CHILD="$<TARGET_FILE:ethernet_child>")
  add_dependencies(ethernet_test ethernet_child)
endif()
