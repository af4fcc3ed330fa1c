# What the CPU device finds out about kernels that go wrong.
lightmetal_test(diagnosis_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/diagnosis_test.cc ${CMAKE_CURRENT_LIST_DIR}/diagnosis_checks_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/tolerance_test.cc source_lines_test.cc
  DEPENDS LightMetal::device)

# Debuggers and sanitizers do not mix.
lightmetal_test(gdb_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/gdb_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
                DEPENDS LightMetal::base LABELS "release_only;needs_capture")
target_compile_definitions(gdb_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(gdb_test loopback lightmetal_runner)
