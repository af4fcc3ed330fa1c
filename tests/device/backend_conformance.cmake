# One set of checks for every backend (tests/backend_conformance), and a program that runs them.
find_package(GTest REQUIRED)
set(conformance ${CMAKE_CURRENT_SOURCE_DIR}/backend_conformance)
add_library(lightmetal_backend_conformance STATIC
  ${conformance}/conformance.cc ${conformance}/opening_checks.cc ${conformance}/memory_checks.cc ${conformance}/kernel_checks.cc
  ${conformance}/launch_checks.cc ${conformance}/error_checks.cc ${conformance}/concurrency_checks.cc)
target_link_libraries(lightmetal_backend_conformance PUBLIC LightMetal::device GTest::gmock GTest::gtest)
lightmetal_options(lightmetal_backend_conformance)
lightmetal_unity(lightmetal_backend_conformance)
separate_arguments(test_flags UNIX_COMMAND "${LIGHTMETAL_TEST_FLAGS}")
target_compile_options(lightmetal_backend_conformance PRIVATE ${test_flags})

add_executable(lightmetal_backend_check ${conformance}/main.cc)
target_link_libraries(lightmetal_backend_check PRIVATE lightmetal_backend_conformance)
lightmetal_options(lightmetal_backend_check)
install(TARGETS lightmetal_backend_check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)

# lightmetal_conformance_test(NAME DEVICE NAME_OR_PATH [GAPS FILE]): CTest runs each check on a backend as NAME.Conformance.CHECK.
function(lightmetal_conformance_test name)
  cmake_parse_arguments(ARG "" "DEVICE;GAPS" "" ${ARGN})
  include(GoogleTest)
  set(arguments --device ${ARG_DEVICE})
  if(ARG_GAPS)
    list(APPEND arguments --gaps ${ARG_GAPS})
  endif()
  gtest_discover_tests(lightmetal_backend_check TEST_PREFIX ${name}. TEST_LIST ${name}_tests EXTRA_ARGS ${arguments} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 ENVIRONMENT "LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")
endfunction()

lightmetal_conformance_test(cpu DEVICE cpu)
lightmetal_conformance_test(null DEVICE null GAPS ${conformance}/null_gaps.txt)

lightmetal_test(backend_suite_test SOURCES ${conformance}/suite_test.cc DEPENDS lightmetal_backend_conformance)
target_compile_definitions(backend_suite_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                      LIGHTMETAL_BACKEND_CHECK="$<TARGET_FILE:lightmetal_backend_check>")
add_dependencies(backend_suite_test lightmetal_backend_check)
