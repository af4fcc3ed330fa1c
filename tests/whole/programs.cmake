# Tests that run whole programs as a person would.
lightmetal_test(examples_test WHOLE LONG SOURCES whole/examples_test.cc
                DEPENDS LightMetal::base LABELS needs_capture)
target_compile_definitions(examples_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                                 LIGHTMETAL_EXAMPLES_FOLDER="${PROJECT_SOURCE_DIR}/examples")
add_dependencies(examples_test lightmetal_examples lightmetal_runner)

lightmetal_test(docs_test SOURCES whole/docs_test.cc
                DEPENDS LightMetal::base LABELS needs_capture release_only)
target_compile_definitions(docs_test PRIVATE LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                             LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
add_dependencies(docs_test lightmetal_examples lightmetal_runner lightmetal_backend_check)

# CTest tests whose cases share an install tree and a build.
lightmetal_test_program(client_test SOURCES whole/client_test.cc)
target_compile_definitions(client_test PRIVATE LIGHTMETAL_CMAKE_COMMAND="${CMAKE_COMMAND}"
                                               LIGHTMETAL_BUILD_FOLDER="${PROJECT_BINARY_DIR}"
                                               LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
add_dependencies(client_test kernel_compile)
lightmetal_without_sanitizers(client_test)
foreach(suite IN ITEMS CheckIncludes House InstallTree KernelsOfToday OutsideScripts Sobel UnitMesh)
  add_test(NAME client_test.${suite} COMMAND client_test --gtest_filter=*${suite}.*)
  set_tests_properties(client_test.${suite} PROPERTIES
    LABELS "release_only;needs_capture" TIMEOUT 3600 COST ${LIGHTMETAL_COST_OF_LONG_TESTS} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endforeach()

# Needs no built target: it generates and compiles in a copy of the tree.
add_test(NAME adding_a_command COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/adding_a_command ${CMAKE_CXX_COMPILER})
set_tests_properties(adding_a_command PROPERTIES LABELS "release_only;needs_capture" TIMEOUT 3600 COST ${LIGHTMETAL_COST_OF_LONG_TESTS})

add_test(NAME capture_option COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/capture_option_test.py ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND})
add_test(NAME check_long COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/check_long_test.py ${PROJECT_SOURCE_DIR})
add_test(NAME check_words COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/check_words_test.py ${PROJECT_SOURCE_DIR})
add_test(NAME check_units COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/check_units_test.py ${PROJECT_SOURCE_DIR})
add_test(NAME mutants COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/mutants_test.py ${PROJECT_SOURCE_DIR})
set_tests_properties(capture_option check_long check_units check_words mutants PROPERTIES LABELS "release_only;needs_capture")
add_test(NAME check_package COMMAND ${PROJECT_SOURCE_DIR}/scripts/check_package ${PROJECT_BINARY_DIR})
set_tests_properties(check_package PROPERTIES LABELS "release_only;needs_capture" TIMEOUT 3600)
set_tests_properties(check_package check_words mutants PROPERTIES COST ${LIGHTMETAL_COST_OF_LONG_TESTS})
