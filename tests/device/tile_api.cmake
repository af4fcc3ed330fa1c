# Programs that run compute kernels on tiles, through tile_program.h; the host's packers against the same conversions.
lightmetal_test(tile_api_test
  SOURCES device/tiles/dst_sections_test.cc device/tiles/tile_api_test.cc device/tiles/tile_calls.cc device/tiles/tile_layout_test.cc device/tiles/tile_shapes_test.cc device/tiles/tile_targets_test.cc
          device/tiles/tile_host_format_test.cc device/tiles/tile_program.cc device/tiles/tile_values.cc
  DEPENDS LightMetal::api hwy::hwy)
# Unpack, math and pack of compute kernels as three processors.
lightmetal_test(parts_test SOURCES device/parts_test.cc device/tiles/tile_program.cc device/tiles/tile_values.cc DEPENDS LightMetal::api)
# The kernels of other tests that wait for what they pack, with results as by default.
add_test(NAME tile_api_test.InParts COMMAND tile_api_test --gtest_brief=1
         --gtest_filter=Formats/TileArithmetic.Gives*/Float16_b:Kernels/DstSections.AreThePackersOwn*/HalfSync:Kernels/DstSections.HoldZeros*/FullSyncFp32:WholeNumbers/Layout.*Untilize*/Format9:TileApi.ArithmeticOnIntegers*)
set_tests_properties(tile_api_test.InParts PROPERTIES TIMEOUT 300
                     ENVIRONMENT "LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR};LIGHTMETAL_CPU_DEVICE_SCHEDULE=random:1,split")
