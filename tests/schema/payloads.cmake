# The forms in which a file holds payloads: compressed, and as references to other files.
lightmetal_test(payload_test
  SOURCES schema/compressed_payload_test.cc schema/external_payload_test.cc schema/payload_corruption_test.cc schema/payload_capture_test.cc
  DEPENDS LightMetal::LightMetal absl::strings LABELS needs_capture)
find_library(ZSTD_LIBRARY zstd REQUIRED)
target_link_libraries(payload_test PRIVATE ${ZSTD_LIBRARY})
target_compile_definitions(payload_test PRIVATE LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
add_dependencies(payload_test lightmetal_runner)
# A thread writes to what the calls read, which ThreadSanitizer calls a race.
if(NOT LIGHTMETAL_SANITIZE)
  lightmetal_test(changing_payload_test SOURCES schema/changing_payload_test.cc DEPENDS LightMetal::LightMetal LABELS needs_capture)
endif()
