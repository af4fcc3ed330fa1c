# What a reader does with any bytes: the fuzzers' targets over changed samples everywhere, and libFuzzer itself with LIGHTMETAL_FUZZ=ON
# (clang, with a sanitizer), which scripts/fuzz runs.
lightmetal_test(fuzz_test LONG SOURCES schema/fuzz_test.cc fuzz/targets.cc fuzz/frames.cc fuzz/seeds.cc
                DEPENDS LightMetal::replay LABELS needs_capture)

option(LIGHTMETAL_FUZZ "Build the libFuzzer programs; needs clang and LIGHTMETAL_SANITIZE" OFF)
if(LIGHTMETAL_FUZZ)
  foreach(library IN ITEMS schema replay)
    target_compile_options(lightmetal_${library} PRIVATE -fsanitize=fuzzer-no-link)
  endforeach()
  add_library(lightmetal_fuzz_targets STATIC fuzz/targets.cc fuzz/frames.cc)
  target_link_libraries(lightmetal_fuzz_targets PUBLIC LightMetal::replay)
  lightmetal_options(lightmetal_fuzz_targets)
  foreach(target IN ITEMS read verify redact replay)
    add_executable(lightmetal_fuzz_${target} fuzz/fuzzer.cc)
    target_compile_definitions(lightmetal_fuzz_${target} PRIVATE LIGHTMETAL_FUZZ_TARGET=${target})
    target_link_libraries(lightmetal_fuzz_${target} PRIVATE lightmetal_fuzz_targets)
    target_link_options(lightmetal_fuzz_${target} PRIVATE -fsanitize=fuzzer)
    lightmetal_options(lightmetal_fuzz_${target})
  endforeach()
  add_executable(lightmetal_fuzz_seeds fuzz/write_seeds.cc fuzz/seeds.cc)
  target_link_libraries(lightmetal_fuzz_seeds PRIVATE lightmetal_fuzz_targets lightmetal_test_support)
  lightmetal_options(lightmetal_fuzz_seeds)
endif()

# Real files, damaged: every cut and 20,000 changed bytes of each; the sanitizers see a part of that, and all in scripts/check long.
lightmetal_test(real_file_corruption_test SOURCES schema/real_file_corruption_test.cc DEPENDS LightMetal::schema)
set(cut_step 1)
set(flips 20000)
if(LIGHTMETAL_SANITIZE)
  set(cut_step 101)
  set(flips 1000)
endif()
target_compile_definitions(real_file_corruption_test PRIVATE LIGHTMETAL_GOLDEN_DIR="${CMAKE_CURRENT_SOURCE_DIR}/golden"
                                                             LIGHTMETAL_CUT_STEP=${cut_step} LIGHTMETAL_FLIPS=${flips})
