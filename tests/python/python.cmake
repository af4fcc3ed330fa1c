# The Python package, where there is a Python with NumPy.
if(LIGHTMETAL_ENABLE_CAPTURE AND NOT LIGHTMETAL_SANITIZE)
  foreach(python IN ITEMS ${LIGHTMETAL_PYTHON} /usr/bin/python3 python3)
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(NOT missing)
      set(LIGHTMETAL_PYTHON ${python} CACHE STRING "A Python that has NumPy, for the tests of the package")
      break()
    endif()
  endforeach()
endif()
if(LIGHTMETAL_PYTHON)
  add_test(NAME python_package COMMAND ${LIGHTMETAL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/package_test.py $<TARGET_FILE:write_programs>)
  add_test(NAME python_transformer
           COMMAND ${LIGHTMETAL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/transformer_test.py $<TARGET_FILE:transformer_block>)
  set_tests_properties(python_package python_transformer PROPERTIES
    LABELS "release_only;needs_capture" TIMEOUT 3600
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1;LIGHTMETAL_CACHE_DIR=${LIGHTMETAL_TEST_CACHE_DIR}")
elseif(LIGHTMETAL_ENABLE_CAPTURE AND NOT LIGHTMETAL_SANITIZE)
  message(STATUS "No Python with NumPy: the Python package is not tested")
endif()
