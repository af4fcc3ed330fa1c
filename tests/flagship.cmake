# The larger examples, from within and as a person runs them.
function(flagship_test name example)
  lightmetal_test(${name} SOURCES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.cc
                                  ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/process.cc
                  DEPENDS lightmetal_${example} LightMetal::base LABELS needs_capture ${ARGN})
  target_compile_definitions(${name} PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_dependencies(${name} ${example} lightmetal_runner)
endfunction()

flagship_test(transformer_test transformer_block)
flagship_test(transformer_replay_test transformer_block)
flagship_test(image_filter_test image_filter)
