# Entries of files, run with values for their inputs.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(run_entry_test LONG SOURCES runner/bind_test.cc runner/relocate_test.cc runner/run_entry_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  target_compile_definitions(run_entry_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>"
                                                    LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                    LIGHTMETAL_GOLDEN_FOLDER="${PROJECT_SOURCE_DIR}/tests/golden"
                                                    LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_dependencies(run_entry_test lightmetal_runner loopback matmul_multi_core trace_two_programs transformer_block vecadd_multi_core)
endif()
