include_guard()
include(GNUInstallDirs)

# Where the headers of the package lie: below a folder of their own, as some have the names of headers of other packages, which they
# stand for in programs.
set(LIGHTMETAL_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/lightmetal)

# lightmetal_library(NAME [HOT] SOURCES... [DEPENDS TARGETS...] [PRIVATE_DEPENDS TARGETS...])
# The one library of a folder: include paths start at the project's root, warnings are on, and it is installed. With HOT it is
# one of those that lightmetal_hot() is for.
function(lightmetal_library name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(lightmetal_${name} STATIC ${ARG_SOURCES})
  add_library(LightMetal::${name} ALIAS lightmetal_${name})
  set_target_properties(lightmetal_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(lightmetal_${name} PUBLIC cxx_std_20)
  target_include_directories(lightmetal_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                       $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                                                       $<INSTALL_INTERFACE:${LIGHTMETAL_INSTALL_INCLUDEDIR}/internal>)
  target_link_libraries(lightmetal_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  lightmetal_options(lightmetal_${name})
  if(ARG_HOT)
    lightmetal_hot(lightmetal_${name})
  endif()
  lightmetal_unity(lightmetal_${name})
  install(TARGETS lightmetal_${name} EXPORT LightMetalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# The header that nearly all sources of a target begin with, compiled once. Each source includes what it uses all the same. Units of
# LIGHTMETAL_UNITY are too few for it: compiling the header takes longer than reading it in each.
function(lightmetal_precompile target header)
  if(NOT LIGHTMETAL_UNITY)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
  endif()
endfunction()

# With LIGHTMETAL_UNITY a target's sources are compiled two dozen at a time, so even in anonymous namespaces two of them may not give
# one name to two things.
function(lightmetal_unity target)
  if(LIGHTMETAL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
    # GCC takes a source within a unit for a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Warnings and sanitizers for one of our own targets.
function(lightmetal_options target)
  # GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651).
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${LIGHTMETAL_WERROR}>:-Werror>
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  # Errors name our sources as the tree does, wherever it lies; captured files hold such errors.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(LIGHTMETAL_SANITIZE)
    # GCC warns of each fence that ThreadSanitizer does not see, and of values that its own instrumentation hides from it.
    # A finding ends the program, so that its test fails.
    target_compile_options(${target} PRIVATE -fsanitize=${LIGHTMETAL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${LIGHTMETAL_SANITIZE})
    # UndefinedBehaviorSanitizer describes each check with pointers. At a fixed address nothing has to relocate these million pointers, and
    # a program starts and ends in half the time.
    if(LIGHTMETAL_SANITIZE MATCHES "address")
      target_link_options(${target} PUBLIC $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
  endif()
endfunction()

# Tests spend their time in these: they have LIGHTMETAL_HOT_FLAGS.
function(lightmetal_hot)
  separate_arguments(flags UNIX_COMMAND "${LIGHTMETAL_HOT_FLAGS}")
  foreach(target IN LISTS ARGV)
    target_compile_options(${target} PRIVATE ${flags})
  endforeach()
endfunction()

# What no test with sanitizers runs is not built with them.
function(lightmetal_without_sanitizers)
  if(LIGHTMETAL_SANITIZE)
    set_target_properties(${ARGV} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# What all sources of tests are compiled with.
function(lightmetal_test_options target)
  lightmetal_options(${target})
  if(LIGHTMETAL_ENABLE_CAPTURE)  # without it tests are few, and compiled one by one, as they have to be without LIGHTMETAL_UNITY
    lightmetal_unity(${target})
  endif()
  separate_arguments(flags UNIX_COMMAND "${LIGHTMETAL_TEST_FLAGS}")
  target_compile_options(${target} PRIVATE ${flags})
  set(sanitized 0)  # for tests of what sanitizers change: memory, system calls
  if(LIGHTMETAL_SANITIZE)
    set(sanitized 1)
  endif()
  target_compile_definitions(${target} PRIVATE LIGHTMETAL_SANITIZED=${sanitized})
endfunction()

# lightmetal_test_program(NAME SOURCES... [DEPENDS TARGETS...]): a GoogleTest program that CTest does not know yet.
function(lightmetal_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} lightmetal_test_support GTest::gtest_main)
  lightmetal_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM lightmetal_test_support)
  set_property(GLOBAL APPEND PROPERTY LIGHTMETAL_TEST_PROGRAMS ${name})
endfunction()

# CTest begins with the tests of this COST: those that take a minute or more. The last tests of a run are short then, and leave no
# processor idle.
set(LIGHTMETAL_COST_OF_LONG_TESTS 1000)

# lightmetal_test(NAME [WHOLE] [LONG] SOURCES... [DEPENDS TARGETS...] [LABELS LABELS...]): a GoogleTest program, each of its tests known
# to CTest. With WHOLE the program is, since its tests share what takes long to make; with LIGHTMETAL_TEST_PROGRAMS_WHOLE every
# program is, since to start one with sanitizers takes longer than most tests. LONG: as a whole it takes a minute or more.
# Tests assert and benchmarks measure. Labels that scripts/check knows: needs_capture (not built into every
# configuration), release_only (not for sanitizers, which do not build it).
function(lightmetal_test name)
  cmake_parse_arguments(ARG "WHOLE;LONG" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  include(GoogleTest)
  lightmetal_test_program(${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})
  if(LIGHTMETAL_SANITIZE AND "release_only" IN_LIST ARG_LABELS)
    lightmetal_without_sanitizers(${name})
    return()
  endif()
  # Captures without their origin: tests compare files byte for byte.
  set(properties ENVIRONMENT "LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}"
                 ENVIRONMENT_MODIFICATION "LIGHTMETAL_CAPTURE_ORIGIN=set:0")
  if(ARG_LABELS)
    list(JOIN ARG_LABELS "+" labels)  # one label: a list would be taken apart on its way to CTest, and -LE looks for parts
    list(APPEND properties LABELS "${labels}")
  endif()
  if(ARG_WHOLE OR LIGHTMETAL_TEST_PROGRAMS_WHOLE)
    if(ARG_LONG)
      list(APPEND properties COST ${LIGHTMETAL_COST_OF_LONG_TESTS})
    endif()
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600 ${properties})
  else()
    # By names and numbers, not by values: a value that is a pointer is another one in each run.
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES PROPERTIES TIMEOUT 300 ${properties})
  endif()
endfunction()

# Writes the headers of api/header_aliases.txt when the tree is configured, and again when the table changes.
function(lightmetal_header_aliases folder)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(table ${PROJECT_SOURCE_DIR}/api/header_aliases.txt)
  set(script ${PROJECT_SOURCE_DIR}/cmake/header_aliases.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table} ${script})
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} ${table} ${folder} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The package that find_package(LightMetal) finds: every library, the runner, and the headers a program includes.
function(lightmetal_install_package)
  include(CMakePackageConfigHelpers)
  set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/LightMetal)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/LightMetalConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/LightMetalConfig.cmake INSTALL_DESTINATION ${destination})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/LightMetalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(TARGETS lightmetal EXPORT LightMetalTargets)
  install(EXPORT LightMetalTargets NAMESPACE LightMetal:: DESTINATION ${destination})
  install(FILES ${PROJECT_BINARY_DIR}/LightMetalConfig.cmake ${PROJECT_BINARY_DIR}/LightMetalConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/LightMetalGoldenTest.cmake
          DESTINATION ${destination})
  foreach(folder IN ITEMS api replay runtime embedding)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${LIGHTMETAL_INSTALL_INCLUDEDIR})
  endforeach()
  install(DIRECTORY ${LIGHTMETAL_HEADER_ALIASES}/ DESTINATION ${LIGHTMETAL_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/base DESTINATION ${LIGHTMETAL_INSTALL_INCLUDEDIR}/internal
          FILES_MATCHING PATTERN "*.h")
endfunction()
