# CTest runs it as one test, whose cases share an install tree and a build.
lightmetal_test_program(outside_backend_test SOURCES device/outside_backend_test.cc)
target_compile_definitions(outside_backend_test PRIVATE LIGHTMETAL_CMAKE_COMMAND="${CMAKE_COMMAND}"
                                                        LIGHTMETAL_BUILD_FOLDER="${PROJECT_BINARY_DIR}"
                                                        LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
add_dependencies(outside_backend_test lightmetal_backend_check)
lightmetal_without_sanitizers(outside_backend_test)
add_test(NAME outside_backend_test COMMAND outside_backend_test)
set_tests_properties(outside_backend_test PROPERTIES LABELS "release_only;needs_capture" TIMEOUT 3600)
