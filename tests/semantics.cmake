# What verify makes of the numbers in a file.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(semantics_test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/semantics_device_test.cc ${CMAKE_CURRENT_LIST_DIR}/semantics_program_test.cc ${CMAKE_CURRENT_LIST_DIR}/semantics_order_test.cc
            ${CMAKE_CURRENT_LIST_DIR}/semantics_memory_test.cc ${CMAKE_CURRENT_LIST_DIR}/semantics_random_test.cc ${CMAKE_CURRENT_LIST_DIR}/every_call.cc ${CMAKE_CURRENT_LIST_DIR}/byte_size_test.cc
            ${CMAKE_CURRENT_LIST_DIR}/replayed_unverified.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
endif()
