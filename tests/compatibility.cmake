# Whether docs/compatibility.md tells the truth.
lightmetal_test(compatibility_test
  SOURCES compatibility_test.cc header_table_test.cc brought_headers_test.cc api_lists.cc declared_names.cc process.cc
  DEPENDS LightMetal::device LABELS release_only)
target_compile_definitions(compatibility_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                      LIGHTMETAL_CMAKE_COMMAND="${CMAKE_COMMAND}")
