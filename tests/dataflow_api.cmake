# The data-movement kernel API.
lightmetal_test(dataflow_api_test
  SOURCES dataflow_api_test.cc dataflow_api_events_test.cc dataflow_api_address_rows.cc dataflow_api_multicast_rows.cc
          dataflow_api_object_rows.cc dataflow_api_transfer_rows.cc dataflow_api_accessor_test.cc concurrency_test.cc
  DEPENDS LightMetal::api)
