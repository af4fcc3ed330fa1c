# Programs that fork, that run out of memory, and that end while threads make calls, captured or not. Children that fork hang in
# ThreadSanitizer itself, and sanitizers have allocators of their own.
if(LIGHTMETAL_ENABLE_CAPTURE AND NOT LIGHTMETAL_SANITIZE)
  foreach(name IN ITEMS forked_capture out_of_memory process_end)
    lightmetal_test(${name}_test SOURCES capture/${name}_test.cc DEPENDS LightMetal::LightMetal LABELS needs_capture)
    add_executable(${name}_child capture/${name}_child.cc)
    target_link_libraries(${name}_child PRIVATE LightMetal::LightMetal)
    lightmetal_options(${name}_child)
    string(TOUPPER ${name} upper)
    target_compile_definitions(${name}_test PRIVATE LIGHTMETAL_${upper}_CHILD="$<TARGET_FILE:${name}_child>")
    add_dependencies(${name}_test ${name}_child)
  endforeach()
endif()
