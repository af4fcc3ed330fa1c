# Captures that begin in the middle of a program's life, and files cut out of others.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(snapshot_test
    SOURCES capture/snapshot_test.cc capture/snapshot_begin_test.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  lightmetal_test(trim_test LONG SOURCES replay/trim_test.cc replay/trim_goldens_test.cc replay/unreplayed_trace_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)
  lightmetal_test(random_parts_test SOURCES replay/random_parts_test.cc DEPENDS LightMetal::replay LABELS needs_capture)
  foreach(name snapshot_test trim_test)
    target_compile_definitions(${name} PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
    add_dependencies(${name} lightmetal_runner)
  endforeach()
  target_compile_definitions(trim_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_dependencies(trim_test lightmetal_examples)
endif()
