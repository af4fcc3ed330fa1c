# Ethernet cores: kernels that send to other chips.
lightmetal_test(ethernet_test
  SOURCES device/ethernet_test.cc device/ethernet_api_test.cc device/ethernet_program.cc device/parallel_compile_test.cc
  DEPENDS LightMetal::replay absl::time)
if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(ethernet_child device/ethernet_child.cc device/ethernet_program.cc)
  target_link_libraries(ethernet_child PRIVATE LightMetal::api)
  lightmetal_options(ethernet_child)
  target_compile_definitions(ethernet_test PRIVATE LIGHTMETAL_ETHERNET_CHILD="$<TARGET_FILE:ethernet_child>")
  add_dependencies(ethernet_test ethernet_child)
endif()
