# The larger examples, from within and as a person runs them.
lightmetal_test(flagship_test SOURCES whole/transformer_test.cc whole/transformer_replay_test.cc whole/image_filter_test.cc
                DEPENDS lightmetal_transformer_block lightmetal_image_filter LightMetal::base LABELS needs_capture)
target_compile_definitions(flagship_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(flagship_test transformer_block image_filter lightmetal_runner)
