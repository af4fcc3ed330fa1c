# Upstream's scenarios, through capture and replay.
lightmetal_test(scenarios_test SOURCES whole/scenarios_test.cc whole/upstream_bugs_test.cc DEPENDS LightMetal::LightMetal
                LABELS needs_capture)
target_compile_definitions(scenarios_test PRIVATE LIGHTMETAL_TEST_KERNELS="${CMAKE_CURRENT_SOURCE_DIR}/kernels")
