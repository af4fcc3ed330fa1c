# Whole operators with the kernels of a ttnn package (tests/operators/README.md). Skipped where there is none; `scripts/check long` has one.
file(GLOB operator_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} operators/*_test.cc)
lightmetal_test(operators_test SOURCES ${operator_tests} operators/packaged_operator.cc operators/specified_operator.cc
                DEPENDS LightMetal::LightMetal LABELS needs_capture release_only)
target_compile_definitions(operators_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(operators_test lightmetal_runner)
