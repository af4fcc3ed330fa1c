# Libraries that are wrong in one way, and one that is no backend.
foreach(library IN ITEMS pretender no_backend)
  add_library(lightmetal_${library} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/backend_libraries/${library}.cc)
  target_link_libraries(lightmetal_${library} PRIVATE LightMetal::backend)
  lightmetal_options(lightmetal_${library})
endforeach()
lightmetal_test(backend_library_test SOURCES device/backend_library_test.cc DEPENDS LightMetal::device)
target_compile_definitions(backend_library_test PRIVATE LIGHTMETAL_PRETENDER="$<TARGET_FILE:lightmetal_pretender>"
                                                        LIGHTMETAL_NO_BACKEND="$<TARGET_FILE:lightmetal_no_backend>")
add_dependencies(backend_library_test lightmetal_pretender lightmetal_no_backend)
