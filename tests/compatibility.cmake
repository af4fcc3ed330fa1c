# Whether docs/compatibility.md tells the truth.
lightmetal_test(compatibility_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compatibility_test.cc ${CMAKE_CURRENT_LIST_DIR}/api_lists.cc ${CMAKE_CURRENT_LIST_DIR}/declared_names.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
  DEPENDS LightMetal::device LABELS release_only)
target_compile_definitions(compatibility_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
lightmetal_test(brought_headers_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/brought_headers_test.cc ${CMAKE_CURRENT_LIST_DIR}/api_lists.cc ${CMAKE_CURRENT_LIST_DIR}/declared_names.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
  DEPENDS LightMetal::device LABELS release_only)
target_compile_definitions(brought_headers_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
