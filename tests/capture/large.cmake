# Files larger than memory should be.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(large_spill_test SOURCES capture/large_spill_test.cc
                  DEPENDS LightMetal::LightMetal LABELS needs_capture)

  add_executable(large_child capture/large_child.cc)
  target_link_libraries(large_child PRIVATE LightMetal::api)
  lightmetal_options(large_child)

  lightmetal_test(large_test SOURCES capture/large_test.cc
                  DEPENDS LightMetal::base LABELS needs_capture release_only)
  target_compile_definitions(large_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_dependencies(large_test large_child lightmetal_runner)

  # Needs 8 GiB of disk and some minutes: part of `ctest -C long`, which is `scripts/check long`, and of nothing else.
  add_test(NAME large_test.EightGiB COMMAND large_test CONFIGURATIONS long)
  set_tests_properties(large_test.EightGiB PROPERTIES
    LABELS long TIMEOUT 1800 RUN_SERIAL TRUE ENVIRONMENT "LIGHTMETAL_LARGE_MIB=8192")
endif()
