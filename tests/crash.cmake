# Captures that are cut short. The sanitizers see a few of them, which takes long enough.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(crash_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/crash_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
                  DEPENDS LightMetal::schema LABELS needs_capture)
  set(crashes 100)  # of each of two programs
  set(full_disks 50)
  if(LIGHTMETAL_SANITIZE)
    set(crashes 5)
    set(full_disks 5)
  endif()
  target_compile_definitions(crash_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                                LIGHTMETAL_CRASHES=${crashes} LIGHTMETAL_FULL_DISKS=${full_disks})
  add_dependencies(crash_test lightmetal_examples lightmetal_runner)
endif()
