# The data-movement kernel API.
lightmetal_test(dataflow_api_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_test.cc ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_events_test.cc
          ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_address_rows.cc ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_multicast_rows.cc
          ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_object_rows.cc ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_transfer_rows.cc
  DEPENDS LightMetal::device)
lightmetal_test(dataflow_api_accessor_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/dataflow_api_accessor_test.cc
                DEPENDS LightMetal::api)
lightmetal_test(concurrency_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/concurrency_test.cc
                DEPENDS LightMetal::device)
