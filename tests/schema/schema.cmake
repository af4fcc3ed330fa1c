lightmetal_test(schema_test LONG
  SOURCES schema/effect_test.cc schema/object_index_test.cc schema/slicer_test.cc schema/schema_command_test.cc schema/schema_corruption_test.cc
          schema/diff_calls_test.cc schema/edits_test.cc schema/schema_dump_test.cc schema/schema_golden_test.cc schema/schema_info_test.cc
          schema/schema_lifetime_test.cc schema/schema_reader_test.cc base/text_test.cc base/range_set_test.cc base/write_all_test.cc base/signal_link_test.cc
          schema/schema_sink_test.cc schema/schema_size_test.cc schema/schema_verify_test.cc schema/schema_writer_test.cc
  DEPENDS LightMetal::schema absl::strings)
target_compile_definitions(schema_test PRIVATE
  LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}" LIGHTMETAL_FLATC="${FLATC}"
  LIGHTMETAL_SCHEMA_GENERATOR="$<TARGET_FILE:lightmetal_schema_generator>"
  LIGHTMETAL_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden"
  LIGHTMETAL_FORMAT_DOCUMENT="${PROJECT_SOURCE_DIR}/docs/format.md")
