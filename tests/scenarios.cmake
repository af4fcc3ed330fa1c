# Upstream's scenarios, through capture and replay.
lightmetal_test(scenarios_test SOURCES scenarios_test.cc upstream_bugs_test.cc DEPENDS LightMetal::LightMetal
                LABELS needs_capture)
target_compile_definitions(scenarios_test PRIVATE LIGHTMETAL_TEST_KERNELS="${CMAKE_CURRENT_LIST_DIR}/kernels")
