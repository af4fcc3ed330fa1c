foreach(area IN ITEMS core_coord allocator buffer_layout buffer helpers blockfloat)
  lightmetal_test(${area}_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/${area}_test.cc DEPENDS LightMetal::api)
endforeach()
