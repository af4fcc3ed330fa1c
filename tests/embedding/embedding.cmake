# The C library, from C and from C++, and the captured programs that its tests and those of the Python package run.
if(LIGHTMETAL_ENABLE_CAPTURE AND NOT LIGHTMETAL_SANITIZE)
  enable_language(C)
  add_executable(write_programs embedding/write_programs.cc)
  target_link_libraries(write_programs PRIVATE LightMetal::LightMetal)
  lightmetal_options(write_programs)

  foreach(name IN ITEMS embedding_c_test embedding_end_child)
    add_executable(${name} embedding/${name}.c)
    set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_compile_options(${name} PRIVATE -Wall -Wextra -pedantic $<$<BOOL:${LIGHTMETAL_WERROR}>:-Werror>)
    target_link_libraries(${name} PRIVATE LightMetal::shared Threads::Threads)
  endforeach()

  lightmetal_test(embedding_test SOURCES embedding/embedding_test.cc DEPENDS LightMetal::shared LABELS needs_capture release_only)
  target_compile_definitions(embedding_test PRIVATE LIGHTMETAL_WRITE_PROGRAMS="$<TARGET_FILE:write_programs>"
                                                    LIGHTMETAL_EMBEDDING_C_TEST="$<TARGET_FILE:embedding_c_test>"
                                                    LIGHTMETAL_EMBEDDING_END_CHILD="$<TARGET_FILE:embedding_end_child>"
                                                    LIGHTMETAL_SERVE="$<TARGET_FILE:serve>"
                                                    LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                    LIGHTMETAL_LIBRARY="$<TARGET_FILE:lightmetal_shared>")
  add_dependencies(embedding_test write_programs embedding_c_test embedding_end_child serve)
endif()
