# Captures whose program ends badly, starts others or has no room for its file; flight recorders and intents.
if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(crash_child ${CMAKE_CURRENT_LIST_DIR}/crash_child.cc)
  target_link_libraries(crash_child PRIVATE LightMetal::api)
  lightmetal_options(crash_child)
  set(full_tmpfs 50)
  if(LIGHTMETAL_SANITIZE)
    set(full_tmpfs 5)
  endif()
  set(tests flight_recorder_test)
  # Children that fork or die of signals hang in ThreadSanitizer itself.
  if(NOT LIGHTMETAL_SANITIZE STREQUAL "thread")
    list(APPEND tests crash_endings_test crash_disk_test crash_file_test flight_recorder_endings_test intents_test)
  endif()
  foreach(test ${tests})
    lightmetal_test(${test} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${test}.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
                    DEPENDS LightMetal::replay LABELS needs_capture)
    target_compile_definitions(${test} PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                               LIGHTMETAL_CRASH_CHILD="$<TARGET_FILE:crash_child>"
                                               LIGHTMETAL_FULL_TMPFS=${full_tmpfs})
    add_dependencies(${test} crash_child lightmetal_runner)
  endforeach()
endif()
