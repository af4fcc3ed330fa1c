# What the CPU device finds out about kernels that go wrong.
lightmetal_test(diagnosis_test
  SOURCES device/diagnosis_test.cc device/diagnosis_checks_test.cc
          device/endless_kernels_test.cc device/tolerance_test.cc device/source_lines_test.cc
          device/watchdog_test.cc device/word_waiters_test.cc device/delayed_transfers_test.cc device/written_pages_test.cc
          device/launch_state_test.cc
  DEPENDS LightMetal::device)

# Debuggers and sanitizers do not mix.
lightmetal_test(gdb_test SOURCES device/gdb_test.cc
                DEPENDS LightMetal::base LABELS "release_only;needs_capture")
target_compile_definitions(gdb_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(gdb_test loopback lightmetal_runner)
