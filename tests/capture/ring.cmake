# Captures whose program ends badly, starts others or has no room for its file; flight recorders and intents. The sanitizers see
# a few of those that are cut short, which takes long enough.
if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(crash_child capture/crash_child.cc)
  target_link_libraries(crash_child PRIVATE LightMetal::api)
  lightmetal_options(crash_child)
  set(crashes 100)  # of each of two programs
  set(full_disks 50)
  set(forks 500)
  if(LIGHTMETAL_SANITIZE)
    set(crashes 5)
    set(full_disks 5)
    set(forks 50)
  endif()
  target_compile_definitions(crash_child PRIVATE LIGHTMETAL_FORKS=${forks})
  lightmetal_test(flight_recorder_test SOURCES capture/flight_recorder_test.cc DEPENDS LightMetal::replay LABELS needs_capture)
  set(tests flight_recorder_test)
  # Children that fork or die of signals hang in ThreadSanitizer itself.
  if(NOT LIGHTMETAL_SANITIZE STREQUAL "thread")
    lightmetal_test(crash_test LONG
      SOURCES capture/crash_test.cc capture/crash_endings_test.cc capture/crash_disk_test.cc capture/crash_file_test.cc
              capture/flight_recorder_endings_test.cc capture/intents_test.cc
      DEPENDS LightMetal::replay LABELS needs_capture)
    list(APPEND tests crash_test)
  endif()
  foreach(test ${tests})
    target_compile_definitions(${test} PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                               LIGHTMETAL_CRASH_CHILD="$<TARGET_FILE:crash_child>"
                                               LIGHTMETAL_CRASHES=${crashes} LIGHTMETAL_FULL_DISKS=${full_disks})
    add_dependencies(${test} crash_child lightmetal_examples lightmetal_runner)
  endforeach()
endif()
