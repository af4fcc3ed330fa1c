# Whose files are executed, and what they can reach.
# Not with sanitizers, as sandbox_test.
lightmetal_test(system_call_filter_test
                SOURCES runner/system_call_filter_test.cc ${PROJECT_SOURCE_DIR}/runner/system_call_filter.cc
                DEPENDS LightMetal::device LABELS release_only)
set(children_sources children.cc command_line.cc lost_file.cc mpi_job.cc nearest.cc progress.cc signal_queue.cc)
list(TRANSFORM children_sources PREPEND ${PROJECT_SOURCE_DIR}/runner/)
lightmetal_test(children_test SOURCES runner/children_test.cc ${children_sources}
                DEPENDS LightMetal::device cxxopts::cxxopts LABELS release_only)
target_compile_definitions(children_test PRIVATE LIGHTMETAL_HAS_MPI=0 LIGHTMETAL_LIBEXEC="")
lightmetal_test(lost_file_test
                SOURCES runner/lost_file_test.cc ${PROJECT_SOURCE_DIR}/runner/lost_file.cc
                DEPENDS LightMetal::device LABELS release_only)

# The device's tests, run as in the sandbox. One CTest test, since its cases are known by these names already. Not with
# sanitizers: their runtimes keep notes of their own beside what kernels write to, where guarded kernels may not write.
if(NOT LIGHTMETAL_SANITIZE)
  lightmetal_test_program(guarded_device_test SOURCES
    device/device_launch_test.cc device/full_stack_test.cc device/tiles/tile_api_test.cc
    device/tiles/tile_calls.cc device/tiles/tile_program.cc
    device/tolerance_test.cc device/tiles/tile_values.cc device/guarded_process.cc
    device/guarded_services_test.cc
    DEPENDS Boost::context)
  add_test(NAME guarded_device_test COMMAND guarded_device_test)
  set_tests_properties(guarded_device_test PROPERTIES TIMEOUT 300
                       ENVIRONMENT "LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")
endif()

if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(trust_test SOURCES runner/trust_test.cc schema/signature_test.cc device/kernel_image_test.cc device/kernel_loader_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)
  target_compile_definitions(trust_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
  add_dependencies(trust_test lightmetal_runner)

  # Not with sanitizers: their runtime opens files, maps memory at fixed addresses and handles the signals that the sandbox
  # works with, so a sanitized runner cannot enter it.
  lightmetal_test(sandbox_test SOURCES runner/sandbox_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture release_only)
  target_compile_definitions(sandbox_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
  add_dependencies(sandbox_test lightmetal_runner)
endif()
