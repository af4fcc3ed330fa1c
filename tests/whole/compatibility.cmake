# Whether docs/compatibility.md tells the truth.
lightmetal_test(compatibility_test WHOLE LONG
  SOURCES whole/compatibility_test.cc whole/header_table_test.cc whole/brought_headers_test.cc
          whole/upstream_headers_test.cc
  DEPENDS LightMetal::device LABELS release_only)
target_compile_definitions(compatibility_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                                      LIGHTMETAL_CMAKE_COMMAND="${CMAKE_COMMAND}")
