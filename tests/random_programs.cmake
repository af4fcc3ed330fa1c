# Random programs (random_programs/): a hundred in every run, as many as LIGHTMETAL_RANDOM_PROGRAMS says in `scripts/check long`.
if(LIGHTMETAL_ENABLE_CAPTURE)
  set(folder ${CMAKE_CURRENT_LIST_DIR}/random_programs)
  set(count 100)
  set(seconds 30)
  if(LIGHTMETAL_SANITIZE)
    set(count 20)
    set(seconds 120)
  endif()
  lightmetal_test(random_programs_test
    SOURCES ${folder}/random_programs_test.cc ${folder}/check.cc ${folder}/processes.cc ${folder}/model.cc ${folder}/generator.cc
            ${folder}/print.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  target_compile_definitions(random_programs_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}"
    LIGHTMETAL_RANDOM_PROGRAM_COUNT=${count} LIGHTMETAL_RANDOM_PROGRAM_SECONDS=${seconds})
endif()
