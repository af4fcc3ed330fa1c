lightmetal_test(schema_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schema_command_test.cc ${CMAKE_CURRENT_LIST_DIR}/schema_corruption_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/schema_dump_test.cc ${CMAKE_CURRENT_LIST_DIR}/schema_golden_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/schema_lifetime_test.cc ${CMAKE_CURRENT_LIST_DIR}/schema_reader_test.cc ${CMAKE_CURRENT_LIST_DIR}/text_test.cc ${CMAKE_CURRENT_LIST_DIR}/range_set_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/schema_sink_test.cc ${CMAKE_CURRENT_LIST_DIR}/schema_verify_test.cc ${CMAKE_CURRENT_LIST_DIR}/schema_writer_test.cc
  DEPENDS LightMetal::schema absl::strings)
lightmetal_precompile(schema_test tests/schema_testing.h)
target_compile_definitions(schema_test PRIVATE
  LIGHTMETAL_GOLDEN_DIR="${CMAKE_CURRENT_LIST_DIR}/golden"
  LIGHTMETAL_FORMAT_DOCUMENT="${CMAKE_CURRENT_LIST_DIR}/../docs/format.md")
