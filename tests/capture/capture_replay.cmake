# Captures, replays and the runner.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(recorder_test SOURCES capture/recorder_test.cc capture/record_test.cc capture/call_gate_test.cc capture/file_data_test.cc
                  DEPENDS LightMetal::capture LABELS needs_capture)

  add_test(NAME record_messages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/capture/record_messages.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                                        ${CMAKE_CXX_COMPILER})
  set_tests_properties(record_messages PROPERTIES LABELS "release_only;needs_capture")

  lightmetal_test(queue_order_test SOURCES api/queue_order_test.cc DEPENDS LightMetal::LightMetal
                  LABELS needs_capture)

  lightmetal_test(capture_test
    SOURCES capture/capture_test.cc capture/captured_program_test.cc replay/replay_test.cc
            replay/replay_objects_test.cc replay/replay_reads_test.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  foreach(child IN ITEMS capture_child captured_program_child)
    add_executable(${child} capture/${child}.cc)
    target_link_libraries(${child} PRIVATE LightMetal::api)
    lightmetal_options(${child})
    string(TOUPPER ${child} name)
    target_compile_definitions(capture_test PRIVATE LIGHTMETAL_${name}="$<TARGET_FILE:${child}>")
    add_dependencies(capture_test ${child})
  endforeach()

  # Children that fork or die of signals hang in ThreadSanitizer itself; recorder_test has two captures at a time there.
  if(NOT LIGHTMETAL_SANITIZE STREQUAL "thread")
    lightmetal_test(nested_capture_test LONG
      SOURCES capture/nested_capture_test.cc
      DEPENDS LightMetal::replay LABELS needs_capture)
    add_executable(nested_capture_child capture/nested_capture_child.cc)
    target_link_libraries(nested_capture_child PRIVATE LightMetal::api)
    lightmetal_options(nested_capture_child)
    target_compile_definitions(nested_capture_test PRIVATE
      LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
      LIGHTMETAL_CRASH_CHILD=""
      LIGHTMETAL_NESTED_CAPTURE_CHILD="$<TARGET_FILE:nested_capture_child>")
    add_dependencies(nested_capture_test nested_capture_child lightmetal_runner snapshot_test queue_order_test
                                         captured_replay_test mesh_capture_test flight_recorder_test)
  endif()

  lightmetal_test(captured_replay_test
    SOURCES replay/captured_replay_test.cc replay/descriptor_replay_test.cc replay/program_spec_replay_test.cc
            replay/tile_shapes_replay_test.cc
    DEPENDS LightMetal::replay LABELS needs_capture)

  lightmetal_test(compare_test SOURCES replay/compare_test.cc DEPENDS LightMetal::replay LABELS needs_capture)

  lightmetal_test(device_profile_test SOURCES replay/device_profile_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)

  lightmetal_test(runner_test LONG SOURCES runner/runner_test.cc runner/nearest_test.cc ${PROJECT_SOURCE_DIR}/runner/nearest.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(bench_test SOURCES runner/bench_test.cc DEPENDS LightMetal::replay LABELS needs_capture)
  lightmetal_test(schedule_test SOURCES runner/schedule_test.cc runner/split_schedule_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)
  set(runner_tests bench_test schedule_test)
  foreach(test IN LISTS runner_tests)
    target_compile_definitions(${test} PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
  endforeach()
  foreach(test IN LISTS runner_tests ITEMS runner_test)
    target_compile_definitions(${test} PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
    add_dependencies(${test} lightmetal_runner)
  endforeach()
  target_compile_definitions(runner_test PRIVATE LIGHTMETAL_COMPLETIONS="${PROJECT_BINARY_DIR}/runner/completions")

  lightmetal_test(suite_test LONG SOURCES runner/suite_test.cc ${PROJECT_SOURCE_DIR}/runner/file_list.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  target_compile_definitions(suite_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>"
                                                LIGHTMETAL_MPIRUN="${LIGHTMETAL_MPIRUN}"
                                                LIGHTMETAL_GOLDEN_FOLDER="${PROJECT_SOURCE_DIR}/tests/golden")
  add_dependencies(suite_test lightmetal_runner)
else()
  lightmetal_test(no_capture_test SOURCES capture/no_capture_test.cc DEPENDS LightMetal::api)
endif()
