# What verify makes of the numbers in a file.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(semantics_test LONG
    SOURCES schema/semantics_device_test.cc schema/semantics_program_test.cc schema/semantics_order_test.cc
            schema/semantics_memory_test.cc schema/semantics_random_test.cc schema/semantics_edges_test.cc support/agreement.cc
            base/byte_size_test.cc base/tensor_desc_test.cc
    DEPENDS LightMetal::replay LABELS needs_capture)
  # Some ten minutes.
  add_test(NAME semantics_test.Agreement COMMAND semantics_test --gtest_filter=SemanticsOfRandomFiles.AreThoseOfTheHostApi CONFIGURATIONS long)
  set_tests_properties(semantics_test.Agreement PROPERTIES LABELS long TIMEOUT 3600 ENVIRONMENT "LIGHTMETAL_RANDOM_FILES=500000")
endif()
