# Programs that run compute kernels on tiles, through tile_program.h; the host's packers against the same conversions.
lightmetal_test(tile_api_test
  SOURCES tile_api_test.cc tile_calls.cc tile_layout_test.cc tile_targets_test.cc tile_host_format_test.cc tile_program.cc
          tile_values.cc
  DEPENDS LightMetal::api hwy::hwy)
