# What holds for ever: files of released versions, where a file comes from, what may be taken out of it, whether every call is in it.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(origin_test SOURCES schema/origin_test.cc DEPENDS LightMetal::LightMetal LABELS needs_capture)

  lightmetal_test(redact_test SOURCES schema/redact_test.cc
                  DEPENDS LightMetal::LightMetal LABELS needs_capture)
  target_compile_definitions(redact_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
  add_dependencies(redact_test lightmetal_runner)
endif()

lightmetal_test(golden_files_test
  SOURCES schema/golden_files_test.cc schema/schema_version_test.cc
  DEPENDS LightMetal::replay LightMetal::schema)
target_compile_definitions(golden_files_test PRIVATE
  LIGHTMETAL_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden"
  LIGHTMETAL_FORMAT_DOCUMENT="${PROJECT_SOURCE_DIR}/docs/format.md")

if(LIGHTMETAL_ENABLE_CAPTURE)
  add_executable(golden_write_mapped golden/write_mapped.cc)  # for tests/golden/make
  target_link_libraries(golden_write_mapped PRIVATE LightMetal::api)
  lightmetal_options(golden_write_mapped)
  lightmetal_without_sanitizers(golden_write_mapped)

  lightmetal_test(captured_calls_test WHOLE
    SOURCES capture/captured_calls_test.cc
    DEPENDS LightMetal::LightMetal LABELS release_only needs_capture)
  target_compile_definitions(captured_calls_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
endif()
