# Files as executables.
if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(executable_test SOURCES runtime/buffer_form_test.cc runtime/executable_test.cc runtime/runtime_test.cc
                  DEPENDS LightMetal::runtime LABELS needs_capture)
  lightmetal_test(relocation_test SOURCES runtime/relocation_test.cc DEPENDS LightMetal::runtime LABELS needs_capture)
endif()
