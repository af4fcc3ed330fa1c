# The C library, from C and from C++, and the captured programs that its tests and those of the Python package run.
if(LIGHTMETAL_ENABLE_CAPTURE AND NOT LIGHTMETAL_SANITIZE)
  enable_language(C)
  add_executable(write_programs embedding/write_programs.cc)
  target_link_libraries(write_programs PRIVATE LightMetal::LightMetal)
  lightmetal_options(write_programs)

  add_executable(embedding_c_test embedding/embedding_c_test.c)
  set_target_properties(embedding_c_test PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(embedding_c_test PRIVATE -Wall -Wextra -pedantic $<$<BOOL:${LIGHTMETAL_WERROR}>:-Werror>)
  target_link_libraries(embedding_c_test PRIVATE LightMetal::shared)

  lightmetal_test(embedding_test SOURCES embedding/embedding_test.cc DEPENDS LightMetal::shared LABELS needs_capture release_only)
  target_compile_definitions(embedding_test PRIVATE LIGHTMETAL_WRITE_PROGRAMS="$<TARGET_FILE:write_programs>"
                                                    LIGHTMETAL_EMBEDDING_C_TEST="$<TARGET_FILE:embedding_c_test>"
                                                    LIGHTMETAL_SERVE="$<TARGET_FILE:serve>"
                                                    LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                    LIGHTMETAL_LIBRARY="$<TARGET_FILE:lightmetal_shared>")
  add_dependencies(embedding_test write_programs embedding_c_test serve)
endif()
