# Random programs (random_programs/): a hundred in every run, ten thousand in `scripts/check long`.
if(LIGHTMETAL_ENABLE_CAPTURE)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/random_programs)
  set(count 100)
  set(seconds 60)
  if(LIGHTMETAL_SANITIZE)
    set(count 20)
    set(seconds 200)
  endif()
  add_library(lightmetal_random_steps OBJECT
    ${folder}/layout.cc ${folder}/model.cc ${folder}/model_memory.cc ${folder}/model_programs.cc ${folder}/generator.cc
    ${folder}/print.cc ${folder}/surface.cc)
  target_include_directories(lightmetal_random_steps PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(lightmetal_random_steps PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
  lightmetal_options(lightmetal_random_steps)
  lightmetal_unity(lightmetal_random_steps)

  lightmetal_test(random_programs_test LONG
    SOURCES ${folder}/random_programs_test.cc ${folder}/check.cc ${folder}/forms.cc ${folder}/processes.cc
    DEPENDS LightMetal::replay lightmetal_random_steps LABELS needs_capture)
  target_compile_definitions(random_programs_test PRIVATE LIGHTMETAL_RANDOM_PROGRAM_COUNT=${count}
                                                          LIGHTMETAL_RANDOM_PROGRAM_SECONDS=${seconds})
  # Ten thousand in four parts, so that ctest can run them on several processors.
  set(part_size 2500)
  foreach(part RANGE 3)
    math(EXPR seed "${part} * ${part_size} + 1")
    add_test(NAME random_programs_test.TenThousand.From${seed} COMMAND random_programs_test CONFIGURATIONS long)
    set_tests_properties(random_programs_test.TenThousand.From${seed} PROPERTIES LABELS long TIMEOUT 7200 ENVIRONMENT
      "LIGHTMETAL_RANDOM_SEED=${seed};LIGHTMETAL_RANDOM_PROGRAMS=${part_size};LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")
  endforeach()

  # What is printed of a program.
  add_executable(print_random_program ${folder}/print_random_program.cc)
  target_link_libraries(print_random_program PRIVATE lightmetal_random_steps)
  lightmetal_options(print_random_program)
  lightmetal_without_sanitizers(print_random_program)
  lightmetal_test(printed_program_test WHOLE LONG  # its tests share an install tree and a build
    SOURCES ${folder}/printed_program_test.cc
    DEPENDS LightMetal::replay lightmetal_random_steps LABELS needs_capture release_only)
  target_compile_definitions(printed_program_test PRIVATE LIGHTMETAL_CMAKE_COMMAND="${CMAKE_COMMAND}"
                                                          LIGHTMETAL_BUILD_FOLDER="${PROJECT_BINARY_DIR}")
endif()
