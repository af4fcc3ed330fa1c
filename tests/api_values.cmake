lightmetal_test(api_values_test
  SOURCES core_coord_test.cc allocator_test.cc buffer_layout_test.cc buffer_test.cc helpers_test.cc blockfloat_test.cc
  DEPENDS LightMetal::api)
