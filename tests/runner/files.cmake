# The runner's verbs that show, change and write files, and find faults in them. These start no other threads than runner_test and
# trim_test do, so ThreadSanitizer leaves them out (tests/CMakeLists.txt).
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(golden_report_test LONG SOURCES runner/golden_report_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(inspection_test LONG SOURCES runner/buffer_dump_test.cc runner/check_test.cc runner/dump_test.cc runner/every_verb_test.cc runner/info_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(editing_test LONG SOURCES runner/optimize_test.cc runner/set_test.cc DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(convert_test LONG SOURCES runner/convert_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(diff_test SOURCES runner/diff_test.cc runner/extract_test.cc
                  DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(fault_finding_test LONG SOURCES runner/fault_finding_test.cc replay/divergence_test.cc
                  DEPENDS LightMetal::replay LABELS needs_capture)
  # A runner with sanitizers cannot enter the sandbox, which some of its calls do.
  lightmetal_test(full_disk_test SOURCES runner/full_disk_test.cc DEPENDS LightMetal::api LABELS needs_capture release_only)
  lightmetal_test(hostile_text_test LONG SOURCES runner/hostile_text_test.cc DEPENDS LightMetal::api LABELS needs_capture)
  lightmetal_test(slicing_test LONG SOURCES runner/slicing_test.cc DEPENDS LightMetal::api LABELS needs_capture)
  # The page is looked at with Debian's chromium where that is installed.
  lightmetal_test(report_page_test SOURCES runner/report_page_test.cc DEPENDS LightMetal::api LABELS needs_capture)
  foreach(test IN ITEMS convert_test diff_test editing_test fault_finding_test full_disk_test golden_report_test hostile_text_test inspection_test
                        report_page_test slicing_test)
    target_compile_definitions(${test} PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
                                               LIGHTMETAL_GOLDEN_FOLDER="${PROJECT_SOURCE_DIR}/tests/golden"
                                               LIGHTMETAL_BIN_FOLDER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                               LIGHTMETAL_RUNNER="$<TARGET_FILE:lightmetal_runner>")
    add_dependencies(${test} lightmetal_examples lightmetal_runner)
  endforeach()
endif()
