# Files as executables.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(executable_test SOURCES runtime/buffer_form_test.cc runtime/executable_test.cc runtime/runtime_test.cc
                  DEPENDS LightMetal::runtime LABELS needs_capture)
  # Children that fork hang in ThreadSanitizer itself.
  if(NOT LIGHTMETAL_SANITIZE)
    lightmetal_test(forked_device_test SOURCES runtime/forked_device_test.cc DEPENDS LightMetal::runtime LABELS needs_capture)
  endif()
  lightmetal_test(relocation_test SOURCES runtime/relocation_test.cc DEPENDS LightMetal::runtime LABELS needs_capture)

  # Files that processes of their own capture, run one behind the other.
  add_executable(capture_stages runtime/capture_stages.cc runtime/stage_capture.cc)
  target_link_libraries(capture_stages PRIVATE LightMetal::api)
  lightmetal_options(capture_stages)
  add_library(lightmetal_paged_memory MODULE outside_backend/paged_memory.cc)
  target_link_libraries(lightmetal_paged_memory PRIVATE LightMetal::backend)
  lightmetal_options(lightmetal_paged_memory)
  lightmetal_test(stitching_test SOURCES runtime/overlap_test.cc runtime/stitching_test.cc support/linked_device.cc
                  DEPENDS LightMetal::runtime LABELS needs_capture)
  target_compile_definitions(stitching_test PRIVATE LIGHTMETAL_CAPTURE_STAGES="$<TARGET_FILE:capture_stages>"
                                                    LIGHTMETAL_PAGED_MEMORY="$<TARGET_FILE:lightmetal_paged_memory>")
  add_dependencies(stitching_test capture_stages lightmetal_paged_memory)

  # Seconds in every run, and ten minutes in `scripts/check long`, there under the sanitizers too.
  lightmetal_test(soak_test SOURCES runtime/soak_test.cc runtime/stage_capture.cc DEPENDS LightMetal::runtime LABELS needs_capture)
  add_test(NAME soak_test.TenMinutes COMMAND soak_test CONFIGURATIONS long)
  set_tests_properties(soak_test.TenMinutes PROPERTIES
    LABELS long TIMEOUT 1200 ENVIRONMENT "LIGHTMETAL_SOAK_SECONDS=600;LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")

  # Some seeds in every run, a thousand in `scripts/check long`.
  lightmetal_test(random_executables_test SOURCES runtime/random_executables_test.cc DEPENDS LightMetal::runtime LABELS needs_capture)
  add_test(NAME random_executables_test.Thousand COMMAND random_executables_test CONFIGURATIONS long)
  set_tests_properties(random_executables_test.Thousand PROPERTIES
    LABELS long TIMEOUT 3600 ENVIRONMENT "LIGHTMETAL_RANDOM_PROGRAMS=1000;LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")

  # Replaces the functions that allocate memory, as sanitizers do.
  if(NOT LIGHTMETAL_SANITIZE)
    lightmetal_test(run_allocation_test SOURCES runtime/run_allocation_test.cc ${PROJECT_SOURCE_DIR}/benchmarks/counted_allocations.cc
                    DEPENDS LightMetal::runtime LABELS needs_capture)
  endif()
  lightmetal_test(runtime_tensor_test
                  SOURCES runtime/lattice_test.cc runtime/retain_test.cc runtime/submit_test.cc runtime/tensor_test.cc
                  DEPENDS LightMetal::runtime LABELS needs_capture)
endif()
