# The host API's calls: devices, programs, queues, traces.
foreach(area IN ITEMS cluster device mesh program circular_buffer runtime_args queue trace)
  lightmetal_test(${area}_api_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/${area}_api_test.cc DEPENDS LightMetal::api)
endforeach()
