# The forms in which a file holds payloads: compressed, and as references to other files.
lightmetal_test(payload_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compressed_payload_test.cc ${CMAKE_CURRENT_LIST_DIR}/external_payload_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/payload_corruption_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
  DEPENDS LightMetal::schema absl::strings)
# Makes compressed chunks by hand.
find_library(ZSTD_LIBRARY zstd REQUIRED)
target_link_libraries(payload_test PRIVATE ${ZSTD_LIBRARY})

if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(payload_capture_test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/payload_capture_test.cc ${CMAKE_CURRENT_LIST_DIR}/process.cc
    DEPENDS LightMetal::LightMetal LABELS needs_capture)
  target_compile_definitions(payload_capture_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
  add_dependencies(payload_capture_test lightmetal_runner)
endif()
