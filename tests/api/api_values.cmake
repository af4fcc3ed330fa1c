lightmetal_test(api_values_test
  SOURCES api/core_coord_test.cc api/allocator_test.cc api/buffer_layout_test.cc api/buffer_test.cc api/helpers_test.cc
          api/blockfloat_test.cc api/mesh_coord_test.cc
  DEPENDS LightMetal::api)
