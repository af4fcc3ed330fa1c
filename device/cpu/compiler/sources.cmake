# The compiler of the CPU device, part of the device library; embeds the kernel headers and the rebase pass.
enable_language(C)  # LLVM's CMake package needs it.

file(GLOB llvm_packages LIST_DIRECTORIES true /usr/lib/llvm-*/lib/cmake/llvm)
list(SORT llvm_packages COMPARE NATURAL ORDER DESCENDING)
find_package(LLVM REQUIRED CONFIG HINTS ${LLVM_DIR} ${llvm_packages})
message(STATUS "Kernels are compiled with clang ${LLVM_PACKAGE_VERSION} of ${LLVM_TOOLS_BINARY_DIR}")

# The pass is loaded into clang, so it is built as clang is and never with our sanitizers; its symbols come from clang. What it is
# decides which compiled kernels a cache has.
set(LIGHTMETAL_REBASE_PASS "" CACHE FILEPATH "The rebase pass of another build, whose compiled kernels this one can use; empty: it is built")
if(LIGHTMETAL_REBASE_PASS)
  add_library(lightmetal_rebase_pass MODULE IMPORTED)
  set_target_properties(lightmetal_rebase_pass PROPERTIES IMPORTED_LOCATION ${LIGHTMETAL_REBASE_PASS})
else()
  add_library(lightmetal_rebase_pass MODULE ${CMAKE_CURRENT_LIST_DIR}/rebase_pass/rebase_pass.cc)
  separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(lightmetal_rebase_pass PRIVATE ${llvm_definitions})
  target_include_directories(lightmetal_rebase_pass SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_features(lightmetal_rebase_pass PRIVATE cxx_std_17)
  target_compile_options(lightmetal_rebase_pass PRIVATE -Wall -Wextra -fno-exceptions $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  target_link_options(lightmetal_rebase_pass PRIVATE -Wl,-s)
  set_target_properties(lightmetal_rebase_pass PROPERTIES
    PREFIX "" OUTPUT_NAME lightmetal_rebase_pass CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endif()

set(generated ${PROJECT_BINARY_DIR}/generated/device/cpu)
file(MAKE_DIRECTORY ${generated})

# Kernels find the ABI beside the other headers.
get_filename_component(kernel_headers ${CMAKE_CURRENT_LIST_DIR}/../kernel_headers ABSOLUTE)
set(kernel_abi ${PROJECT_SOURCE_DIR}/device/kernel_abi)
file(GLOB_RECURSE kernel_header_files CONFIGURE_DEPENDS ${kernel_headers}/*.h ${kernel_headers}/*.hpp ${kernel_abi}/*.h)
# Those of the host that kernels include, too.
set(host_headers ${PROJECT_SOURCE_DIR}/api/include)
list(APPEND kernel_header_files ${host_headers}/tt-metalium/constants.hpp ${host_headers}/hostdevcommon/tensor_accessor/arg_config.hpp)
# Those that are generated from a table.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(kernel_header_generator ${PROJECT_SOURCE_DIR}/cmake/kernel_headers.py)
set(kernel_header_table ${kernel_headers}/header_table.txt)
set(made_headers ${generated}/kernel_headers)
set(embedded_files -DHEADER=device/cpu/compiler/embedded_files.h -DNAMESPACE=lightmetal::device::cpu)
add_custom_command(
  OUTPUT ${generated}/kernel_headers.cc
  COMMAND Python3::Interpreter ${kernel_header_generator} ${kernel_header_table} ${made_headers}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated}/kernel_headers.cc ${embedded_files} -DSYMBOL=kernel_headers
          "-DROOTS=${kernel_headers};${kernel_abi};${host_headers};${made_headers}" "-DFILES=${kernel_header_files};${made_headers}"
          -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${kernel_header_files} ${kernel_header_table} ${kernel_header_generator}
          ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  COMMENT "Embedding the kernel headers" VERBATIM)
add_custom_command(
  OUTPUT ${generated}/rebase_pass.cc
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated}/rebase_pass.cc ${embedded_files} -DSYMBOL=rebase_pass -DROOTS=$<TARGET_FILE_DIR:lightmetal_rebase_pass>
          -DFILES=$<TARGET_FILE:lightmetal_rebase_pass> -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS $<TARGET_FILE:lightmetal_rebase_pass> ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  COMMENT "Embedding the rebase pass" VERBATIM)
configure_file(${CMAKE_CURRENT_LIST_DIR}/config.h.in ${generated}/compiler/config.h)

target_sources(lightmetal_device PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/clang.cc
  ${CMAKE_CURRENT_LIST_DIR}/compiler.cc
  ${CMAKE_CURRENT_LIST_DIR}/files.cc
  ${CMAKE_CURRENT_LIST_DIR}/kernel_cache.cc
  ${CMAKE_CURRENT_LIST_DIR}/object_parts.cc
  ${CMAKE_CURRENT_LIST_DIR}/prelude.cc
  ${CMAKE_CURRENT_LIST_DIR}/process.cc
  ${CMAKE_CURRENT_LIST_DIR}/target.cc
  ${CMAKE_CURRENT_LIST_DIR}/tools.cc
  ${CMAKE_CURRENT_LIST_DIR}/wrapper.cc
  ${generated}/kernel_headers.cc
  ${generated}/rebase_pass.cc)
