# Captures, replays and the runner.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(recorder_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/recorder_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
                  DEPENDS LightMetal::capture LABELS needs_capture)

  lightmetal_test(call_gate_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/call_gate_test.cc
                  DEPENDS LightMetal::capture LABELS needs_capture)

  lightmetal_test(capture_test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/capture_test.cc ${CMAKE_CURRENT_LIST_DIR}/every_call.cc
            ${CMAKE_CURRENT_LIST_DIR}/process.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  add_executable(capture_child ${CMAKE_CURRENT_LIST_DIR}/capture_child.cc)
  target_link_libraries(capture_child PRIVATE LightMetal::api)
  lightmetal_options(capture_child)
  target_compile_definitions(capture_test PRIVATE LIGHTMETAL_CAPTURE_CHILD="$<TARGET_FILE:capture_child>")
  add_dependencies(capture_test capture_child)

  lightmetal_test(captured_program_test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/captured_program_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  add_executable(captured_program_child ${CMAKE_CURRENT_LIST_DIR}/captured_program_child.cc)
  target_link_libraries(captured_program_child PRIVATE LightMetal::api)
  lightmetal_options(captured_program_child)
  target_compile_definitions(captured_program_test PRIVATE
    LIGHTMETAL_CAPTURED_PROGRAM_CHILD="$<TARGET_FILE:captured_program_child>")
  add_dependencies(captured_program_test captured_program_child)

  # Children that fork or die of signals hang in ThreadSanitizer itself; recorder_test has two captures at a time there.
  if(NOT LIGHTMETAL_SANITIZE STREQUAL "thread")
    lightmetal_test(nested_capture_test
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/nested_capture_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
      DEPENDS LightMetal::replay LABELS needs_capture)
    add_executable(nested_capture_child ${CMAKE_CURRENT_LIST_DIR}/nested_capture_child.cc)
    target_link_libraries(nested_capture_child PRIVATE LightMetal::api)
    lightmetal_options(nested_capture_child)
    target_compile_definitions(nested_capture_test PRIVATE
      LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
      LIGHTMETAL_CRASH_CHILD=""
      LIGHTMETAL_NESTED_CAPTURE_CHILD="$<TARGET_FILE:nested_capture_child>")
    add_dependencies(nested_capture_test nested_capture_child lightmetal_runner snapshot_test queue_order_test
                                         captured_replay_test mesh_capture_test flight_recorder_test)
  endif()

  lightmetal_test(captured_replay_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/captured_replay_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)

  lightmetal_test(replay_test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_test.cc ${CMAKE_CURRENT_LIST_DIR}/every_call.cc
    DEPENDS LightMetal::replay LABELS needs_capture)

  lightmetal_test(runner_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/runner_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  target_compile_definitions(runner_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
  add_dependencies(runner_test lightmetal_runner)
else()
  lightmetal_test(no_capture_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/no_capture_test.cc DEPENDS LightMetal::api)
endif()
