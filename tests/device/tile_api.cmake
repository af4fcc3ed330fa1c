# Programs that run compute kernels on tiles, through tile_program.h; the host's packers against the same conversions.
lightmetal_test(tile_api_test
  SOURCES device/tiles/dst_sections_test.cc device/tiles/tile_api_test.cc device/tiles/tile_calls.cc device/tiles/tile_layout_test.cc device/tiles/tile_shapes_test.cc device/tiles/tile_targets_test.cc
          device/tiles/tile_host_format_test.cc device/tiles/tile_program.cc device/tiles/tile_values.cc
  DEPENDS LightMetal::api hwy::hwy)
